"""Reads JSON that is a table: a list of objects with the same keys, or one such object in each line.

`[{"ranks": 4, "solver": "cg", "time_s": 1.5}, …]`, as pandas (`orient="records"`) and people's own scripts
write it. The keys are the names of columns, and the table is read like a CSV file with these columns. Objects
in an object become columns `outer.inner`. A list of numbers holds repetitions; other lists are left out.
"""

import re
from collections.abc import Iterator
from typing import Any

from ingest.formats.campaign import Campaign
from ingest.formats.documents.document import LIST, Document
from ingest.formats.documents.json_text import load, members
from ingest.formats.errors import FormatError, quoted
from ingest.formats.source import Source
from ingest.formats.table.chunks import NumberedRows, chunked
from ingest.formats.table.reading import tables_read
from ingest.formats.table.row_reader import Table
from ingest.formats.text import mended

NAME = "json-records"
TITLE = "JSON list of records"
FIRST = re.compile(r'\[\s*\{\s*"[^"\\]{1,100}"\s*:')
NUMBER = re.compile(r"[:\[,]\s*[-+]?\d")
MOST_REPETITIONS = 100
"""Limit on the numbers of a list that become columns."""


def recognises(source: Source) -> bool:
    """Recognise a text that begins with a list of objects and contains a number."""
    return FIRST.match(source.head) is not None and NUMBER.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the records as the rows of a table. Each pass parses the records again, which saves memory."""
    names = list(dict.fromkeys(name for _, record in _records(source) for name in record))
    if not names:
        raise FormatError(
            "a list without objects", "an object for each measurement: {“ranks”: 4, “time”: 1.5}"
        )

    def rows() -> NumberedRows:
        for line, record in _records(source):
            yield line, [record.get(name, "") for name in names]

    return tables_read([Table(names, chunked(rows), source.limits)], NAME)


def _records(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each record with its line, as texts of cells by the names of columns."""
    for line, value in _values(source):
        cells = dict[str, str]()
        try:
            _add(cells, "", value, source.limits.depth)
        except FormatError as error:
            raise error.at(line) from None
        yield line, cells


def _values(source: Source) -> Iterator[tuple[int, Any]]:
    if source.head.startswith("["):
        document = Document(mended(source.whole), source.limits)
        document.constants = True
        document.enter(LIST)
        for _ in document.places():
            line = document.line_of_next
            yield line, document.value()
    else:
        for line, text in source.lines():
            try:
                yield line, load(text, source.limits.depth)
            except FormatError as error:
                raise error.at(line) from None


def _add(cells: dict[str, str], name: str, value: Any, depth: int) -> None:
    """Add the cells of a value: one cell, or those of an object or of a list of numbers."""
    if isinstance(value, tuple):
        for key, inner in members(value, "an object for each measurement").items():
            _add(cells, f"{name}.{key}" if name else key, inner, depth - 1)
    elif not name:
        raise FormatError(f"{quoted(value)} in a list", "an object for each measurement")
    elif isinstance(value, list):
        if value and len(value) <= MOST_REPETITIONS and set(map(type, value)) == {float}:
            cells |= {f"{name}_run{number}": repr(each) for number, each in enumerate(value, 1)}
    else:
        cells[name] = _cell(value)


def _cell(value: object) -> str:
    """Return a text, a number or a flag as a cell of a table."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return "" if value is None else str(value)
