"""The registry lists every reader."""

import ast
from pathlib import Path

from ingest.formats import FORMATS, readers, registry

FOLDER = Path(readers.__file__).parent


def test_every_module_that_recognises_files_is_listed():
    modules = {
        ".".join(path.relative_to(FOLDER).with_suffix("").parts)
        for path in FOLDER.rglob("*.py")
        if "NAME" in assigned(path)
    }
    assert modules == set(registry.MODULES)


def test_names_of_formats_are_unique():
    assert len(registry.READERS) == len(registry.MODULES)


def test_a_reader_has_a_title_and_functions():
    for reader in FORMATS.values():
        assert reader.TITLE
        assert callable(reader.recognises)
        assert callable(reader.read)


def assigned(path: Path) -> set[str]:
    """Return the names that a module assigns, without running it."""
    return {
        node.id
        for statement in ast.parse(path.read_text()).body
        if isinstance(statement, ast.Assign)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
