"""Deviations of kernels from their laws, and their prediction at other points (kriging)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from modeling.engine.deviations.below import Below
from modeling.engine.deviations.processes import COUNTED_NUGGETS, Kind, matern, processes
from modeling.engine.joining import equal_rows, put_together
from modeling.engine.validation import BoolArray, FloatArray, IntArray

NEIGHBOURS = {1: 8}
"""Number of nearest measured points from which deviations are predicted, with one parameter."""

MORE_NEIGHBOURS = 24
"""Number of nearest measured points from which deviations are predicted, with several parameters."""

LEAST_REPEATED_ERROR = 2e-5
"""A kernel with a larger relative standard error counts as measured repeatedly."""

OWN_LENGTH = 0.3
"""Length of a point's independent deviation, relative to the smallest distance between points."""

USUAL_DEVIATIONS = 2.5
"""At small parameter values, deviations up to this many standard deviations count as chance."""

DEVIATING_SHARE = 0.5
"""A kernel deviates if more than this share of its draws have a Gaussian process."""

STEP_SIZE = 0.06
"""Largest standard deviation of a *step*: a jump beyond the measured range, as at the limit of a cache.
Without steps, half of the intervals narrower than 4 % miss the first value beyond the measured range in 22
public campaigns. With 0.04, intervals of 18 others contain 89 instead of 92 % of these values.
"""

STEP_OF_SIZE, STEP_OF_NUGGET = 3.0, 9.0
"""Standard deviation of a step, up to `STEP_SIZE`, relative to the size of the draw's process, and relative
to the nugget divided by the number of `_spare_values`. The more values lie near the law, the smaller are
steps.

Without steps by the nugget, kernels that seem to follow a law at five values have too narrow intervals: those
of 3 campaigns with thread counts contain 71 and 80 % of the last two values, instead of 76 and 94 %.
"""

STEP_LENGTH = 0.5
"""Distance, in log x, over which a step occurs, mostly before twice the largest measured value."""

LAW_COEFFICIENTS = 2
"""Number of coefficients of most laws."""

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
        return _repeated(self.error)

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
        known = _Known(points, residual, self.process[kernels], self.error[kernels, : len(points)])
        chance = self._chance(kernels, _freedom(points))
        found = np.ones((*known.process.shape, len(at)))
        for number, (one, (near, left)) in enumerate(zip(at, known.along(at), strict=True)):
            mean, deviation = near, np.hypot(left, known.step * _chance_of_step(points, one))
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


@dataclass(frozen=True)
class _Known:
    """Known deviations of k kernels with the same N points from the laws of S draws."""

    points: FloatArray  # (N, m) logarithms of the points
    residual: FloatArray  # (k, S, N) logarithms of the ratios of measured values to laws
    process: IntArray  # (k, S) as in `Deviation`
    error: FloatArray  # (k, N) relative standard errors of the values, estimated from their repetitions

    @cached_property
    def used(self) -> tuple[IntArray, FloatArray, IntArray]:
        """The U distinct pairs of a draw's process and its kernel's standard errors: the indices of the
        processes, the errors (U, N), and the index of each draw's pair. Draws without a process get process
        0.
        """
        first, which = equal_rows(self.error)
        process = np.maximum(self.process, 0)
        several = int(process.max()) + 1
        pairs, place = np.unique(which[:, None] * several + process, return_inverse=True)
        return pairs % several, self.error[first][pairs // several], place.reshape(process.shape)

    def along(self, at: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the mean and the standard deviation of each draw's deviation at each point of `at`."""
        near, (process, error, place) = _nearest(self.points, at), self.used
        weights, deviations = _kriging(process, error, self.points, near, at)
        for some, weight, deviation in zip(near, weights, deviations, strict=True):
            mean = np.einsum("ksn,ksn->ks", weight[place], self.usual[:, :, some])
            yield mean, deviation[place]

    @cached_property
    def step(self) -> FloatArray:
        """Standard deviation of each draw's step beyond the measured range. Counted values have no steps."""
        among, drawn = processes(self.points.shape[1]), np.maximum(self.process, 0)
        nugget = among.nugget[drawn]
        by_nugget = STEP_OF_NUGGET / _spare_values(self.points) * nugget
        step = np.minimum(np.hypot(STEP_OF_SIZE * among.size[drawn], by_nugget), STEP_SIZE)
        return np.where(nugget <= max(COUNTED_NUGGETS), 0.0, step)

    @cached_property
    def below(self) -> Below | None:
        """Measured points at small parameter values; None if there are none."""
        return Below.of(self.points)

    @cached_property
    def usual(self) -> FloatArray:
        """Residuals. At small parameter values, they are limited to `USUAL_DEVIATIONS` standard deviations of
        the draw's process and error.
        """
        if self.below is None:
            return self.residual
        among = processes(self.points.shape[1])
        drawn = np.maximum(self.process, 0)
        found, rows = self.residual.copy(), self.below.rows
        own = np.hypot(among.size[drawn], among.nugget[drawn])[..., None]
        limit = USUAL_DEVIATIONS * np.hypot(own, self.error[:, None, rows])
        found[:, :, rows] = np.clip(found[:, :, rows], -limit, limit)
        return found

    @cached_property
    def unusual(self) -> FloatArray:
        """Deviations at small parameter values that the processes do not explain; 0 at other points."""
        nugget = processes(self.points.shape[1]).nugget[np.maximum(self.process, 0)]
        found = np.zeros_like(self.residual)
        rows = np.empty(0, np.int_) if self.below is None else self.below.rows
        for number, (mean, deviation) in zip(rows, self.along(self.points[rows]), strict=True):
            left = self.residual[:, :, number] - mean
            usual = USUAL_DEVIATIONS**2 * (nugget**2 + self.error[:, number, None] ** 2 + deviation**2)
            found[:, :, number] = left * np.maximum(1 - usual / np.maximum(left**2, usual), 0.0)
        return found


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
    return min(max(_spare_values(points), LEAST_FREEDOM), MOST_FREEDOM)


def _spare_values(points: FloatArray) -> int:
    """Return by how many the values of a parameter exceed `LAW_COEFFICIENTS`, but at least 1. Of several
    parameters, the one with the most values counts. Only spare values show how far points are from the law.
    """
    values = max(len(np.unique(of_parameter)) for of_parameter in points.T)
    return max(values - LAW_COEFFICIENTS, 1)


def _chance_of_step(points: FloatArray, at: FloatArray) -> float:
    """Return the share of a step at a point: 0 within the measured range, and nearly 1 far beyond."""
    beyond = np.maximum(at - points.max(axis=0), points.min(axis=0) - at)
    distance = np.maximum(beyond, 0.0).sum()
    return float(np.sqrt(1 - matern(distance / STEP_LENGTH) ** 2))


def _nearest(points: FloatArray, at: FloatArray) -> IntArray:
    """Return the ascending indices of the nearest measured points for each point of `at`."""
    count = NEIGHBOURS.get(points.shape[1], MORE_NEIGHBOURS)
    distance = np.abs(points - at[:, None]).sum(axis=2)
    return np.sort(np.argsort(distance, axis=1, kind="stable")[:, :count], axis=1)


def _kriging(
    process: IntArray, error: FloatArray, points: FloatArray, near: IntArray, at: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the kriging weights (Q, U, n) of measured deviations, and the remaining standard deviations (Q,
    U).

    Deviations at new points `at` (Q, m) are predicted by the processes `process` (U,) from those at the n
    nearest measured `points` (N, m), whose indices are `near` (Q, n). Points are logarithms, and `error` (U,
    N) has the relative standard errors of the measured values.
    """
    weights = np.zeros((len(at), len(process), near.shape[1]))
    deviations = np.zeros((len(at), len(process)))
    first, which = equal_rows(near)
    for number, some in enumerate(near[first]):
        rows = np.flatnonzero(which == number)
        weights[rows], deviations[rows] = _solved(process, error[:, some], points[some], at[rows])
    return weights, deviations


def _solved(
    process: IntArray, error: FloatArray, points: FloatArray, at: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the results of `_kriging` for new points with the same nearest points."""
    among, count = processes(points.shape[1]), len(points)
    size, nugget = (each[process][:, None, None] for each in (among.size, among.nugget))
    repeated = _repeated(error)[:, None, None]
    every = np.concatenate([points, at])
    smooth = among.covariances(points, every)[among.kind[process]]
    own = np.where(repeated, _alone(points).covariance(points, every), np.eye(count, len(every)))
    covariance = size**2 * smooth + nugget**2 * own
    of_points, beside = covariance[..., :count] + error[:, None] ** 2 * np.eye(count), covariance[..., count:]
    weights = np.linalg.solve(of_points, beside)
    explained = (weights * beside).sum(axis=1)
    whole = size[:, 0] ** 2 * smooth[:, 0, :1] + nugget[:, 0] ** 2
    left = np.sqrt(np.maximum(whole - explained, 0.0))
    left = np.where(repeated[:, 0], left, np.sqrt(np.maximum(left**2 - nugget[:, 0] ** 2, 0.0)))
    return np.asarray(weights.transpose(2, 0, 1), dtype=float), np.asarray(left.T)


def _repeated(error: FloatArray) -> BoolArray:
    """Return whether each kernel with the standard errors `error` (K, N) was measured repeatedly, (K,)."""
    return np.asarray((error > LEAST_REPEATED_ERROR).any(axis=1))


def _alone(points: FloatArray) -> Kind:
    """Return the process of the points' independent deviations. Each ends well before the next point."""
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    least = distance[distance > 0].min(initial=np.inf)
    length = OWN_LENGTH * (least if np.isfinite(least) else 1.0)
    return Kind(tuple(range(points.shape[1])), length, together=True)


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
