"""Reports of the High Performance Conjugate Gradients benchmark (HPCG).

Lines such as `Benchmark Time Summary::SpMV=7.17` and `GFLOP/s Summary::Raw SpMV=1.65` are the time and the
rate of a part, which is a kernel. The total is the kernel main, with the official rating. Processes,
threads per process and the number of equations are parameters. A file may hold several reports, one below
the other.
"""

import re

from ingest.formats.campaign import Campaign
from ingest.formats.names import SEPARATOR
from ingest.formats.printed.printout import Printout, printout_read
from ingest.formats.source import Source

NAME = "hpcg"
TITLE = "HPCG report"
BEGIN = re.compile(r"^\s*(?:Machine Summary::|Benchmark Time Summary::)", re.MULTILINE)
FIELD = re.compile(r"(?P<group>[A-Za-z/ ]{1,60})::(?P<name>[^=]{1,80})=(?P<value>[0-9.eE+-]{1,30})")
RATING = re.compile(
    r"Final Summary::HPCG result is VALID with a GFLOP/s rating of=(?P<value>[0-9.eE+-]{1,30})"
)
PARAMETERS = {
    ("Machine Summary", "Distributed Processes"): "processes",
    ("Machine Summary", "Threads per processes"): "threads",
    ("Linear System Information", "Number of Equations"): "equations",
}
METRICS = {"Benchmark Time Summary": "time", "GFLOP/s Summary": "rate"}
UNITS = {"time": "s", "rate": "GFLOP/s", "rating": "GFLOP/s"}
LEFT_OUT = ("Total with",)
"""Beginnings of the names of further totals. They repeat the total, with a part of the overhead added."""
EXPECTED = "the lines “Benchmark Time Summary::…=…” of a finished run"


def recognises(source: Source) -> bool:
    """Recognise the first group or the times near the beginning of the file."""
    return BEGIN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the report line by line."""
    return printout_read(source, Reports(), NAME, UNITS, EXPECTED)


class Reports(Printout):
    """Reads all reports. A line with the number of processes begins a report."""

    def take(self, text: str, line: int) -> bool:
        """Read a line of a report."""
        if self.run and (rating := RATING.match(text)):
            self.run.add("main", "rating", rating["value"])
            return True
        field = FIELD.fullmatch(text)
        if field is None:
            return False
        parameter = PARAMETERS.get((field["group"], field["name"]))
        if self.run is None or parameter == "processes":
            self.begin(line, {})
        if self.run and parameter:
            self.run.parameters[parameter] = float(field["value"])
        elif self.run and field["group"] in METRICS and not field["name"].startswith(LEFT_OUT):
            self.run.add(_kernel(field["name"]), METRICS[field["group"]], field["value"])
        else:
            return False
        return True


def _kernel(name: str) -> str:
    part = name.removeprefix("Raw ")
    return "main" if part == "Total" else f"main{SEPARATOR}{part}"
