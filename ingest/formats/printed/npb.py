"""Outputs of the NAS Parallel Benchmarks (NPB), also of their ports to other languages.

`CG Benchmark Completed.` begins a report of lines such as `Time in seconds = 12.34`. The benchmark is the
kernel; its size (the product of its extents), processes and threads are parameters. Reports whose
verification failed are left out. A file may hold any number of reports.
"""

import math
import re

from ingest.formats.campaign import Campaign
from ingest.formats.printed.printout import Printout, Run, printout_read
from ingest.formats.source import Source

NAME = "npb"
TITLE = "NAS Parallel Benchmarks"
BEGIN = re.compile(r"^\s*(?:NAS Parallel Benchmarks|\w{2} Benchmark Completed)\b", re.MULTILINE)
COMPLETED = re.compile(r"(?P<name>\w{2}(?:-MZ)?) Benchmark Completed", re.IGNORECASE)
FIELD = re.compile(r"(?P<name>[A-Z][A-Za-z/ ]{1,24}?)\s*=\s*(?P<value>\S.{0,40})")
PARAMETERS = {
    "Total processes": "processes",
    "Total threads": "threads",
    "Num threads": "threads",
    "Threads": "threads",
}
METRICS = {"Time in seconds": "time", "Mop/s total": "rate"}
UNITS = {"time": "s", "rate": "Mop/s"}
EXPECTED = "a report with “Time in seconds = …” whose verification was successful"


def recognises(source: Source) -> bool:
    """Recognise the title or the end of a benchmark near the beginning of the file."""
    return BEGIN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the output line by line."""
    return printout_read(source, Reports(), NAME, UNITS, EXPECTED)


class Reports(Printout):
    """Reads the reports of all benchmarks.

    Attributes:
        kernel: the benchmark of the current report.
    """

    kernel = ""

    def take(self, text: str, line: int) -> bool:
        """Begin a report, or read a line of it."""
        if completed := COMPLETED.match(text):
            self.kernel = completed["name"]
            self.begin(line, {})
            return True
        field = FIELD.fullmatch(text)
        if not self.run or not field:
            return False
        if field["name"] == "Verification" and "UNSUCCESS" in field["value"].upper():
            self.run = None
            return False
        return self._take_field(self.run, field["name"], field["value"])

    def _take_field(self, run: Run, name: str, value: str) -> bool:
        if name in METRICS:
            run.add(self.kernel, METRICS[name], value)
        elif name in PARAMETERS and value.isdecimal():
            run.parameters[PARAMETERS[name]] = float(value)
        elif name == "Size" and (extents := re.findall(r"\d{1,15}", value)):
            run.parameters["size"] = float(math.prod(map(int, extents)))
        else:
            return False
        return True
