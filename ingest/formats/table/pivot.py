"""Reads tables whose header has the values of a parameter, as in `kernel,1,2,4,8`, with one kernel per row.

The parameter's name may stand next to each value, as in `p=1` or `2 threads`, or in the first cell, as in
`ranks` or `kernel/ranks`. Otherwise the parameter is x. Rows that begin with a number hold the values of a
second parameter, which the first cell names. If all rows begin with names of measured quantities, these are
the metrics. If the first cell is a value of the parameter too, as in `1 thread,2 threads`, all cells below
are measured, and rows are repetitions. The metric is called value, unless the user names it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.table.cells import number
from ingest.formats.table.chunks import NumberedRows, Row, chunked, trimmed
from ingest.formats.table.column_choice.chosen import Chosen
from ingest.formats.table.headings import KERNEL, heading
from ingest.formats.table.reading import tables_read
from ingest.formats.table.row_reader import Table

VALUE, METRIC = "value", "metric"
UNNAMED = "x"
OTHER = "y"
NONE = "0"
NAMED = re.compile(
    r"(?P<before>[A-Za-z][A-Za-z _]{0,30}?) ?[=:] ?(?P<value>\d{1,12}(?:\.\d{1,6})?)"
    r"|(?P<number>\d{1,12}) ?(?P<after>[A-Za-z][A-Za-z _]{0,30})"
)
"""Matches a value with the name of its parameter: p=2, 2 threads."""
SHOWN = 3
"""Number of columns that a note names."""
PROBED_ROWS = 100
"""Number of first rows that show whether rows begin with numbers."""


def is_number(text: str) -> bool:
    """Return whether a cell holds a plain number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def is_pivot(header: Row) -> bool:
    """Return whether the cells of values are rising or falling positive numbers, at least two."""
    if len(header) < 3 or is_number(header[0]):
        return False
    named = [_value_of(cell) for cell in _values_in(header)]
    values = [float(value) for _, value in named]
    ordered = sorted(set(values))
    return min(values) > 0 and values in (ordered, ordered[::-1]) and len({name for name, _ in named}) == 1


def _values_in(header: Row) -> Row:
    """Return the cells of values: all, if the first one has the same parameter as the others."""
    name, _ = _value_of(header[0])
    return header if name not in ("", UNNAMED) and name == _value_of(header[1])[0] else header[1:]


def _value_of(cell: str) -> tuple[str, str]:
    """Return the name and the value in a cell of the header: `2 threads` → threads, 2.

    A number alone has the name `UNNAMED`; other cells have an empty name and 0.
    """
    text = cell.strip()
    if is_number(text):
        return UNNAMED, text
    found = NAMED.fullmatch(text)
    if found is None:
        return "", NONE
    name = found["before"] or f"{found['after'].removesuffix('s')}s"
    value = found["value"] or found["number"]
    return (name, value) if heading(name).measured is False else ("", NONE)


def pivot_read(table: Table, format_name: str) -> Campaign:
    """Read a table whose header has the values of a parameter.

    Raises:
        FormatError: as in `tables_read`.
    """
    values = _values_in(table.header)
    named, _ = _value_of(values[0])
    of_rows = list[str]()
    if len(values) < len(table.header):
        texts = any(_is_text(row[0], table) for _, row in islice(table.rows(), PROBED_ROWS))
        corner, parameter = _names(table.header[0].strip(), texts)
        if texts and all(heading(row[0]).measured for _, row in islice(table.rows(), PROBED_ROWS)):
            corner = METRIC
        of_rows, named = [corner], parameter if named == UNNAMED else named

    def rows() -> NumberedRows:
        return _long(table, len(of_rows))

    header = [*of_rows, named, table.chosen.metric or VALUE]
    long = replace(table, header=header, chunks=chunked(rows), chosen=Chosen(metrics=(header[-1],)))
    campaign = tables_read([long], format_name)
    return replace(campaign, notes=(*_notes(table.header, values, named, of_rows), *campaign.notes))


def _notes(header: Row, values: Row, parameter: str, of_rows: Sequence[str]) -> Iterator[str]:
    """Yield sentences on how the columns and rows were read."""
    shown = ", ".join(values[:SHOWN]) + (" …" if len(values) > SHOWN else "")
    how = "; name it in the first cell, as in “kernel/ranks”" if of_rows else ", rows as repetitions"
    yield f"the columns {shown} were read as values of the parameter {parameter}{how}"
    if of_rows and not header[0].strip() and of_rows[0] != "kernel":
        yield f"the first column has no name; it was read as the parameter {of_rows[0]}"


def _is_text(cell: str, table: Table) -> bool:
    try:
        number(cell, table.decimal)
    except ValueError:
        return True
    return False


def _names(corner: str, texts: bool) -> tuple[str, str]:
    """Return the names of the quantities in the rows and in the columns."""
    of_rows, _, parameter = corner.replace("\\", "/").partition("/")
    if parameter.strip():
        return of_rows.strip() or "kernel", parameter.strip(" /")
    if not texts:
        return (corner, UNNAMED if corner != UNNAMED else OTHER) if corner else (OTHER, UNNAMED)
    named = corner and corner.lower() not in KERNEL and heading(corner).measured is False
    return "kernel", corner if named else UNNAMED


def _long(table: Table, named: int) -> Iterator[tuple[int, Row]]:
    """Return the table with a row for each value, behind the first `named` cells of its row."""
    width, values = len(table.header), [_value_of(cell)[1] for cell in table.header[named:]]
    for line, row in table.rows():
        cells = row if len(row) == width else trimmed(row, width, line)
        for value, cell in zip(values, cells[named:], strict=True):
            if cell.strip():  # nothing was measured at other points
                yield line, [*cells[:named], value, cell]
