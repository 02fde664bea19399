"""Computes durations from columns with the times of beginning and end, as GPU profilers write them."""

import re
from collections.abc import Iterator
from dataclasses import replace

from ingest.formats.table.chunks import Chunk, Row
from ingest.formats.table.row_reader import Table

PAIRS = (
    ("beginns", "endns"),
    ("startns", "endns"),
    ("starttimestamp", "endtimestamp"),
    ("begintimestamp", "endtimestamp"),
)
"""Names of columns with beginnings and ends in nanoseconds, in lower case without separators."""
BETWEEN = re.compile(r"[\W_]")
DURATION = "duration [ns]"
LONGEST = 20
"""Limit on the digits of a time."""
DURATIONS = {"duration", "durationns", "durationnsec"}


def with_durations(table: Table) -> Table:
    """Return the table with a column of durations, if it has beginnings and ends but no durations."""
    keys = [BETWEEN.sub("", cell).lower() for cell in table.header]
    pair = next((pair for pair in PAIRS if set(pair) <= set(keys)), None)
    if pair is None or not DURATIONS.isdisjoint(keys):
        return table
    begin, end = map(keys.index, pair)

    def chunks() -> Iterator[Chunk]:
        for chunk in table.chunks():
            yield Chunk(chunk.lines, [_longer(row, begin, end, len(keys)) for row in chunk.rows])

    return replace(table, header=[*table.header, DURATION], chunks=chunks)


def _longer(row: Row, begin: int, end: int, width: int) -> Row:
    """Return a row with its duration, empty if a time is missing or is no whole number."""
    if len(row) != width:
        return row  # the reader refuses such a row
    times = row[begin].strip(), row[end].strip()
    known = all(time.isdecimal() and len(time) <= LONGEST for time in times)
    return [*row, str(max(0, int(times[1]) - int(times[0]))) if known else ""]
