"""What GNU time prints of a command with `-v`: times, largest memory, page faults and context switches.

Each `Command being timed: "./sort -n 64"` begins a run. Numbers in which commands differ are parameters,
other words a part of the kernel's name. Runs that ended with an error are left out. Counts and averages of 0
are not stored, because most systems do not measure them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL
from ingest.formats.collecting.entries import campaign_of, entry, within_limits
from ingest.formats.errors import FormatError
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured, numbers
from ingest.formats.printout import LINE
from ingest.formats.readers.commands.command_arguments import differences

NAME, TITLE = "gnu-time", "GNU time -v output"
COMMAND = re.compile(r'Command being timed: "(.*)"')
STATUS = re.compile(r"Exit status: (\d{1,5})")
SIGNAL = re.compile(r"Command (?:terminated by signal|exited with non-zero status) \d{1,5}")
VALUE = re.compile(r"([A-Z][\w ()/:-]{0,60}?)(?: \((seconds|kbytes|h:mm:ss or m:ss)\))?: ([\d.:]{1,30})%?")
METRICS = {
    "Elapsed (wall clock) time": ("elapsed time", "s", 1.0),
    "User time": ("user time", "s", 1.0),
    "System time": ("system time", "s", 1.0),
    "Maximum resident set size": ("maximum resident set size", "B", 1024.0),
    "Major (requiring I/O) page faults": ("major page faults", "", 1.0),
    "Minor (reclaiming a frame) page faults": ("minor page faults", "", 1.0),
    "Voluntary context switches": ("voluntary context switches", "", 1.0),
    "Involuntary context switches": ("involuntary context switches", "", 1.0),
}
"""Printed name → metric, its unit, and the factor from printed numbers to this unit."""
TIMES = ("elapsed time", "user time", "system time")
"""Metrics that are stored even if they are 0, as in short runs."""
CLOCK = (3600, 60, 1)


@dataclass
class Timed:
    """One run of a command.

    Attributes:
        line: the line that names the command.
        failed: whether the command ended with an error.
        values: metric → value.
    """

    command: str
    line: int
    failed: bool = False
    values: dict[str, float] = field(default_factory=dict)


def recognises(source: Source) -> bool:
    """Recognise the line that names the command, as the first line of the file.

    If a program's own output comes first, the file is that program's output.
    """
    lines = (line.strip() for line in source.head.splitlines() if line.strip())
    first = next((line[:LINE] for line in lines if not SIGNAL.fullmatch(line[:LINE])), "")
    return COMMAND.fullmatch(first) is not None


def read(source: Source) -> Campaign:
    """Read the output line by line.

    Raises:
        FormatError: no run of a command succeeded, or a value is no number.
    """
    runs = list(within_limits(_runs(source), source.limits, lambda each: len(METRICS)))
    whole = [each for each in runs if each.values and not each.failed]
    if not whole:
        raise FormatError("no run that succeeded", "a command's times, and “Exit status: 0”")
    arguments = differences([each.command for each in whole])
    entries = (
        entry(DEFAULT_KERNEL, differing, {name: [value] for name, value in each.values.items()}, each.line)
        for each, differing in zip(whole, arguments, strict=True)
    )
    campaign = campaign_of(entries, source.limits, NAME)
    measured = {metric for _, metric in campaign.series}
    units = {name: unit for name, unit, _ in METRICS.values() if unit and name in measured}
    return replace(campaign, units=units, notes=(*_failed(runs), *campaign.notes))


def _failed(runs: Sequence[Timed]) -> Iterator[str]:
    """Yield the note on runs that are left out because their command failed."""
    if lines := [each.line for each in runs if each.failed]:
        yield f"{len(lines)} runs that ended with an error were left out, the first in line {lines[0]}"


def _runs(source: Source) -> Iterator[Timed]:
    run, failing, others = None, False, 0
    for number, whole in source.lines():
        text = whole[:LINE].strip()
        if command := COMMAND.fullmatch(text):
            if run:
                yield run
            run, failing = Timed(command[1], number, failing), False
        elif SIGNAL.fullmatch(text):  # stands above the command
            failing = True
        elif run and (status := STATUS.fullmatch(text)):
            run.failed = run.failed or status[1] != "0"
        elif not (run and _take(run, text, number)):
            others += 1
            check_unmeasured(others, source.limits, number)
    if run:
        yield run


def _take(run: Timed, text: str, number: int) -> bool:
    """Add the value in a line to the run, and return whether the line has one."""
    found = VALUE.fullmatch(text)
    if found is None or found[1] not in METRICS:
        return False
    name, _, factor = METRICS[found[1]]
    try:
        parts = [numbers(part)[0] for part in found[3].split(":")]
    except FormatError as error:
        raise error.at(number) from None
    value = sum(part * length for part, length in zip(parts, CLOCK[-len(parts) :], strict=False)) * factor
    if value or name in TIMES:
        run.values[name] = value
    return True
