"""Extra-P's text format, by keyword:

PARAMETER p          names, one or several
POINTS (8) (16)      coordinates in parentheses, which may be left out for a single parameter; may repeat
METRIC time          after METRIC or REGION, data begin at the first point again
REGION main->solve
DATA 1.3 1.4 1.3     the repetitions at the next point
# comment
"""

import re
from collections.abc import Callable

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL, DEFAULT_METRIC, kernel_path, short_name
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured, numbers
from ingest.formats.limits import Limits

NAME = "extrap-text"
TITLE = "Extra-P text"
KEYWORDS = ("PARAMETER", "POINTS", "METRIC", "REGION", "DATA")
GROUP = re.compile(r"\(([^()]*)\)")


def recognises(source: Source) -> bool:
    """Recognise a text whose first line that is not a comment begins with a keyword."""
    for line in source.head.splitlines():
        if (text := line.strip()) and not text.startswith("#"):
            return text.split(maxsplit=1)[0] in KEYWORDS
    return False


def read(source: Source) -> Campaign:
    """Read the text line by line."""
    reader = _Reader(Collector(source.limits), source.limits)
    comments = 0
    for line, text in source.lines():
        if text.startswith("#"):
            comments += 1
            check_unmeasured(comments, source.limits, line)
        else:
            try:
                reader.take(text, line)
            except FormatError as error:
                raise error.at(line) from None
    return reader.collector.campaign(NAME)


class _Reader:
    """Keeps the current kernel and metric, and the next point."""

    def __init__(self, collector: Collector, limits: Limits) -> None:
        self.collector, self.limits = collector, limits
        self.names: list[str] = []
        self.points: list[int] = []
        self.kernel, self.metric, self.next_point = DEFAULT_KERNEL, DEFAULT_METRIC, 0
        self.begun: set[int] = set()
        self.actions: dict[str, Callable[[str, int], None]] = {
            "PARAMETER": self.parameter,
            "POINTS": self.add_points,
            "METRIC": self.set_metric,
            "REGION": self.set_region,
            "DATA": self.data,
        }

    def take(self, text: str, line: int) -> None:
        """Process one line.

        Raises:
            FormatError: the keyword is unknown, or what follows it cannot be read.
        """
        keyword, *rest = text.split(maxsplit=1)
        if keyword not in self.actions:
            expected = f"one of {', '.join(KEYWORDS)}, or # for a comment"
            raise FormatError(f"the keyword {quoted(keyword)}", expected)
        if not rest:
            raise FormatError(f"{keyword} without anything after it", "a name or numbers after it")
        self.actions[keyword](rest[0], line)

    def parameter(self, rest: str, _line: int) -> None:
        """Add one or several names of parameters.

        Raises:
            FormatError: there are points already, or a name is invalid.
        """
        if self.points:
            raise FormatError("PARAMETER after POINTS", "all parameters before the first point")
        self.names += rest.split()
        self.collector.declare(self.names)

    def add_points(self, rest: str, _line: int) -> None:
        """Add points, in the order of the data that follow.

        Raises:
            FormatError: there are no parameters yet, or a point is invalid or was given before.
        """
        if not self.names:
            raise FormatError("POINTS before PARAMETER", "the parameters before the first point")
        for coordinates in self._coordinates(rest):
            if self.collector.has_point(coordinates):
                place = ", ".join(f"{value:g}" for value in coordinates)
                raise FormatError(f"the point ({place}) twice", "each point once; repetitions go into DATA")
            self.points.append(self.collector.point(coordinates))

    def _coordinates(self, rest: str) -> list[list[float]]:
        if len(self.names) == 1:
            return [[value] for value in numbers(re.sub(r"[()]", " ", rest))]
        if outside := re.sub(r"[()\s]", "", GROUP.sub("", rest)):
            expected = f"each point in parentheses: ({' '.join(self.names)})"
            raise FormatError(f"{quoted(outside)} outside of parentheses", expected)
        return [numbers(group) for group in GROUP.findall(rest)]

    def set_metric(self, rest: str, _line: int) -> None:
        """Set the metric of the data that follow, which begin at the first point again."""
        self.metric, self.next_point = short_name(rest, "a metric", self.limits), 0

    def set_region(self, rest: str, _line: int) -> None:
        """Set the kernel of the data that follow, which begin at the first point again."""
        self.kernel, self.next_point = kernel_path(rest, self.limits), 0

    def data(self, rest: str, line: int) -> None:
        """Add the repetitions at the next point.

        Raises:
            FormatError: there are no points yet, each has its data already, or a number is invalid.
        """
        if not self.points:
            raise FormatError("DATA before POINTS", "the points before the first DATA")
        series = self.collector.series(self.kernel, self.metric)
        if self.next_point == 0 and series in self.begun:
            found = f"data of {quoted(self.kernel)}, {quoted(self.metric)} a second time"
            raise FormatError(found, "each REGION and METRIC once")
        if self.next_point >= len(self.points):
            found = f"a line of DATA beyond the {len(self.points)} points for {quoted(self.kernel)}"
            raise FormatError(found, "one line of DATA for each point")
        self.begun.add(series)
        self.collector.add(series, self.points[self.next_point], numbers(rest), line)
        self.next_point += 1
