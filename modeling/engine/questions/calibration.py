"""Calibration of forecasts: how often their intervals contained the measured values, and how large the
errors were.
"""

from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray

ASKED = 0.95
"""Share of the measured values that intervals should contain."""

FEWEST_SCORES = 30
"""Smallest number of forecasts with measured values for which intervals are widened. With 15 forecasts, a
single bad kernel would determine the result; most applications would never have 60.
"""

CHANCE = 0.05
"""Intervals are widened if so few values inside them would be less probable than this for intervals of the
correct width. With 30 values, intervals are widened if 25 or fewer are inside. With a probability of 0.5,
correct intervals would often be widened as well.
"""

WIDEST = 10.0
"""Limit on the factor by which widths are multiplied. Errors that need a larger factor cannot be corrected by
wider intervals.
"""

_ROUNDING = 1e-9

EDGES = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Lower ends of the groups of distances, as multiples of the measured range. Distances up to 1 are inside the
range.
"""


@dataclass(frozen=True)
class Scores:
    """N forecasts with their measured values, all positive."""

    distance: FloatArray  # (N,) as a multiple of the measured range
    predicted: FloatArray
    lower: FloatArray
    upper: FloatArray
    measured: FloatArray

    def part(self, which: BoolArray) -> "Scores":
        """Return the given forecasts only."""
        return Scores(*(getattr(self, field.name)[which] for field in fields(self)))

    @property
    def known(self) -> "Scores":
        """Return the forecasts with a positive prediction, interval and value."""
        columns = np.stack([self.predicted, self.lower, self.upper, self.measured])
        with np.errstate(invalid="ignore"):
            usable = np.isfinite(columns).all(axis=0) & (columns[[0, 3]] > 0).all(axis=0)
        return self.part(np.asarray(usable))


@dataclass(frozen=True)
class Calibration:
    """The calibration of N forecasts. `inside`, `error` and `widening` are NaN without forecasts.

    `inside` is the share of values inside their intervals, and `error` the median relative error. If the
    widths of all intervals were multiplied by `widening`, they would contain 95 % of the values. `widening`
    is at least 1, and it is 1 while there are too few scores.
    """

    count: int
    inside: float
    error: float
    widening: float

    @property
    def enough(self) -> bool:
        """Return whether there are enough scores to widen intervals."""
        return self.count >= FEWEST_SCORES


def calibrate(scores: Scores) -> Calibration:
    """Compute how many values the intervals contained, and the median relative error.

    A forecast's miss is the distance between the logarithms of the forecast and the measured value, divided
    by the width of the interval on that side. The widening is the 95 % quantile of the forecasts' misses.
    """
    usable = scores.known
    count = len(usable.predicted)
    if not count:
        return Calibration(0, np.nan, np.nan, 1.0)
    inside = float(((usable.measured >= usable.lower) & (usable.measured <= usable.upper)).mean())
    error = float(np.median(np.abs(usable.predicted - usable.measured) / usable.measured))
    needed = float(np.quantile(misses(usable), ASKED, method="inverted_cdf"))
    widening = min(max(needed, 1.0), WIDEST) if _missed(inside, count) else 1.0
    return Calibration(count, inside, error, widening)


def _missed(inside: float, count: int) -> bool:
    """Return whether intervals contained fewer values than they should, by more than chance explains."""
    from scipy.special import bdtr  # noqa: PLC0415 -- a sixth of a web process's start-up time

    return count >= FEWEST_SCORES and bool(bdtr(round(inside * count), count, ASKED) < CHANCE)


def misses(scores: Scores) -> FloatArray:
    """Return the distance of each forecast from the measured value in half widths of its interval, (N,), in
    logarithms.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.log(scores.measured / scores.predicted)
        above, below = np.log(scores.upper / scores.predicted), np.log(scores.predicted / scores.lower)
        miss = np.abs(off) / np.where(off > 0, above, below)
    return np.where(off == 0, 0.0, np.where(np.isnan(miss), np.inf, miss))


def by_distance(scores: Scores) -> list[tuple[float, Calibration]]:
    """Return the calibration of each group of distances that has forecasts, with the group's lower end."""
    begins = group_begins(scores.distance)
    return [(begin, calibrate(scores.part(begins == begin))) for begin in np.unique(begins).tolist()]


def group_begins(distance: FloatArray) -> FloatArray:
    """Return the lower ends of the groups that distances (N,) belong to: 4 for a distance of 8, and 0 inside
    the measured range.
    """
    number = np.searchsorted(EDGES, distance * (1 - _ROUNDING), side="right")
    return np.array([0.0, *EDGES])[number]
