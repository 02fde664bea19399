"""Points that no smooth law meets: what all runs at a point, or at a value of a parameter, have in common.

Measured kernels deviate from any law by more than their repetitions differ, and points with the same process
count do so together (a step between 64 and 128 processes lifts them all). Logarithms of the points' values
then lie around the law's with a deviation of their own and one for each value of each parameter, so that 20
points with 4 process counts say as much about the process count as 4 points.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from modeling.engine.evidence.draws import lattice
from modeling.engine.evidence.laws import Located
from modeling.engine.evidence.runs import RESOLUTION, Runs
from modeling.engine.validation import FloatArray

SHARED = np.array([0.0, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0])
"""Variances of what points with a value in common share, in units of the points' own."""


RANGE = np.log(10.0)
"""Size of the logarithm's range in which the deviation may lie beforehand."""


@dataclass(frozen=True)
class Deviating:
    """Runs log-normal around points that deviate from the law, alone and together."""

    points: FloatArray
    name: str = "deviating"

    def locate(self, runs: Runs) -> Located:
        """Values at the points, all with the same variance to begin with."""
        spread = np.where(runs.count > 0, 0.05**2, np.inf)
        return Located(np.exp(runs.log_mean), spread)

    def relocate(self, law: FloatArray, runs: Runs) -> Located:
        """Values with the variance that is left around a law (P, K).

        What a parameter's values share makes every point say less: the variance is raised by as much.
        """
        squares, logarithms = self._whitened(law[:, None], runs)
        freedom = np.maximum(self._freedom(runs) - 1 - self.points.shape[1], 1)
        of_shared = -logarithms / 2 - freedom / 2 * np.log(squares)
        best = of_shared.argmax(axis=0)
        variance = np.take_along_axis(squares, best[None], axis=0)[0, 0] / freedom
        inflated = variance * (1 + SHARED[best[0]] * self._overlap())
        return Located(np.exp(runs.log_mean), np.where(runs.count > 0, inflated + RESOLUTION**2, np.inf))

    def weigh(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """Logarithm of the likelihood of laws (P, S, K), and the deviation of a new run, (S, K)."""
        squares, logarithms = self._whitened(law, runs)
        freedom = self._freedom(runs)
        parts = gammaln(freedom / 2) - freedom / 2 * np.log(np.pi * squares) - logarithms / 2 - np.log(2)
        total = np.logaddexp.reduce(parts, axis=0)
        # Every draw takes one amount of sharing, by their probabilities: together they spread as these do.
        reached = np.cumsum(np.exp(parts - total), axis=0)
        picked = np.minimum((reached < lattice(len(total), 1)[0][:, None]).sum(axis=0), len(SHARED) - 1)
        own = np.take_along_axis(squares, picked[None], axis=0)[0] / np.maximum(freedom - 2, 1)
        new = own * (1 + SHARED[picked] * self._new_values())
        within = runs.log_spread.sum(axis=0) / np.maximum((runs.count - 1).clip(0).sum(axis=0), 1)
        return total - np.log(len(SHARED)) - RANGE + self._of_repetitions(runs), np.sqrt(new + within)

    def _whitened(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """Squares of residuals and logarithm of the determinant for all of `SHARED`, (shared, S, K)."""
        there = (runs.count > 0).astype(float)[:, None]
        residual = (runs.log_mean[:, None] - np.log(law)) * there
        values, vectors = self._modes
        modes = np.tensordot(vectors.T, residual, axes=1)
        squares = np.stack([(modes**2 / (1 + s * values[:, None, None])).sum(axis=0) for s in SHARED])
        floor = there.sum(axis=0) * RESOLUTION**2
        logarithms = np.array([np.log1p(s * values).sum() for s in SHARED])
        whole = (runs.count > 0).all(axis=0)
        # Where points are missing the modes are not those of the rest: such kernels share nothing.
        squares = np.where(whole, squares, (residual**2).sum(axis=0)) + floor
        return squares, np.where(whole, logarithms[:, None, None], 0.0)

    @cached_property
    def _modes(self) -> tuple[FloatArray, FloatArray]:
        """Eigenvalues (P,) and vectors (P, P) of which points share a value."""
        together = np.zeros((len(self.points), len(self.points)))
        for x in self.points.T:
            if 1 < len(np.unique(x)) < len(x):
                together += x[:, None] == x
        values, vectors = np.linalg.eigh(together)
        return np.maximum(values, 0.0), vectors

    def _overlap(self) -> float:
        """With how many points one shares a value, on average over the parameters."""
        counts = [len(x) / len(np.unique(x)) for x in self.points.T if len(np.unique(x)) > 1]
        return float(np.mean(counts)) if counts and max(counts) > 1 else 0.0

    def _new_values(self) -> float:
        """How many parameters give a new point a value that it shares."""
        return float(sum(1 < len(np.unique(x)) < len(x) for x in self.points.T))

    def _freedom(self, runs: Runs) -> FloatArray:
        return np.asarray((runs.count > 0).sum(axis=0).astype(float))

    def _of_repetitions(self, runs: Runs) -> FloatArray:
        """What repetitions around their points add to the likelihood, the same for all laws, (K,)."""
        freedom = np.maximum(runs.count - 1, 0).sum(axis=0)
        spread = runs.log_spread.sum(axis=0) + np.maximum(runs.total, 1) * RESOLUTION**2
        known = gammaln(np.maximum(freedom, 1) / 2) - freedom / 2 * np.log(np.pi * spread) - np.log(2)
        own = 0.5 * np.log(np.maximum(runs.count, 1)).sum(axis=0)
        return np.asarray(np.where(freedom > 0, known, 0.0) - own - (runs.count * runs.log_mean).sum(axis=0))
