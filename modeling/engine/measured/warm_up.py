"""Find out whether the first repetition of points differs from the others, as with cold caches."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modeling.engine.validation import BoolArray, FloatArray, as_floats, check_values

FEWEST_POINTS = 5
"""Fewest points with repetitions for which a difference is reported. With four points, the first of three
repetitions is always the slowest in 1 of 81 kernels by chance.
"""

MOST_CHANCE = 0.01
"""A difference is reported if its probability by chance is smaller than this."""

LEAST_EFFECT = 0.02
"""Smallest difference that is reported, as a fraction of the median of the other repetitions."""


@dataclass(frozen=True)
class WarmUp:
    """How much longer the first repetition takes than the median of the others, for K kernels.

    `chance` is the probability of a difference at least this large if the order did not matter, from a t test
    over the points. `effect` and `chance` are NaN with fewer than two points.
    """

    effect: FloatArray  # (K,) mean difference over the points, as a fraction: 0.2 means 20 % longer
    points: FloatArray  # (K,) number of points with at least two repetitions
    chance: FloatArray  # (K,)

    @property
    def there(self) -> BoolArray:
        """Whether each kernel's first repetition clearly differs from the others, (K,)."""
        clear = (self.chance < MOST_CHANCE) & (np.abs(self.effect) >= LEAST_EFFECT)
        return np.asarray(clear & (self.points >= FEWEST_POINTS))


def warm_up(values: ArrayLike) -> WarmUp:
    """Compare the first repetition at each point with the others.

    `values` (K, P, R) are R repetitions of K kernels at P points, NaN where missing. Each point whose first
    and another repetition are positive has one log ratio. The scatter of these log ratios shows the effect of
    chance.
    """
    array = as_floats(values, "values")
    array = check_values(array, array.shape[1] if array.ndim == 3 else 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.where(array > 0, np.log(array), np.nan)
    rest = logarithms[:, :, 1:]
    comparable = np.isfinite(logarithms[:, :, 0]) & np.isfinite(rest).any(axis=2)
    ratios = np.full(comparable.shape, np.nan)
    ratios[comparable] = logarithms[:, :, 0][comparable] - np.nanmedian(rest[comparable], axis=1)
    points = comparable.sum(axis=1)
    effect, chance = np.full((2, len(array)), np.nan)
    several = points > 1
    mean = np.nanmean(ratios[several], axis=1)
    error = np.nanstd(ratios[several], axis=1, ddof=1) / np.sqrt(points[several])
    effect[several] = np.expm1(mean)
    chance[several] = _both_tails(
        np.divide(mean, error, out=np.where(mean == 0, 0.0, np.inf), where=error > 0), points[several] - 1
    )
    return WarmUp(effect, points.astype(float), chance)


def _both_tails(ratio: FloatArray, freedom: NDArray[np.int_]) -> FloatArray:
    """Return the probability that |t| exceeds |ratio| under Student's t distribution."""
    from scipy.special import stdtr  # noqa: PLC0415 -- a sixth of a web process's start-up time

    return np.asarray(2 * stdtr(freedom, -np.abs(ratio)))
