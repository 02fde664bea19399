"""Flat profiles of gprof: `6.25  1.80  0.12  400  0.30  0.45  solve` is the line of a function.

A function is a kernel, with the time in the function itself and its number of calls. Profiles name no
parameters, so the point is sent with the file. Several profiles in a file are repetitions.
"""

import re

from ingest.formats.campaign import Campaign
from ingest.formats.names import SEPARATOR
from ingest.formats.printed.printout import Printout, Run, printout_read
from ingest.formats.source import Source

NAME = "gprof"
TITLE = "gprof flat profile"
BEGIN = re.compile(r"^Flat profile:", re.MULTILINE)
NUMBER = r"\d{1,15}(?:\.\d{1,9})?"
FUNCTION = re.compile(
    rf"{NUMBER}\s+{NUMBER}\s+(?P<self>{NUMBER})(?:\s+(?P<calls>\d{{1,18}})\s+{NUMBER}\s+{NUMBER})?"
    r"\s+(?P<name>[A-Za-z_~<(*].{0,900})"
)
UNITS = {"self time": "s"}
EXPECTED = "a line for each function below “% time  cumulative seconds  self seconds  calls”"


def recognises(source: Source) -> bool:
    """Recognise the title of a flat profile near the beginning of the file."""
    return BEGIN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read all flat profiles line by line. The call graph below a profile is left out."""
    return printout_read(source, Profiles(), NAME, UNITS, EXPECTED)


class Profiles(Printout):
    """Reads the functions between the title of a flat profile and the explanation below it."""

    def take(self, text: str, line: int) -> bool:
        """Read the line of a function, or the beginning or the end of a profile."""
        if text.startswith("Flat profile:"):
            self.begin(line, {})
        elif text.startswith(("%         the percentage", "Call graph", "granularity:", "index % time")):
            self.end()
        elif self.run and (found := FUNCTION.fullmatch(text)):
            self._add(self.run, found["name"].replace(SEPARATOR, "→"), found)
        else:
            return False
        return True

    def _add(self, run: Run, kernel: str, function: re.Match[str]) -> None:
        """Add a function's time and calls to those of other functions with its name, such as static ones."""
        values = run.values.setdefault(kernel, {})
        for metric, text in (("self time", function["self"]), ("calls", function["calls"])):
            if text:
                values[metric] = values.get(metric, 0.0) + float(text)
