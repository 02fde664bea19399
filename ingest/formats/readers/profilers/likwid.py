"""Reads LIKWID's CSV (`likwid-perfctr -O` or `-o results.csv`): counters and metrics by region and group.

A region is a kernel, by default the whole program. Each hardware thread has a column. Counters are summed
over the threads. Metrics are combined by the unit in their names, such as [s] or [MBytes/s]. The longest time
is kept. Amounts and rates of data and operations, energy and power are summed. All other values are averaged.
Tables of statistics (`… STAT`) are left out.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL
from ingest.formats.collecting.entries import Entry, as_number, campaign_of
from ingest.formats.collecting.metadata import MOST_ENTRIES
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured

NAME = "likwid"
TITLE = "LIKWID CSV"
TABLE = re.compile(r"(TABLE|STRUCT),")
REGION = re.compile(r"Region (.*)", re.DOTALL)
STATISTICS = re.compile(r"\bSTAT$", re.IGNORECASE)
THREAD = re.compile(r"(Core|HWThread|Thread|Socket) \d+")
UNIT = re.compile(r"(.*\S)\s*\[([^\[\]]{1,30})\]")
TAKEN_BY_THE_SLOWEST = {"s"}
ADDED = re.compile(r"[kKMGT]?(FLOPS?|U?OPS?|Bytes|B|bits?)(/s)?|J|W")


@dataclass
class Table:
    """The table that is being read, with its region and the columns of its threads."""

    kernel: str
    raw: bool
    threads: tuple[int, ...] = ()


def recognises(source: Source) -> bool:
    """Recognise a table's title in one of the first lines, and names of threads."""
    lines = source.head.splitlines()
    return any(TABLE.match(line) for line in lines[:20]) and any(map(THREAD.search, lines))


def read(source: Source) -> Campaign:
    """Read the file table by table."""
    units, metadata = dict[str, str](), dict[str, object]()
    campaign = campaign_of(_entries(source, units, metadata), source.limits, NAME)
    return replace(campaign, units=units, metadata=metadata)


def _entries(source: Source, units: dict[str, str], metadata: dict[str, object]) -> Iterator[Entry]:
    rows = csv.reader(text for _, text in source.raw_lines())
    table: Table | None = None
    others = 0
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if cells[:1] in (["TABLE"], ["STRUCT"]):
                table = _table(cells)
            elif table is None and len(cells) > 1 and cells[0].endswith(":"):
                if len(metadata) < MOST_ENTRIES:
                    metadata[cells[0].rstrip(":")] = cells[1]
            elif table is not None and any(cells):
                yield from _row(cells, table, units, rows.line_num)
            else:
                others += 1
                check_unmeasured(others, source.limits, rows.line_num)
    except csv.Error as error:
        raise FormatError(f"no table: {error}", "a table of LIKWID in CSV", rows.line_num) from None


def _table(cells: Sequence[str]) -> Table | None:
    """Return the table whose first line has these cells, or None if the table is not read."""
    words = [cell for cell in cells[1:] if cell]
    region = next((found[1] for word in words if (found := REGION.fullmatch(word))), DEFAULT_KERNEL)
    if any(map(STATISTICS.search, words)):
        return None
    kind = " ".join(words)
    if "Raw" in kind or "Metric" in kind:
        return Table(region, "Raw" in kind)
    return None


def _row(cells: Sequence[str], table: Table, units: dict[str, str], line: int) -> Iterator[Entry]:
    if cells[0] in ("Event", "Metric", "Region Info"):
        table.threads = tuple(place for place, cell in enumerate(cells) if THREAD.fullmatch(cell))
        return
    values = [as_number(cells[place]) for place in table.threads if place < len(cells)]
    known = [value for value in values if value is not None]
    if not cells[0] or not known:
        return
    if len(cells) <= max(table.threads):
        row = f"a row of {len(cells)} cells for {quoted(cells[0])}"
        raise FormatError(row, "one cell for each thread", line)
    found = UNIT.fullmatch(cells[0])
    name, unit = (found[1], found[2]) if found else (cells[0], "")
    if unit:
        units[name] = unit
    yield Entry(table.kernel, {}, {name: [_combined(known, unit, counter=table.raw and not unit)]}, line)


def _combined(values: Sequence[float], unit: str, *, counter: bool) -> float:
    """Combine the values of the threads into the value of a run."""
    if unit in TAKEN_BY_THE_SLOWEST:
        return max(values)
    if counter or ADDED.fullmatch(unit):
        return sum(values)
    return sum(values) / len(values)
