"""Calibration of forecasts: how often intervals contained the measured values, and how large errors were."""

from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray

ASKED = 0.95
"""Share of the measured values that intervals should contain."""

FEWEST_SCORES = 30
"""Fewest forecasts for which intervals are widened. With 15, a single bad kernel would decide."""

CHANCE = 0.05
"""Intervals are widened if the probability that chance leaves so few values inside is smaller than this."""

WIDEST = 10.0
"""Largest factor by which the log widths of intervals are multiplied."""

_ROUNDING = 1e-9

EDGES = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Lower ends of the groups of distances (`Scores.distance`). The measured range ends at the distance 1."""


@dataclass(frozen=True)
class Scores:
    """N forecasts with their measured values. All fields are (N,)."""

    distance: FloatArray  # of the forecast's point, as a multiple of the measured range
    predicted: FloatArray
    lower: FloatArray  # ends of the 95 % interval
    upper: FloatArray
    measured: FloatArray

    def part(self, which: BoolArray) -> "Scores":
        """Return the marked forecasts."""
        return Scores(*(getattr(self, field.name)[which] for field in fields(self)))

    @property
    def known(self) -> "Scores":
        """The forecasts with a known interval, a positive prediction and a positive measured value."""
        columns = np.stack([self.predicted, self.lower, self.upper, self.measured])
        with np.errstate(invalid="ignore"):
            usable = np.isfinite(columns).all(axis=0) & (columns[[0, 3]] > 0).all(axis=0)
        return self.part(np.asarray(usable))


@dataclass(frozen=True)
class Calibration:
    """The calibration of some forecasts.

    Intervals contain 95 % of the measured values if log widths are multiplied by `widening`. The factor is 1
    with fewer than `FEWEST_SCORES` forecasts, or if chance explains the values outside.
    """

    count: int  # number of forecasts
    inside: float  # share of measured values inside their intervals; NaN without forecasts
    error: float  # median relative error; NaN without forecasts
    widening: float

    @property
    def enough(self) -> bool:
        """Whether there are enough forecasts to widen intervals."""
        return self.count >= FEWEST_SCORES


def calibrate(scores: Scores) -> Calibration:
    """Compute the calibration of forecasts.

    The widening is the 95 % quantile of the `misses`, but at least 1 and at most `WIDEST`.
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
    """Return whether the share `inside` of `count` forecasts is smaller than chance explains."""
    from scipy.special import bdtr  # noqa: PLC0415 -- a sixth of a web process's start-up time

    return count >= FEWEST_SCORES and bool(bdtr(round(inside * count), count, ASKED) < CHANCE)


def misses(scores: Scores) -> FloatArray:
    """Return log distances of N values from predictions, over the interval's log width on that side, (N,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.log(scores.measured / scores.predicted)
        above, below = np.log(scores.upper / scores.predicted), np.log(scores.predicted / scores.lower)
        miss = np.abs(off) / np.where(off > 0, above, below)
    return np.where(off == 0, 0.0, np.where(np.isnan(miss), np.inf, miss))


def by_distance(scores: Scores) -> list[tuple[float, Calibration]]:
    """Return the lower end and the calibration of each group of distances that contains forecasts."""
    begins = group_begins(scores.distance)
    return [(begin, calibrate(scores.part(begins == begin))) for begin in np.unique(begins).tolist()]


def group_begins(distance: FloatArray) -> FloatArray:
    """Return the lower end of the group of each of N distances, (N,). A group contains its upper end.

    The distance 8 is in the group that begins at 4, and distances up to 1 are in the group that begins at 0.
    """
    number = np.searchsorted(EDGES, distance * (1 - _ROUNDING), side="right")
    return np.array([0.0, *EDGES])[number]
