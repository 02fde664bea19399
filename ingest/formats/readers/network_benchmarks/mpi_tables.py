"""Reads tables of MPI benchmarks, as OSU Micro-Benchmarks and Intel MPI Benchmarks (IMB) print them.

One header names the benchmark, a second one the columns. The lines below have message sizes and measurements.
Other output may stand between tables. IMB prints the number of processes with each table. For OSU, this
number comes from the last command before the table, or is sent with the file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.notes import bounded_notes
from ingest.formats.collecting.entries import Entry, campaign_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured, numbers
from ingest.formats.runs.launchers import PROCESSES as LAUNCHED
from ingest.formats.runs.launchers import processes_launched

NAME = "mpi-tables"
TITLE = "OSU and IMB tables"
OSU = re.compile(r"#\s*OSU ((?:MPI|NCCL|OpenSHMEM|UPC|UPC\+\+)\S* .{1,80}? (?:Test|Benchmark))\b")
IMB = re.compile(r"#\s*Benchmarking\s+(\S{1,80})\s*$")
PROCESSES = re.compile(r"#\s*#processes\s*=\s*(\d{1,9})\b")
UNIT = re.compile(r"\s*[(\[]([^()\[\]]{1,20})[)\]]$")
UNITS = {"usec": "us"}
COLUMNS = re.compile(
    r"#\s*(?:size\b|bytes\b|repetitions\b|[a-z][\w .]{0,60}[(\[][a-z/%]{1,9}[)\]]\s*(?:$|\s))", re.I
)
"""Matches the beginning of a line with the names of columns."""
BETWEEN = re.compile(r"\s{2,}|(?<=[)\]])\s+|\s+(?=#)")
HEADINGS = {
    "MB/s": ("bandwidth", "MB/s"),
    "Mbytes/sec": ("bandwidth", "MB/s"),
    "Messages/s": ("message rate", "1/s"),
    "Msg/sec": ("message rate", "1/s"),
}
"""Headings that consist of a unit alone → name and unit of the metric."""
SIZES = {"size", "bytes"}
COUNTS = {"repetitions", "iterations"}
"""Columns that count repetitions and are no metrics."""
VALIDATION = "validation"
"""Column in which OSU writes Pass or Fail (`-c`)."""
STOPPED = re.compile(r"\d{1,20}\s+(?:time-out|out-of-mem)\.", re.IGNORECASE)
"""Matches the line of a size that IMB did not measure, because time or memory ran out."""
LINE = 1000
"""Limit on the characters of a table's line. Longer lines are other output."""


@dataclass
class Table:
    """The table that is being read; names are empty until they have been read."""

    kernel: str
    processes: dict[str, float] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)


def recognises(source: Source) -> bool:
    """Recognise a benchmark's header near the beginning of the file."""
    return any(OSU.match(line) or IMB.match(line) for line in map(str.strip, source.head.splitlines()))


def read(source: Source) -> Campaign:
    """Read the file line by line."""
    units, missing = dict[str, str](), list[str]()
    campaign = campaign_of(_entries(source, units, missing), source.limits, NAME)
    return replace(
        campaign,
        units={name: unit for name, unit in units.items() if unit},
        notes=(*bounded_notes(missing), *campaign.notes),
    )


def _entries(source: Source, units: dict[str, str], missing: list[str]) -> Iterator[Entry]:
    table, said, others = None, dict[str, float](), 0
    for line, text in source.lines():
        if len(text) > LINE:
            table = None
        elif text.startswith("#"):
            table = _header(text, table, said, units)
        elif (launched := processes_launched(text)) is not None:
            table, said = None, {LAUNCHED: launched}
        elif table and text[0] in "0123456789.":
            if why := _missing(text):
                missing.append(f"line {line}: {table.kernel} at {text.split()[0]} bytes {why}")
                check_unmeasured(len(missing), source.limits, line)
            else:
                yield _row(text, table, line)
        else:
            table, others = None, others + 1
            check_unmeasured(others, source.limits, line)


def _header(text: str, table: Table | None, said: dict[str, float], units: dict[str, str]) -> Table | None:
    """Update the table from a line that begins with #."""
    if found := OSU.match(text):
        return Table(found[1].removesuffix(" Test").removesuffix(" Benchmark"), dict(said))
    if found := IMB.match(text):
        return Table(found[1])
    if table is None:
        return None
    if found := PROCESSES.match(text):
        table.processes = {LAUNCHED: float(found[1])}
    elif not table.columns and COLUMNS.match(text):
        table.columns = _columns(text, units)
    return table


def _columns(text: str, units: dict[str, str]) -> list[str]:
    """Return the names of the columns, which are separated by several blanks or end with a unit."""
    names = []
    for heading in filter(None, (piece.strip("# ") for piece in BETWEEN.split(text))):
        name, unit = HEADINGS.get(heading, (UNIT.sub("", heading), ""))
        if found := UNIT.search(heading):
            unit = found[1].strip()
        names.append(name.strip(". ").lower().replace(" ", "_"))
        if names[-1] == VALIDATION:
            names.pop()
        elif names[-1] not in SIZES | COUNTS:
            units[names[-1]] = UNITS.get(unit, unit)
    return names


def _missing(text: str) -> str:
    """Return why a row has no result, or "" if it has one."""
    if STOPPED.match(text):
        return "was not measured; time or memory ran out"
    return "failed its validation and was left out" if text.endswith("Fail") else ""


def _row(text: str, table: Table, line: int) -> Entry:
    try:
        values = numbers(text.removesuffix("Pass"))
    except FormatError as error:
        raise error.at(line) from None
    if len(values) != len(table.columns):
        found = f"a row of {len(values)} numbers below the columns {quoted(', '.join(table.columns))}"
        raise FormatError(found, f"{len(table.columns)} numbers", line)
    cells = dict(zip(table.columns, values, strict=True))
    sizes = [value for name, value in cells.items() if name in SIZES]
    measured = {name: [value] for name, value in cells.items() if name not in SIZES | COUNTS}
    parameters = table.processes | ({"bytes": sizes[0]} if sizes else {})
    return Entry(table.kernel, parameters, measured, line)
