"""Reads the printed output of a program line by line, given a table of the kinds of lines.

A `Printout` has the beginnings by which the output is recognised, its `Line`s, and its metrics. The named
groups of a line's pattern are `kernel`, names of `metrics`, and otherwise parameters.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL, SEPARATOR
from ingest.formats.collecting.entries import Entry, campaign_of, level_of
from ingest.formats.errors import FormatError
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured, numbers
from ingest.formats.table.cells import CLOCK, SPELT_CLOCK, seconds_of

LINE = 1000
"""Lines are cut after this number of characters."""
NUMBER = r"[0-9.eE+-]{1,30}"
"""Matches a measured number. A number with a wrong sign or point is an error."""
COUNT = r"\d{1,18}"
BELOW = f"{DEFAULT_KERNEL}{SEPARATOR}"
"""Beginning of the names of kernels that are parts of the whole program."""
MISSING = frozenset({"-", "NA", "EXCEL"})
"""Cells of tables without a value."""
EXTENTS = re.compile(r"\d{1,15}(?:\s*[x\u00d7]\s*\d{1,15})+")


class Then(Enum):
    """How a line changes the current run, besides adding its results and parameters."""

    INSIDE = "holds results or parameters of the run that has begun"
    ABOVE = "holds parameters or the kernel of all runs below"
    BEGIN = "begins a run"
    RESUME = "begins a run, unless one has begun"
    END = "ends the run"
    DROP = "forgets the run, because its results failed the program's own check"


@dataclass(frozen=True)
class Line:
    """A line of an output.

    Attributes:
        pattern: matches the whole line, without the white space around it.
        kernel: the kernel of the line's results, or what precedes the group `kernel` of the pattern.
        below: whether the group `kernel` names a part of the run's kernel.
        sets: parameters that the line sets to fixed values.
        adds: groups whose numbers are added to those that the run already has.
        levels: what separates the levels of the kernel's name, such as `::`.
        derives: function that adds computed parameters to the dictionary of parameters.
    """

    pattern: str
    then: Then = Then.INSIDE
    kernel: str = ""
    below: bool = False
    sets: Mapping[str, float] = field(default_factory=dict)
    adds: frozenset[str] = frozenset()
    levels: str = ""
    derives: Callable[[dict[str, float]], None] | None = None

    @cached_property
    def match(self) -> Callable[[str], re.Match[str] | None]:
        """Return the function that matches a line."""
        return re.compile(self.pattern).fullmatch


@dataclass(frozen=True)
class Metric:
    """Name and unit of a metric, and the factor from printed numbers to this unit."""

    name: str
    unit: str = ""
    factor: float = 1.0


@dataclass
class Run:
    """One run of the program: the results and parameters that were read so far.

    Attributes:
        line: the line at which its results begin.
        kernel: the kernel of lines that name none.
        values: kernel → metric → value.
    """

    line: int
    parameters: dict[str, float]
    kernel: str = DEFAULT_KERNEL
    values: dict[str, dict[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Printout:
    """A program that prints its results for people. Runs with the same parameters are repetitions.

    Attributes:
        name: the format's `NAME`.
        begins: searched in the first 64 KiB, from the beginning of a line, to recognise the program.
        lines: kinds of lines; the first one that matches a line of output reads that line.
        metrics: name of a group → metric. The groups `metric` and `value` instead hold a name and its value.
        expected: what the error says was expected, if the output has no result.
        check: name of the program's own check, for the note on runs that failed it.
    """

    name: str
    begins: str
    lines: Sequence[Line]
    metrics: Mapping[str, Metric]
    expected: str
    check: str = "the program's check"

    def recognises(self, source: Source) -> bool:
        """Recognise the program near the beginning of the file."""
        return re.search(rf"^[ \t]*(?:{self.begins})", source.beginnings, re.MULTILINE) is not None

    def read(self, source: Source) -> Campaign:
        """Read the output line by line.

        Raises:
            FormatError: there is no result, or a value is no number.
        """
        reading = Reading(self)
        campaign = campaign_of(reading.entries(source), source.limits, self.name)
        metrics = {metric for _, metric in campaign.series}
        units = {each.name: each.unit for each in self.metrics.values() if each.name in metrics and each.unit}
        notes = campaign.notes
        if failed := reading.failed:
            many = f"{len(failed)} results that failed {self.check} were left out"
            notes = (f"{many}, the first in line {failed[0]}", *notes)
        return replace(campaign, units=units, notes=notes)


class Reading:
    """An output that is being read.

    Attributes:
        said: parameters with which further runs begin.
        kernel: the kernel of further runs whose lines name none.
        run: the run whose results are being read.
        ended: earlier runs, which are complete.
        failed: lines of runs that failed the program's check.
    """

    def __init__(self, of: Printout) -> None:
        self.of = of
        self.said = dict[str, float]()
        self.kernel = DEFAULT_KERNEL
        self.run: Run | None = None
        self.ended = list[Run]()
        self.failed = list[int]()

    def entries(self, source: Source) -> Iterator[Entry]:
        """Yield the results of each kernel in each run.

        Raises:
            FormatError: a number cannot be read, the output has no results, or too many lines without any.
        """
        found = False
        for run in self._runs(source):
            for kernel, values in run.values.items():
                found = True
                each = {metric: [value] for metric, value in values.items()}
                yield Entry(kernel, run.parameters, each, run.line)
        if not found:
            raise FormatError("an output without results", self.of.expected)

    def _runs(self, source: Source) -> Iterator[Run]:
        others = 0
        for number, whole in source.lines():
            try:
                used = self._take(whole[:LINE], number)
            except FormatError as error:
                raise error.at(number) from None
            if not used:
                others += 1
                check_unmeasured(others, source.limits, number)
            yield from self.ended
            self.ended.clear()
        self._end()
        yield from self.ended

    def _take(self, text: str, number: int) -> bool:
        """Read a line, and return whether it is one of the program's lines."""
        matches = ((line, line.match(text)) for line in self.of.lines)
        line, found = next(((line, found) for line, found in matches if found), (None, None))
        if line is None or found is None:
            return False
        if line.then is Then.DROP and self.run:
            self.failed.append(self.run.line)
            self.run = None
        elif line.then is Then.BEGIN or (line.then is Then.RESUME and not self.run):
            self._end()
            self.run = Run(number, dict(self.said), self.kernel)
        elif line.then is Then.END:
            self._end()
        groups = {name: text for name, text in found.groupdict().items() if text and text not in MISSING}
        if line.then is Then.ABOVE:
            self.kernel = level_of(groups.pop("kernel", self.kernel))
            self._set(self.said, line, groups)
        elif self.run:
            self._add(self.run, line, groups)
        return self.run is not None or line.then is Then.ABOVE

    def _end(self) -> None:
        if self.run:
            self.ended.append(self.run)
        self.run = None

    def _add(self, run: Run, line: Line, groups: dict[str, str]) -> None:
        """Add what a line holds to the run."""
        named = groups.pop("kernel", "")
        parts = named.split(line.levels) if line.levels else [named]
        above = run.kernel + SEPARATOR if line.below else line.kernel
        kernel = above + SEPARATOR.join(map(level_of, parts)) or run.kernel
        if line.then is Then.BEGIN:
            run.kernel = kernel
        if "metric" in groups:
            groups[groups.pop("metric")] = groups.pop("value")
            measured = dict(groups)
        else:
            measured = {name: text for name, text in groups.items() if name in self.of.metrics}
        for name, text in measured.items():
            metric = self.of.metrics.get(name, Metric(name))
            values = run.values.setdefault(kernel, {})
            before = values.get(metric.name, 0.0) if name in line.adds else 0.0
            values[metric.name] = before + _measured(text) * metric.factor
        self._set(run.parameters, line, {name: text for name, text in groups.items() if name not in measured})

    def _set(self, parameters: dict[str, float], line: Line, groups: Mapping[str, str]) -> None:
        """Set the parameters in a line. Extents such as 64x64x32 become their product."""
        values_of_line = {**line.sets, **{name: _size(text) for name, text in groups.items()}}
        for name, value in values_of_line.items():
            parameters[name] = value + (parameters.get(name, 0.0) if name in line.adds else 0.0)
        if line.derives:
            line.derives(parameters)


def _measured(text: str) -> float:
    """Return a number, or the seconds of a time such as 2h 9m, 1m12.5s or 1:12.5."""
    text = re.sub(r"(?<=[dhms]) *(?=\d)| +(?=[dhms])", "", text.strip())
    if clock := SPELT_CLOCK.fullmatch(text) or CLOCK.fullmatch(text):
        return seconds_of(clock)
    return numbers(text.replace(",", ""))[0]


def _size(text: str) -> float:
    if EXTENTS.fullmatch(text.strip()):
        return float(math.prod(map(int, re.findall(r"\d+", text))))
    return numbers(text)[0]
