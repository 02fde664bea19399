"""Whether the first repetition of a point differs from the others, as it does where caches are cold or a
processor's clock has not risen yet."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from modeling.engine.validation import FloatArray, as_floats, check_values

FEWEST_POINTS = 5
"""Fewest points with repetitions: with fewer, the first repetition is the slowest of three everywhere by
chance in 1 of 100 kernels."""

MOST_CHANCE = 0.01
"""Largest probability that such a difference is due to chance. It is asked once for every kernel whose page
is opened."""

LEAST_EFFECT = 0.02
"""Smallest difference that is worth a sentence, as a share of the other repetitions."""


@dataclass(frozen=True)
class WarmUp:
    """How much longer the first repetition takes than the median of the others, for K kernels.

    `effect` (K,) is the mean over the points as a fraction: 0.2 is 20 % longer. `points` (K,) is the number
    of points with at least two repetitions, and `chance` (K,) the probability of such a difference if the
    order of repetitions did not matter, by a t test over the points; NaN with fewer than two points.
    """

    effect: FloatArray
    points: FloatArray
    chance: FloatArray

    @property
    def there(self) -> np.ndarray:
        """Return whether the first repetition of each kernel clearly differs, (K,)."""
        clear = (self.chance < MOST_CHANCE) & (np.abs(self.effect) >= LEAST_EFFECT)
        return np.asarray(clear & (self.points >= FEWEST_POINTS))


def warm_up(values: ArrayLike) -> WarmUp:
    """Compare the first of the repetitions in `values` (K, P, R), NaN = missing, with the others.

    Each point with two or more positive repetitions gives the logarithm of one ratio. Points were usually
    measured independently of each other, so their scatter shows what chance does.
    """
    array = as_floats(values, "values")
    array = check_values(array, array.shape[1] if array.ndim == 3 else 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.where(array > 0, np.log(array), np.nan)
    rest = logarithms[:, :, 1:]
    known = np.isfinite(logarithms[:, :, 0]) & np.isfinite(rest).any(axis=2)
    ratios = np.full(known.shape, np.nan)
    ratios[known] = logarithms[:, :, 0][known] - np.nanmedian(rest[known], axis=1)
    points = known.sum(axis=1)
    effect, chance = np.full((2, len(array)), np.nan)
    several = points > 1
    test = stats.ttest_1samp(ratios[several], 0.0, axis=1, nan_policy="omit")
    effect[several] = np.expm1(np.nanmean(ratios[several], axis=1))
    chance[several] = np.ma.filled(test.pvalue, np.nan)
    return WarmUp(effect, points.astype(float), chance)
