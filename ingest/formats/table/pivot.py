"""Reads tables whose header has the values of a parameter: `kernel,1,2,4,8`, above a row for each kernel.

The first cell may name the parameter, either alone (`ranks,1,2,4,8` above rows of kernels) or after the
meaning of the rows (`kernel/ranks`). Otherwise the parameter is called x. If rows begin with numbers, these
are the values of a second parameter, which the first cell names. The file does not name the metric, so it is
called value.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from ingest.formats.campaign import Campaign
from ingest.formats.table.cells import number
from ingest.formats.table.headings import KERNEL, heading
from ingest.formats.table.reading import tables_read
from ingest.formats.table.rows import NumberedRows, Row, chunked, trimmed
from ingest.formats.table.table_rows import Table

UNNAMED = "x"
OTHER = "y"
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
    """Return whether all cells of a header except the first are positive numbers. There must be at least two
    of them.
    """
    first, *others = header
    return (
        len(others) > 1
        and not is_number(first)
        and all(is_number(cell) and float(cell) > 0 for cell in others)
    )


def pivot_read(table: Table, format_name: str) -> Campaign:
    """Read a table of this kind.

    Raises:
        FormatError: as in `tables_read`.
    """
    texts = any(_is_text(row[0], table) for _, row in islice(table.rows(), PROBED_ROWS))
    of_rows, parameter = _names(table.header[0].strip(), texts)

    def rows() -> NumberedRows:
        return _long(table)

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
        return of_rows.strip() or "kernel", parameter.strip()
    if not texts:
        return (corner, UNNAMED if corner != UNNAMED else OTHER) if corner else (OTHER, UNNAMED)
    named = corner and corner.lower() not in KERNEL and heading(corner).measured is False
    return "kernel", corner if named else UNNAMED


def _long(table: Table) -> Iterator[tuple[int, Row]]:
    """Return the table with a row for each value."""
    width = len(table.header)
    for line, row in table.rows():
        cells = row if len(row) == width else trimmed(row, width, line)
        for value, cell in zip(table.header[1:], cells[1:], strict=True):
            yield line, [cells[0], value, cell]
