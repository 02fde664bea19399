"""Fills empty cells that repeat the cell above, as spreadsheets save merged cells.

In `n,threads,time` with the rows `1000,1,8`, `,2,4`, `2000,1,16` and `,2,8`, the size is given once for each
group of rows. A column is read in this way if its first cell is filled, no value comes twice, at least half
of its cells are empty, and it is neither a metric nor a remark.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ingest.formats.errors import FormatError
from ingest.formats.table.chunks import Chunk, first_rows
from ingest.formats.table.headings import Heading, heading, words_of
from ingest.formats.table.row_reader import Table

PROBED = 200
"""Number of first rows in which the groups must show."""
LEAST_GROUPS = 2
REMARKS = words_of("note notes comment comments remark remarks")
"""Words in names of columns whose texts are about single rows."""


def with_merged_cells(table: Table) -> tuple[Table, list[str]]:
    """Return the table with cells in place of empty ones that repeat them, and a note."""
    headings = [heading(cell) for cell in table.header]
    places = [place for place in _candidates(table, headings) if _is_merged(table, place)]
    if not places:
        return table, []

    def chunks() -> Iterator[Chunk]:
        last = dict.fromkeys(places, "")
        for chunk in table.chunks():
            rows = [_filled(row, last) if any(map(str.strip, row)) else row for row in chunk.rows]
            yield Chunk(chunk.lines, rows)

    names = ", ".join(headings[place].name for place in places)
    return replace(table, chunks=chunks), [f"{names}: an empty cell was read as the cell above it"]


def _candidates(table: Table, headings: Sequence[Heading]) -> list[int]:
    """Return the columns that are no metrics and have empty cells below a filled one in the first rows."""
    width = len(headings)
    rows = [row for chunk in first_rows(table.chunks(), PROBED) for row in chunk.rows if len(row) == width]
    return [
        place
        for place, of in enumerate(headings)
        if of.name and of.measured is not True and not of.unit and not of.numbers_runs and not of.has(REMARKS)
        if rows and rows[0][place].strip() and not all(row[place].strip() for row in rows)
    ]


def _is_merged(table: Table, place: int) -> bool:
    """Return whether each value of a column comes once, and at least half of the cells are empty."""
    seen, rows = set[str](), 0
    try:
        for chunk in table.chunks():
            for row in chunk.rows:
                cell = row[place].strip() if place < len(row) else ""
                if cell and cell in seen:
                    return False
                seen.update([cell] if cell else [])
                rows += any(map(str.strip, row))
    except FormatError:  # the reader names the line
        return False
    return len(seen) >= LEAST_GROUPS and 2 * len(seen) <= rows


def _filled(row: Sequence[str], last: dict[int, str]) -> Sequence[str]:
    """Return a row with the last cells in place of empty ones, and remember its own."""
    cells = list(row)
    for place, above in last.items():
        if place < len(cells):
            cells[place] = last[place] = cells[place] if cells[place].strip() else above
    return cells
