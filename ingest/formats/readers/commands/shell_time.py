"""Times that a shell prints after a program's output: `time ./solver` of bash, zsh and POSIX, and GNU time.

bash prints `real 1m2.345s`, POSIX's `time -p` prints `real 62.34`, zsh `./solver 1 61.2s user 0.5s system 99%
cpu 1:02.34 total`, and GNU time without `-v` `61.20user 0.50system 1:02.34elapsed 99%CPU (…)`. Several times
are repetitions if they are similar. All other lines are left out, so files are read in this format only if no
other format recognises the program's own results.
"""

from dataclasses import replace

import numpy as np

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL
from ingest.formats.errors import FormatError
from ingest.formats.files.source import Source
from ingest.formats.printout import Line, Metric, Printout, Then

NAME, TITLE = "shell-time", "Times of a shell (time)"
GENERAL = True
ALIKE = 1.5
"""Largest ratio of two times that are read as repetitions. Times of a sweep, such as of 1, 2 and 4 threads,
differ more.
"""
PLAIN = r"(?:\d{1,5}m)?\d{1,9}[.,]\d{1,9}s|\d{1,9}\.\d{1,9}"
CLOCK = r"[\d:]{0,12}\d\.\d{1,9}"
REAL = rf"real\s+(?P<elapsed>{PLAIN})"
GNU = rf"(?P<user>\d{{1,9}}\.\d\d)user (?P<system>\d{{1,9}}\.\d\d)system (?P<elapsed>{CLOCK})elapsed"
ZSH = (
    r"(?P<user>\d{1,9}\.\d\d)s user (?P<system>\d{1,9}\.\d\d)s system \d{1,6}% cpu "
    rf"(?P<elapsed>{CLOCK}) total"
)
PRINTOUT = Printout(
    NAME,
    begins=rf"(?:{REAL.replace('?P<elapsed>', '?:')}[ \t]*$)|\d+\.\d\duser \d+\.\d\dsystem |"
    r"\S.{0,900}\d\.\d\ds user \d+\.\d\ds system \d+% cpu ",
    lines=(
        Line(REAL, Then.BEGIN),
        Line(rf"user\s+(?P<user>{PLAIN})"),
        Line(rf"sys\s+(?P<system>{PLAIN})"),
        Line(rf"{GNU}(?:.{{0,200}}?(?P<memory>\d{{1,18}})maxresident\)k|.{{0,200}})", Then.BEGIN),
        Line(rf"(?:.{{0,900}}\s)?{ZSH}", Then.BEGIN),
    ),
    metrics={
        "elapsed": Metric("elapsed time", "s"),
        "user": Metric("user time", "s"),
        "system": Metric("system time", "s"),
        "memory": Metric("maximum resident set size", "B", 1024.0),
    },
    expected="“real 1m2.345s”, as the shell's time prints it",
)
recognises = PRINTOUT.recognises


def read(source: Source) -> Campaign:
    """Read the times.

    Raises:
        FormatError: there are several times, and they differ by more than `ALIKE`.
    """
    campaign = PRINTOUT.read(source)
    times = campaign.series[DEFAULT_KERNEL, "elapsed time"]
    if times.size == 1:
        return campaign
    shortest, longest = np.nanmin(times), np.nanmax(times)
    if longest > ALIKE * shortest:
        found = (
            f"{times.size} times from {shortest:g} to {longest:g} s, which do not name their configuration"
        )
        raise FormatError(found, "the times of one configuration in each file, with its point, such as p=64")
    return replace(campaign, notes=(f"{times.size} times were read as repetitions", *campaign.notes))
