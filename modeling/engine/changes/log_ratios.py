"""Logarithms of after / before at the common points of two campaigns, with their noise estimated from
repetitions.
"""

from dataclasses import dataclass, fields, replace

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

NUMBERS_AT_ONCE = 2_000_000
"""The largest number of elements of one temporary array."""

SHRINKAGE = 8.0
"""Weight, in degrees of freedom, of the variance pooled over a kernel's points, relative to the variance of
one point.
"""

Measured = tuple[FloatArray, FloatArray]
"""Points (P, m) and values (K, P, R)."""


@dataclass(frozen=True)
class Located:
    """Location and scatter of the repetitions of K kernels at C points, (K, C) each.

    The location is the mean of the middle half of the repetitions. One bad repetition does not change this
    mean, and it scatters less than the median. `squares` sums the logarithms' squared deviations, and
    `freedom` are its degrees of freedom.
    """

    location: FloatArray
    share: FloatArray  # variance of the location in units of the variance of one repetition
    squares: FloatArray
    freedom: FloatArray

    @property
    def noise(self) -> FloatArray:
        """Return the variance of the location's logarithm, (K, C).

        The variance of a point's repetitions is shrunk towards the variance pooled over all the kernel's
        points.
        """
        of_kernel = self.freedom.sum(axis=1, keepdims=True)
        kernel = self.squares.sum(axis=1, keepdims=True) / np.maximum(of_kernel, 1.0)
        return np.asarray(self.share * (self.squares + SHRINKAGE * kernel) / (self.freedom + SHRINKAGE))


@dataclass(frozen=True)
class LogRatios:
    """Logarithms of after / before of K kernels at C common points."""

    d: FloatArray  # (C, K), 0 where unknown
    known: BoolArray  # (C, K)
    nothing: BoolArray  # (C, K) zero before and after: unchanged whatever the drift is
    noise: FloatArray  # (C, K) variance of `d` that the repetitions show

    def shifted(self, points: FloatArray) -> "LogRatios":
        """Return the log ratios minus the shifts that all kernels share at each point, (C,)."""
        return replace(self, d=np.where(self.known, self.d - points[:, None], 0.0))

    def part(self, kernels: IntArray) -> "LogRatios":
        """Return the log ratios of the given kernels only."""
        return LogRatios(*(getattr(self, field.name)[:, kernels] for field in fields(self)))


def common_places(old: FloatArray, new: FloatArray) -> IntArray:
    """Return the indices (C, 2) of the common points in the points (P, m) of either campaign."""
    place = {tuple(point): index for index, point in enumerate(old.tolist())}
    pairs = [
        (place[key], index) for index, point in enumerate(new.tolist()) if (key := tuple(point)) in place
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def log_ratios(old: FloatArray, new: FloatArray) -> LogRatios:
    """Return log ratios of values (K, C, R) at the same points; the numbers of repetitions may differ."""
    sides = located(old), located(new)
    before, after = (side.location.T for side in sides)
    known = (before > 0) & (after > 0)
    usable = np.where(before > 0, before, 1.0), np.where(after > 0, after, 1.0)
    d = np.where(known, np.log(usable[1]) - np.log(usable[0]), 0.0)
    noise = sides[0].noise + sides[1].noise
    return LogRatios(d, known, (before == 0) & (after == 0), noise.T)


def located(values: FloatArray) -> Located:
    """Return location and scatter of repetitions (K, C, R), computed for some points at a time."""
    step = max(1, NUMBERS_AT_ONCE // max(values.shape[0] * values.shape[2], 1))
    places = range(0, max(values.shape[1], 1), step)
    found = zip(*(_located(values[:, start : start + step]) for start in places), strict=True)
    return Located(*(np.concatenate(part, axis=1) for part in found))


def _located(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return location, share, squares and freedom of `Located`, (K, C) each."""
    count = (~np.isnan(values)).sum(axis=2)
    cut, share = middle_half(values.shape[2])
    first, last = cut[count], count - cut[count]
    rank = np.arange(values.shape[2])
    kept = (rank >= first[:, :, None]) & (rank < last[:, :, None])
    ordered = np.where(kept, np.sort(values, axis=2), 0.0)  # sorting puts NaN last, where it is never kept
    location = np.where(count > 0, ordered.sum(axis=2) / np.maximum(last - first, 1), np.nan)
    logs = np.log(np.where(values > 0, values, np.nan))
    known = ~np.isnan(logs)
    shown = known.sum(axis=2)
    centre = np.where(known, logs, 0.0).sum(axis=2) / np.maximum(shown, 1)
    squares = np.where(known, logs - centre[:, :, None], 0.0) ** 2
    freedom = np.maximum(shown - 1.0, 0.0)
    return location, share[count], squares.sum(axis=2), freedom


def middle_half(most: int) -> tuple[IntArray, FloatArray]:
    """Return the weights of the middle half of sorted repetitions, for 0 to `most` of them, (most + 1,)
    each.

    The first result is the number of repetitions that are left out of the mean at either end. The second
    result is the variance of the mean relative to that of one repetition. It is computed for uniform noise;
    for Gaussian noise it would be smaller. Order statistics i ≤ j of n uniform values have the covariance i
    (n + 1 − j) / ((n + 1)² (n + 2)) (David and Nagaraja 2003, Order Statistics, section 2.2), here times 12;
    this is its mean over all pairs of the k ranks from `first` on: Σ min(i, j) = k² first + (k − 1) k (2k −
    1) / 6, and Σ i·j = (k (n + 1) / 2)².
    """
    count = np.arange(most + 1)
    cut = np.maximum((count - 1) // 4, np.where(count > 2, 1, 0)).clip(0)
    k = np.maximum(count - 2 * cut, 1)
    first, ends = cut + 1, count + 1
    variance = 12 * (first + (k - 1) * (2 * k - 1) / (6 * k) - ends / 4) / (ends * (ends + 1))
    return cut, np.where(count > 0, variance, 0.0)
