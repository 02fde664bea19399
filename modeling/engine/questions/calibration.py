"""Calibration of forecasts: how often their intervals contained the measured values, and how large the
errors were.
"""

from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray

ASKED = 0.95
"""Share of the measured values that intervals should contain."""

FEWEST_SCORES = 30
"""Number of measured values from which intervals are widened. With half of them a single bad kernel would
decide, with twice as many most applications would never reach it.
"""

CHANCE = 0.05
"""Intervals are widened if correct intervals would contain as few of the values with less than this
probability. Of 30 values that is 25 or fewer; with a probability of 0.5 correct intervals would be
widened as well.
"""

WIDEST = 10.0
"""Limit on the factor by which widths are multiplied: with a larger error, wider intervals are no remedy."""

_ROUNDING = 1e-9

EDGES = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Distances (multiples of the measured range) above which a group begins. Up to 1 is inside of the range."""


@dataclass(frozen=True)
class Scores:
    """N forecasts with their measured values, all positive."""

    distance: FloatArray  # (N,) as a multiple of the measured range
    predicted: FloatArray
    lower: FloatArray
    upper: FloatArray
    measured: FloatArray

    def part(self, which: BoolArray) -> "Scores":
        """Return only these."""
        return Scores(*(getattr(self, field.name)[which] for field in fields(self)))

    @property
    def known(self) -> "Scores":
        """Return those with a positive prediction, interval and value."""
        columns = np.stack([self.predicted, self.lower, self.upper, self.measured])
        with np.errstate(invalid="ignore"):
            usable = np.isfinite(columns).all(axis=0) & (columns[[0, 3]] > 0).all(axis=0)
        return self.part(np.asarray(usable))


@dataclass(frozen=True)
class Calibration:
    """The calibration of N forecasts together; `inside`, `error` and `widening` are NaN where there are
    none.

    `widening` is the factor on the widths of intervals with which they would have contained 95 % of the
    values, never less than 1; it is 1 as long as there are too few scores.
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

    A forecast's miss is the distance of its logarithm from the measured one, over the width of the interval
    on that side. The widening is the miss that 95 % of the forecasts do not exceed.
    """
    known = scores.known
    count = len(known.predicted)
    if not count:
        return Calibration(0, np.nan, np.nan, 1.0)
    inside = float(((known.measured >= known.lower) & (known.measured <= known.upper)).mean())
    error = float(np.median(np.abs(known.predicted - known.measured) / known.measured))
    needed = float(np.quantile(misses(known), ASKED, method="inverted_cdf"))
    widening = min(max(needed, 1.0), WIDEST) if _missed(inside, count) else 1.0
    return Calibration(count, inside, error, widening)


def _missed(inside: float, count: int) -> bool:
    """Return whether intervals contained fewer values than they should, by more than chance explains."""
    from scipy.special import bdtr  # noqa: PLC0415 -- a sixth of the time that a web process starts

    return count >= FEWEST_SCORES and bool(bdtr(round(inside * count), count, ASKED) < CHANCE)


def misses(scores: Scores) -> FloatArray:
    """Return by how many half widths of its interval each forecast was off, (N,), in logarithms."""
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.log(scores.measured / scores.predicted)
        above, below = np.log(scores.upper / scores.predicted), np.log(scores.predicted / scores.lower)
        found = np.abs(off) / np.where(off > 0, above, below)
    return np.where(off == 0, 0.0, np.where(np.isnan(found), np.inf, found))


def by_distance(scores: Scores) -> list[tuple[float, Calibration]]:
    """Return the calibration of each group of distances that has forecasts, with the distance at which the
    group begins.
    """
    begins = group_begins(scores.distance)
    return [(begin, calibrate(scores.part(begins == begin))) for begin in np.unique(begins).tolist()]


def group_begins(distance: FloatArray) -> FloatArray:
    """Return where the groups of distances (N,) begin: above 4 and up to 8 it is 4, inside of the data 0."""
    number = np.searchsorted(EDGES, distance * (1 - _ROUNDING), side="right")
    return np.array([0.0, *EDGES])[number]
