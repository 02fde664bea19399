"""Deviations of kernels from their laws at measured points, and their prediction at other points
(kriging).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from modeling.engine.deviations.below import Below
from modeling.engine.deviations.processes import COUNTED_NUGGETS, Kind, matern, processes
from modeling.engine.validation import BoolArray, FloatArray, IntArray

NEIGHBOURS = {1: 8}
"""The number of nearest measured points that predict the deviation at another point, by the number of
parameters. The time is proportional to the cube of this number.
"""

MORE_NEIGHBOURS = 24
"""The number of neighbours for more parameters than `NEIGHBOURS` lists."""

LEAST_REPEATED_ERROR = 2e-5
"""Kernels whose values have a larger error than this were measured repeatedly. Only repetitions separate the
noise from the points' own deviations.
"""

OWN_LENGTH = 0.3
"""Length of the process of a point's own deviation, relative to the distance between the nearest points.
It is so short that the deviation ends well before the next point.
"""

USUAL_DEVIATIONS = 2.5
"""Number of standard deviations by which a point at small values (`below`) may differ from its prediction.
Only the part of a difference beyond this limit is an additional deviation.
"""

DEVIATING_SHARE = 0.5
"""A kernel is treated as deviating if more than this share of its draws have a process."""

STEP_SIZE = 0.06
"""Largest standard deviation of a step beyond the measured range, such as a cache or protocol limit that no
measured point shows.

Without such steps, every second interval narrower than 4 % missed the next value in 22 public campaigns. This
value improves the interval score of these campaigns. A value of 0.03 improves the score less, and 0.1 widens
intervals without a gain. Counted values have no such steps.
"""

STEP_OF_SIZE = 2.0
"""Standard deviation of a step relative to the size of the draw's process, up to `STEP_SIZE`.

Campaigns of many points can show that their kernels hardly deviate smoothly. Kernels with 225 points of
four parameters, each with an error of 3 %, have intervals of ± 14 % one step ahead. They had ± 25 % when
steps were the same for all kernels. Campaigns of few points leave the size of the process open, and keep
the full step. In the public campaigns the intervals contain as many values with this limit as without it.
With 1.2 instead of 2, they contain 0.7 % fewer of the values two steps ahead.
"""

STEP_LENGTH = 0.5
"""Distance, in log x, over which such a step occurs; most of it occurs up to twice the largest value."""

TAIL_FREEDOM = 4.0
"""Degrees of freedom of Student's distribution of deviations at new points, because a handful of points
determines their size.

In the 22 public campaigns, 95 % intervals with normal tails contain 92 % and 94 % of the values one and two
steps ahead. With 4 degrees of freedom, intervals contain 92 % and 95 % of these values. With 3 degrees of
freedom the interval score is worse.
"""

NO_PROCESS = -1
"""The number of a draw without a process, in arrays of process numbers."""

_GOLDEN = (np.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Deviation:
    """The measured values of K kernels, and the processes of S draws around their laws.

    `points` (K, N, m) and `values` (K, N) are logarithms, NaN where a kernel has fewer points. `error` (K,)
    is the standard error of a value, estimated from its repetitions. `process` (K, S) is the index of each
    draw's process in `processes`.
    """

    points: FloatArray
    values: FloatArray
    error: FloatArray
    process: NDArray[np.signedinteger]

    def part(self, kernels: IntArray) -> "Deviation":
        """Return the deviations of the given kernels only."""
        return Deviation(*(getattr(self, field.name)[kernels] for field in fields(self)))

    @property
    def repeated(self) -> BoolArray:
        """Whether repetitions of each kernel separate noise from the points' own deviations, (K,)."""
        return np.asarray(self.error > LEAST_REPEATED_ERROR)

    @property
    def there(self) -> BoolArray:
        """Whether each kernel has a process in most of its draws, (K,)."""
        return np.asarray((self.process != NO_PROCESS).mean(axis=1) > DEVIATING_SHARE)

    def groups(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield groups of deviating kernels that were measured at the same points and equally often, with
        these points, (N, m).
        """
        some = np.flatnonzero((self.process != NO_PROCESS).any(axis=1))
        if not len(some):
            return
        known = np.nan_to_num(self.points[some], nan=np.inf)  # NaN is not equal to itself
        keys = np.column_stack([known.reshape(len(some), -1), self.error[some]])
        _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        for number, one in enumerate(some[first]):
            points = self.points[one]
            yield some[which.ravel() == number], points[~np.isnan(points[:, 0])]

    def factors(self, kernels: IntArray, points: FloatArray, laws: FloatArray, at: FloatArray) -> FloatArray:
        """Draw the ratios of values to laws at points `at` (Q, m), (k, S, Q), for the kernels of one of the
        `groups`.

        The kernels were measured at `points` (N, m). `laws` (k, S, N) are the logarithms of their laws there.
        """
        residual = self.values[kernels][:, None, : len(points)] - laws
        known = _Known(points, residual, self.process[kernels], float(self.error[kernels[0]]))
        chance = self._chance(kernels)
        found = np.ones((*known.process.shape, len(at)))
        for number, (one, (near, left)) in enumerate(zip(at, known.along(at), strict=True)):
            mean, deviation = near, np.hypot(left, known.step * _chance_of_step(points, one))
            if known.below is not None and known.below.holds(one):
                more, unsure = known.below.at(one, known.unusual)
                mean, deviation = mean + more, np.hypot(deviation, unsure)
            with np.errstate(over="ignore"):
                found[:, :, number] = np.exp(mean + deviation * chance)
        return np.where(known.process[..., None] == NO_PROCESS, 1.0, found)

    def _chance(self, kernels: IntArray) -> FloatArray:
        """Return a variable of Student's distribution for each draw of each kernel, (k, S). The variable is
        the same at all points.
        """
        from scipy.special import stdtrit  # noqa: PLC0415 -- a sixth of a web process's start-up time

        draws = self.process.shape[1]
        ranks = (np.argsort(np.argsort(np.arange(draws) * _GOLDEN % 1)) + 0.5) / draws
        sorted_by_rank = stdtrit(TAIL_FREEDOM, ranks)
        # `own` is a whole number computed from the values as rows store them, so it is the same whenever
        # the values are read, whatever other kernels there are.
        bits = np.nan_to_num(self.values[kernels]).astype("<f4").view("<u4")
        own = bits.sum(axis=1, dtype=np.int64) % draws
        return np.asarray(sorted_by_rank[(np.arange(draws) + own[:, None]) % draws])


@dataclass(frozen=True)
class _Known:
    """Deviations `residual` (k, S, N) of k kernels from S draws of their laws at points (N, m).

    Each draw has the number of its process, (k, S). `error` is the standard deviation of the values,
    estimated from their repetitions.
    """

    points: FloatArray
    residual: FloatArray
    process: IntArray
    error: float

    @cached_property
    def used(self) -> IntArray:
        """Return the indices of the processes that draws use, (U,)."""
        return np.unique(self.process[self.process != NO_PROCESS])

    @cached_property
    def place(self) -> IntArray:
        """Return the place of each draw's process in `used`, (k, S)."""
        return np.where(self.process == NO_PROCESS, 0, np.searchsorted(self.used, self.process))

    def along(self, at: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the mean and standard deviation of the draws' deviations at each of some points (Q, m), (k,
        S) each.
        """
        near = _nearest(self.points, at)
        weights, deviations = _kriging(self.used, self.points, near, at, self.error)
        for some, weight, deviation in zip(near, weights, deviations, strict=True):
            mean = np.einsum("ksn,ksn->ks", weight[self.place], self.usual[:, :, some])
            yield mean, deviation[self.place]

    @cached_property
    def step(self) -> FloatArray:
        """Return the standard deviation of a step beyond the measured range, (k, S)."""
        among, drawn = processes(self.points.shape[1]), np.maximum(self.process, 0)
        counted = among.nugget[drawn] <= max(COUNTED_NUGGETS)
        return np.where(counted, 0.0, np.minimum(STEP_OF_SIZE * among.size[drawn], STEP_SIZE))

    @cached_property
    def below(self) -> Below | None:
        """Return the points at small values, below those used for extrapolation."""
        return Below.of(self.points)

    @cached_property
    def usual(self) -> FloatArray:
        """Return the residuals, (k, S, N), limited at the points `below` to what the draws' processes
        explain.

        A law may be wrong by large factors there, but this shows nothing about larger values.
        """
        if self.below is None:
            return self.residual
        among = processes(self.points.shape[1])
        drawn = np.maximum(self.process, 0)
        limit = USUAL_DEVIATIONS * np.hypot(np.hypot(among.size[drawn], among.nugget[drawn]), self.error)
        found, rows = self.residual.copy(), self.below.rows
        found[:, :, rows] = np.clip(found[:, :, rows], -limit[..., None], limit[..., None])
        return found

    @cached_property
    def unusual(self) -> FloatArray:
        """Return the deviations at the points `below` that the draws' processes do not predict, (k, S, N); 0
        at all other points.

        A deviation within the range of the process is treated as chance. Of larger ones, only the excess is
        returned.
        """
        nugget = processes(self.points.shape[1]).nugget[np.maximum(self.process, 0)]
        found = np.zeros_like(self.residual)
        rows = np.empty(0, np.int_) if self.below is None else self.below.rows
        for number, (mean, deviation) in zip(rows, self.along(self.points[rows]), strict=True):
            left = self.residual[:, :, number] - mean
            usual = USUAL_DEVIATIONS**2 * (nugget**2 + self.error**2 + deviation**2)
            found[:, :, number] = left * np.maximum(1 - usual / np.maximum(left**2, usual), 0.0)
        return found


def floors(laws: FloatArray) -> FloatArray:
    """Return a floor (..., 1) for each of the laws (..., N) at measured points: half of its smallest value
    that is not 0.

    A law with a logarithm is 0 at x = 1, where the measured value is not 0. Laws that are 0 at no point need
    no floor; theirs is 0.
    """
    smallest = laws.min(axis=-1, keepdims=True)
    if (smallest > 0).all():
        return np.zeros_like(smallest)
    least = np.where(laws > 0, laws, np.inf).min(axis=-1, keepdims=True)
    zero = (laws <= 0).any(axis=-1, keepdims=True) & np.isfinite(least)
    return np.where(zero, least / 2, 0.0)


def _chance_of_step(points: FloatArray, at: FloatArray) -> float:
    """Return the part of a step that may have occurred at a point (m,): 0 within the range of points (N, m),
    1 far beyond it.
    """
    beyond = np.maximum(at - points.max(axis=0), points.min(axis=0) - at)
    distance = np.maximum(beyond, 0.0).sum()
    return float(np.sqrt(1 - matern(distance / STEP_LENGTH) ** 2))


def _nearest(points: FloatArray, at: FloatArray) -> IntArray:
    """Return the indices of the points (N, m) that are nearest to each of some points (Q, m), (Q, n)."""
    count = NEIGHBOURS.get(points.shape[1], MORE_NEIGHBOURS)
    distance = np.abs(points - at[:, None]).sum(axis=2)
    return np.sort(np.argsort(distance, axis=1, kind="stable")[:, :count], axis=1)


def _kriging(
    used: NDArray[np.signedinteger], points: FloatArray, near: IntArray, at: FloatArray, error: float
) -> tuple[FloatArray, FloatArray]:
    """Return the kriging weights (Q, U, n) that predict the deviations at points `at` (Q, m), for each
    process, from those at the measured points (N, m) whose indices are `near` (Q, n).

    The second result are the remaining standard deviations, (Q, U). Points with the same neighbours share one
    system of equations.
    """
    weights = np.zeros((len(at), len(used), near.shape[1]))
    deviations = np.zeros((len(at), len(used)))
    neighbours, which = np.unique(near, axis=0, return_inverse=True)
    for number, some in enumerate(neighbours):
        rows = np.flatnonzero(which.ravel() == number)
        weights[rows], deviations[rows] = _solved(used, points[some], at[rows], error)
    return weights, deviations


def _solved(
    used: NDArray[np.signedinteger], points: FloatArray, at: FloatArray, error: float
) -> tuple[FloatArray, FloatArray]:
    """Return the results of `_kriging` for points (Q, m) with the same neighbours (n, m)."""
    among, count = processes(points.shape[1]), len(points)
    size, nugget, kind = among.size[used, None, None], among.nugget[used, None, None], among.kind[used]
    repeated = error > LEAST_REPEATED_ERROR
    every = np.concatenate([points, at])
    smooth = among.covariances(points, every)[kind]
    covariance = size**2 * smooth
    if repeated:
        covariance += nugget**2 * _alone(points).covariance(points, every)
    else:
        covariance[..., :count] += nugget**2 * np.eye(count)
    of_points, beside = covariance[..., :count] + error**2 * np.eye(count), covariance[..., count:]
    weights = np.linalg.solve(of_points, beside)
    told = (weights * beside).sum(axis=1)
    whole = size[:, 0] ** 2 * smooth[:, 0, :1] + nugget[:, 0] ** 2
    left = np.sqrt(np.maximum(whole - told, 0.0))
    if not repeated:
        left = np.sqrt(np.maximum(left**2 - nugget[:, 0] ** 2, 0.0))
    return weights.transpose(2, 0, 1), left.T


def _alone(points: FloatArray) -> Kind:
    """Return the correlation of the points' own deviations, for points (N, m). The correlation ends well
    before the next point.
    """
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    least = distance[distance > 0].min(initial=np.inf)
    length = OWN_LENGTH * (least if np.isfinite(least) else 1.0)
    return Kind(tuple(range(points.shape[1])), length, together=True)


def join_deviations(parts: Sequence[Deviation | None], sizes: Sequence[tuple[int, int]]) -> Deviation | None:
    """Join the deviations of several groups of kernels. Some may be None; `sizes` are their numbers of
    kernels and draws.
    """
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
    """Return the deviation of kernels that follow their laws."""
    return Deviation(
        np.full((kernels, points, parameters), np.nan),
        np.full((kernels, points), np.nan),
        np.zeros(kernels),
        np.full((kernels, draws), NO_PROCESS, dtype=np.int16),
    )


def _widened(part: Deviation, points: int) -> Deviation:
    """Return the same deviation with room for `points` points."""
    kernels, count, parameters = part.points.shape
    if count == points:
        return part
    at, values = np.full((kernels, points, parameters), np.nan), np.full((kernels, points), np.nan)
    at[:, :count], values[:, :count] = part.points, part.values  # several times faster than `pad`
    return Deviation(at, values, part.error, part.process)
