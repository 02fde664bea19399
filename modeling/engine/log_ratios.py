"""Logarithms of after / before at the points that two campaigns have in common, and what their repetitions
show of the noise."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.change_evidence import NUMBERS_AT_ONCE, pooled_twice
from modeling.engine.validation import BoolArray, FloatArray, IntArray

Measured = tuple[FloatArray, FloatArray]
"""Points (P, m) and values (K, P, R)."""


@dataclass(frozen=True)
class Located:
    """Where the repetitions of K kernels lie at C points, (K, C) each, and how far they scatter.

    The location is the mean of the middle half: one bad run does not move it, and it scatters less than the
    median. `squares` sums the logarithms' squared deviations, `freedom` are its degrees of freedom.
    """

    location: FloatArray
    share: FloatArray  # variance of the location in units of one repetition's
    squares: FloatArray
    freedom: FloatArray
    repeated: bool  # whether any point was measured more than once

    def noise(self, typical: float) -> FloatArray:
        """Variance of the location's logarithm, (K, C): the spread of a point's repetitions is pulled towards
        the kernel's, and that towards the campaign's `typical` one.
        """
        return pooled_twice(self.squares, self.freedom, typical) * self.share

    def noise_rates(self) -> tuple[FloatArray, FloatArray]:
        """Intercept and slope of `noise`, which is linear in the campaign's typical variance, (K, C) each."""
        own = pooled_twice(self.squares, self.freedom, 0.0) * self.share
        return own, pooled_twice(0.0 * self.squares, self.freedom, 1.0) * self.share


@dataclass(frozen=True)
class LogRatios:
    """Logarithms of after / before of K kernels at C common points."""

    d: FloatArray  # (C, K), 0 where unknown
    known: BoolArray  # (C, K)
    nothing: BoolArray  # (C, K) zero before and after: the same, whatever the campaign's drift
    sides: tuple[Located, Located]  # before, after


def common_places(old: FloatArray, new: FloatArray) -> IntArray:
    """Where the points that both have stand in points (P, m) of either, (C, 2)."""
    place = {tuple(point): index for index, point in enumerate(old.tolist())}
    pairs = [
        (place[key], index) for index, point in enumerate(new.tolist()) if (key := tuple(point)) in place
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def log_ratios(old: FloatArray, new: FloatArray) -> LogRatios:
    """Log ratios of values (K, C, R) at the same points; the numbers of repetitions may differ."""
    sides = located(old), located(new)
    before, after = (side.location.T for side in sides)
    known = (before > 0) & (after > 0)
    usable = np.where(before > 0, before, 1.0), np.where(after > 0, after, 1.0)
    d = np.where(known, np.log(usable[1]) - np.log(usable[0]), 0.0)
    return LogRatios(d, known, (before == 0) & (after == 0), sides)


def located(values: FloatArray) -> Located:
    """Mean of the middle half of repetitions (K, C, R), and how far they scatter, some points at a time."""
    step = max(1, NUMBERS_AT_ONCE // max(values.shape[0] * values.shape[2], 1))
    places = range(0, max(values.shape[1], 1), step)
    found = zip(*(_located(values[:, start : start + step]) for start in places), strict=True)
    location, share, squares, freedom, count = (np.concatenate(part, axis=1) for part in found)
    return Located(location, share, squares, freedom, bool(count.max(initial=0) > 1))


def _located(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, IntArray]:
    """Location, share, squares and freedom of `Located`, and the number of repetitions, (K, C) each."""
    count = (~np.isnan(values)).sum(axis=2)
    cut, share = middle_half(values.shape[2])
    first, last = cut[count], count - cut[count]
    rank = np.arange(values.shape[2])
    kept = (rank >= first[:, :, None]) & (rank < last[:, :, None])
    ordered = np.where(kept, np.sort(values, axis=2), 0.0)  # NaN last, never kept
    location = np.where(count > 0, ordered.sum(axis=2) / np.maximum(last - first, 1), np.nan)
    logs = np.log(np.where(values > 0, values, np.nan))
    known = ~np.isnan(logs)
    shown = known.sum(axis=2)
    centre = np.where(known, logs, 0.0).sum(axis=2) / np.maximum(shown, 1)
    squares = np.where(known, logs - centre[:, :, None], 0.0) ** 2
    freedom = np.maximum(shown - 1.0, 0.0)
    return location, share[count], squares.sum(axis=2), freedom, count


def middle_half(most: int) -> tuple[IntArray, FloatArray]:
    """For 0 to `most` sorted repetitions: how many at either end are not averaged, and the variance of the
    average of the others in units of one's, (most + 1,) each.

    The variance is that under uniform noise; under Gaussian noise it is smaller. Order statistics i ≤ j of n
    uniform values have the covariance i (n + 1 − j) / ((n + 1)² (n + 2)) (David and Nagaraja 2003, Order
    Statistics, section 2.2), here times 12; this is its mean over all pairs of the k ranks from `first` on:
    Σ min(i, j) = k² first + (k − 1) k (2k − 1) / 6, and Σ i·j = (k (n + 1) / 2)².
    """
    count = np.arange(most + 1)
    cut = np.maximum((count - 1) // 4, np.where(count > 2, 1, 0)).clip(0)
    k = np.maximum(count - 2 * cut, 1)
    first, ends = cut + 1, count + 1
    variance = 12 * (first + (k - 1) * (2 * k - 1) / (6 * k) - ends / 4) / (ends * (ends + 1))
    return cut, np.where(count > 0, variance, 0.0)
