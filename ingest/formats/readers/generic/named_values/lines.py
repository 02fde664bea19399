"""Finds lines that print one name and one value, and says whether the value was measured."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ingest.formats.campaign.units import SECONDS, SHORT
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.runs.launchers import PROCESSES, processes_launched
from ingest.formats.table.cells import UNIT, number
from ingest.formats.table.headings import (
    DATES,
    EXPECTATIONS,
    MEASURES,
    RUN,
    SPREAD,
    Heading,
    heading,
    words,
    words_of,
)

FILES = re.compile(r"(?i)[^.]*|.*\.(?:txt|out|log|dat|res|results?|output|stdout|stderr|err|o\d{1,12})")
"""Matches names of files into which programs print."""
MARKUP = ("{", "[{", "<?", "<!", "---\n")
"""Beginnings of JSON, XML and YAML, whose lines of names and values are parts of something else."""
ENDS = ("</", "/>")
"""Ends of XML elements. A file that begins with an element contains one of them."""
LINE = 300
"""Limit on the characters of a line with a value. Longer lines are other output."""
NAMED = re.compile(
    r"[^\w]{0,10}(?P<name>[A-Za-z][\w /#().\[\]-]{0,60}?)\s{0,40}(?:(?:\.\s?){3,60}(?::|=)?|:|=|--)\s{0,40}"
    r"(?P<value>(?:\d{1,5}:){1,2}[0-5]\d(?:\.\d{1,9})?|[-+]?[\d.][\d.,'eE+-]{0,30})\s{0,10}(?P<unit>[A-Za-z%\u00b5(\[][\w/()\[\]]{0,20})?[^\w]{0,5}"
)
"""Matches a line of a name, a sign or a row of dots, a number or a time as 1:02:03, and perhaps a unit."""
WITHIN_CLOCK = re.compile(r"\d:[0-5]\d")
"""Matches the sign of a time without a sign before it, which is no name and value: `Wall 13:16.00`."""
LENGTHS = words_of("elapsed wall walltime wallclock runtime duration spent total")
"""Words in names of times such as 1:02:03 that are durations, not times of day."""
OTHER = re.compile(r"\(s\) \w|\w\.[A-Za-z]|(?i:clock (?:rate|speed)|\bpeak\b|\bpage size\b)")
"""Matches names that describe the machine or the program's settings: `Thread(s) per core`, `solver.t_max`."""
PROGRESS = words_of("step timestep iteration iterations iter iters epoch cycle level rank thread")
"""Last words of names of counters, such as the current step, which are no parameters of a run."""


@dataclass(frozen=True)
class Named:
    """A line of a name and a value.

    Attributes:
        measured: whether the name is that of a metric (True), a parameter (False), or neither (None).
    """

    name: str
    measured: bool | None
    value: float
    unit: str


class Names:
    """Finds lines of names and values, by words of the names or by the user's choice.

    Attributes:
        chosen: "parameters" and "metrics" → the names that the user chose, in lower case.
        launched: whether commands that start the program tell the number of processes.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self.launched = False
        self.chosen = {
            kind: [name.strip().lower() for name in options[kind].split(",")]
            for kind in ("parameters", "metrics")
            if kind in options
        }

    def named(self, text: str) -> Named | None:
        """Return the name and value in a line, or None if the line is something else."""
        if self.launched and (processes := processes_launched(text)):
            return Named(PROCESSES, measured=False, value=processes, unit="")
        found = NAMED.fullmatch(text) if len(text) <= LINE else None
        if found is None or WITHIN_CLOCK.match(text, found.end("name") - 1):
            return None
        of = heading(found["name"])
        try:
            parsed = number(found["value"])
        except ValueError:
            return None
        clocked = ":" in found["value"]
        if clocked and not of.has(LENGTHS):
            return None
        known, measured = self._measured(of, found["name"])
        if not known or parsed is None or (measured is not None and parsed[0] <= 0):
            return None
        name, unit = of.name, of.unit or (found["unit"] or "").strip("()[]")
        if of.unit and not (of.unit.lower() in SECONDS or UNIT.fullmatch(of.unit) or "/" in of.unit):
            name, unit = found["name"], (found["unit"] or "").strip("()[]")  # Total time (serial): 1.5 s
        unit = "s" if clocked else unit
        timed = unit.lower() in SECONDS
        kind = None if timed and not measured else measured  # a time is no parameter
        return Named(name, kind, parsed[0], SHORT[SECONDS[unit.lower()]] if timed else unit)

    def _measured(self, of: Heading, written: str) -> tuple[bool, bool | None]:
        """Return whether a name is used, and what `Named.measured` is for it."""
        spellings = {of.name.lower(), written.lower()}
        for kind, names in self.chosen.items():
            if not spellings.isdisjoint(names):
                return True, kind == "metrics"
        if ("metrics" if of.measured else "parameters") in self.chosen:
            return False, None
        return _is_name(of, written), of.measured

    def check_found(self, names: Iterable[str]) -> None:
        """Refuse names that the user chose and the file lacks.

        Raises:
            FormatError: a name is in no line.
        """
        known = {name.lower() for name in names}
        for kind, chosen in self.chosen.items():
            if missing := [name for name in chosen if not any(each.startswith(name) for each in known)]:
                expected = f"in the option {kind} names that stand before a value in the file"
                raise FormatError(f"no line of the name {quoted(missing[0])}", expected)


def is_printed(source: Source) -> bool:
    """Return whether a program may have printed the file, by its name and its first characters."""
    if FILES.fullmatch(source.name or source.path.name) is None or "\0" in source.head:
        return False
    head = source.head.replace(" ", "")
    return not (head.startswith(MARKUP) or (head.startswith("<") and any(end in head for end in ENDS)))


def _is_name(of: Heading, written: str) -> bool:
    """Return whether a text may be the name of a parameter or of a metric."""
    of_name = words(of.name)
    if not of_name or of.key in DATES | RUN or of.has(SPREAD | EXPECTATIONS) or OTHER.search(written):
        return False
    if of.name.count("[") != of.name.count("]") or of.name.count("(") != of.name.count(")"):
        return False
    return of.has(MEASURES) if of.measured else of_name[-1] not in PROGRESS
