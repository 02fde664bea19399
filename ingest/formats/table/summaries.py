"""Leaves out rows that summarise the runs above them, such as `4,mean,2.5` below `4,1,2.4` and `4,2,2.6`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ingest.formats.errors import FormatError
from ingest.formats.table.chunks import Chunk, first_rows
from ingest.formats.table.headings import STATISTICS_OF, heading
from ingest.formats.table.row_reader import Table

PROBED = 50_000
"""Number of first rows in which such a row must occur."""


def without_summaries(table: Table) -> tuple[Table, list[str]]:
    """Return the table without rows whose number of the run is the name of a statistic, and a note."""
    places = [place for place, cell in enumerate(table.header) if heading(cell).numbers_runs]
    found = dict.fromkeys(name for cells in _cells(table, places) for name in _statistics(cells))
    if not found:
        return table, []

    def chunks() -> Iterator[Chunk]:
        for chunk in table.chunks():
            kept = [
                place
                for place, row in enumerate(chunk.rows)
                if not any(column < len(row) and row[column].strip().lower() in found for column in places)
            ]
            if kept:
                yield Chunk([chunk.lines[place] for place in kept], [chunk.rows[place] for place in kept])

    note = f"rows of {', '.join(found)} were left out: they summarise the runs"
    return replace(table, chunks=chunks), [note]


def _cells(table: Table, places: Sequence[int]) -> list[set[str]]:
    """Return the different cells of columns in the first rows, in lower case."""
    found, width = [set[str]() for _ in places], len(table.header)
    if not places:
        return found
    try:
        for chunk in first_rows(table.chunks(), PROBED):
            columns = chunk.columns(width)
            for cells, place in zip(found, places, strict=True):
                cells.update(cell.strip().lower() for cell in set(columns[place]))
    except FormatError:  # the reader names the line
        return []
    return found


def _statistics(cells: set[str]) -> set[str]:
    """Return the statistics among the numbers of runs in a column; empty if it has no other cells."""
    return cells & STATISTICS_OF if cells - STATISTICS_OF else set()
