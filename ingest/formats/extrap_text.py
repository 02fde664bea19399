"""Extra-P's text format, by keyword:

PARAMETER p          names, one or several
POINTS (8) (16)      coordinates in parentheses, which one parameter may do without; may repeat
METRIC time          both of these begin again at the first point
REGION main->solve
DATA 1.3 1.4 1.3     the repetitions at the next point
# comment
"""

import re
from collections.abc import Callable
from pathlib import Path

from ingest.formats.campaign import Campaign, Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.names import DEFAULT_KERNEL, DEFAULT_METRIC
from ingest.formats.source import Source
from ingest.formats.text import lines, number

NAME = "extrap-text"
TITLE = "Extra-P text"
KEYWORDS = ("PARAMETER", "POINTS", "METRIC", "REGION", "DATA")
GROUP = re.compile(r"\(([^()]*)\)")


def recognises(source: Source) -> bool:
    """A text whose first line, comments aside, begins with a keyword."""
    for line in source.head.splitlines():
        if (text := line.strip()) and not text.startswith("#"):
            return text.split(maxsplit=1)[0] in KEYWORDS
    return False


def read(path: Path, limits: Limits) -> Campaign:
    """Read line by line."""
    reader = _Reader(limits)
    for line, text in lines(path, limits):
        if text.startswith("#"):
            continue
        keyword, _, rest = text.partition(" ") if " " in text else text.partition("\t")
        try:
            reader.take(keyword, rest.strip())
        except FormatError as error:
            raise error.at(line) from None
    return reader.collector.campaign(NAME)


class _Reader:
    """Where in the file we are: the current kernel and metric, and the next point."""

    def __init__(self, limits: Limits) -> None:
        self.collector = Collector(limits)
        self.names: list[str] = []
        self.points: list[int] = []
        self.kernel, self.metric, self.next_point = DEFAULT_KERNEL, DEFAULT_METRIC, 0
        self.begun: set[tuple[str, str]] = set()
        self.actions: dict[str, Callable[[str], None]] = {
            "PARAMETER": self.parameter,
            "POINTS": self.add_points,
            "METRIC": self.set_metric,
            "REGION": self.set_region,
            "DATA": self.data,
        }

    def take(self, keyword: str, rest: str) -> None:
        """Act on one line."""
        if keyword not in self.actions:
            raise FormatError(
                f"the keyword {quoted(keyword)}", f"one of {', '.join(KEYWORDS)}, or # for a comment"
            )
        if not rest:
            raise FormatError(f"{keyword} without anything behind it", "a name or numbers")
        self.actions[keyword](rest)

    def parameter(self, rest: str) -> None:
        if self.points:
            raise FormatError("PARAMETER behind POINTS", "all parameters before the first point")
        self.names += rest.split()
        self.collector.declare(self.names)

    def add_points(self, rest: str) -> None:
        if not self.names:
            raise FormatError("POINTS before PARAMETER", "the parameters first")
        for coordinates in self._coordinates(rest):
            if self.collector.has_point(coordinates):
                raise FormatError(
                    f"the point {tuple(coordinates)} twice", "each point once; repetitions go into DATA"
                )
            self.points.append(self.collector.point(coordinates))

    def _coordinates(self, rest: str) -> list[list[float]]:
        groups = [list(map(number, group.split())) for group in GROUP.findall(rest)]
        if len(self.names) == 1:
            return [[value] for value in map(number, re.sub(r"[()]", " ", rest).split())]
        if not groups:
            raise FormatError(
                f"points {quoted(rest)}", f"({' '.join(self.names)}) in parentheses, for each point"
            )
        if rest_outside := re.sub(r"[()\s]", "", GROUP.sub("", rest)):
            raise FormatError(f"{quoted(rest_outside)} outside of parentheses", "only points")
        return groups

    def set_metric(self, rest: str) -> None:
        self.metric, self.next_point = rest, 0

    def set_region(self, rest: str) -> None:
        self.kernel, self.next_point = rest, 0

    def data(self, rest: str) -> None:
        if not self.points:
            raise FormatError("DATA before POINTS", "the points first")
        if self.next_point == 0 and (self.kernel, self.metric) in self.begun:
            raise FormatError(
                f"data of {quoted(self.kernel)}, {quoted(self.metric)} a second time",
                "each REGION and METRIC once",
            )
        if self.next_point >= len(self.points):
            raise FormatError(
                f"a line of DATA beyond the {len(self.points)} points for {quoted(self.kernel)}",
                "one line of DATA for each point",
            )
        self.begun.add((self.kernel, self.metric))
        series = self.collector.series(self.kernel, self.metric)
        self.collector.add(series, self.points[self.next_point], list(map(number, rest.split())))
        self.next_point += 1
