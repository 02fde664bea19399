"""Deviations of kernels from their laws at measured points, and their prediction at other points
(kriging)."""

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
parameters. Time grows with its cube."""

MORE_NEIGHBOURS = 24
"""The number of these points with more parameters."""

LEAST_REPEATED_ERROR = 2e-5
"""Smallest error of a point that counts as measured repeatedly. Repetitions separate noise from the point's
own deviation, which is then known; with one repetition the two cannot be separated."""

OWN_LENGTH = 0.3
"""Length of the process of a point's own deviation, relative to the distance between the nearest points, so
that it ends well before the next point."""

USUAL_DEVIATIONS = 2.5
"""Standard deviations that a point at small values (`below`) may differ from its prediction; what exceeds
them is an additional deviation."""

DEVIATING_SHARE = 0.5
"""Share of draws with a process above which a kernel counts as deviating."""

STEP_SIZE = 0.06
"""Standard deviation of a step beyond the measured range, such as a cache or protocol limit that shows in
none of the points.

Without it, every second interval narrower than 4 % missed the next value in 22 public campaigns. It improves
their interval score; 0.03 improves it less, and 0.1 widens intervals without a gain. Counted values have no
such steps.
"""

STEP_LENGTH = 0.5
"""Distance, in log x, over which such a step occurs: most of it by twice the largest value."""

TAIL_FREEDOM = 4.0
"""Degrees of freedom of Student's distribution of deviations at new points, because a handful of points
determines their size.

95 % intervals with normal tails hold 92 % and 94 % of these campaigns' values one and two steps ahead; those
with 4 degrees hold 92 % and 95 %. With 3 the interval score gets worse.
"""

NO_PROCESS = -1
"""The number that stands for "no process" where draws are numbered by their process."""

_GOLDEN = (np.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Deviation:
    """The measured values of K kernels, and the processes of S draws around their laws.

    `points` (K, N, m) and `values` (K, N) are logarithms, NaN where a kernel has fewer points. `error` (K,)
    is the standard deviation of a value by its repetitions, and `process` (K, S) the number of each draw's
    process in `processes`.
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
        """Whether repetitions of each kernel separate noise from the points' own deviations, (K,)."""
        return np.asarray(self.error > LEAST_REPEATED_ERROR)

    @property
    def there(self) -> BoolArray:
        """Whether each kernel has a process in most of its draws, (K,)."""
        return np.asarray((self.process != NO_PROCESS).mean(axis=1) > DEVIATING_SHARE)

    def groups(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Groups of deviating kernels that were measured at the same points and as often, and these points,
        (N, m)."""
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
        """Ratios of values to laws at points `at` (Q, m), (k, S, Q), for the kernels of one of the `groups`.

        They were measured at `points` (N, m), where the logarithms of the laws are `laws` (k, S, N).
        """
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
        """A variable of Student's distribution for each draw of each kernel, (k, S), which is the same at all
        points."""
        from scipy.special import stdtrit  # noqa: PLC0415 -- a sixth of the time that a web process starts

        draws = self.process.shape[1]
        ranks = (np.argsort(np.argsort(np.arange(draws) * _GOLDEN % 1)) + 0.5) / draws
        sorted_by_rank = stdtrit(TAIL_FREEDOM, ranks)
        # A whole number made of the values as rows store them: the same after reading, and with any other
        # kernels.
        bits = np.nan_to_num(self.values[kernels]).astype("<f4").view("<u4")
        own = bits.sum(axis=1, dtype=np.int64) % draws
        return np.asarray(sorted_by_rank[(np.arange(draws) + own[:, None]) % draws])


@dataclass(frozen=True)
class _Known:
    """Deviations `residual` (k, S, N) of k kernels from S draws of their laws at points (N, m).

    Each draw has the number of its process, (k, S), and values have the `error` that their repetitions
    leave.
    """

    points: FloatArray
    residual: FloatArray
    process: IntArray
    error: float

    @cached_property
    def used(self) -> IntArray:
        """The processes that draws use, (U,)."""
        return np.unique(self.process[self.process != NO_PROCESS])

    @cached_property
    def place(self) -> IntArray:
        """The place of each draw's process in `used`, (k, S)."""
        return np.where(self.process == NO_PROCESS, 0, np.searchsorted(self.used, self.process))

    def at(self, one: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of the draws' deviations at a point (m,), (k, S) each."""
        near = _nearest(self.points, one)
        weights, deviation = _kriging(self.used, self.points[near], one, self.error)
        mean = np.einsum("ksn,ksn->ks", weights[self.place], self.residual[:, :, near])
        return mean, deviation[self.place]

    @cached_property
    def step(self) -> FloatArray:
        """Standard deviation of a step beyond the measured range, (k, S)."""
        counted = processes(self.points.shape[1]).nugget[np.maximum(self.process, 0)] <= max(COUNTED_NUGGETS)
        return np.where(counted, 0.0, STEP_SIZE)

    @cached_property
    def below(self) -> Below | None:
        """The points at small values, below those that show how kernels continue."""
        return Below.of(self.points)

    @cached_property
    def unusual(self) -> FloatArray:
        """Deviations of draws at the points below that their processes do not predict, (k, S, N); 0 at
        others.

        A deviation that the process may have by chance does not count; of a larger one, the excess does.
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
    """Floors (..., 1) of laws (..., N) at measured points: half of the smallest value that is not 0.

    A logarithm is 0 at x = 1, where the measured value is not. The floor is 0 for laws that are 0 at no
    point.
    """
    least = np.where(laws > 0, laws, np.inf).min(axis=-1, keepdims=True)
    zero = (laws <= 0).any(axis=-1, keepdims=True) & np.isfinite(least)
    return np.where(zero, least / 2, 0.0)


def _chance_of_step(points: FloatArray, at: FloatArray) -> float:
    """Part of a step that may have occurred at a point (m,): 0 within the range of points (N, m), 1 far
    beyond."""
    beyond = np.maximum(at - points.max(axis=0), points.min(axis=0) - at)
    distance = np.maximum(beyond, 0.0).sum()
    return float(np.sqrt(1 - matern(distance / STEP_LENGTH) ** 2))


def _nearest(points: FloatArray, at: FloatArray) -> IntArray:
    """Numbers of the points (N, m) that are nearest to `at`."""
    count = NEIGHBOURS.get(points.shape[1], MORE_NEIGHBOURS)
    distance = np.abs(points - at).sum(axis=1)
    return np.sort(np.argsort(distance, kind="stable")[:count])


def _kriging(
    used: NDArray[np.signedinteger], points: FloatArray, at: FloatArray, error: float
) -> tuple[FloatArray, FloatArray]:
    """Kriging weights (U, N) of the deviations at points (N, m) in that at another point, for each process.

    They come with the remaining standard deviations, (U,).
    """
    among = processes(points.shape[1])
    both = np.concatenate([points, at[None]])
    alone = _alone(both) if error > LEAST_REPEATED_ERROR else np.eye(len(both))
    size, nugget = among.size[used, None, None], among.nugget[used, None, None]
    covariance = size**2 * among.covariances(both)[among.kind[used]] + nugget**2 * alone
    of_points = covariance[:, :-1, :-1] + error**2 * np.eye(len(points))
    beside = covariance[:, :-1, -1]
    weights = np.linalg.solve(of_points, beside[..., None])[..., 0]
    told = (weights * beside).sum(axis=1)
    left = np.sqrt(np.maximum(covariance[:, -1, -1] - told, 0.0))
    if error <= LEAST_REPEATED_ERROR:
        left = np.sqrt(np.maximum(left**2 - among.nugget[used] ** 2, 0.0))
    return weights, left


def _alone(points: FloatArray) -> FloatArray:
    """Correlation of the points' own deviations, (N, N), for points (N, m); it ends well before the next
    point.

    The last point may be the same as one of the others.
    """
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    among = distance[:-1, :-1]
    least = among[among > 0].min(initial=np.inf)
    length = OWN_LENGTH * (least if np.isfinite(least) else 1.0)
    return Kind(tuple(range(points.shape[1])), length, together=True).covariance(points, points)


def join_deviations(parts: Sequence[Deviation | None], sizes: Sequence[tuple[int, int]]) -> Deviation | None:
    """The deviations of several groups of kernels as one. Some may be None; `sizes` are their kernels and
    draws."""
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
    """The deviation of kernels that do not deviate."""
    return Deviation(
        np.full((kernels, points, parameters), np.nan),
        np.full((kernels, points), np.nan),
        np.zeros(kernels),
        np.full((kernels, draws), NO_PROCESS, dtype=np.int16),
    )


def _widened(part: Deviation, points: int) -> Deviation:
    """The same deviation with room for `points` points."""
    kernels, count, parameters = part.points.shape
    if count == points:
        return part
    at, values = np.full((kernels, points, parameters), np.nan), np.full((kernels, points), np.nan)
    at[:, :count], values[:, :count] = part.points, part.values  # several times as fast as `pad`
    return Deviation(at, values, part.error, part.process)
