"""Kernels whose points no law passes through: around it lie a smooth process and an error of each point.

The logarithms of the points lie around that of the law with the covariance of one of `processes`. Only points
near the largest values are weighed (`near_points`): at small values, where overheads dominate, deviations are
of another size and say little about how the kernel continues.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from modeling.engine.deviations.deviation import NO_PROCESS
from modeling.engine.deviations.processes import COUNTED_NUGGETS, Kind, Processes, processes
from modeling.engine.measured.near_points import near_points
from modeling.engine.modelers.evidence.draws.coefficients import lattice
from modeling.engine.modelers.evidence.draws.exact import Around, Shapes, joined, weighed
from modeling.engine.modelers.evidence.draws.sampling import Draws
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import MOST_COMBINED
from modeling.engine.modelers.evidence.hypotheses.laws import Located
from modeling.engine.modelers.evidence.noise.families import FAMILIES
from modeling.engine.modelers.evidence.noise.runs import RESOLUTION, Runs, patterns
from modeling.engine.validation import BoolArray, FloatArray, IntArray

KEPT_SHARE = 0.005
"""Share of the campaign's kernels below which a process is left out. It trades time (the cost is proportional
to the number of processes) for a loss of at most half a percent of the prior per process."""

FIRST_DEVIATION = 0.05
"""Relative deviation that is assumed in the first search for laws, before processes are weighed. It equals
the prior's median (`processes.MIDDLE_SIZE`)."""

MOVED_SHARE = 1e-12
"""Share of the largest variance of a process below which another variance is rounding."""


@dataclass(frozen=True)
class Deviating:
    """The likelihood of laws whose points (P, m) deviate from them by a process.

    `log_weight` (N,) is the logarithm of the frequency of each of `processes` in the campaign, and `growths`
    (GROWTHS,) the frequency of each class of growth. Results that depend on sets of points alone are kept.
    """

    points: FloatArray
    log_weight: FloatArray | None = None
    growths: FloatArray | None = None
    name: str = "deviating"
    modes_known: "dict[tuple[bytes, int], _Modes]" = field(default_factory=dict, repr=False)
    near_known: dict[bytes, IntArray] = field(default_factory=dict, repr=False)

    def part(self, rows: IntArray) -> "Deviating":
        """The same for some of the points, given by number, and for kernels measured at no others."""
        return Deviating(self.points[rows], self.log_weight, self.growths)

    def weighted(self, log_weight: FloatArray | None, growths: FloatArray | None) -> "Deviating":
        """The same with other frequencies of the processes, (N,), and of the classes of growth,
        (GROWTHS,)."""
        return replace(self, log_weight=log_weight, growths=growths)

    def near(self, runs: Runs) -> BoolArray:
        """Which points of each kernel are weighed, (P, K)."""
        found = np.zeros(runs.count.shape, dtype=bool)
        for pattern, kernels in patterns(runs.count > 0):
            found[np.ix_(self._near(pattern), kernels)] = True
        return found

    def locate(self, runs: Runs) -> Located:
        """Values at the points, all with the same variance, for the first search."""
        return Located(np.exp(runs.log_median), np.where(self.near(runs), FIRST_DEVIATION**2, np.inf))

    def relocate(self, law: FloatArray, runs: Runs) -> Located:
        """Values at the points with the variance that remains around a law (P, K)."""
        near = self.near(runs)
        squares = (np.where(near, runs.log_median - np.log(law), 0.0) ** 2).sum(axis=0)
        freedom = np.maximum(near.sum(axis=0) - 1 - min(self.points.shape[1], MOST_COMBINED), 1)
        variance = squares / freedom + RESOLUTION**2
        return Located(np.exp(runs.log_median), np.where(near, variance, np.inf))

    def log_odds(self, law: FloatArray, runs: Runs, least: float) -> FloatArray:
        """Logarithm of the odds that points deviate from laws (P, K) rather than scatter as repetitions do,
        (K,).

        It is −∞ where a bound shows that the odds are below `least`.

        A common factor of all points is no deviation: under skewed noise, laws lie below all points.
        """
        found = np.full(law.shape[1], -np.inf)
        for pattern, kernels in patterns(runs.count > 0):
            rows = self._near(pattern)
            residual = runs.log_median[np.ix_(rows, kernels)] - np.log(law[np.ix_(rows, kernels)])
            error = np.maximum(runs.error[kernels], RESOLUTION) ** 2
            # No process can make points likelier than points on the law are without a process.
            most = ((residual - residual.mean(axis=0)) ** 2).sum(axis=0) / error / 2
            some = np.flatnonzero(~(most < least))
            found[kernels[some]] = self._log_odds(rows, residual[:, some], error[some])
        return np.where(np.isnan(found), np.inf, found)

    def _log_odds(self, rows: IntArray, residual: FloatArray, error: FloatArray) -> FloatArray:
        """As `log_odds`, for kernels measured at the same points, from residuals (P, K) and the points'
        variance (K,) by their repetitions."""
        among, every = self.processes, np.empty((len(self.some), len(error)))
        for kind in np.unique(among.kind[self.some]):
            places = np.flatnonzero(among.kind[self.some] == kind)
            own = among.nugget[self.some[places], None] ** 2 + error
            of_kind = _without_size(
                self._modes(rows, int(kind)), residual, among.size[self.some[places]] ** 2, own
            )
            every[places] = self.log_share[places, None] + of_kind
        none = _without_size(self._modes(rows, NO_PROCESS), residual, np.zeros(1), error[None])[0]
        return np.asarray(log_sum(every, axis=0) - none)

    def weigh(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """Logarithm of the likelihood of laws (P, S, K), and the numbers of their processes, (S, K).

        Each law gets one process, picked by the probabilities, so that the processes of all draws are
        distributed like them.
        """
        parts = self.likelihoods(law, runs)
        most = parts.max(axis=1, keepdims=True)
        reached = np.cumsum(np.exp(parts - most), axis=1)
        marks = lattice(parts.shape[2], 2)[1] * reached[:, -1]
        picked = np.minimum((reached < marks[:, None]).sum(axis=1), len(self.some) - 1)
        total = (most[:, 0] + np.log(reached[:, -1])).T
        return total + self._of_repetitions(runs), self.some[picked].T.astype(float)

    def exactly(self, basis: Basis, runs: Runs) -> tuple[Draws, FloatArray, FloatArray]:
        """Draws of kernels of one parameter, by `exact`.

        They come with the logarithms of the evidence of each process, (N, K), and of each class of growth,
        (GROWTHS, K).
        """
        order: list[IntArray] = []
        parts: list[tuple[Draws, FloatArray, FloatArray]] = []
        errors = rounded(runs.error)
        for pattern, those in patterns(runs.count > 0):
            rows = self._near(pattern)
            shapes = Shapes.at(basis, rows).where(self.growths)
            for error in np.unique(errors[those]):
                some = those[errors[those] == error]
                around = Around.at(
                    self.processes, self.some, self.log_share, np.log(self.points[rows]), float(error)
                )
                order.append(some)
                parts += weighed(runs.log_median[np.ix_(rows, some)], shapes, around)
        back = np.argsort(np.concatenate(order))
        every = np.full((len(self.processes), len(back)), -np.inf)
        draws, *evidence = zip(*parts, strict=True)
        every[self.some], by_growth = (np.concatenate(each, axis=1)[:, back] for each in evidence)
        drawn = joined(draws).part(back)
        drawn.log_weights[:] += self._of_repetitions(runs)
        return drawn, every, by_growth

    def growths_before(self, basis: Basis) -> FloatArray:
        """Prior frequency of each class of growth, (GROWTHS,)."""
        return Shapes.at(basis, self._near(np.ones(len(self.points), dtype=bool))).frequencies

    def likelihoods(self, law: FloatArray, runs: Runs) -> FloatArray:
        """Logarithm of the likelihood of laws (P, S, K) under each process, times its weight, (K, N, S)."""
        found = np.empty((law.shape[2], len(self.some), law.shape[1]))
        for pattern, kernels in patterns(runs.count > 0):
            rows = self._near(pattern)
            laws = np.ascontiguousarray(law[rows][:, :, kernels].transpose(2, 0, 1))
            residual = runs.log_median[np.ix_(rows, kernels)].T[:, :, None] - np.log(laws)
            found[kernels] = self._of_pattern(rows, residual, runs.error[kernels] ** 2)
        return found

    @cached_property
    def processes(self) -> Processes:
        """All processes for this number of parameters."""
        near = self._near(np.ones(len(self.points), dtype=bool))
        return processes(self.points.shape[1]).told_by(self.points[near])

    @cached_property
    def some(self) -> IntArray:
        """Numbers of the processes that are weighed: those that are frequent enough."""
        weight = self._log_weight
        lawful = self.processes.nugget <= max(COUNTED_NUGGETS)
        return np.flatnonzero(lawful | (weight > min(np.log(KEPT_SHARE), weight.max() + np.log(KEPT_SHARE))))

    @property
    def _log_weight(self) -> FloatArray:
        return self.processes.log_prior if self.log_weight is None else self.log_weight

    @property
    def log_share(self) -> FloatArray:
        """Logarithms of the frequencies of the weighed processes."""
        return self._log_weight[self.some]

    def _of_pattern(self, rows: IntArray, residual: FloatArray, error: FloatArray) -> FloatArray:
        """As `likelihoods`, for kernels measured at the same points, from residuals (K, P, S) and the points'
        variance (K,) by their repetitions."""
        among = self.processes
        found = np.empty((len(residual), len(self.some), residual.shape[2]))
        whole = (residual**2).sum(axis=1, keepdims=True)
        for kind in np.unique(among.kind[self.some]):
            modes = self._modes(rows, int(kind))
            along = (modes.vectors.T @ residual) ** 2
            rest = np.maximum(whole - along.sum(axis=1, keepdims=True), 0.0)
            places = np.flatnonzero(among.kind[self.some] == kind)
            size, nugget = among.size[self.some[places]] ** 2, among.nugget[self.some[places]] ** 2
            own = nugget + error[:, None]
            variance = np.concatenate([size[:, None] * modes.values + own[..., None], own[..., None]], axis=2)
            squares = (1 / variance) @ np.concatenate([along, rest], axis=1)
            constant = self.log_share[places] - 0.5 * (np.log(variance) @ modes.counts)
            found[:, places] = constant[..., None] - 0.5 * squares
        return np.asarray(found - 0.5 * np.log(2 * np.pi) * len(rows))

    def _modes(self, rows: IntArray, kind: int) -> "_Modes":
        """The modes of a kind of process at some points."""
        known = self.modes_known.get((rows.tobytes(), kind))
        if known is None:
            known = _Modes.of(
                None if kind == NO_PROCESS else self.processes.kinds[kind], np.log(self.points[rows])
            )
            self.modes_known[rows.tobytes(), kind] = known
        return known

    def _near(self, measured: BoolArray) -> IntArray:
        """Numbers of the points that are weighed, for kernels that were measured at these points."""
        known = self.near_known.get(measured.tobytes())
        if known is None:
            known = near_points(self.points, measured)
            self.near_known[measured.tobytes()] = known
        return known

    def _of_repetitions(self, runs: Runs) -> FloatArray:
        """Logarithm of the likelihood of the repetitions around their points, the same for all laws, (K,).

        The repetitions may have any shape of noise: a deviation of the points says nothing about that shape.
        """
        shapes = np.stack([family.log_scatter(runs) for family in FAMILIES])
        shapes = np.where(np.isfinite(shapes), shapes, -np.inf)
        repeated = np.logaddexp.reduce(shapes, axis=0) - np.log(len(FAMILIES))
        alone = -(runs.count * runs.log_mean).sum(axis=0)
        return np.asarray(np.where((runs.count > 1).any(axis=0), repeated, alone))


@dataclass(frozen=True)
class _Modes:
    """Directions `vectors` (P, V) in which a process of size 1 moves P points, and their variances `values`
    (V,).

    On grids these are few, as a process of one parameter moves all points with the same value of it alike.
    The other directions, in which points deviate independently, are taken together: `counts` (V + 1,) is 1
    for each direction, and the number of the others at the end.
    """

    vectors: FloatArray
    values: FloatArray

    @classmethod
    def of(cls, kind: Kind | None, at: FloatArray) -> "_Modes":
        """The modes of a kind of process, or of none, at points with logarithms (P, m)."""
        if kind is None:
            return cls(np.empty((len(at), 0)), np.empty(0))
        vectors, values = kind.directions(at)
        moved = values > MOVED_SHARE * values.max()
        return cls(vectors[:, moved], values[moved])

    @property
    def counts(self) -> FloatArray:
        """The number of directions with each of the variances, and the number without a variance, (V +
        1,)."""
        points, moved = self.vectors.shape
        return np.append(np.ones(moved), points - moved)


def _without_size(modes: _Modes, residual: FloatArray, size: FloatArray, own: FloatArray) -> FloatArray:
    """Logarithm of the density of residuals (P, K), (N, K), with their common factor integrated out.

    Their variances are those of the modes times `size` (N,), plus the variance `own` (N, K) of each point.
    """
    ones, along = modes.vectors.sum(axis=0)[:, None], modes.vectors.T @ residual
    variance = size[:, None, None] * np.append(modes.values, 0.0)[:, None] + own[:, None]
    precision = 1 / variance

    def over(one: FloatArray, other: FloatArray, whole: FloatArray) -> FloatArray:
        """Products divided by the variances, summed over all directions."""
        each = one * other
        each = np.concatenate([each, (whole - each.sum(axis=0))[None]])
        return np.asarray((each * precision).sum(axis=1))

    norms = over(ones, ones, np.full(1, float(len(residual))))
    crossed = over(ones, along, residual.sum(axis=0))
    squares = over(along, along, (residual**2).sum(axis=0)) - crossed**2 / norms
    spread = np.einsum("c,nck->nk", modes.counts, np.log(variance))
    return np.asarray(-0.5 * (squares + spread + np.log(norms)))


def log_sum(values: FloatArray, axis: int) -> FloatArray:
    """Logarithm of a sum whose summands have the logarithms `values`; several times as fast as
    `logaddexp.reduce`."""
    most = values.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(values - most).sum(axis=axis)) + most.squeeze(axis))


def rounded(deviation: FloatArray) -> FloatArray:
    """Standard deviations rounded to a half power of two, so that kernels with the same value are treated
    together."""
    known = np.maximum(deviation, RESOLUTION)
    return np.asarray(2 ** (np.round(2 * np.log2(known)) / 2))
