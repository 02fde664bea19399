"""The content of the kernel's main chart, before it is drawn."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import log

from modeling.selectors.kernel.curves import Curve, Ends, Estimate, PointValues
from perfweb.portal.charts.axes import readable
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated

LAW = "law"
"""Name of the line that shows the formula's values."""

GREY = "--muted"

BULGE = 1.5
"""The caption explains a band that is wider between two measured points than at both by this factor."""


@dataclass(frozen=True)
class Line:
    """A law to draw along the axis, with its name next to it; several such laws need a `colour` each."""

    name: str
    curve: Curve
    colour: str = GREY


@dataclass(frozen=True)
class Goal:
    """The target on this axis: its position, its prediction, and the intervals of law and new run."""

    x: float
    estimate: Estimate
    intervals: Sequence[Ends] = ()


@dataclass(frozen=True)
class Scene:
    """The content of the chart; `fixed` are other parameters' values, `low` and `high` the measured range.

    `runs` is the interval of a new run along the axis. `intervals` are those of law and new run at each
    measured value. At `breaks` another law begins. The law does not use values at `left_out`.
    """

    parameter: str
    title: str
    unit: str
    metric: str
    fixed: str
    low: float
    high: float
    points: Sequence[PointValues]
    axis: int
    law: Curve | None
    runs: Sequence[Ends] = ()
    intervals: Mapping[float, Sequence[Ends]] = field(default_factory=dict)
    others: Sequence[Line] = ()
    goal: Goal | None = None
    breaks: Sequence[float] = ()
    left_out: AbstractSet[float] = frozenset()
    log_x: bool = True
    log_y: bool = True

    def x(self, point: PointValues) -> float:
        """Return the position of a measured point on the axis."""
        return point.point[self.axis]

    @cached_property
    def exact(self) -> set[float]:
        """The values of the parameter that people chose: they are written with all their digits."""
        return {self.x(point) for point in self.points} | ({self.goal.x} if self.goal else set())

    def pieces(self, x: Sequence[float]) -> list[list[int]]:
        """Return the indices of the ascending positions `x`, one list for each range between two breaks."""
        ends = [0, *(bisect_left(x, place) for place in self.breaks), len(x)]
        return [list(range(begin, end)) for begin, end in pairwise(ends) if begin < end]

    @cached_property
    def residuals(self) -> list[tuple[float, float]]:
        """Return the position and the deviation from the law, in percent, of every run that the law uses."""
        return [
            (self.x(point), 100 * deviation)
            for point in self.points
            for value in point.repetitions
            if value > 0 and (deviation := point.deviation(value)) is not None
        ]

    @cached_property
    def off_scale(self) -> list[tuple[float, int]]:
        """Return the position and the number of every run of 0, which a logarithmic axis lacks."""
        return [
            (self.x(point), number)
            for point in self.points
            for number, value in enumerate(point.repetitions, 1)
            if self.log_y and value <= 0
        ]

    @cached_property
    def farthest_residual(self) -> float:
        """Return the size of the largest residual that is drawn to scale and not at the edge."""
        return readable([deviation for _, deviation in self.residuals])

    @cached_property
    def bulges(self) -> bool:
        """Return whether the law's band is notably wider between two measured points than at both."""
        if self.law is None:
            return False
        x, widths = self.law.x, [_width(each) for each in self.law.estimates]
        measured = sorted({self.x(point) for point in self.points})
        at = [min(range(len(x)), key=lambda place: abs(x[place] - value)) for value in measured]
        return any(
            max(widths[left : right + 1]) > BULGE * max(widths[left], widths[right])
            for left, right in pairwise(at)
        )

    @property
    def reach(self) -> float:
        """The upper end of the axis."""
        ends = [line.curve.x[-1] for line in self.others]
        return max(
            [self.high, *ends, *(self.law.x[-1:] if self.law else ()), *([self.goal.x] if self.goal else [])]
        )


def _width(found: Estimate) -> float:
    """Return the logarithm of the ratio of the interval's ends; 0 where it is unknown or reaches zero."""
    if not found.lower or not found.upper or found.lower <= 0:
        return 0.0
    return log(found.upper / found.lower)


def at_text(scene: Scene, x: float) -> str:
    """Return a position on the axis as part of a sentence: "p = 64, n = 4,000"."""
    value = formatting.coordinate(float(f"{x:.4g}") if x not in scene.exact else x)
    here = f"{isolated(scene.parameter)} = {value}"
    return f"{here}, {scene.fixed}" if scene.fixed else here


def law_text(scene: Scene, x: float, found: Estimate) -> str:
    """Return the prediction at a position, as a sentence."""
    text = f"at {at_text(scene, x)} the prediction is {formatting.quantity(found.predicted, scene.unit)}"
    ends = formatting.interval(found.lower, found.upper, scene.unit, found.predicted)
    text += f" ({ends})" if ends != formatting.MISSING else ""
    return text + (
        f",\n{formatting.ratio(x / scene.high)} beyond what was measured" if x > scene.high else ""
    )
