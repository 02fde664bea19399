"""Reads tables whose header has the values of a parameter, as in `kernel,1,2,4,8`, with one kernel per row.

The parameter's name may stand next to each value, as in `p=1` or `2 threads`, or in the first cell, as in
`ranks` or `kernel/ranks`. Otherwise the parameter is x. Rows that begin with a number hold the values of a
second parameter, which the first cell names. The metric is called value.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.table.cells import number
from ingest.formats.table.chunks import NumberedRows, Row, chunked, trimmed
from ingest.formats.table.headings import KERNEL, heading
from ingest.formats.table.reading import tables_read
from ingest.formats.table.row_reader import Table

UNNAMED = "x"
OTHER = "y"
NONE = "0"
NAMED = re.compile(
    r"(?P<before>[A-Za-z][A-Za-z _]{0,30}?) ?[=:] ?(?P<value>\d{1,12}(?:\.\d{1,6})?)"
    r"|(?P<number>\d{1,12}) ?(?P<after>[A-Za-z][A-Za-z _]{0,30})"
)
"""Matches a value with the name of its parameter: p=2, 2 threads."""
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
    """Return whether the cells after the first are rising or falling positive numbers, at least two."""
    first, *others = header
    if len(others) < 2 or is_number(first):
        return False
    named = [_value_of(cell) for cell in others]
    values = [float(value) for _, value in named]
    ordered = sorted(set(values))
    return min(values) > 0 and values in (ordered, ordered[::-1]) and len({name for name, _ in named}) == 1


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
    texts = any(_is_text(row[0], table) for _, row in islice(table.rows(), PROBED_ROWS))
    of_rows, parameter = _names(table.header[0].strip(), texts)

    def rows() -> NumberedRows:
        return _long(table)

    named, _ = _value_of(table.header[1])
    parameter = parameter if named == UNNAMED else named
    campaign = tables_read(
        [replace(table, header=[of_rows, parameter, "value"], chunks=chunked(rows))], format_name
    )
    others = ", ".join(table.header[1:4]) + (" …" if len(table.header) > 4 else "")
    note = (
        f"the columns {others} were read as values of the parameter {parameter}; name it in the first cell, "
        "as in “kernel/ranks”"
    )
    return replace(campaign, notes=(note, *campaign.notes))


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


def _long(table: Table) -> Iterator[tuple[int, Row]]:
    """Return the table with a row for each value."""
    width, values = len(table.header), [_value_of(cell)[1] for cell in table.header[1:]]
    for line, row in table.rows():
        cells = row if len(row) == width else trimmed(row, width, line)
        for value, cell in zip(values, cells[1:], strict=True):
            yield line, [cells[0], value, cell]
