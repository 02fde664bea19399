"""Logs of LAMMPS and SPARTA: the time of each run, and how its sections share it.

`Loop time of 39.1 on 128 procs for 20000 steps with 256000 atoms` begins the report of a run. A line such as
`99.5% CPU use with 32 MPI tasks x 4 OpenMP threads` may follow, and a table of sections: `Pair | 8.8 | 14.4 |
17.6 |  43.1 | 37.03`, of whose times the mean over the processes is read. Runs in one log with the same
numbers of processes, steps and atoms are repetitions. SPARTA's number of particles at the end of a run, which
differs from run to run, is a metric. Everything else, such as thermodynamic output, is
ignored.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ingest.formats.campaign import Campaign
from ingest.formats.entries import Entry, campaign_of
from ingest.formats.errors import FormatError
from ingest.formats.names import SEPARATOR
from ingest.formats.source import Source
from ingest.formats.text import check_unmeasured, numbers

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
LINE = 1000
"""Number of characters that are looked at of a line."""


@dataclass
class Run:
    """A run, as far as its report was read.

    Attributes:
        line: where the report begins.
        values: kernel → metric → value.
    """

    line: int
    parameters: dict[str, float]
    values: dict[str, dict[str, float]]


def recognises(source: Source) -> bool:
    """Recognise the program's name and version, or the report of a run, near the beginning of the file."""
    return BEGIN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the log line by line."""
    campaign = campaign_of(_entries(source), source.limits, NAME)
    return replace(campaign, units={"time": "s"})


def _entries(source: Source) -> Iterator[Entry]:
    """Yield the results of all runs of at least one step.

    Raises:
        FormatError: there are none.
    """
    found = False
    for run in _runs(source):
        if run.parameters["steps"]:
            found = True
            for kernel, values in run.values.items():
                yield Entry(
                    kernel, run.parameters, {name: [value] for name, value in values.items()}, run.line
                )
    if not found:
        raise FormatError("a log without a finished run", "“Loop time of … on … procs for … steps with …”")


def _runs(source: Source) -> Iterator[Run]:
    run, others = None, 0
    for line, whole in source.lines():
        text = whole[:LINE]
        if loop := LOOP.match(text):
            if run:
                yield run
            run = _begun(loop, line)
        elif not (run and _describes(text, run, line)):
            others += 1
            check_unmeasured(others, source.limits, line)
    if run:
        yield run


def _begun(loop: re.Match[str], line: int) -> Run:
    parameters = {"processes": float(loop["procs"]), "steps": float(loop["steps"])}
    values, many = {"time": _number(loop["time"], line)}, float(loop["many"])
    (parameters if loop["what"] == "atoms" else values)[loop["what"]] = many
    return Run(line, parameters, {"main": values})


def _describes(text: str, run: Run, line: int) -> bool:
    """Add what a line says of a run; return False if it says nothing."""
    if tasks := TASKS.match(text):
        threads = 1.0 if tasks["threads"] == "no" else float(tasks["threads"])
        run.parameters |= {"processes": float(tasks["tasks"]), "threads": threads}
    elif speed := SPEED.match(text):
        run.values["main"][RATE] = _number(speed["rate"], line)
    elif section := SECTION.fullmatch(text):
        run.values[f"main{SEPARATOR}{section['name']}"] = {"time": _number(section["mean"], line)}
    else:
        return False
    return True


def _number(text: str, line: int) -> float:
    try:
        return numbers(text)[0]
    except FormatError as error:
        raise error.at(line) from None
