"""Points that no smooth law meets: what all runs at a point, or at a value of a parameter, have in common.

Measured kernels deviate from any law by more than their repetitions differ, and points with the same process
count do so together (a step between 64 and 128 processes lifts them all). Logarithms of the points' values
then lie around the law's with a deviation of their own and one for each value of one parameter, or of all, so
that 20 points with 4 process counts say as much about the process count as 4 points.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from modeling.engine.evidence.basis import COMBINED
from modeling.engine.evidence.draws import lattice
from modeling.engine.evidence.families import FAMILIES
from modeling.engine.evidence.laws import Located
from modeling.engine.evidence.runs import RESOLUTION, Runs
from modeling.engine.validation import FloatArray, IntArray

AMOUNTS = np.array([0.5, 3.0, 20.0, 120.0])
"""Variances of what points with a value in common share, in units of the points' own."""

MOST_SHARED = 500
"""Values of a parameter up to which the points of each are thought to deviate together: more of them take too
long to weigh, and a law rests on so many then that it hardly matters."""

RANGE = np.log(10.0)
"""Size of the logarithm's range in which the deviation may lie beforehand."""


@dataclass(frozen=True)
class Deviating:
    """Points deviate from the law log-normally, alone and together."""

    points: FloatArray
    name: str = "deviating"
    whole: "Deviating | None" = None

    def part(self, rows: IntArray) -> "Deviating":
        """At some of the points, by number, and kernels that were not measured at the others."""
        return Deviating(self.points[rows], whole=self.whole or self)

    def locate(self, runs: Runs) -> Located:
        """Values at the points, all with the same variance to begin with."""
        spread = np.where(runs.count > 0, 0.05**2, np.inf)
        return Located(np.exp(runs.log_mean), spread)

    def relocate(self, law: FloatArray, runs: Runs) -> Located:
        """Values with the variance that is left around a law (P, K).

        What a parameter's values share makes every point say less: the variance is raised by as much.
        """
        squares, logarithms = self._whitened(law[:, None], runs)
        freedom = np.maximum(self._freedom(runs) - 1 - min(self.points.shape[1], COMBINED), 1)
        best = (-logarithms / 2 - freedom / 2 * np.log(squares)).argmax(axis=0)
        variance = np.take_along_axis(squares, best[None], axis=0)[0, 0] / freedom
        inflated = variance * (1 + self._ways.inflation[best[0]])
        return Located(np.exp(runs.log_mean), np.where(runs.count > 0, inflated + RESOLUTION**2, np.inf))

    def weigh(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """Logarithm of the likelihood of laws (P, S, K), and the deviation of a new run, (S, K)."""
        squares, logarithms = self._whitened(law, runs)
        freedom = self._freedom(runs)
        parts = gammaln(freedom / 2) - freedom / 2 * np.log(np.pi * squares) - logarithms / 2 - np.log(2)
        parts += np.log(self._ways.prior)[:, None, None]
        total = np.logaddexp.reduce(parts, axis=0)
        # Every draw takes one way of sharing, by their probabilities: together they spread as these do.
        reached = np.cumsum(np.exp(parts - total), axis=0)
        picked = np.minimum((reached < lattice(len(total), 1)[0][:, None]).sum(axis=0), len(parts) - 1)
        own = np.take_along_axis(squares, picked[None], axis=0)[0] / np.maximum(freedom - 2, 1)
        new = own * (1 + self._ways.of_new[picked])
        within = runs.log_spread.sum(axis=0) / np.maximum((runs.count - 1).clip(0).sum(axis=0), 1)
        return total - RANGE + self._of_repetitions(runs), np.sqrt(new + within)

    def _whitened(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """Squares of residuals and logarithm of the determinant for all ways of sharing, (ways, S, K)."""
        there = (runs.count > 0).astype(float)[:, None]
        residual = (runs.log_mean[:, None] - np.log(law)) * there
        alone = (residual**2).sum(axis=0)
        # Where points are missing the modes are not those of the rest: such kernels share nothing.
        if self.whole is not None:
            floor = there.sum(axis=0) * RESOLUTION**2
            alone = np.broadcast_to(alone + floor, (len(self._ways.prior), *alone.shape))
            return alone, np.zeros_like(alone)
        whole = (runs.count > 0).all(axis=0)
        shared = [np.where(whole, each, alone) for each in self._ways.squares(residual, alone)]
        floor = there.sum(axis=0) * RESOLUTION**2
        logarithms = np.where(whole, self._ways.logarithm[:, None, None], 0.0)
        return np.concatenate([alone[None], *shared]) + floor, logarithms

    @cached_property
    def _ways(self) -> "_Ways":
        """Deviations may be shared by the values of one parameter, or of each."""
        if self.whole is not None:
            return self.whole._ways
        count = len(self.points)
        each = [np.unique(x) for x in self.points.T]
        shared = [
            (x[:, None] == values).astype(float)
            for x, values in zip(self.points.T, each, strict=True)
            if 1 < len(values) < count and len(values) <= MOST_SHARED
        ]
        return _Ways.among([[one] for one in shared] + ([shared] if len(shared) > 1 else []))

    def _freedom(self, runs: Runs) -> FloatArray:
        return np.asarray((runs.count > 0).sum(axis=0).astype(float))

    def _of_repetitions(self, runs: Runs) -> FloatArray:
        """What repetitions around their points add to the likelihood, the same for all laws, (K,).

        In any shape: that points deviate is no reason to take skewed runs for log-normal ones.
        """
        shapes = np.stack([family.log_scatter(runs) for family in FAMILIES])
        shapes = np.where(np.isfinite(shapes), shapes, -np.inf)
        repeated = np.logaddexp.reduce(shapes, axis=0) - np.log(len(FAMILIES))
        alone = -(runs.count * runs.log_mean).sum(axis=0)
        return np.asarray(np.where((runs.count > 1).any(axis=0), repeated, alone))


@dataclass(frozen=True)
class _Ways:
    """How deviations of P points may be shared, W ways in all, the first: not at all.

    Each has a prior probability and, in units of the variance of the points' own deviations, `inflation`, by
    how much each point says less, and `of_new`, what the values of a new point add, (W,); `logarithm` (W,) is
    that of the covariance's determinant. `modes` are vectors (P, M) of what is shared, and the variances
    (A, M) along them; across them all variances are 1.
    """

    prior: FloatArray
    inflation: FloatArray
    of_new: FloatArray
    logarithm: FloatArray
    modes: tuple[tuple[FloatArray, FloatArray], ...]

    @classmethod
    def among(cls, shared: list[list[FloatArray]]) -> "_Ways":
        """Ways by what several tables (P, X) say of which values points have (0, 1), in all amounts."""
        nothing = np.zeros(1)
        inflation, of_new, logarithm, modes = [nothing], [nothing], [nothing], []
        for tables in shared:
            vectors, values = _modes(np.concatenate(tables, axis=1))
            variances = 1 + AMOUNTS[:, None] * values
            modes.append((vectors, variances))
            inflation.append(
                AMOUNTS * np.mean([(table.sum(axis=0) ** 2).sum() / len(table) for table in tables])
            )
            of_new.append(AMOUNTS * len(tables))
            logarithm.append(np.log(variances).sum(axis=1))
        kinds = 1 + len(shared)
        prior = np.concatenate([[1 / kinds], np.full(len(shared) * len(AMOUNTS), 1 / kinds / len(AMOUNTS))])
        return cls(
            prior, np.concatenate(inflation), np.concatenate(of_new), np.concatenate(logarithm), tuple(modes)
        )

    def squares(self, residual: FloatArray, alone: FloatArray) -> list[FloatArray]:
        """Sums of squares of residuals (P, S, K) by their covariance, (A, S, K) for each of the modes.

        `alone` (S, K) are those without covariance.
        """
        found = []
        for vectors, variances in self.modes:
            along = np.tensordot(vectors.T, residual, axes=1) ** 2
            across = np.maximum(alone - along.sum(axis=0), 0.0)
            found.append(across + np.tensordot(1 / variances, along, axes=1))
        return found


def _modes(table: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors (P, M) and eigenvalues (M,), above 0, of table · tableᵀ, by way of those of the smaller
    tableᵀ · table."""
    values, vectors = np.linalg.eigh(table.T @ table)
    some = values > 1e-9 * len(table)
    return table @ vectors[:, some] / np.sqrt(values[some]), values[some]
