"""What a file says of the machine and the program that were measured: flat, short and bounded."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from ingest.formats.documents.document import Document

MOST_ENTRIES = 60
"""Entries; benchmarking tools write about 20."""
LONGEST_TEXT = 200
"""Characters of a text."""
DEEPEST_ENTRY = 2
"""Objects inside of each other: machine → cpu → brand."""


def about(document: Document, sections: Sequence[str]) -> dict[str, object]:
    """These sections of a document as metadata; objects inside of them become `cpu.count` and so on.

    Raises:
        FormatError: one is no JSON.
    """
    found = list[tuple[str, object]]()
    for section in sections:
        if section in document.sections:
            document.enter(section)
            value = document.value()
            found += _flat("", value) if isinstance(value, tuple) else _flat(section, value)
    return dict(found[:MOST_ENTRIES])


def flat(values: Mapping[str, object]) -> dict[str, object]:
    """The metadata of these names whose values are short texts or numbers."""
    return dict([pair for name, value in values.items() for pair in _flat(name, value)][:MOST_ENTRIES])


def agreed(runs: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """What is said of every run alike."""
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
