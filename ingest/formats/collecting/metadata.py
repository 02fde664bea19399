"""Reads metadata about the machine and the program, which are short texts and numbers, limited in number."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from ingest.formats.files.documents.document import Document

MOST_ENTRIES = 60
"""Limit on the number of metadata entries. Benchmarking tools write about 20."""
LONGEST_TEXT = 200
"""Limit on the characters of a metadata text."""
DEEPEST_ENTRY = 2
"""Limit on the levels of nested objects, such as machine → cpu → brand."""


def metadata_of(document: Document, sections: Sequence[str]) -> dict[str, object]:
    """Return the named sections of a document as metadata; nested objects become keys such as `cpu.count`.

    Raises:
        FormatError: a section is no JSON object.
    """
    found = list[tuple[str, object]]()
    for section in sections:
        if section in document.sections:
            document.enter(section)
            value = document.value()
            found += _flat("", value) if isinstance(value, tuple) else _flat(section, value)
    return dict(found[:MOST_ENTRIES])


def flat(values: Mapping[str, object]) -> dict[str, object]:
    """Return the named values that are short texts or numbers, as metadata."""
    return dict([pair for name, value in values.items() for pair in _flat(name, value)][:MOST_ENTRIES])


def agreed(runs: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return the metadata that all runs have in common."""
    first, *others = runs or [{}]
    return flat(
        {name: value for name, value in first.items() if all(run.get(name) == value for run in others)}
    )


def _flat(name: str, value: object, depth: int = 0) -> Iterator[tuple[str, object]]:
    if isinstance(value, tuple) and depth < DEEPEST_ENTRY:
        for key, inner in value:
            yield from _flat(f"{name}.{key}" if name else str(key), inner, depth + 1)
    elif (
        name
        and len(name) <= LONGEST_TEXT
        and (
            (isinstance(value, str) and value and len(value) <= LONGEST_TEXT and value.isprintable())
            or isinstance(value, bool)
            or (isinstance(value, float) and isfinite(value))
        )
    ):
        yield name, value
