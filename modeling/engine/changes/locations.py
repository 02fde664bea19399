"""The location of a point's repetitions (one value that stands for all of them), and its variance.

There are three kinds of location:

- The mean of the middle half suits noise that raises values as often as it lowers them.
- The floor estimates the lower bound of the noise. It suits a busy machine, on which only the fastest
  repetitions agree within a percent.
- The midrange, the mean of the smallest and the largest repetition, suits noise with two sharp bounds.

All kernels have the same kind, see `best_location`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import lru_cache

import numpy as np

from modeling.engine.changes.widths import Widths, learned_widths, midrange_variance
from modeling.engine.validation import BoolArray, FloatArray, IntArray

NUMBERS_AT_ONCE = 2_000_000
"""Largest number of elements of a temporary array."""

SHRINKAGE = 8.0
"""Weight, in degrees of freedom, of a kernel's variance over all points in its variance at one point."""

LEAST_GAIN = 0.8
"""Another location replaces the middle half if its variance is less than this multiple of the middle half's.
With 0.7, four repetitions with exponential noise would keep the middle half, although the floor is better.
"""

SHARP_ENDS = 1.05
"""Largest `Location.scale` for midranges. It is 1 for uniform noise, at least 1.07 for log-normal noise."""

LEAST_REPETITIONS = 4
"""Fewest repetitions that can show which noise a point has."""

POINT_TAIL, KERNEL_TAIL = 0.8, 2.0
"""The variance of a floor is increased by these multiples of itself. The second one is divided by the number
of the kernel's points. Without `POINT_TAIL`, changes at five points would be found with the probability 0.88
instead of 0.76, but 4 instead of 1.2 of 1,000 unchanged kernels would be reported. Without both, 5 instead of
1 of 1,000 unchanged kernels would be reported at a single point.
"""


class Place(StrEnum):
    """The kinds of location, which reduce the repetitions of a point to one value."""

    MIDDLE = "middle half"
    FLOOR = "floor"
    MIDRANGE = "midrange"


@dataclass(frozen=True)
class Location:
    """How repetitions are reduced to one value, at all points of two campaigns.

    `scale` multiplies the location's standard deviation. For floors and midranges, it is the mean gap between
    the two outermost repetitions, divided by the expected gap of exponential (uniform) noise of the same
    spread. For the middle half, see `_relative_error`.
    """

    place: Place = Place.MIDDLE
    scale: float = 1.0
    widths: Widths = field(default_factory=Widths)  # of uniform noise, only for midranges


@dataclass(frozen=True)
class Located:
    """Locations of the repetitions of K kernels at C points, with their variances; (K, C) each."""

    location: FloatArray
    share: FloatArray  # variance of the location's logarithm, divided by `squares / freedom`
    squares: FloatArray  # sum of squared relative deviations of the repetitions
    freedom: FloatArray  # degrees of freedom of `squares`

    @property
    def noise(self) -> FloatArray:
        """Variance of the location's logarithm, (K, C), shrunk towards that over all points of the kernel."""
        of_kernel = self.freedom.sum(axis=1, keepdims=True)
        kernel = self.squares.sum(axis=1, keepdims=True) / np.maximum(of_kernel, 1.0)
        return np.asarray(self.share * (self.squares + SHRINKAGE * kernel) / (self.freedom + SHRINKAGE))

    def scaled(self, scale: float) -> "Located":
        """Return the locations with standard deviations multiplied by `scale`."""
        return replace(self, squares=scale**2 * self.squares)


@dataclass(frozen=True)
class Ordered:
    """Middle half, number and outermost of the positive repetitions (1 if none) of K kernels at C points.

    All fields are (K, C).
    """

    middle: Located  # location by the mean of the middle half, for uniform noise
    relative: FloatArray  # error of the middle half's mean relative to that under uniform noise, or NaN
    count: IntArray  # number of positive repetitions
    smallest: FloatArray
    second: FloatArray  # second smallest, or the only one
    second_largest: FloatArray  # second largest, or the only one
    largest: FloatArray

    @property
    def usable(self) -> BoolArray:
        """Whether points have positive repetitions and a positive middle half, (K, C)."""
        return np.asarray((self.count > 0) & (self.middle.location > 0))

    def first(self, kernels: int) -> "Ordered":
        """Return only the first `kernels` kernels."""
        middle, *others = (getattr(self, each.name) for each in fields(self))
        return Ordered(
            Located(*(getattr(middle, each.name)[:kernels] for each in fields(Located))),
            *(each[:kernels] for each in others),
        )


@dataclass(frozen=True)
class _Ends:
    """Locations computed from the outermost repetitions, under the noise that suits them.

    `gaps` are the distances between the two outermost repetitions at each end, scaled to estimate the
    spread.
    """

    location: FloatArray
    spread: FloatArray  # size of the noise
    share: FloatArray  # variance of the location's logarithm, divided by spread²
    freedom: FloatArray  # degrees of freedom of the squared spread
    gaps: tuple[FloatArray, ...]

    def located(self, scale: float) -> Located:
        """Return the locations and their variances, for noise of the size `scale` · `spread`."""
        squares = self.freedom * (scale * self.spread) ** 2
        return Located(self.location, self.share, squares, self.freedom)

    def steepness(self) -> list[FloatArray]:
        """Return for each end the ratio of gap to spread, for the kernels with a known spread."""
        spread = self.spread.sum(axis=1)
        known = spread > 0
        return [gap.sum(axis=1)[known] / spread[known] for gap in self.gaps]


def ordered(values: FloatArray) -> Ordered:
    """Return what locations are computed from, for R repetitions of K kernels at C points (K, C, R)."""
    step = max(1, NUMBERS_AT_ONCE // max(values.shape[0] * values.shape[2], 1))
    places = range(0, max(values.shape[1], 1), step)
    parts = [_ordered(values[:, start : start + step]) for start in places]
    middle = _joined([part.middle for part in parts])
    others = (
        np.concatenate([getattr(part, each.name) for part in parts], axis=1) for each in fields(Ordered)[1:]
    )
    return Ordered(middle, *others)


def located(values: FloatArray, location: Location) -> Located:
    """Return the locations of R repetitions of K kernels at C points (K, C, R)."""
    return placed(ordered(values), location)


def placed(repetitions: Ordered, location: Location) -> Located:
    """Return the locations of repetitions, given the result of `ordered`."""
    if location.place == Place.MIDDLE:
        return repetitions.middle.scaled(location.scale)
    found = ENDS[location.place](repetitions, location.scale).located(location.scale)
    if location.place == Place.MIDRANGE:
        known = np.ones_like(found.location)
        variance = midrange_variance(_ranges(repetitions), repetitions.count, location.widths)
        return Located(found.location, location.scale**2 * variance, known, known)
    return found


def best_location(sides: Sequence[tuple[Ordered, Ordered]], kernels: int) -> Location:
    """Return the location with the smallest variance of log ratios over the first kernels.

    Variances are compared kernel by kernel, so a few kernels with much noise do not determine the choice.

    Args:
        sides: repetitions before and after, of some kernels each.
        kernels: the number of the first kernels; all others are ignored.
    """
    sides = _first(sides, kernels)
    best, least = Location(scale=_scale_of_middle(sides)), LEAST_GAIN
    for kind in ENDS if _many_repetitions(sides) else ():
        each = [side for pair in sides for side in pair]
        location = Location(kind, _scale(kind, each))
        if kind == Place.MIDRANGE:
            if location.scale > SHARP_ENDS:
                continue
            learned = learned_widths([(_ranges(side), side.count) for side in each])
            location = replace(location, widths=learned)
        gains = np.concatenate([_gains(pair, location) for pair in sides])
        if len(gains) and gains.mean() < least:
            best, least = location, float(gains.mean())
    return best


def _scale_of_middle(sides: Sequence[tuple[Ordered, Ordered]]) -> float:
    """Return the scale of the middle half: the mean over all points of `Ordered.relative`, at most 1."""
    errors = np.concatenate([side.relative.ravel() for pair in sides for side in pair] or [np.zeros(0)])
    known = errors[~np.isnan(errors)]
    return min(1.0, float(known.mean())) if len(known) else 1.0


def _many_repetitions(sides: Sequence[tuple[Ordered, Ordered]]) -> bool:
    """Return whether most points have at least `LEAST_REPETITIONS` repetitions."""
    enough = [(side.count >= LEAST_REPETITIONS).ravel() for pair in sides for side in pair]
    joined = np.concatenate(enough) if enough else np.zeros(0)
    return bool(2 * joined.sum() > len(joined))


def _first(sides: Sequence[tuple[Ordered, Ordered]], kernels: int) -> list[tuple[Ordered, Ordered]]:
    found = []
    for old, new in sides:
        found.append((old.first(max(kernels, 0)), new.first(max(kernels, 0))))
        kernels -= len(old.count)
    return found


def _scale(kind: Place, sides: Sequence[Ordered]) -> float:
    """Return the scale of a kind of location: the kernels' mean ratio of gap to spread."""
    steepness = zip(*(ENDS[kind](side, 1.0).steepness() for side in sides), strict=True)
    means = [joined.mean() if len(joined) else 1.0 for joined in map(np.concatenate, steepness)]
    return float(np.sqrt(np.mean(np.square(means))))


def _gains(pair: tuple[Ordered, Ordered], location: Location) -> FloatArray:
    """Return the variances of log ratios with a location, relative to those with the middle half."""
    middle, other = (
        np.sum([np.where(side.usable, placed(side, each).noise, 0.0).sum(axis=1) for side in pair], axis=0)
        for each in (Location(), location)
    )
    known = middle > 0
    return np.asarray(other[known] / middle[known])


def _joined(parts: Sequence[Located]) -> Located:
    return Located(
        *(np.concatenate([getattr(part, each.name) for part in parts], axis=1) for each in fields(Located))
    )


def _ordered(values: FloatArray) -> Ordered:
    ascending = np.sort(values, axis=2)  # NaN last
    positive = np.sort(np.where(values > 0, values, np.nan), axis=2)
    count = (~np.isnan(positive)).sum(axis=2)
    last = np.maximum(count - 1, 0)
    ranks = np.zeros_like(last), np.minimum(1, last), np.maximum(last - 1, 0), last
    ends = (np.take_along_axis(positive, rank[:, :, None], axis=2)[:, :, 0] for rank in ranks)
    return Ordered(*_middle(ascending), count, *(np.where(count > 0, end, 1.0) for end in ends))


def _middle(ascending: FloatArray) -> tuple[Located, FloatArray]:
    """Return the mean of the middle half of sorted repetitions, which one bad repetition does not move.

    The variance is that for uniform noise. The second result is that of `_relative_error`.
    """
    count = (~np.isnan(ascending)).sum(axis=2)
    cut, share = middle_half(ascending.shape[2])
    first, last = cut[count], count - cut[count]
    rank = np.arange(ascending.shape[2])
    kept = (rank >= first[:, :, None]) & (rank < last[:, :, None])
    total = np.where(kept, ascending, 0.0).sum(axis=2)
    location = np.where(count > 0, total / np.maximum(last - first, 1), np.nan)
    logs = np.log(np.where(ascending > 0, ascending, np.nan))
    known = ~np.isnan(logs)
    shown = known.sum(axis=2)
    centre = np.where(known, logs, 0.0).sum(axis=2) / np.maximum(shown, 1)
    squares = (np.where(known, logs - centre[:, :, None], 0.0) ** 2).sum(axis=2)
    found = Located(location, share[count], squares, np.maximum(shown - 1.0, 0.0))
    ends = (np.take_along_axis(logs, np.maximum(each, 0)[:, :, None], axis=2) for each in (last - 1, first))
    middle = np.subtract(*ends)[:, :, 0]
    return found, _relative_error(middle, np.where(shown == count, count, 0), found)


def _relative_error(middle: FloatArray, count: IntArray, located: Located) -> FloatArray:
    """Return the standard deviations of the middle half's means, relative to those under uniform noise.

    Rare large repetitions add to the variance of all repetitions, but hardly to that of this mean. It varies
    like the range of the middle half. With k of n uniform values in it, this range is (k − 1) / (n + 1) of
    the whole width on average. The range of few values is uncertain. So the mean is assumed to have the
    variance f / (f − 2) of Student's t distribution, with f = 2 (k − 1) for two campaigns.

    Args:
        middle: (K, C) ranges of the logarithms of the middle half.
        count: (K, C) numbers of repetitions, 0 if one is not positive.
        located: the means of the middle half.

    Returns:
        (K, C) ratios, NaN if there are too few repetitions.
    """
    kept = count - 2 * middle_half(int(count.max(initial=0)))[0][count]
    usable = (kept > 2) & (located.squares > 0)
    width = np.sqrt(12 * located.squares / np.maximum(located.freedom, 1.0))
    freedom = np.where(usable, 2.0 * (kept - 1), 4.0)
    expected = np.where(usable, width * (kept - 1) / (count + 1), 1.0)
    return np.where(usable, middle / expected * np.sqrt(freedom / (freedom - 2)), np.nan)


def middle_half(most: int) -> tuple[IntArray, FloatArray]:
    """Return two properties of the mean of the middle half, for 0 to `most` repetitions, (most + 1,) each.

    The first is the number of repetitions that are left out at either end. The second is the variance of the
    mean relative to that of one repetition, for uniform noise.

    Order statistics i ≤ j of n uniform values have the covariance i (n + 1 − j) / ((n + 1)² (n + 2)) (David
    and Nagaraja 2003, Order Statistics, section 2.2). The variance of a mean of k values is the mean of these
    covariances over all k² pairs. For the middle ranks from `first` on, Σ min(i, j) = k²·first +
    (k − 1) k (2k − 1) / 6 and Σ i·j = (k (n + 1) / 2)². A single repetition has the variance 1/12.
    """
    count = np.arange(most + 1)
    cut = np.maximum((count - 1) // 4, np.where(count > 2, 1, 0)).clip(0)
    k = np.maximum(count - 2 * cut, 1)
    first, ends = cut + 1, count + 1
    variance = 12 * (first + (k - 1) * (2 * k - 1) / (6 * k) - ends / 4) / (ends * (ends + 1))
    return cut, np.where(count > 0, variance, 0.0)


def _floor(of: Ordered, scale: float) -> _Ends:
    """Return floors: the smallest repetition minus its expected distance from the lower bound of the noise.

    Under exponential noise of the mean λ above the bound, the smallest of n repetitions exceeds the bound by
    λ / n on average, with the standard deviation λ / n. The second smallest exceeds the smallest by
    λ / (n − 1). The spread is λ, estimated from the distance between the middle half and the smallest
    repetition.
    """
    mean, freedom = (table[of.count] for table in above_smallest(int(of.count.max(initial=0))))
    height = np.log(np.where(of.usable, of.middle.location, 1.0) / np.where(of.usable, of.smallest, 1.0))
    spread = np.where(mean > 0, np.maximum(height, 0.0) / np.where(mean > 0, mean, 1.0), 0.0)
    bias = 1 / np.maximum(of.count, 1)
    points = np.maximum((spread > 0).sum(axis=1, keepdims=True), 1)
    share = bias**2 * (1 + POINT_TAIL + KERNEL_TAIL / points)
    kernel = (freedom * spread).sum(axis=1, keepdims=True) / np.maximum(
        freedom.sum(axis=1, keepdims=True), 1.0
    )
    location = np.where(of.usable, of.smallest * np.exp(-scale * kernel * bias), of.middle.location)
    gap = np.where(of.usable, np.log(of.second / of.smallest) * np.maximum(of.count - 1, 0), 0.0)
    return _Ends(location, spread, share, freedom, (gap,))


@lru_cache(maxsize=16)
def above_smallest(most: int) -> tuple[FloatArray, FloatArray]:
    """Return moments of the distance between the middle half and the smallest repetition.

    The noise is exponential with λ = 1. The results are the expected distance and the degrees of freedom of
    its square, for 0 to `most` repetitions, (most + 1,) each.

    The i-th smallest of n exponential values is a sum Σ_{j ≤ i} z_j / (n + 1 − j) of independent exponential
    z_j (Rényi 1953). The χ² distribution with these degrees of freedom has the same relative variance.
    """
    cuts, _ = middle_half(most)
    mean, freedom = np.zeros(most + 1), np.zeros(most + 1)
    for count in range(2, most + 1):
        step = np.arange(2, count + 1)
        first, last = cuts[count] + 1, count - cuts[count]
        above = np.clip(last + 1 - np.maximum(step, first), 0, None) / (last + 1 - first)
        parts = above / (count + 1 - step)
        mean[count] = parts.sum()
        freedom[count] = 2 * mean[count] ** 2 / (parts**2).sum()
    return mean, freedom


def _ranges(of: Ordered) -> FloatArray:
    """Return the ranges of the repetitions, relative to their midranges; 0 if unknown."""
    return np.asarray(np.where(of.usable, 2 * (of.largest - of.smallest) / (of.largest + of.smallest), 0.0))


def _midrange(of: Ordered, _: float) -> _Ends:
    """Return midranges: the means of the smallest and the largest repetition.

    The spread is the width of uniform noise. For n repetitions, the expected range is
    width · (n − 1) / (n + 1), and the expected gap is width / (n + 1). The midrange has the variance
    width² / (2 (n + 1) (n + 2)).
    """
    count = of.count.astype(float)
    middle = (of.smallest + of.largest) / 2
    spread = (of.largest - of.smallest) / middle * (count + 1) / np.maximum(count - 1, 1)
    share = 1 / (2 * (count + 1) * (count + 2))
    freedom = np.maximum(count - 1, 0) * (count + 2)
    gaps = (of.second - of.smallest), (of.largest - of.second_largest)
    location = np.where(of.usable, middle, of.middle.location)
    lower, upper = (np.where(of.usable, gap / middle * (count + 1), 0.0) for gap in gaps)
    return _Ends(location, spread, share, freedom, (lower, upper))


ENDS: dict[Place, Callable[[Ordered, float], _Ends]] = {Place.FLOOR: _floor, Place.MIDRANGE: _midrange}
"""Functions that compute locations from the outermost repetitions."""
