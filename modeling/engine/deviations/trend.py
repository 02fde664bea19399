"""How kernels continue right beyond their largest values, relative to what their laws say.

A law tells how a kernel grows in the long run. Over the next values the growth between the last two values
often continues instead, or growth comes to an end. Predictions follow this trend at first, and return to the
growth of the law with distance (docs/methods.md#trends).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

TREND_LENGTH = 1.5
"""Largest distance, in log x, over which a trend ends: a factor of 4.5. Between 1 and 2 the public campaigns'
errors hardly change. The longer it is, the more a wrong trend does to predictions far away."""

BEGIN_SHARE = 1 / 30
"""Share of the distance over which a trend ends in which predictions pass over to it from the measured range,
so that the curve has no step. It is 5 % in x for the longest trend."""


@dataclass(frozen=True)
class Trend:
    """Where K kernels continue from along each of m parameters, and their growth from there, relative to
    their predictions.

    All are logarithms. Along parameter i, `slope[:, i, i]` is added to the slope of the predictions, and
    `level[:, i, i]` to the prediction at the largest value `largest` (K, m), where all other parameters have
    their largest values, too. `slope[:, i, j]` and `level[:, i, j]` (K, m, m) are how much larger both are
    where the logarithm of parameter j is larger by 1; below the `smallest` values (K, m) and above the
    largest they change no more. 0 where nothing is known of a trend. A trend along a parameter ends over a
    distance of `length` (K, m) in its logarithm.
    """

    slope: FloatArray
    level: FloatArray
    smallest: FloatArray
    largest: FloatArray
    length: FloatArray

    @classmethod
    def nothing(cls, kernels: int, parameters: int) -> "Trend":
        """The trend of kernels that continue by their laws."""
        slope, level = np.zeros((2, kernels, parameters, parameters))
        smallest, largest = np.zeros((2, kernels, parameters))
        return cls(slope, level, smallest, largest, np.full((kernels, parameters), TREND_LENGTH))

    def part(self, kernels: IntArray) -> "Trend":
        """Only these kernels."""
        return Trend(*(getattr(self, field.name)[kernels] for field in fields(self)))

    def spread(self, some: BoolArray) -> "Trend":
        """The trends of K kernels, of which `some` (K,) have these, and the others none."""
        whole = Trend.nothing(len(some), self.largest.shape[1])
        for field in fields(self):
            getattr(whole, field.name)[some] = getattr(self, field.name)
        return whole

    def factors(self, points: FloatArray) -> FloatArray:
        """Ratios of predictions at points (Q, m) to those without a trend, (K, Q)."""
        return np.asarray(np.exp(self.logarithms(np.log(points)[None])))

    def logarithms(self, at: FloatArray) -> FloatArray:
        """Logarithms of these ratios, (K, Q), at points whose logarithms are `at` (K or 1, Q, m)."""
        beyond = np.maximum(at - self.largest[:, None], 0.0)
        below = np.clip(at, self.smallest[:, None], self.largest[:, None]) - self.largest[:, None]
        slope, level = (_along(surface, below) for surface in (self.slope, self.level))
        distance = beyond.sum(axis=2)
        share = np.divide(beyond, distance[..., None], out=np.zeros_like(beyond), where=beyond > 0)
        length = self.length[:, None]
        continued = slope * effective(beyond, length) + level * share * begun(distance[..., None], length)
        return np.asarray(continued.sum(axis=2))


def _along(surface: FloatArray, below: FloatArray) -> FloatArray:
    """Heights (K, Q, m) over each parameter's largest value at places (K, Q, m) of the other parameters."""
    heights = np.einsum("kij,kqj->kqi", surface, below)
    own = np.einsum("kii->ki", surface)[:, None]
    return np.asarray(heights + own * (1 - below))


def effective(distance: FloatArray, length: FloatArray) -> FloatArray:
    """The distance over which a slope would have to hold in full to do what it does over `distance`, if it
    ends over a `length`."""
    return np.asarray(length * -np.expm1(-distance / length))


def begun(distance: FloatArray, length: FloatArray) -> FloatArray:
    """The share of `Trend.level` that predictions have at a distance, if a trend ends over a `length`: 0 at
    0, soon nearly 1, and then less."""
    some = np.maximum(distance, np.finfo(float).tiny)
    return np.asarray(effective(some, length) / some * -np.expm1(-distance / (BEGIN_SHARE * length)))


def join_trends(parts: Sequence[Trend | None], kernels: Sequence[int]) -> Trend | None:
    """The trends of several groups of kernels as one. Some may be None; `kernels` are their numbers of
    kernels."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    parameters = known[0].largest.shape[1]
    whole = [
        Trend.nothing(count, parameters) if part is None else part
        for part, count in zip(parts, kernels, strict=True)
    ]
    return Trend(*(np.concatenate([getattr(one, field.name) for one in whole]) for field in fields(Trend)))
