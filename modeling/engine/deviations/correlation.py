"""The correlation of kernels' deviations from their laws, estimated from measured points.

A slow allocation of nodes or a cache makes many kernels slower at once. So the deviation of a kernel at a
point, in standard deviations, is modelled as z = √ρ·c + √(1 − ρ)·e. The standard normal variable c is common
to all kernels at the point. The standard normal variable e belongs to one kernel. The correlation ρ is
estimated from the residuals around the laws.

Let w_k be the largest value of kernel k, and t_p = Σ_k w_k·z_kp / √Σ w_k² at point p. The variance of t_p is
1 + (m − 1)·ρ. Here, m = (Σ w_k)² / Σ w_k² is the effective number of kernels, not the number of parameters.
Let B be the mean of t² over the points, divided by the mean of z², and let ν be the degrees of freedom. The
compound-symmetric normal distribution with an unknown scale then has the likelihood

    L(ρ) ∝ a^(−ν/2) · b^(−(m−1)·ν/2) · (B / a + (m − B) / b)^(−m·ν/2),   a = 1 + (m − 1)·ρ,   b = 1 − ρ.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from modeling.engine.measured.near_points import near_points
from modeling.engine.validation import FloatArray, IntArray

INDEPENDENT_PRIOR = 0.1
"""Prior probability of ρ = 0. Otherwise ρ has the density 6·ρ·(1 − ρ). With 0, intervals of totals of 50
independent kernels at 7 points are 2.6 instead of 1.1 times as wide as they should be.
"""

EXACT_RESIDUAL = 0.002
"""Smallest standard deviation by which residuals are divided. Smaller residuals come from rounding."""

FEWEST_POINTS = 4
"""Fewest points from which ρ is estimated. Most laws pass through fewer points exactly."""

_EDGES = np.concatenate([[0.0], np.geomspace(1e-4, 0.02, 30), np.linspace(0.03, 1.0, 60)])
_MASS = np.diff(3 * _EDGES**2 - 2 * _EDGES**3)
_GRID = np.concatenate([[0.0], (_EDGES[1:] + _EDGES[:-1]) / 2])
_LOG_PRIOR = np.log(np.concatenate([[INDEPENDENT_PRIOR], (1 - INDEPENDENT_PRIOR) * _MASS]))


@dataclass(frozen=True)
class SharedDeviation:
    """Statistics of the residuals from which ρ is estimated, in the letters of the module's docstring."""

    kernels: float  # m, the effective number of kernels
    together: float  # B, the variance of the kernels' weighted sum relative to independent kernels
    freedom: float  # ν, the degrees of freedom

    def to_json(self) -> list[float]:
        """Return the statistics as a list."""
        return list(astuple(self))

    @classmethod
    def from_json(cls, numbers: Sequence[float] | None) -> "SharedDeviation":
        """Return the stored statistics, or `NOTHING_SHARED` without any."""
        return cls(*numbers) if numbers else NOTHING_SHARED

    @property
    def probability(self) -> tuple[FloatArray, FloatArray]:
        """Values of ρ on a grid, and their posterior probabilities."""
        m, freedom, together = self.kernels, self.freedom, min(self.together, self.kernels)
        a, b = 1 + (m - 1) * _GRID, 1 - _GRID
        misfit = together / a + (m - together) / b
        log_likelihood = -freedom / 2 * (np.log(a) + (m - 1) * np.log(b) + m * np.log(misfit))
        log_posterior = _LOG_PRIOR + log_likelihood
        posterior = np.exp(log_posterior - log_posterior.max())
        return _GRID, np.asarray(posterior / posterior.sum())

    @property
    def correlation(self) -> float:
        """The posterior mean of ρ."""
        values, probability = self.probability
        return float(values @ probability)

    def draws(self, count: int) -> FloatArray:
        """Return `count` evenly spread quantiles of the posterior of ρ, ascending."""
        values, probability = self.probability
        marks = (np.arange(count) + 0.5) / count
        place = np.searchsorted(np.cumsum(probability), marks)
        return np.asarray(values[np.minimum(place, len(values) - 1)])


NOTHING_SHARED = SharedDeviation(kernels=1.0, together=1.0, freedom=0.0)
"""The statistics without residuals. The posterior is then the prior."""


def shared_deviation(
    points: FloatArray, medians: FloatArray, laws: FloatArray, terms: IntArray
) -> SharedDeviation:
    """Compute the statistics of K kernels, none of which may be a part of another one.

    Args:
        points: (P, m) P points of m parameters.
        medians: (K, P) measured values, NaN where missing.
        laws: (K, P) values of the laws, NaN where missing.
        terms: (K,) number of coefficients of each law.
    """
    rows = near_points(points, np.asarray(np.isfinite(medians).any(axis=0)))
    residual = _residuals(medians[:, rows], laws[:, rows])
    size = np.where(residual == 0, 0.0, medians[:, rows]).max(axis=1, initial=0.0)
    if len(rows) < FEWEST_POINTS or not size.any():
        return NOTHING_SHARED
    standard = residual / np.maximum(np.sqrt((residual**2).mean(axis=1, keepdims=True)), EXACT_RESIDUAL)
    share = size / size.sum()
    kernels = float(1 / (share**2).sum())
    scale = float((share @ standard**2).mean())
    if kernels <= 1 or scale == 0:
        return NOTHING_SHARED
    together = float(((share @ standard) ** 2).mean() * kernels / scale)
    return SharedDeviation(kernels, together, _freedom(points[rows], float(share @ terms)))


def _residuals(medians: FloatArray, laws: FloatArray) -> FloatArray:
    """Return log(`medians` / `laws`), or 0 where either is NaN or not positive."""
    known = (medians > 0) & (laws > 0)
    return np.asarray(np.log(np.where(known, medians, 1.0)) - np.log(np.where(known, laws, 1.0)))


def _freedom(points: FloatArray, terms: float) -> float:
    """Return the degrees of freedom of residuals. Points with equal parameter values deviate together."""
    values = sum(len(np.unique(x)) for x in points.T)
    return max(min(len(points), values) - terms, 1.0)
