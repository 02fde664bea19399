"""Laws on ranges of a parameter's values: their least squares and their evidence, for many series at once."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from modeling.engine.evidence.basis import PAIRS, Basis
from modeling.engine.evidence.gaussian import Fit, log_evidence, solve
from modeling.engine.validation import FloatArray, IntArray

SIZES = np.log(100.0)
"""Range of the logarithm in which the size of a law lies beforehand."""

BELOW_ZERO = 2.0
"""Standard deviations below 0 at which a coefficient is still taken for positive."""

_VARY = (PAIRS != 0).any(axis=1)
_HALVES = (PAIRS[:, 0] * 2) % 1 == 0

PAIRED: IntArray = np.flatnonzero(_VARY & _HALVES)
"""Classes of laws with two terms: halves are near enough to any exponent there."""

SHORT: IntArray = np.flatnonzero(_VARY & _HALVES & ((PAIRS[:, 1] == 0) | (PAIRS == (0, 1)).all(axis=1)))
"""Classes of segments' laws, which rest on few values: powers and the logarithm."""


@dataclass(frozen=True)
class RangeLaws:
    """L laws on each of N ranges: columns (N, L, X) of their coefficients, 0 outside of the range, whether
    each coefficient is there (L, 1), and the laws' logarithmic prior (L, 1)."""

    columns: list[FloatArray]
    present: list[FloatArray]
    log_prior: FloatArray

    @property
    def size(self) -> int:
        """Laws on all ranges."""
        return len(self.columns[0]) * len(self.log_prior)

    @property
    def counts(self) -> FloatArray:
        """Values in each range, (N, 1)."""
        return np.asarray(self.columns[0].sum(axis=2))

    def fit(self, y: FloatArray) -> Fit:
        """Least squares of the relative deviations from series (X, K), as (N, L, K)."""
        weights, weighted = 1 / y**2, 1 / y
        gram = [
            [(one * other) @ weights for other in self.columns[: number + 1]]
            for number, one in enumerate(self.columns)
        ]
        for number, there in enumerate(self.present):
            gram[number][number] = gram[number][number] + (1 - there)
        return solve(gram, [column @ weighted for column in self.columns], self.counts[:, :, None])

    def misfit(self, y: FloatArray, variance: FloatArray) -> FloatArray:
        """Least sum of squares of a law that nowhere falls below 0, (N, K); `variance` (K,) is known."""
        fit = self.fit(y)
        misfit = np.maximum(fit.misfit, 0.0)
        root = BELOW_ZERO * np.sqrt(np.maximum(misfit / self.counts[:, :, None], variance))
        for coefficient, deviation, there in zip(fit.coefficients, fit.deviations, self.present, strict=True):
            misfit = np.where((coefficient + root * deviation >= 0) | (there == 0), misfit, np.inf)
        return np.asarray(np.fmin.reduce(misfit, axis=1))

    def evidence(self, fit: Fit, scale: FloatArray) -> FloatArray:
        """Logarithm of the evidence of every law, (N, L, K), if the relative variance is `scale` (K,)."""
        root = np.sqrt(scale)
        deviations, diagonal = [d * root for d in fit.deviations], [d / root for d in fit.diagonal]
        scaled = replace(fit, deviations=deviations, diagonal=diagonal, misfit=fit.misfit / scale)
        each = log_evidence(scaled, self.present)
        normal = -self.counts[:, :, None] / 2 * np.log(2 * np.pi * scale)
        return np.where(np.isnan(each), -np.inf, each + normal + self.log_prior - np.log(SIZES))


def one_term(basis: Basis, classes: IntArray, inside: FloatArray) -> RangeLaws:
    """The constant, and the constant with each of the usable classes, on ranges (N, X) of 0/1."""
    chosen = np.array([0, *(number for number in classes if basis.usable[0, number])])
    there = (chosen > 0).astype(float)[:, None]
    columns = [inside[:, None], _with_mean_1(basis.tables[0][chosen], inside) * there]
    log_prior = basis.log_prior[0][chosen, None]
    return RangeLaws(columns, [np.ones(1), there], log_prior - np.logaddexp.reduce(log_prior))


def two_terms(basis: Basis) -> RangeLaws:
    """The constant and two classes, for all values."""
    everywhere = np.ones((1, len(basis.points)))
    usable = [number for number in PAIRED if basis.usable[0, number]]
    pairs = np.array(list(combinations(usable, 2)), dtype=np.int64).reshape(-1, 2)
    columns = [_with_mean_1(basis.tables[0][classes], everywhere) for classes in pairs.T]
    log_prior = np.full((len(pairs), 1), -np.log(max(len(pairs), 1)))
    return RangeLaws([everywhere[:, None], *columns], [np.ones(1)] * 3, log_prior)


def _with_mean_1(table: FloatArray, inside: FloatArray) -> FloatArray:
    """Classes (L, X) on ranges (N, X), divided by their means, so that coefficients are contributions."""
    means = inside @ table.T / inside.sum(axis=1, keepdims=True)
    return np.asarray(inside[:, None] * table / means[:, :, None])
