"""Reports the cells of a table's metrics that contain `timeout`, `OOM` or `inf` instead of a result."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.formats.errors import quoted
from ingest.formats.table.cells import has_no_result
from ingest.formats.table.columns import Columns
from ingest.formats.table.row_reader import Table

SHOWN_LINES = 3
"""Limit on the numbers of lines in a note."""


@dataclass
class _Found:
    """The cells of one metric without a result: their number, the first one, and the first lines."""

    cell: str
    count: int = 0
    lines: list[str] = field(default_factory=list)


def notes_on_missing(of: Columns, table: Table) -> Iterator[str]:
    """Yield a note for each metric with cells without a result, which count as missing values."""
    names = {place: name for name, places in of.metrics.items() for place in places}
    for name, found in _without_result(table, names, of).items():
        lines = ", ".join(found.lines) + (", …" if found.count > SHOWN_LINES else "")
        cells = f"{found.count} cells" if found.count > 1 else "1 cell"
        result = f"{cells} without a result, such as {quoted(found.cell)}"
        yield f"{name}: {result}, read as missing (line {lines})"


def _without_result(table: Table, names: dict[int, str], of: Columns) -> dict[str, _Found]:
    """Return the cells without a result, by metric. `names` has the metric of each column."""
    places = [place for place in names if of.profiles[place].no_result]
    metrics: dict[str, _Found] = {}
    for line, row in table.rows() if places else ():
        for place in places:
            if place < len(row) and has_no_result(row[place]):
                found = metrics.setdefault(names[place], _Found(row[place].strip()))
                found.count += 1
                found.lines += [str(line)] if len(found.lines) < SHOWN_LINES else []
    return metrics
