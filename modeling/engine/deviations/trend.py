"""The trend of kernels just beyond the largest measured parameter values, relative to their laws.

Just beyond these values, kernels often grow on as they did between the last two values, or do not grow at
all. So predictions follow such a trend at first, and grow like the law at larger distances
(docs/methods.md#trends).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.joining import put_together
from modeling.engine.validation import BoolArray, FloatArray, IntArray

TREND_LENGTH = 1.5
"""Largest distance, in log x, over which a trend fades to 1/e: a factor of 4.5 in x. With a larger value, a
wrong trend affects predictions farther away. Between 1 and 2, errors in the public campaigns hardly change.
"""

BEGIN_SHARE = 1 / 30
"""Share of a trend's length over which the trend begins, so that the curve of predictions does not jump at
the end of the measured range: 5 % in x for the longest trend.
"""

_STEP = np.sqrt(2) - 1
"""The fractional parts of the multiples of this number are spread evenly between 0 and 1. They are not
correlated with the deviations of the draws, which are made with multiples of the golden ratio.
"""


@dataclass(frozen=True)
class Trend:
    """Corrections of the log predictions of K kernels beyond the largest values of m parameters.

    Beyond the largest value of parameter i, the trend adds a slope and a level to the log predictions. Both
    depend linearly on the logarithms of the other parameters, within their measured ranges: `slope[:, i, i]`
    is added where all other parameters have their largest values, and `slope[:, i, j]` is its increase for
    each unit of the logarithm of parameter j. The same holds for `level`. All are 0 if no trend is known.
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
        """Return the trends of the given kernels only."""
        return Trend(*(getattr(self, field.name)[kernels] for field in fields(self)))

    def spread(self, some: BoolArray) -> "Trend":
        """Return the trends of K kernels: those marked in `some` (K,) have these trends, the others none."""
        whole = Trend.nothing(len(some), self.largest.shape[1])
        for field in fields(self):
            getattr(whole, field.name)[some] = getattr(self, field.name)
        return whole

    def factors(self, points: FloatArray) -> FloatArray:
        """Return the factors (K, Q) by which the trends change predictions at points (Q, m)."""
        return np.asarray(np.exp(self.logarithms(np.log(points)[None])))

    def drawn(self, points: FloatArray, draws: int) -> FloatArray:
        """Return these factors for S draws of each kernel, (K, S, Q).

        The size of a trend is uncertain, because its weights are learned from few forecasts. So each draw has
        between 0 and 2 times the logarithm of the factor, and the median draw has it once.
        """
        times = 2 * (np.arange(1, draws + 1) * _STEP % 1)
        return np.asarray(np.exp(self.logarithms(np.log(points)[None])[:, None] * times[:, None]))

    def logarithms(self, at: FloatArray) -> FloatArray:
        """Return the logarithms of the factors, (K, Q), at points with the logarithms `at` (K or 1, Q, m)."""
        beyond = np.maximum(at - self.largest[:, None], 0.0)
        below = np.clip(at, self.smallest[:, None], self.largest[:, None]) - self.largest[:, None]
        slope, level = (_along(surface, below) for surface in (self.slope, self.level))
        distance = beyond.sum(axis=2)
        share = np.divide(beyond, distance[..., None], out=np.zeros_like(beyond), where=beyond > 0)
        length = self.length[:, None]
        continued = slope * effective(beyond, length) + level * share * begun(distance[..., None], length)
        return np.asarray(continued.sum(axis=2))


def _along(surface: FloatArray, below: FloatArray) -> FloatArray:
    """Return the slope or the level along each parameter at points, (K, Q, m).

    `surface` is `Trend.slope` or `Trend.level`. `below` (K, Q, m) are the logarithms of the points minus
    those of the largest values, at most 0.
    """
    heights = np.einsum("kij,kqj->kqi", surface, below)
    own = np.einsum("kii->ki", surface)[:, None]
    return np.asarray(heights + own * (1 - below))


def effective(distance: FloatArray, length: FloatArray) -> FloatArray:
    """Return the integral of exp(−d / `length`) over d from 0 to `distance`.

    A slope that fades like this changes a log prediction by the slope times this integral.
    """
    return np.asarray(length * -np.expm1(-distance / length))


def begun(distance: FloatArray, length: FloatArray) -> FloatArray:
    """Return the share of `Trend.level` that is added at a distance, for a trend that fades over `length`.

    The share is 0 at distance 0, rises quickly to nearly 1, and decreases again at larger distances.
    """
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
