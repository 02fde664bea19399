"""The trend of kernels just beyond their largest measured values, relative to their laws.

A law describes how a kernel grows in the long run. Just beyond the measured values, the growth between the
last two values often continues, or the growth ends. So predictions follow this trend at first, and return to
the growth of the law with distance (docs/methods.md#trends).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

TREND_LENGTH = 1.5
"""Largest distance, in log x, over which a trend fades: a factor of 4.5. Between 1 and 2 the public
campaigns' errors hardly change. The longer this distance, the more a wrong trend affects distant predictions.
"""

BEGIN_SHARE = 1 / 30
"""Share of a trend's length over which predictions change from the measured range to the trend, so that
the curve has no step: 5 % in x for the longest trend.
"""

_STEP = np.sqrt(2) - 1
"""Multiples of this number, without their whole parts, lie evenly between 0 and 1. Their order does not
depend on that of the draws' deviations, which come from multiples of the golden ratio.
"""


@dataclass(frozen=True)
class Trend:
    """Corrections of the predictions of K kernels beyond the largest value of each of m parameters.

    All fields are logarithms. Along parameter i, `slope[:, i, i]` is added to the slope of the predictions,
    and `level[:, i, i]` to the prediction at the largest value, `largest` (K, m), if all other parameters
    have their largest values, too. Otherwise `slope[:, i, j]` and `level[:, i, j]`, (K, m, m), are the
    increases of this slope and level per unit of the logarithm of parameter j, between the `smallest` (K, m)
    and the largest value of j. All are 0 if no trend is known. A trend along a parameter fades over a
    distance of `length` (K, m).
    """

    slope: FloatArray
    level: FloatArray
    smallest: FloatArray
    largest: FloatArray
    length: FloatArray

    @classmethod
    def nothing(cls, kernels: int, parameters: int) -> "Trend":
        """Return the trend of kernels that follow their laws."""
        slope, level = np.zeros((2, kernels, parameters, parameters))
        smallest, largest = np.zeros((2, kernels, parameters))
        return cls(slope, level, smallest, largest, np.full((kernels, parameters), TREND_LENGTH))

    def part(self, kernels: IntArray) -> "Trend":
        """Return the trends of the given kernels only."""
        return Trend(*(getattr(self, field.name)[kernels] for field in fields(self)))

    def spread(self, some: BoolArray) -> "Trend":
        """Return the trends of K kernels: the kernels marked in `some` (K,) have these trends, and all others
        none.
        """
        whole = Trend.nothing(len(some), self.largest.shape[1])
        for field in fields(self):
            getattr(whole, field.name)[some] = getattr(self, field.name)
        return whole

    def factors(self, points: FloatArray) -> FloatArray:
        """Return the ratios of predictions at points (Q, m) to those without a trend, (K, Q)."""
        return np.asarray(np.exp(self.logarithms(np.log(points)[None])))

    def drawn(self, points: FloatArray, draws: int) -> FloatArray:
        """Return such ratios for S draws of each kernel, (K, S, Q).

        The weights of a trend are learned from a few forecasts. So some draws hardly follow the trend, and
        some follow it nearly twice as far. The median draw follows the trend as it is.
        """
        times = 2 * (np.arange(1, draws + 1) * _STEP % 1)
        return np.asarray(np.exp(self.logarithms(np.log(points)[None])[:, None] * times[:, None]))

    def logarithms(self, at: FloatArray) -> FloatArray:
        """Return the logarithms of these ratios, (K, Q), at points whose logarithms are `at` (K or 1, Q,
        m).
        """
        beyond = np.maximum(at - self.largest[:, None], 0.0)
        below = np.clip(at, self.smallest[:, None], self.largest[:, None]) - self.largest[:, None]
        slope, level = (_along(surface, below) for surface in (self.slope, self.level))
        distance = beyond.sum(axis=2)
        share = np.divide(beyond, distance[..., None], out=np.zeros_like(beyond), where=beyond > 0)
        length = self.length[:, None]
        continued = slope * effective(beyond, length) + level * share * begun(distance[..., None], length)
        return np.asarray(continued.sum(axis=2))


def _along(surface: FloatArray, below: FloatArray) -> FloatArray:
    """Return the slope or level along each parameter, (K, Q, m), at places (K, Q, m) relative to the largest
    values.
    """
    heights = np.einsum("kij,kqj->kqi", surface, below)
    own = np.einsum("kii->ki", surface)[:, None]
    return np.asarray(heights + own * (1 - below))


def effective(distance: FloatArray, length: FloatArray) -> FloatArray:
    """Return the distance over which the full slope would have the effect that the slope, which fades over
    `length`, has over `distance`.
    """
    return np.asarray(length * -np.expm1(-distance / length))


def begun(distance: FloatArray, length: FloatArray) -> FloatArray:
    """Return the share of `Trend.level` that is added at a distance if the trend fades over `length`.

    The share is 0 at distance 0, rises quickly to nearly 1, and decreases again at larger distances.
    """
    some = np.maximum(distance, np.finfo(float).tiny)
    return np.asarray(effective(some, length) / some * -np.expm1(-distance / (BEGIN_SHARE * length)))


def join_trends(parts: Sequence[Trend | None], kernels: Sequence[int]) -> Trend | None:
    """Join the trends of several groups of kernels. Some may be None; `kernels` are their numbers of
    kernels.
    """
    known = [part for part in parts if part is not None]
    if not known:
        return None
    parameters = known[0].largest.shape[1]
    whole = [
        Trend.nothing(count, parameters) if part is None else part
        for part, count in zip(parts, kernels, strict=True)
    ]
    return Trend(*(np.concatenate([getattr(one, field.name) for one in whole]) for field in fields(Trend)))
