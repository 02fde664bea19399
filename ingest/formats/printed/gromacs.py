"""Logs of GROMACS (`md.log`): the time of a run, its performance, and the activities that it counts.

The table below `R E A L C Y C L E A N D T I M E A C C O U N T I N G` has a row for each activity. Only the
wall-clock time in a row is read: `Force 40 2 16000 36.866 7061.839 40.8`. The lines `Time: 7221.614 90.270
8000.0` and `Performance: 76.570 0.313` follow. `On 40 MPI ranks, each using 2 OpenMP threads` names the
parameters; ranks of PP and PME are added up. Runs in one log with equal parameters are repetitions.
"""

import re

from ingest.formats.campaign import Campaign
from ingest.formats.names import SEPARATOR
from ingest.formats.printed.printout import Printout, Run, printout_read
from ingest.formats.source import Source

NAME = "gromacs"
TITLE = "GROMACS log"
BEGIN = re.compile(r":-\) GROMACS|^GROMACS: +gmx|^Log file opened on ", re.MULTILINE)
ACCOUNTING = re.compile(r"R E A L +C Y C L E +A N D +T I M E")
RANKS = re.compile(
    r"on (?P<ranks>\d{1,9}) MPI ranks?(?: doing (?:PP|PME))?"
    r"(?:, each using (?P<threads>\d{1,6}) OpenMP threads?)?",
    re.IGNORECASE,
)
THREADS = re.compile(r"On (?P<threads>\d{1,6}) OpenMP threads?")
ACTIVITY = re.compile(
    r"(?P<name>[A-Z][\w .+/&-]{0,30}?)\s+\d{1,9}\s+\d{1,6}\s+\d{1,12}\s+(?P<time>\d{1,12}\.\d{1,6})"
    r"(?:\s+\S{1,20}){1,3}"
)
TIME = re.compile(r"Time:\s+(?P<core>[0-9.]{1,20})\s+(?P<wall>[0-9.]{1,20})\s+[0-9.]{1,20}")
PERFORMANCE = re.compile(r"Performance:\s+(?P<rate>[0-9.]{1,20})\s+[0-9.]{1,20}")
UNITS = {"time": "s", "performance": "ns/day"}
EXPECTED = "the time of a finished run, which GROMACS writes at the end of its log"


def recognises(source: Source) -> bool:
    """Recognise the program's name, or the first line of its log."""
    return BEGIN.search(source.head[:4096]) is not None and "GROMACS" in source.head


def read(source: Source) -> Campaign:
    """Read the log line by line."""
    return printout_read(source, Log(), NAME, UNITS, EXPECTED)


class Log(Printout):
    """Reads the accounting at the end of a run's log."""

    def take(self, text: str, line: int) -> bool:
        """Begin the accounting of a run, or read a line of it."""
        if ACCOUNTING.match(text):
            self.begin(line, {})
            return True
        return self.run is not None and _describes(text, self.run)


def _describes(text: str, run: Run) -> bool:
    """Add the results and parameters of a line to the run. Return False if the line has none."""
    if (found := RANKS.match(text)) or (found := THREADS.match(text)):
        named = {name: float(value) for name, value in found.groupdict().items() if value}
        run.parameters["processes"] = run.parameters.get("processes", 0.0) + named.get("ranks", 1.0)
        run.parameters["threads"] = named.get("threads", 1.0)
    elif activity := ACTIVITY.fullmatch(text):
        run.add(f"main{SEPARATOR}{activity['name']}", "time", activity["time"])
    elif time := TIME.fullmatch(text):
        run.add("main", "time", time["wall"])
    elif performance := PERFORMANCE.fullmatch(text):
        run.add("main", "performance", performance["rate"])
    else:
        return False
    return True
