"""How a kernel deviates from its law where it was measured, and what that says of other points (kriging)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from modeling.engine.near_points import near_points
from modeling.engine.processes import Kind, processes
from modeling.engine.validation import BoolArray, FloatArray, IntArray

NEIGHBOURS = {1: 8}
"""Measured points that tell what a kernel does at another one, by the number of parameters: the nearest."""

MORE_NEIGHBOURS = 24
"""The same with more parameters."""

USUAL = 2.5
"""Times its standard deviation that a point below those that tell how a kernel goes on lies off what others say
before it is taken to deviate by more."""

MOST = 0.5

NONE = -1
"""Number of the process of draws that have none."""

_LENGTH_BETWEEN = 2.0

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
    def there(self) -> BoolArray:
        """Which kernels have a process in most of their draws, (K,)."""
        return np.asarray((self.process != NONE).mean(axis=1) > MOST)

    def groups(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """Kernels with a process around their law that were measured at the same points and as often, and
        these, (N, m)."""
        some = np.flatnonzero((self.process != NONE).any(axis=1))
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
        process = self.process[kernels]
        found = np.ones((*process.shape, len(at)))
        used = np.unique(process[process != NONE])
        place = np.where(process == NONE, 0, np.searchsorted(used, process))
        chance = self._chance(kernels)
        error = float(self.error[kernels[0]])

        def kriged(one: FloatArray) -> tuple[FloatArray, FloatArray]:
            near = _nearest(points, one)
            weights, deviation = _kriging(used, points[near], one, error)
            return np.einsum("ksn,ksn->ks", weights[place], residual[:, :, near]), deviation[place]

        below = Below.of(points, at)
        if below is not None:
            nugget = processes(points.shape[1]).nugget[np.maximum(process, 0)]
            left = np.zeros_like(residual)
            for number in below.rows:
                mean, deviation = kriged(points[number])
                rest = residual[:, :, number] - mean
                usual = (USUAL * np.hypot(np.hypot(nugget, error), deviation)) ** 2
                left[:, :, number] = rest * np.maximum(1 - usual / np.maximum(rest**2, usual), 0)
        for number, one in enumerate(at):
            mean, deviation = kriged(one)
            if below is not None and below.holds(one):
                more, unsure = below.at(one, left)
                mean, deviation = mean + more, np.hypot(deviation, unsure)
            with np.errstate(over="ignore"):
                factor = np.exp(mean + deviation * chance)
            found[:, :, number] = np.where(process == NONE, 1.0, factor)
        return found

    def _chance(self, kernels: IntArray) -> FloatArray:
        """A normal variable of each draw, (k, S), the same for all points, and another for each kernel."""
        from scipy.special import ndtri  # noqa: PLC0415 -- a sixth of the time that a web process starts

        draws = self.process.shape[1]
        ranks = (np.argsort(np.argsort(np.arange(draws) * _GOLDEN % 1)) + 0.5) / draws
        normal = ndtri(ranks)
        # A whole number of the values as rows store them: the same read again, and in any company.
        bits = np.nan_to_num(self.values[kernels]).astype("<f4").view("<u4")
        own = bits.sum(axis=1, dtype=np.int64) % draws
        return np.asarray(normal[(np.arange(draws) + own[:, None]) % draws])


@dataclass(frozen=True)
class Below:
    """Measured points (N, m) below those that tell how a kernel goes on, by number in `rows`, where it may deviate
    from its law by much more than its process says: overheads reign there.

    What they deviate more is carried over to points between them.
    """

    points: FloatArray
    rows: IntArray
    least: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, points: FloatArray, at: FloatArray) -> "Below | None":
        """Those that tell of some of the points `at` (Q, m), if any does."""
        near = near_points(np.exp(points), np.ones(len(points), dtype=bool))
        rows = np.setdiff1d(np.arange(len(points)), near)
        if not len(rows):
            return None
        found = cls(points, rows, points[near].min(axis=0), _inverse(points))
        return found if any(found.holds(one) for one in at) else None

    def holds(self, at: FloatArray) -> bool:
        """Whether a point (m,) lies there."""
        return bool((at < self.least).any())

    def at(self, one: FloatArray, left: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What kernels deviate more at a point (m,), and the standard deviation of that, (k, S) each, by what they
        do at the measured points, (k, S, N)."""
        beside = _between(self.points.shape[1]).covariance(self.points, one[None])[:, 0]
        weights = self.weights @ beside
        size = np.sqrt(np.einsum("ksn,n->ks", left**2, beside) / beside.sum())
        return left @ weights, size * np.sqrt(max(1 - float(weights @ beside), 0.0))


def _between(parameters: int) -> Kind:
    return Kind(tuple(range(parameters)), _LENGTH_BETWEEN, together=True)


def _inverse(points: FloatArray) -> FloatArray:
    return np.linalg.inv(_between(points.shape[1]).covariance(points, points) + 1e-4 * np.eye(len(points)))


def floors(laws: FloatArray) -> FloatArray:
    """What laws (..., N) at measured points are at least, (..., 1): half of the smallest that is not 0.

    Logarithms are 0 at 1, where whatever was measured is not. 0 for laws that are 0 at none of the points.
    """
    least = np.where(laws > 0, laws, np.inf).min(axis=-1, keepdims=True)
    zero = (laws <= 0).any(axis=-1, keepdims=True) & np.isfinite(least)
    return np.where(zero, least / 2, 0.0)


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
    weights, left = np.zeros((len(used), len(points))), np.zeros(len(used))
    for kind in np.unique(among.kind[used]):
        if kind == NONE:
            continue
        here = np.flatnonzero(among.kind[used] == kind)
        size, nugget = among.size[used[here]], among.nugget[used[here]]
        both = np.concatenate([points, at[None]])
        covariance = among.kinds[kind].covariance(both, both)
        own = (nugget**2 + error**2) / size**2
        of_points = covariance[:-1, :-1] + own[:, None, None] * np.eye(len(points))
        beside = covariance[:-1, -1]
        weights[here] = np.linalg.solve(
            of_points, np.broadcast_to(beside, (len(here), len(points)))[..., None]
        )[..., 0]
        left[here] = size * np.sqrt(np.maximum(covariance[-1, -1] - weights[here] @ beside, 0.0))
    return weights, left


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
        np.full((kernels, draws), NONE, dtype=np.int16),
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
