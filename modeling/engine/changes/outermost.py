"""Locations that are computed from the outermost repetitions of a point: floors and midranges."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from modeling.engine.changes.locations import Located, Place
from modeling.engine.changes.middle_half import middle_half
from modeling.engine.changes.repetitions import Ordered
from modeling.engine.validation import FloatArray

POINT_TAIL, KERNEL_TAIL = 0.8, 2.0
"""The variance of a floor is increased by these multiples of itself. The second one is divided by the number
of the kernel's points. Without `POINT_TAIL`, changes at five points would be found with the probability 0.88
instead of 0.76, but 4 instead of 1.2 of 1,000 unchanged kernels would be reported. Without both, 5 instead of
1 of 1,000 unchanged kernels would be reported at a single point.
"""


@dataclass(frozen=True)
class Ends:
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


def _floor(of: Ordered, scale: float) -> Ends:
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
    return Ends(location, spread, share, freedom, (gap,))


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


def _midrange(of: Ordered, _: float) -> Ends:
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
    return Ends(location, spread, share, freedom, (lower, upper))


ENDS: dict[Place, Callable[[Ordered, float], Ends]] = {Place.FLOOR: _floor, Place.MIDRANGE: _midrange}
"""Functions that compute locations from the outermost repetitions."""
