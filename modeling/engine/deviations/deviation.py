"""How a kernel deviates from its law where it was measured, and what that says of other points (kriging)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from modeling.engine.deviations.below import Below
from modeling.engine.deviations.processes import COUNTED_NUGGETS, Kind, matern, processes
from modeling.engine.validation import BoolArray, FloatArray, IntArray

NEIGHBOURS = {1: 8}
"""Measured points that tell what a kernel does at another one, by the number of parameters: the nearest."""

MORE_NEIGHBOURS = 24
"""The same with more parameters."""

LEAST_REPEATED_ERROR = 2e-5
"""Error above which points were measured more than once, and not always the same. Repetitions tell noise from
what is a point's own, which is then known there; of points measured once it cannot be told from noise."""

OWN_LENGTH = 0.3
"""Length over which what is a point's own ends, in units of the distance between the nearest points."""

USUAL_DEVIATIONS = 2.5
"""Times its standard deviation that a point below those that tell how a kernel goes on lies off what others
say before it is taken to deviate by more."""

DEVIATING_SHARE = 0.5
"""Share of the draws above which a kernel is said to deviate from its law."""

STEP_SIZE = 0.06
"""Standard deviation of what kernels deviate beyond the measured range, whatever they did before: a cache or
a protocol that ends there shows in none of the points. Of the intervals narrower than 4 % that 22 public
campaigns had without it, every second one missed the next value. It makes their interval score better, as
0.03 does by less; 0.1 widens intervals and gains nothing. What was counted makes no such steps."""

STEP_LENGTH = 0.5
"""Over which such a step is likely, in units of log x: most of it at twice the largest value."""

TAIL_FREEDOM = 4.0
"""Degrees of freedom of Student's distribution of what kernels deviate at new points. How large deviations
are is told by a handful of points. Normal tails hold 92 % and 94 % of the values of these campaigns one and
two steps ahead, where 95 % is said; these hold 92 % and 95 %, and with 3 the score suffers."""

NO_PROCESS = -1
"""Number of the process of draws that have none."""

_GOLDEN = (np.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Deviation:
    """What K kernels were measured to be, and the processes that S draws of their laws have around these.

    `points` (K, N, m) and `values` (K, N) are logarithms, NaN where a kernel has fewer points; `error` (K,)
    is the standard deviation that repetitions leave of a value; `process` (K, S) numbers `processes`.
    """

    points: FloatArray
    values: FloatArray
    error: FloatArray
    process: NDArray[np.signedinteger]

    def part(self, kernels: IntArray) -> "Deviation":
        """Only these kernels."""
        return Deviation(*(getattr(self, field.name)[kernels] for field in fields(self)))

    @property
    def repeated(self) -> BoolArray:
        """Which kernels have repetitions that tell noise from what is a point's own, (K,)."""
        return np.asarray(self.error > LEAST_REPEATED_ERROR)

    @property
    def there(self) -> BoolArray:
        """Which kernels have a process in most of their draws, (K,)."""
        return np.asarray((self.process != NO_PROCESS).mean(axis=1) > DEVIATING_SHARE)

    def groups(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Kernels with a process around their law that were measured at the same points and as often, and
        these, (N, m)."""
        some = np.flatnonzero((self.process != NO_PROCESS).any(axis=1))
        if not len(some):
            return
        known = np.nan_to_num(self.points[some], nan=np.inf)  # NaN equals nothing, not even itself
        keys = np.column_stack([known.reshape(len(some), -1), self.error[some]])
        _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        for number, one in enumerate(some[first]):
            points = self.points[one]
            yield some[which.ravel() == number], points[~np.isnan(points[:, 0])]

    def factors(self, kernels: IntArray, points: FloatArray, laws: FloatArray, at: FloatArray) -> FloatArray:
        """What values at points `at` (Q, m) are over the laws, (k, S, Q), for kernels of one of the `groups`,
        measured at points (N, m) where the laws have logarithms (k, S, N)."""
        residual = self.values[kernels][:, None, : len(points)] - laws
        known = _Known(points, residual, self.process[kernels], float(self.error[kernels[0]]))
        chance = self._chance(kernels)
        found = np.ones((*known.process.shape, len(at)))
        for number, one in enumerate(at):
            mean, deviation = known.at(one)
            deviation = np.hypot(deviation, known.step * _chance_of_step(points, one))
            if known.below is not None and known.below.holds(one):
                more, unsure = known.below.at(one, known.unusual)
                mean, deviation = mean + more, np.hypot(deviation, unsure)
            with np.errstate(over="ignore"):
                found[:, :, number] = np.exp(mean + deviation * chance)
        return np.where(known.process[..., None] == NO_PROCESS, 1.0, found)

    def _chance(self, kernels: IntArray) -> FloatArray:
        """A variable of Student's distribution for each draw, (k, S), the same for all points, and another
        for each kernel."""
        from scipy.special import stdtrit  # noqa: PLC0415 -- a sixth of the time that a web process starts

        draws = self.process.shape[1]
        ranks = (np.argsort(np.argsort(np.arange(draws) * _GOLDEN % 1)) + 0.5) / draws
        sorted_by_rank = stdtrit(TAIL_FREEDOM, ranks)
        # A whole number of the values as rows store them: the same read again, and in any company.
        bits = np.nan_to_num(self.values[kernels]).astype("<f4").view("<u4")
        own = bits.sum(axis=1, dtype=np.int64) % draws
        return np.asarray(sorted_by_rank[(np.arange(draws) + own[:, None]) % draws])


@dataclass(frozen=True)
class _Known:
    """How k kernels deviate from S draws of their laws at points (N, m): `residual` (k, S, N), with the
    number of each draw's process, (k, S), and the error that repetitions leave of a value."""

    points: FloatArray
    residual: FloatArray
    process: IntArray
    error: float

    @cached_property
    def used(self) -> IntArray:
        """Processes that any draw has, (U,)."""
        return np.unique(self.process[self.process != NO_PROCESS])

    @cached_property
    def place(self) -> IntArray:
        """That of each draw among these, (k, S)."""
        return np.where(self.process == NO_PROCESS, 0, np.searchsorted(self.used, self.process))

    def at(self, one: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of what draws deviate at a point (m,), (k, S) each."""
        near = _nearest(self.points, one)
        weights, deviation = _kriging(self.used, self.points[near], one, self.error)
        mean = np.einsum("ksn,ksn->ks", weights[self.place], self.residual[:, :, near])
        return mean, deviation[self.place]

    @cached_property
    def step(self) -> FloatArray:
        """How large steps beyond the measured range may be, (k, S)."""
        counted = processes(self.points.shape[1]).nugget[np.maximum(self.process, 0)] <= max(COUNTED_NUGGETS)
        return np.where(counted, 0.0, STEP_SIZE)

    @cached_property
    def below(self) -> Below | None:
        """Those of the points that lie below the ones that tell how kernels go on."""
        return Below.of(self.points)

    @cached_property
    def unusual(self) -> FloatArray:
        """How much more than their processes foretell draws deviate at the points below, (k, S, N).

        0 at others. What lies within a process's chance is none of that; what lies far beyond it is all.
        """
        nugget = processes(self.points.shape[1]).nugget[np.maximum(self.process, 0)]
        found = np.zeros_like(self.residual)
        for number in [] if self.below is None else self.below.rows:
            mean, deviation = self.at(self.points[number])
            left = self.residual[:, :, number] - mean
            usual = USUAL_DEVIATIONS**2 * (nugget**2 + self.error**2 + deviation**2)
            found[:, :, number] = left * np.maximum(1 - usual / np.maximum(left**2, usual), 0.0)
        return found


def floors(laws: FloatArray) -> FloatArray:
    """What laws (..., N) at measured points are at least, (..., 1): half of the smallest that is not 0.

    Logarithms are 0 at 1, where whatever was measured is not. 0 for laws that are 0 at none of the points.
    """
    least = np.where(laws > 0, laws, np.inf).min(axis=-1, keepdims=True)
    zero = (laws <= 0).any(axis=-1, keepdims=True) & np.isfinite(least)
    return np.where(zero, least / 2, 0.0)


def _chance_of_step(points: FloatArray, at: FloatArray) -> float:
    """How much of a step there may be at a point (m,): 0 within the range of others (N, m), 1 far beyond."""
    beyond = np.maximum(at - points.max(axis=0), points.min(axis=0) - at)
    distance = np.maximum(beyond, 0.0).sum()
    return float(np.sqrt(1 - matern(distance / STEP_LENGTH) ** 2))


def _nearest(points: FloatArray, at: FloatArray) -> IntArray:
    """Numbers of the points (N, m) nearest to one."""
    count = NEIGHBOURS.get(points.shape[1], MORE_NEIGHBOURS)
    distance = np.abs(points - at).sum(axis=1)
    return np.sort(np.argsort(distance, kind="stable")[:count])


def _kriging(
    used: NDArray[np.signedinteger], points: FloatArray, at: FloatArray, error: float
) -> tuple[FloatArray, FloatArray]:
    """Weights (U, N) of the deviations at points (N, m) in that at another one, with each process that is
    used, (U,), and the standard deviation that is left of it, (U,)."""
    among = processes(points.shape[1])
    both = np.concatenate([points, at[None]])
    alone = _alone(both) if error > LEAST_REPEATED_ERROR else np.eye(len(both))
    weights, left = np.zeros((len(used), len(points))), np.zeros(len(used))
    for kind in np.unique(among.kind[used]):
        here = np.flatnonzero(among.kind[used] == kind)
        size, nugget = among.size[used[here], None, None], among.nugget[used[here], None, None]
        covariance = nugget**2 * alone
        if kind != NO_PROCESS:
            covariance = covariance + size**2 * among.kinds[kind].covariance(both, both)
        of_points = covariance[:, :-1, :-1] + error**2 * np.eye(len(points))
        beside = covariance[:, :-1, -1]
        weights[here] = np.linalg.solve(of_points, beside[..., None])[..., 0]
        told = (weights[here] * beside).sum(axis=1)
        left[here] = np.sqrt(np.maximum(covariance[:, -1, -1] - told, 0.0))
    if error <= LEAST_REPEATED_ERROR:
        left = np.sqrt(np.maximum(left**2 - among.nugget[used] ** 2, 0.0))
    return weights, left


def _alone(points: FloatArray) -> FloatArray:
    """Correlation of what each of the points (N, m) has of its own, (N, N): it ends well before the next one.

    The last may be one of the others.
    """
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    among = distance[:-1, :-1]
    least = among[among > 0].min(initial=np.inf)
    length = OWN_LENGTH * (least if np.isfinite(least) else 1.0)
    return Kind(tuple(range(points.shape[1])), length, together=True).covariance(points, points)


def join_deviations(parts: Sequence[Deviation | None], sizes: Sequence[tuple[int, int]]) -> Deviation | None:
    """Join those of several groups of kernels, of which some have none; `sizes`: their kernels and draws."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    most, parameters = max(part.points.shape[1] for part in known), known[0].points.shape[2]
    wide = [
        _widened(nothing(kernels, 0, parameters, draws) if part is None else part, most)
        for part, (kernels, draws) in zip(parts, sizes, strict=True)
    ]
    return Deviation(
        *(np.concatenate([getattr(part, field.name) for part in wide]) for field in fields(Deviation))
    )


def nothing(kernels: int, points: int, parameters: int, draws: int) -> Deviation:
    """That of kernels that deviate nowhere."""
    return Deviation(
        np.full((kernels, points, parameters), np.nan),
        np.full((kernels, points), np.nan),
        np.zeros(kernels),
        np.full((kernels, draws), NO_PROCESS, dtype=np.int16),
    )


def _widened(part: Deviation, points: int) -> Deviation:
    """The same with room for so many points."""
    more = points - part.points.shape[1]
    return Deviation(
        np.pad(part.points, [(0, 0), (0, more), (0, 0)], constant_values=np.nan),
        np.pad(part.values, [(0, 0), (0, more)], constant_values=np.nan),
        part.error,
        part.process,
    )
