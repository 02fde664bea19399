"""Reads JSON that is a table: a list of objects with the same keys, alone, in an object, or one a line.

`[{"ranks": 4, "solver": "cg", "time_s": 1.5}, …]`, as pandas (`orient="records"`) and scripts write it. Keys
are columns of a table, and nested objects columns `outer.inner`. A list of numbers holds repetitions; other
lists are left out. In `{"machine": "a", "threads": 8, "results": [{"n": 64, "time": 1.5}, …]}` the only list
of flat objects with a measured number is the table. Parameters beside this list are valid for all of its
rows. An object of numbers and texts alone is one row. In `{"load": {"time": 1.5}, "store": {"time": 2.5}}`,
the names are kernels, unless they number the rows. A table may also be an object of columns, as in `{"ranks":
[4, 8], "time_s": [1.5, 0.9]}`, also with an object of cells by row, or an object of `columns` and `data`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import LIST, Document
from ingest.formats.files.documents.json_text import load, members
from ingest.formats.files.source import Source
from ingest.formats.files.text import mended
from ingest.formats.table.chunks import NumberedRows, chunked
from ingest.formats.table.headings import MEASURES, heading
from ingest.formats.table.reading import tables_read
from ingest.formats.table.row_reader import Table

NAME = "json-records"
TITLE = "JSON list of records"
FIRST = re.compile(r'\[\s*\{\s*"[^"\\]{1,100}"\s*:')
NUMBER = re.compile(r"[:\[,]\s*[-+]?\d")
MOST_REPETITIONS = 100
"""Limit on the numbers of a list that become columns."""
GRAPH = frozenset({"graph", "dataframe"})
"""Keys of Hatchet's files, whose rows name only nodes of a graph."""
SPLIT = ("columns", "data")
"""Keys of a table as pandas writes it with `orient="split"`."""
LEAST_NAMES = 2
"""Smallest number of named objects that are read as rows, with kernels as names."""


def recognises(source: Source) -> bool:
    """Recognise a list of objects with a number, an object with such a list, or one record."""
    if FIRST.match(source.head) is not None:
        return NUMBER.search(source.head) is not None
    if not source.head.startswith("{"):
        return False
    document = source.document
    if _section(document) is not None or _is_by_name(document) or bool(_record(document)):
        return True
    return _is_split(document) or _are_columns(document)


def read(source: Source) -> Campaign:
    """Read the records as the rows of a table. Each pass parses them again, which saves memory."""
    if source.head.startswith("["):
        document, section = Document(mended(source.whole), source.limits), LIST
        document.constants = True
    else:
        document, section = source.document, _section(source.document) or LIST
        if _is_by_name(document):
            return records_read(source, partial(_named_values, document))
        if section == LIST and _is_split(document):
            return records_read(source, partial(_split_values, document))
        if section == LIST and _are_columns(document):
            return records_read(source, partial(_values_of_columns, document))
        if section == LIST:
            return records_read(source, lambda: [(1, _record(document))])
    return records_read(source, partial(_values, document, section))


def read_lines(source: Source) -> Campaign:
    """Read a record in each line."""
    return records_read(source, partial(_values_of_lines, source))


def records_read(source: Source, values: Callable[[], Iterable[tuple[int, Any]]]) -> Campaign:
    """Read records, each with its line, as the rows of a table.

    Raises:
        FormatError: no record has a cell, or the table cannot be read.
    """
    depth = source.limits.depth
    names = list(dict.fromkeys(name for _, record in _records(values(), depth) for name in record))
    if not names:
        raise FormatError(
            "a list without objects", "an object for each measurement: {“ranks”: 4, “time”: 1.5}"
        )

    def rows() -> NumberedRows:
        for line, record in _records(values(), depth):
            yield line, [record.get(name, "") for name in names]

    return tables_read([Table(names, chunked(rows), source.limits)], NAME)


def _records(values: Iterable[tuple[int, Any]], depth: int) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line of each record, and the texts of its cells by column."""
    for line, value in values:
        cells = dict[str, str]()
        try:
            _add(cells, "", value, depth)
        except FormatError as error:
            raise error.at(line) from None
        yield line, cells


def _values(document: Document, section: str) -> Iterator[tuple[int, Any]]:
    valid = () if section == LIST else tuple(_valid_for_all(document))
    document.enter(section)
    for _ in document.places():
        line = document.line_of_next
        value = document.value()
        yield line, (*valid, *value) if isinstance(value, tuple) else value


def _named_values(document: Document) -> Iterator[tuple[int, Any]]:
    """Yield the objects of a document, each with its name."""
    numbered = list(document.sections) == [str(place) for place in range(len(document.sections))]
    for name in document.sections:
        document.enter(name)
        line = document.line
        cells = members(document.value(), "an object for each name").items()
        named = () if numbered else (("name", name),)
        yield line, (*named, *((key, value) for key, value in cells if numbered or value != name))


def _split_values(document: Document) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a table of `columns` and `data`."""
    document.enter(SPLIT[0])
    names = [str(name) for name in document.elements()]
    document.enter(SPLIT[1])
    for _ in document.places():
        line, row = document.line_of_next, document.value()
        if not isinstance(row, list) or len(row) != len(names):
            raise FormatError(f"the row {quoted(row)}", f"a list of {len(names)} cells", line)
        yield line, tuple(zip(names, row, strict=True))


def _values_of_columns(document: Document) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a table whose columns are lists, or objects of cells by row."""
    columns = _columns(document)
    for cells in zip(*columns.values(), strict=True):
        yield 1, tuple(zip(columns, cells, strict=True))


def _values_of_lines(source: Source) -> Iterator[tuple[int, Any]]:
    for line, text in source.lines():
        try:
            yield line, load(text, source.limits.depth)
        except FormatError as error:
            raise error.at(line) from None


def _section(document: Document) -> str | None:
    """Return the name of the only list of flat objects with a measured number, or None."""
    document.constants = True
    if GRAPH.issubset(document.sections):
        return None
    found = [name for name in document.sections if _is_table(document, name)]
    return found[0] if len(found) == 1 else None


def _is_table(document: Document, section: str) -> bool:
    document.enter(section)
    if not document.begins("["):
        return False
    return _is_row(next((document.value() for _ in document.places()), None))


def _is_row(value: object) -> bool:
    """Return whether a value is a flat object with a measured number."""
    if not isinstance(value, tuple) or any(map(_is_list_of_objects, (each for _, each in value))):
        return False
    return any(isinstance(each, float) and heading(name).measured for name, each in value)


def _is_by_name(document: Document) -> bool:
    """Return whether a document seems to consist of flat objects with the same keys and a measured number."""
    document.constants = True
    if len(document.sections) < LEAST_NAMES:
        return False
    for name in document.sections:
        document.enter(name)
        if not document.begins("{"):
            return False
    keys = set[frozenset[str]]()
    for name in list(document.sections)[:LEAST_NAMES]:
        document.enter(name)
        value = document.value()
        flat = isinstance(value, tuple) and not any(isinstance(each, tuple) for _, each in value)
        if not flat or not _is_row(value) or "name" in dict(value):
            return False
        keys.add(frozenset(dict(value)))
    return len(keys) == 1


def _is_split(document: Document) -> bool:
    """Return whether a document has names of columns, of which one is measured, and rows of cells."""
    if not set(SPLIT) <= document.sections.keys():
        return False
    document.enter(SPLIT[0])
    if not document.begins("["):
        return False
    names = list(document.elements())
    document.enter(SPLIT[1])
    if not document.begins("[") or not all(isinstance(name, str) for name in names):
        return False
    first = next((document.value() for _ in document.places()), None)
    return isinstance(first, list) and any(heading(name).measured for name in names)


def _are_columns(document: Document) -> bool:
    """Return whether a document consists of at least two columns of equally many cells; one is measured."""
    names = list(document.sections)
    measured = any(heading(name).measured and len(name) > 1 for name in names)  # b may be anything
    return len(names) >= LEAST_NAMES and measured and bool(_columns(document))


def _columns(document: Document) -> dict[str, list[Any]]:
    """Return the cells of each column, or nothing if the document is no table of columns."""
    columns, rows = dict[str, list[Any]](), set[tuple[str, ...]]()
    for name in document.sections:
        document.enter(name)
        value = document.value() if document.begins("[") or document.begins("{") else None
        if isinstance(value, tuple):
            rows.add(tuple(key for key, _ in value))
            value = [cell for _, cell in value]
        if not isinstance(value, list) or any(isinstance(cell, list | tuple) for cell in value):
            return {}
        columns[name] = value
    lengths = set(map(len, columns.values()))
    return columns if len(lengths) == 1 and lengths != {0} and len(rows) <= 1 else {}


def _record(document: Document) -> tuple[tuple[str, Any], ...]:
    """Return the names and values of a document that is one record; empty for something else."""
    found = list[tuple[str, Any]]()
    for name in document.sections:
        document.enter(name)
        if document.begins("[") or document.begins("{"):
            return ()
        found.append((name, document.value()))
    numbers = [heading(name) for name, value in found if isinstance(value, float)]
    measured = any(of.measured and of.has(MEASURES) for of in numbers)
    return tuple(found) if measured and any(of.measured is False for of in numbers) else ()


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], tuple)


def _valid_for_all(document: Document) -> Iterator[tuple[str, float]]:
    """Yield the numbers beside the table that have the name of a parameter."""
    for name in document.sections:
        document.enter(name)
        if not document.begins("[") and not document.begins("{"):
            value = document.value()
            if isinstance(value, float) and heading(name).measured is False:
                yield name, value


def _add(cells: dict[str, str], name: str, value: Any, depth: int) -> None:
    """Add the cells of a value; an object or a list of numbers has several."""
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
