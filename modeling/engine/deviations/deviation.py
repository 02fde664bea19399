"""Deviations of kernels from their laws, and draws of them at other points."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache

import numpy as np
from numpy.typing import NDArray

from modeling.engine.deviations.known import Known, chance_of_step, spare_values
from modeling.engine.deviations.kriging import measured_repeatedly
from modeling.engine.deviations.processes import processes
from modeling.engine.joining import equal_rows, put_together
from modeling.engine.validation import BoolArray, FloatArray, IntArray

DEVIATING_SHARE = 0.5
"""A kernel deviates if more than this share of its draws have a Gaussian process."""

LEAST_FREEDOM, MOST_FREEDOM = 2, 4
"""Bounds of the degrees of freedom of Student's distribution of deviations at new points. With 4 for all
kernels, intervals of 22 public campaigns contain 92 instead of 94 % of the first values beyond the measured
range. With up to 10, those of 18 others contain 89 instead of 92 %.
"""

NUMBERS_AT_ONCE = 2_000_000
"""The largest number of elements of one temporary array."""

NO_PROCESS = -1
"""The index that means "no process"."""

_GOLDEN = (np.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Deviation:
    """The measured values of K kernels at up to N points of m parameters, and the processes of S draws.

    Unused last places of `points`, `values` and `error` are NaN.
    """

    points: FloatArray  # (K, N, m) logarithms of each kernel's points
    values: FloatArray  # (K, N) logarithms of the measured values
    error: FloatArray  # (K, N) relative standard errors of the values, estimated from their repetitions
    process: NDArray[np.signedinteger]  # (K, S) index of each draw's process in `Processes`, or `NO_PROCESS`

    def part(self, kernels: IntArray) -> "Deviation":
        """Return the deviations of these kernels."""
        return Deviation(*(getattr(self, field.name)[kernels] for field in fields(self)))

    @property
    def repeated(self) -> BoolArray:
        """Whether each kernel was measured repeatedly, (K,)."""
        return measured_repeatedly(self.error)

    @property
    def there(self) -> BoolArray:
        """Whether each kernel has a process in most of its draws, (K,)."""
        return np.asarray((self.process != NO_PROCESS).mean(axis=1) > DEVIATING_SHARE)

    @property
    def sizes(self) -> FloatArray:
        """Median over draws of the standard deviation of each kernel's deviations, (K,)."""
        among = processes(self.points.shape[2])
        drawn = np.hypot(among.size, among.nugget)[np.maximum(self.process, 0)]
        return np.asarray(np.median(np.where(self.process == NO_PROCESS, 0.0, drawn), axis=1))

    def groups(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Group deviating kernels that were measured at the same points.

        Yields the indices of the kernels, and their points (N, m) in logarithms. Groups are small enough for
        arrays of all their draws and points.
        """
        some = np.flatnonzero((self.process != NO_PROCESS).any(axis=1))
        if not len(some):
            return
        first, which = equal_rows(self.points[some])
        step = max(1, NUMBERS_AT_ONCE // (self.process.shape[1] * self.points.shape[1]))
        for number, one in enumerate(some[first]):
            points, kernels = self.points[one], some[which == number]
            for portion in np.split(kernels, range(step, len(kernels), step)):
                yield portion, points[~np.isnan(points[:, 0])]

    def factors(self, kernels: IntArray, points: FloatArray, laws: FloatArray, at: FloatArray) -> FloatArray:
        """Return draws of the ratios of values to laws at new points, (k, S, Q), for one of the `groups`.

        Args:
            kernels: (k,) indices of the k kernels of the group.
            points: (N, m) logarithms of their N measured points.
            laws: (k, S, N) logarithms of the laws of S draws at these points.
            at: (Q, m) logarithms of Q new points.
        """
        residual = self.values[kernels][:, None, : len(points)] - laws
        known = Known(points, residual, self.process[kernels], self.error[kernels, : len(points)])
        chance = self._chance(kernels, _freedom(points))
        found = np.ones((*known.process.shape, len(at)))
        for number, (one, (near, left)) in enumerate(zip(at, known.along(at), strict=True)):
            mean, deviation = near, np.hypot(left, known.step * chance_of_step(points, one))
            if known.below is not None and known.below.holds(one):
                more, unsure = known.below.at(one, known.unusual)
                mean, deviation = mean + more, np.hypot(deviation, unsure)
            with np.errstate(over="ignore"):
                found[:, :, number] = np.exp(mean + deviation * chance)
        return np.where(known.process[..., None] == NO_PROCESS, 1.0, found)

    def _chance(self, kernels: IntArray, freedom: int) -> FloatArray:
        """Return a random number from Student's distribution for each draw, the same at all points."""
        draws = self.process.shape[1]
        # Each kernel begins at another place of the numbers. The place is computed from the kernel's
        # values as the database stores them, so it does not depend on other kernels.
        bits = np.nan_to_num(self.values[kernels]).astype("<f4").view("<u4")
        own = bits.sum(axis=1, dtype=np.int64) % draws
        return np.asarray(_quantiles(draws, freedom)[(np.arange(draws) + own[:, None]) % draws])


@cache
def _quantiles(draws: int, freedom: int) -> FloatArray:
    """Return evenly spread quantiles of Student's distribution, in an irregular order."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- a sixth of a web process's start-up time

    ranks = (np.argsort(np.argsort(np.arange(draws) * _GOLDEN % 1)) + 0.5) / draws
    return np.asarray(stdtrit(freedom, ranks))


def floors(laws: FloatArray) -> FloatArray:
    """Return a lower limit (..., 1) for the values of each law at N measured points (..., N).

    Laws with a logarithm are 0 at x = 1. Their limit is half of the smallest other value.
    """
    smallest = laws.min(axis=-1, keepdims=True)
    if (smallest > 0).all():
        return np.zeros_like(smallest)
    least = np.where(laws > 0, laws, np.inf).min(axis=-1, keepdims=True)
    zero = (laws <= 0).any(axis=-1, keepdims=True) & np.isfinite(least)
    return np.where(zero, least / 2, 0.0)


def _freedom(points: FloatArray) -> int:
    """Return the degrees of freedom of deviations from laws, for N measured points (N, m)."""
    return min(max(spare_values(points), LEAST_FREEDOM), MOST_FREEDOM)


def join_deviations(parts: Sequence[Deviation | None], places: Sequence[IntArray]) -> Deviation | None:
    """Join the deviations of several groups of kernels; None if all are None.

    A group whose deviation is None follows its laws. `places` are the indices of each group's kernels among
    all.
    """
    known = [part for part in parts if part is not None]
    if not known:
        return None
    parameters, draws = known[0].points.shape[2], known[0].process.shape[1]
    whole = [
        nothing(len(place), 0, parameters, draws) if part is None else part
        for part, place in zip(parts, places, strict=True)
    ]
    return Deviation(
        *(
            put_together([getattr(part, field.name) for part in whole], places, np.nan)
            for field in fields(Deviation)
        )
    )


def nothing(kernels: int, points: int, parameters: int, draws: int) -> Deviation:
    """Return the `Deviation` of kernels that follow their laws."""
    return Deviation(
        np.full((kernels, points, parameters), np.nan),
        np.full((kernels, points), np.nan),
        np.full((kernels, points), np.nan),
        np.full((kernels, draws), NO_PROCESS, dtype=np.int16),
    )
