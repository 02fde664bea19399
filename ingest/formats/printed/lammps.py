"""Logs of LAMMPS and SPARTA: the time of each run, and how its sections share it.

`Loop time of 39.1 on 128 procs for 20000 steps with 256000 atoms` begins the report of a run. A line such as
`99.5% CPU use with 32 MPI tasks x 4 OpenMP threads` may follow, and a table of sections: `Pair | 8.8 | 14.4 |
17.6 | 43.1 | 37.03`. The second number, the mean time over the processes, is read. Runs in one log with the
same numbers of processes, steps and atoms are repetitions. SPARTA's number of particles at the end of a run,
which differs from run to run, is a metric. Everything else, such as thermodynamic output, is ignored.
"""

import re

from ingest.formats.campaign import Campaign
from ingest.formats.names import SEPARATOR
from ingest.formats.printed.printout import Printout, Run, printout_read
from ingest.formats.source import Source

NAME = "lammps"
TITLE = "LAMMPS and SPARTA logs"
BEGIN = re.compile(r"^(?:LAMMPS|SPARTA) \(|^Loop time of [0-9.e+-]{1,20} on ", re.MULTILINE)
LOOP = re.compile(
    r"Loop time of (?P<time>[0-9.e+-]{1,20}) on (?P<procs>\d{1,9}) procs(?: \([^()]{0,60}\))?"
    r" for (?P<steps>\d{1,12}) steps with (?P<many>\d{1,15}) (?P<what>atoms|particles)"
)
TASKS = re.compile(
    r"[0-9.]{1,8}% CPU use with (?P<tasks>\d{1,9}) MPI tasks x (?P<threads>\d{1,6}|no) OpenMP threads"
)
SPEED = re.compile(r"Performance: .{0,200}?(?P<rate>[0-9.e+-]{1,20}) timesteps/s")
SECTION = re.compile(
    r"(?P<name>[A-Z][\w ()/-]{0,30}?) *\|[^|]*\| *(?P<mean>[0-9.e+-]{1,20}) *\|[^|]*\|[^|]*\|[^|]*"
)
RATE = "timesteps/s"
EXPECTED = "a finished run: “Loop time of … on … procs for … steps with …”"


def recognises(source: Source) -> bool:
    """Recognise the program's name and version, or the report of a run, near the beginning of the file."""
    return BEGIN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the log line by line."""
    return printout_read(source, Log(), NAME, {"time": "s"}, EXPECTED)


class Log(Printout):
    """Reads the reports of all runs of at least one step."""

    def take(self, text: str, line: int) -> bool:
        """Begin a run, or add what the line contains to it."""
        if loop := LOOP.match(text):
            self._begin(loop, line)
            return True
        return self.run is not None and _describes(text, self.run)

    def end(self) -> None:
        """End the run, and forget a run without steps."""
        if self.run and not self.run.parameters["steps"]:
            self.run = None
        super().end()

    def _begin(self, loop: re.Match[str], line: int) -> None:
        run = self.begin(line, {"processes": float(loop["procs"]), "steps": float(loop["steps"])})
        run.add("main", "time", loop["time"])
        if loop["what"] == "atoms":
            run.parameters["atoms"] = float(loop["many"])
        else:
            run.add("main", loop["what"], loop["many"])


def _describes(text: str, run: Run) -> bool:
    """Add the results and parameters of a line to the run. Return False if the line has none."""
    if tasks := TASKS.match(text):
        threads = 1.0 if tasks["threads"] == "no" else float(tasks["threads"])
        run.parameters |= {"processes": float(tasks["tasks"]), "threads": threads}
    elif speed := SPEED.match(text):
        run.add("main", RATE, speed["rate"])
    elif section := SECTION.fullmatch(text):
        run.add(f"main{SEPARATOR}{section['name']}", "time", section["mean"])
    else:
        return False
    return True
