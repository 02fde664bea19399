"""Reads the printed output of a program line by line.

A subclass of `Printout` for each program interprets the lines.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ingest.formats.campaign import Campaign
from ingest.formats.entries import Entry, campaign_of
from ingest.formats.errors import FormatError
from ingest.formats.source import Source
from ingest.formats.text import check_unmeasured, numbers

LINE = 1000
"""Number of characters of a line that are looked at. Longer lines are cut."""


@dataclass
class Run:
    """One run of the program: the results and parameters that were read so far.

    Attributes:
        line: where its results begin.
        values: kernel → metric → value.
    """

    line: int
    parameters: dict[str, float]
    values: dict[str, dict[str, float]] = field(default_factory=dict)

    def add(self, kernel: str, metric: str, text: str) -> None:
        """Add a measured value.

        Raises:
            FormatError: the text is no number.
        """
        self.values.setdefault(kernel, {})[metric] = numbers(text)[0]


class Printout(ABC):
    """The results read from a program's output. A subclass for each program defines `take`.

    Attributes:
        run: the run whose results are being read.
        ended: earlier runs, which are complete.
    """

    def __init__(self) -> None:
        self.run: Run | None = None
        self.ended = list[Run]()

    @abstractmethod
    def take(self, text: str, line: int) -> bool:
        """Look at a line, and return whether it holds a result or a parameter.

        Raises:
            FormatError: the line has no number where one is expected.
        """

    def begin(self, line: int, parameters: Mapping[str, float]) -> Run:
        """Begin a run, after the end of the previous one."""
        self.end()
        self.run = Run(line, dict(parameters))
        return self.run

    def end(self) -> None:
        """End the run."""
        if self.run:
            self.ended.append(self.run)
        self.run = None


def printout_read(
    source: Source, printout: Printout, format_name: str, units: Mapping[str, str], expected: str
) -> Campaign:
    """Read the output of a program. Results of runs with the same parameters are repetitions.

    Args:
        source: the output.
        printout: the reader of the program.
        format_name: the format's `NAME`.
        units: metric → unit.
        expected: what the error says was expected, if the output has no result.

    Raises:
        FormatError: there is no result, or a value is no number.
    """
    campaign = campaign_of(_entries(source, printout, expected), source.limits, format_name)
    metrics = {metric for _, metric in campaign.series}
    return replace(campaign, units={metric: unit for metric, unit in units.items() if metric in metrics})


def _entries(source: Source, printout: Printout, expected: str) -> Iterator[Entry]:
    found = False
    for run in _runs(source, printout):
        for kernel, values in run.values.items():
            found = True
            yield Entry(kernel, run.parameters, {name: [value] for name, value in values.items()}, run.line)
    if not found:
        raise FormatError("an output without results", expected)


def _runs(source: Source, printout: Printout) -> Iterator[Run]:
    others = 0
    for line, whole in source.lines():
        try:
            measured = printout.take(whole[:LINE], line)
        except FormatError as error:
            raise error.at(line) from None
        if not measured:
            others += 1
            check_unmeasured(others, source.limits, line)
        yield from printout.ended
        printout.ended.clear()
    printout.end()
    yield from printout.ended
