"""The likelihood of laws for deviating kernels.

A deviation is the sum of a smooth Gaussian process and an independent error at each point. The logarithms of
the points' medians are normal around the logarithm of the law. Their covariance has two parts: the covariance
of one of the `processes`, and the variances of the medians by the scatter of repetitions. Only points near
the largest values are used (`near_points`), because overheads dominate small values.

If all points of a kernel have the same standard error, the independent part of the covariance is a multiple
of the identity. Then the directions along which points are independent depend on the kind of process alone
(module `modes`). Otherwise each kernel has its own matrices (module `whitening`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from modeling.engine.deviations.deviation import NO_PROCESS
from modeling.engine.deviations.processes import COUNTED_NUGGETS, Processes, processes
from modeling.engine.joining import equal_rows
from modeling.engine.measured.layout import patterns
from modeling.engine.measured.near_points import near_points
from modeling.engine.modelers.evidence.draws.around import Around, Directions
from modeling.engine.modelers.evidence.draws.coefficients import lattice
from modeling.engine.modelers.evidence.draws.exact import Evidence, joined, weighed
from modeling.engine.modelers.evidence.draws.modes import Modes, without_size
from modeling.engine.modelers.evidence.draws.sampling import Draws
from modeling.engine.modelers.evidence.draws.shapes import Shapes
from modeling.engine.modelers.evidence.draws.whitening import (
    Whitening,
    density_without_size,
    in_portions,
)
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import MOST_COMBINED
from modeling.engine.modelers.evidence.hypotheses.exponentials import exponential
from modeling.engine.modelers.evidence.hypotheses.laws import Located
from modeling.engine.modelers.evidence.noise.lack_of_fit import variances_around
from modeling.engine.modelers.evidence.noise.runs import RESOLUTION, Runs, rounded
from modeling.engine.validation import BoolArray, FloatArray, IntArray

T = TypeVar("T")

KEPT_SHARE = 0.005
"""The least frequency of a used process, relative to the most frequent process."""

FIRST_DEVIATION = 0.05
"""Relative deviation assumed in the first search for laws: the prior median of the size of processes."""


@dataclass(frozen=True)
class Deviating:
    """The likelihood of laws from which points deviate by a Gaussian process.

    Attributes:
        points: the values of m parameters at P points, (P, m).
        log_weight: the log frequencies of N processes in the campaign, (N,), or None.
        growths: the frequency of each class of growth, (GROWTHS,), or None.
        name: the name of this kind of noise.
        known: a cache of what was computed for sets of points (see `_once`).
    """

    points: FloatArray
    log_weight: FloatArray | None = None
    growths: FloatArray | None = None
    name: str = "deviating"
    known: dict[tuple[str, bytes], Any] = field(default_factory=dict, repr=False)

    def part(self, rows: IntArray) -> "Deviating":
        """Return the likelihood for kernels that were measured only at the points with the indices `rows`."""
        return Deviating(self.points[rows], self.log_weight, self.growths)

    def weighted(self, log_weight: FloatArray | None, growths: FloatArray | None) -> "Deviating":
        """Return the likelihood with log frequencies of N processes, (N,), and frequencies of classes of
        growth, (GROWTHS,).
        """
        return replace(self, log_weight=log_weight, growths=growths)

    def near(self, runs: Runs) -> BoolArray:
        """Return which of P points are used for each of K kernels, (P, K)."""
        found = np.zeros(runs.count.shape, dtype=bool)
        for pattern, kernels in patterns(runs.count > 0):
            found[self._near(pattern)[:, None], kernels] = True
        return found

    def locate(self, runs: Runs) -> Located:
        """Return the measured values for the first search for laws, all with the same variance."""
        return Located(np.exp(runs.log_median), np.where(self.near(runs), FIRST_DEVIATION**2, np.inf))

    def relocate(self, law: FloatArray, runs: Runs) -> Located:
        """Return the measured values for a further search, with the variances of their deviations from the
        kernel's law. `law` (P, K) has the values of K kernels' laws at P points.
        """
        near = self.near(runs)
        squares = np.where(near, runs.log_median - np.log(law), 0.0) ** 2
        freedom = np.maximum(near.sum(axis=0) - 1 - min(self.points.shape[1], MOST_COMBINED), 1)
        variance = np.broadcast_to(squares.sum(axis=0) / freedom + RESOLUTION**2, near.shape).copy()
        smallest = np.where(near, runs.errors, np.inf).min(axis=0)
        unequal = np.flatnonzero((near & (runs.errors > smallest)).any(axis=0))
        if len(unequal):
            own = np.where(near, rounded(runs.errors), np.inf)[:, unequal] ** 2
            variance[:, unequal] = variances_around(squares[:, unequal], own, freedom[unequal])
        return Located(np.exp(runs.log_median), np.where(near, variance, np.inf))

    def log_odds(self, law: FloatArray, runs: Runs, least: float) -> FloatArray:
        """Return the log odds, (K,), that kernels deviate from their laws beyond the scatter of repetitions.

        The log odds are −∞ where an upper bound of them is below `least`, and ∞ where the law is unknown.
        `law` has the values of K kernels' laws at P points, (P, K). A factor common to all points does not
        count, because laws under one-sided noise lie below all points.
        """
        found = np.full(law.shape[1], -np.inf)
        for pattern, kernels, errors in self._groups(runs):
            rows = self._near(pattern)
            place = rows[:, None], kernels
            residual = runs.log_median[place] - np.log(law[place])
            own = np.maximum(errors, RESOLUTION) ** 2
            # A process can raise the likelihood at most to that of points exactly on the law.
            middle = (residual / own).sum(axis=0) / (1 / own).sum(axis=0)
            most = ((residual - middle) ** 2 / own).sum(axis=0) / 2
            found[kernels[np.isnan(most)]] = np.inf
            some = np.flatnonzero(most >= least)
            if len(some):
                found[kernels[some]] = self._log_odds(rows, residual[:, some], own[:, some])
        return found

    def _log_odds(self, rows: IntArray, residual: FloatArray, own: FloatArray) -> FloatArray:
        """Compute `log_odds` for one of the `_groups`, from log ratios of points and laws."""
        none = _without_process(residual, own)
        every = np.empty((len(self.some), own.shape[1]))
        if (own == own[0]).all():
            for places, modes in self._modes(rows):
                size, nugget = self._size_and_nugget(places)
                every[places] = without_size(modes, residual, size, nugget[:, None] + own[0])
        else:
            covariances = self._covariances(rows)
            for some in in_portions(own.shape[1], covariances):
                every[:, some] = density_without_size(covariances, own.T[some], residual.T[some]).T
        return np.asarray(log_sum(self.log_share[:, None] + every, axis=0) - none)

    def weigh(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """Return the log likelihood of S laws of K kernels, (S, K), and the index of a process for each law,
        (S, K).

        `law` (P, S, K) has the values of the laws at P points. Processes are picked in proportion to their
        probability. The likelihood of repetitions around their points, the same for all laws, is left out.
        """
        parts = self.likelihoods(law, runs)
        most = parts.max(axis=1, keepdims=True)
        reached = np.cumsum(exponential(parts - most), axis=1)
        marks = lattice(parts.shape[2], 2)[1] * reached[:, -1]
        picked = np.minimum((reached < marks[:, None]).sum(axis=1), len(self.some) - 1)
        total = (most[:, 0] + np.log(reached[:, -1])).T
        return total, self.some[picked].T.astype(float)

    def exactly(self, basis: Basis, runs: Runs) -> tuple[Draws, FloatArray | None, FloatArray | None]:
        """Return draws of kernels of one parameter (module `exact`). If frequencies are unknown, also return
        the log evidence in K kernels: of N processes, (N, K), and of classes of growth, (GROWTHS, K).
        """
        learning = self.log_weight is None
        order: list[IntArray] = []
        parts: list[tuple[Draws, Evidence | None]] = []
        for pattern, those, errors in self._groups(runs):
            rows = self._near(pattern)
            shapes = self._shapes(basis, rows, pattern).where(self.growths)
            directions = self._once(
                partial(Directions.at, self.processes, np.log(self.points[rows])), "directions", rows
            )
            first, which = equal_rows(rounded(errors).T)
            for number, one in enumerate(first):
                some = np.flatnonzero(which == number)
                around = self._around(directions, rounded(errors[:, one]))
                order.append(those[some])
                y = runs.log_median[rows[:, None], those[some]]
                parts += weighed(y, shapes, around, learning=learning)
        back = np.argsort(np.concatenate(order))
        draws = joined([each for each, _ in parts]).part(back)
        evidence = [each for _, each in parts if each is not None]
        if not evidence:
            return draws, None, None
        every = np.full((len(self.processes), len(back)), -np.inf)
        every[self.some], by_growth = (
            np.concatenate(each, axis=1)[:, back] for each in zip(*evidence, strict=True)
        )
        return draws, every, by_growth

    def growths_before(self, basis: Basis) -> FloatArray:
        """Return the prior frequency of each class of growth, (GROWTHS,)."""
        return self._shapes(basis, self._near(self._everywhere), self._everywhere).frequencies

    def likelihoods(self, law: FloatArray, runs: Runs) -> NDArray[np.float32]:
        """Return the log likelihood of S laws of K kernels under N processes, plus the log weight of the
        process, (K, N, S). `law` (P, S, K) has the values of the laws at P points.
        """
        found = np.empty((law.shape[2], len(self.some), law.shape[1]), dtype=np.float32)
        for pattern, kernels, errors in self._groups(runs):
            rows = self._near(pattern)
            laws = law.transpose(2, 0, 1)
            whole = len(kernels) == len(laws) and len(rows) == len(law)
            logs = np.log(laws if whole else laws[np.ix_(kernels, rows)])
            medians = runs.log_median[np.ix_(rows, kernels)].T[:, :, None]
            residual = np.empty(logs.shape, dtype=np.float32)
            np.subtract(medians, logs, out=residual, casting="same_kind")
            found[kernels] = self._of_group(rows, residual, errors**2)
        return found

    @cached_property
    def processes(self) -> Processes:
        """Return the Gaussian processes that may describe deviations over the campaign's parameters."""
        near = self.points[self._near(self._everywhere)]
        return self._once(partial(processes(near.shape[1]).for_points, near), "processes", self._everywhere)

    @cached_property
    def some(self) -> IntArray:
        """Return the indices of the used processes: frequent ones, and all with the small nuggets of counted
        values.
        """
        weight = self._log_weight
        lawful = self.processes.nugget <= max(COUNTED_NUGGETS)
        return np.flatnonzero(lawful | (weight > weight.max() + np.log(KEPT_SHARE)))

    @property
    def _everywhere(self) -> BoolArray:
        return np.ones(len(self.points), dtype=bool)

    @property
    def _log_weight(self) -> FloatArray:
        return self.processes.log_prior if self.log_weight is None else self.log_weight

    @property
    def log_share(self) -> FloatArray:
        """Return the logarithms of the frequencies of the used processes."""
        return self._log_weight[self.some]

    def _of_group(
        self, rows: IntArray, residual: NDArray[np.float32], own: FloatArray
    ) -> NDArray[np.float32]:
        """Compute `likelihoods` for one of the `_groups`, from log ratios."""
        found = np.empty((len(residual), len(self.some), residual.shape[2]), dtype=np.float32)
        if not (own == own[0]).all():
            covariances = self._covariances(rows)
            for some in in_portions(len(residual), covariances):
                found[some] = Whitening.of(covariances, own.T[some]).log_density(residual[some])
            return np.asarray(found + self.log_share.astype(np.float32)[:, None])
        whole = (residual**2).sum(axis=1)
        for places, modes in self._modes(rows):
            along = (modes.vectors.T.astype(np.float32) @ residual) ** 2
            rest = np.maximum(whole - along.sum(axis=1), 0.0)[:, None]
            size, nugget = self._size_and_nugget(places)
            alone = (nugget + own[0][:, None])[..., None]
            variance = np.concatenate([size[:, None] * modes.values + alone, alone], axis=2)
            weights = (-0.5 / variance).astype(np.float32)
            constant = self.log_share[places] - 0.5 * (np.log(2 * np.pi * variance) @ modes.counts)
            found[:, places] = weights @ np.concatenate([along, rest], axis=1)
            found[:, places] += constant[..., None]
        return found

    def _groups(self, runs: Runs) -> Iterator[tuple[BoolArray, IntArray, FloatArray]]:
        """Group kernels that were measured at the same points.

        Yields the measured points as a mask (P,), the indices of k kernels, and the standard errors of the
        medians at the used points, (points, k). In a group, each kernel has the same error at all points, or
        no kernel has.
        """
        for pattern, kernels in patterns(runs.count > 0):
            errors = runs.errors[self._near(pattern)[:, None], kernels]
            equal = (errors == errors[0]).all(axis=0)
            for some in (np.flatnonzero(equal), np.flatnonzero(~equal)):
                if len(some):
                    yield pattern, kernels[some], errors[:, some]

    def _size_and_nugget(self, places: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the variances of processes, given by their places among `some`, and of their nuggets."""
        some = self.some[places]
        return self.processes.size[some] ** 2, self.processes.nugget[some] ** 2

    def _covariances(self, rows: IntArray) -> FloatArray:
        """Return the covariances of the points `rows` under the N used processes with their nuggets, (N, P,
        P).
        """
        of_kind = self._once(
            partial(self.processes.covariances, np.log(self.points[rows])), "covariances", rows
        )
        size, nugget = (each[:, None, None] for each in self._size_and_nugget(np.arange(len(self.some))))
        return np.asarray(size * of_kind[self.processes.kind[self.some]] + nugget * np.eye(len(rows)))

    def _around(self, directions: Directions, errors: FloatArray) -> Around:
        """Return the used processes at points with these standard errors, (points,)."""
        used = self.processes, self.some, self.log_share, directions
        if (errors == errors[0]).all():
            return Around.at(*used, float(errors[0]))
        return Around.at_unequal(*used, errors)

    def _modes(self, rows: IntArray) -> Iterator[tuple[IntArray, Modes]]:
        """Yield the places of the used processes of each kind among `some`, and their modes at the points
        `rows`.
        """
        at, kinds = np.log(self.points[rows]), self.processes.kind[self.some]
        for kind in np.unique(kinds):
            process = None if kind == NO_PROCESS else self.processes.kinds[kind]
            yield (
                np.flatnonzero(kinds == kind),
                self._once(partial(Modes.of, process, at), f"modes {kind}", rows),
            )

    def _near(self, measured: BoolArray) -> IntArray:
        """Return the indices of the used points, for kernels measured at the `measured` points."""
        return self._once(partial(near_points, self.points, measured), "near", measured)

    def _shapes(self, basis: Basis, rows: IntArray, measured: BoolArray) -> Shapes:
        """Return the shapes at the used points `rows`, for kernels measured at the `measured` points."""
        return self._once(partial(Shapes.at, basis, rows, np.flatnonzero(measured)), "shapes", measured)

    def _once(self, make: Callable[[], T], what: str, points: IntArray | BoolArray) -> T:
        """Return the result of `make`. It is called once for what it makes and for the points."""
        key = what, points.tobytes()
        if key not in self.known:
            self.known[key] = make()
        return cast(T, self.known[key])


def _without_process(residual: FloatArray, own: FloatArray) -> FloatArray:
    """Return the log density, (k,), of residuals (P, k) of independent errors with the variances `own`
    (P, k). A factor common to all points is integrated out.
    """
    norms = (1 / own).sum(axis=0)
    squares = (residual**2 / own).sum(axis=0) - (residual / own).sum(axis=0) ** 2 / norms
    return np.asarray(-0.5 * (squares + np.log(own).sum(axis=0) + np.log(norms)))


def log_sum(values: FloatArray, axis: int) -> FloatArray:
    """Return the logarithm of a sum of terms with these logarithms, much faster than `logaddexp.reduce`."""
    most = values.max(axis=axis, keepdims=True)
    return np.asarray(np.log(exponential(values - most).sum(axis=axis)) + most.squeeze(axis))
