"""Trends of kernels just beyond the largest measured parameter values, relative to their laws.

There, kernels often grow as between the last two values, or not at all. Predictions follow such a trend at
first, and grow like the law at larger distances (docs/methods.md#trends).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.joining import put_together
from modeling.engine.validation import BoolArray, FloatArray, IntArray

TREND_LENGTH = 1.5
"""Largest distance, in log x, over which a trend fades to 1/e. Between 1 and 2, errors hardly change."""

BEGIN_SHARE = 1 / 30
"""Share of a trend's length over which the trend begins, so that predictions do not jump."""

_STEP = np.sqrt(2) - 1
"""Fractional parts of its multiples are evenly spread, and not correlated with those of the golden ratio."""


@dataclass(frozen=True)
class Trend:
    """Corrections of the log predictions of K kernels beyond the largest values of m parameters.

    Beyond the largest value of parameter i, a trend adds a slope and a level. `slope[:, i, i]` is the slope
    where all other parameters have their largest values. `slope[:, i, j]` is its increase for each unit of
    the logarithm of parameter j. The same holds for `level`.
    """

    slope: FloatArray  # (K, m, m)
    level: FloatArray  # (K, m, m)
    smallest: FloatArray  # (K, m) logarithms of the smallest measured parameter values
    largest: FloatArray  # (K, m) logarithms of the largest measured parameter values
    length: FloatArray  # (K, m) distance in log x over which the trend along each parameter fades

    @classmethod
    def nothing(cls, kernels: int, parameters: int) -> "Trend":
        """Return the trend of kernels that follow their laws."""
        slope, level = np.zeros((2, kernels, parameters, parameters))
        smallest, largest = np.zeros((2, kernels, parameters))
        return cls(slope, level, smallest, largest, np.full((kernels, parameters), TREND_LENGTH))

    def part(self, kernels: IntArray) -> "Trend":
        """Return the trends of these kernels."""
        return Trend(*(getattr(self, field.name)[kernels] for field in fields(self)))

    def spread(self, some: BoolArray) -> "Trend":
        """Return trends of K kernels: these for the kernels marked in `some` (K,), none for the others."""
        whole = Trend.nothing(len(some), self.largest.shape[1])
        for field in fields(self):
            getattr(whole, field.name)[some] = getattr(self, field.name)
        return whole

    def factors(self, points: FloatArray) -> FloatArray:
        """Return the factors that trends put on K kernels' predictions at Q points (Q, m), as (K, Q)."""
        return np.asarray(np.exp(self.logarithms(np.log(points)[None])))

    def drawn(self, points: FloatArray, draws: int) -> FloatArray:
        """Return `factors` for S draws, (K, S, Q), with logarithms multiplied by numbers from 0 to 2."""
        times = 2 * (np.arange(1, draws + 1) * _STEP % 1)
        return np.asarray(np.exp(self.logarithms(np.log(points)[None])[:, None] * times[:, None]))

    def logarithms(self, at: FloatArray) -> FloatArray:
        """Return the logarithms of `factors`, (K, Q), at Q points with the logarithms `at` (K or 1, Q, m)."""
        beyond = np.maximum(at - self.largest[:, None], 0.0)
        below = np.clip(at, self.smallest[:, None], self.largest[:, None]) - self.largest[:, None]
        slope, level = (_along(surface, below) for surface in (self.slope, self.level))
        distance = beyond.sum(axis=2)
        share = np.divide(beyond, distance[..., None], out=np.zeros_like(beyond), where=beyond > 0)
        length = self.length[:, None]
        continued = slope * effective(beyond, length) + level * share * begun(distance[..., None], length)
        return np.asarray(continued.sum(axis=2))


def _along(surface: FloatArray, below: FloatArray) -> FloatArray:
    """Return the slope or the level along each parameter at points `below` the largest values."""
    heights = np.einsum("kij,kqj->kqi", surface, below)
    own = np.einsum("kii->ki", surface)[:, None]
    return np.asarray(heights + own * (1 - below))


def effective(distance: FloatArray, length: FloatArray) -> FloatArray:
    """Return the integral of exp(−d / `length`) over d from 0 to `distance`: the effect of a fading slope."""
    return np.asarray(length * -np.expm1(-distance / length))


def begun(distance: FloatArray, length: FloatArray) -> FloatArray:
    """Return the share of `Trend.level` at a distance. It rises quickly to nearly 1, then fades."""
    some = np.maximum(distance, np.finfo(float).tiny)
    return np.asarray(effective(some, length) / some * -np.expm1(-distance / (BEGIN_SHARE * length)))


def join_trends(parts: Sequence[Trend | None], places: Sequence[IntArray]) -> Trend | None:
    """Join the trends of several groups of kernels; None if all are None.

    A group whose trend is None has no trend. `places` are the indices of each group's kernels among all.
    """
    known = [part for part in parts if part is not None]
    if not known:
        return None
    parameters = known[0].largest.shape[1]
    whole = [
        Trend.nothing(len(place), parameters) if part is None else part
        for part, place in zip(parts, places, strict=True)
    ]
    return Trend(
        *(put_together([getattr(one, field.name) for one in whole], places) for field in fields(Trend))
    )
