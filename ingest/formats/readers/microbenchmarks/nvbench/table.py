"""Reads the CSV of nvbench (`--csv results.csv`), in which several columns may have the same name.

The columns between the device and `Skipped` are axes, those behind it results, and columns behind all times
axes again, which only later benchmarks have. `N (pow2)` is another spelling of the axis `N`. Of the results,
the mean times are read, as from the JSON. They are in seconds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, level_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.files.text import csv_cells

NAME = "nvbench-csv"
TITLE = "nvbench CSV"
FIRST = ["Benchmark", "Device", "Device Name"]
"""Names of the first columns."""
SKIPPED, YES = "Skipped", "Yes"
POWER = " (pow2)"
TIMES = {
    "GPU Time (sec)": "GPU time",
    "Batch GPU (sec)": "batch GPU time",
    "CPU Time (sec)": "CPU time",
}
"""Column → metric."""
RESULTS = {"Samples", "Noise", "BWUtil"}
"""Columns of results whose names have no unit."""


def recognises(source: Source) -> bool:
    """Recognise the header."""
    header = _cells(source.first_line)
    return header[: len(FIRST)] == FIRST and SKIPPED in header


def read(source: Source) -> Campaign:
    """Read the rows, each with one benchmark at one point of its axes."""
    campaign = campaign_of(_entries(source), source.limits, NAME)
    return replace(campaign, units=dict.fromkeys((metric for _, metric in campaign.series), "s"))


def _entries(source: Source) -> Iterator[Entry]:
    header, devices = list[str](), set[str]()
    rows = list[tuple[int, list[str]]]()
    for line, text in source.lines():
        cells = _cells(text)
        if not header:
            header = cells
            continue
        if len(cells) != len(header):
            raise FormatError(f"a row of {len(cells)} cells", f"{len(header)} cells, as in the header", line)
        devices.add(cells[1])
        rows.append((line, cells))
    for line, cells in rows:
        if cells[header.index(SKIPPED)] != YES:
            parameters = _parameters(header, cells, several=len(devices) > 1)
            values = dict(_values(header, cells, line))
            if values:
                yield entry(level_of(cells[0]), parameters, values, line)


def _parameters(header: Sequence[str], cells: Sequence[str], *, several: bool) -> dict[str, object]:
    """Return the values of the axes that the benchmark has, and the device if there are several."""
    axes: dict[str, object] = {header[place]: cells[place] for place in _axes(header) if cells[place]}
    return axes | ({"device": f"GPU {cells[1]}"} if several else {})


def _axes(header: Sequence[str]) -> list[int]:
    """Return the places of the axes."""
    last = max((place for place, name in enumerate(header) if name in TIMES), default=len(header))
    own = range(len(FIRST), header.index(SKIPPED))
    later = [place for place in range(last + 1, len(header)) if header[place] not in RESULTS]
    return [place for place in (*own, *later) if not header[place].endswith(")")]


def _values(names: Sequence[str], cells: Sequence[str], line: int) -> Iterator[tuple[str, list[float]]]:
    for name, cell in zip(names, cells, strict=True):
        if cell and name in TIMES:
            number = as_number(cell)
            if number is None:
                raise FormatError(f"{quoted(cell)} in the column {name}", "a number of seconds", line)
            yield TIMES[name], [number]


def _cells(text: str) -> list[str]:
    return csv_cells(text.rstrip("\r\n"))
