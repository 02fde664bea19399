"""Likelihoods of deviations at points whose standard errors differ.

With the same error at all points, the directions in which deviations are independent are the same for many
processes and kernels (module `modes`). Otherwise each kernel has its own covariance matrices. They are
decomposed for many kernels at a time, and inverted only where there are many residuals.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modeling.engine.validation import FloatArray

NUMBERS_AT_ONCE = 2_000_000
"""The largest number of elements of the matrices of a few kernels."""


@dataclass(frozen=True)
class Whitening:
    """Turns the deviations of K kernels at P points under N processes into independent ones of variance 1.

    Attributes:
        matrices: the inverses of the Cholesky factors of the covariances, (K, N, P, P).
        log_volume: the logarithms of the determinants of these inverses, (K, N).
    """

    matrices: FloatArray
    log_volume: FloatArray

    @classmethod
    def of(cls, covariances: FloatArray, own: FloatArray) -> "Whitening":
        """Return the whitening for covariances (N, P, P) of processes, plus the variances `own` (K, P) of
        independent errors at the points.
        """
        matrices = _inverses(_factors(covariances, own))
        return cls(matrices, _log_size(matrices))

    def log_density(self, residual: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the log density, (K, N, S), of S vectors of residuals of each kernel, (K, P, S)."""
        kernels, processes, points, _ = self.matrices.shape
        flat = self.matrices.astype(np.float32).reshape(kernels, processes * points, points)
        white = (flat @ residual).reshape(kernels, processes, points, -1)
        constant = self.log_volume - points / 2 * np.log(2 * np.pi)
        return np.asarray(constant[..., None] - np.einsum("knps,knps->kns", white, white) / 2, np.float32)


def density_without_size(covariances: FloatArray, own: FloatArray, residual: FloatArray) -> FloatArray:
    """Return the log density, (K, N), of residuals (K, P). A factor common to all points is integrated out.
    Powers of 2π are left out. Covariances are those of `Whitening.of`.
    """
    lower = _factors(covariances, own)
    sides = np.stack([residual, np.ones_like(residual)], axis=2)
    white, ones = np.moveaxis(_solved(lower, np.broadcast_to(sides[:, None], (*lower.shape[:3], 2))), 3, 0)
    norms = (ones**2).sum(axis=2)
    squares = (white**2).sum(axis=2) - (white * ones).sum(axis=2) ** 2 / norms
    return np.asarray(-_log_size(lower) - (squares + np.log(norms)) / 2)


def in_portions(kernels: int, covariances: FloatArray) -> Iterator[slice]:
    """Yield slices of kernels whose matrices for these covariances, (N, P, P), fit into memory together."""
    step = max(1, NUMBERS_AT_ONCE // covariances.size)
    for begin in range(0, kernels, step):
        yield slice(begin, min(begin + step, kernels))


def _factors(covariances: FloatArray, own: FloatArray) -> FloatArray:
    """Return the Cholesky factors, (K, N, P, P), of covariances (N, P, P) plus the variances `own` (K, P)."""
    points = np.arange(own.shape[1])
    whole = np.repeat(covariances[None], len(own), axis=0)
    whole[:, :, points, points] += own[:, None]
    return np.asarray(np.linalg.cholesky(whole))


def _log_size(triangular: FloatArray) -> FloatArray:
    """Return the logarithms of the determinants of triangular matrices, (..., P, P), as (...)."""
    return np.asarray(np.log(np.diagonal(triangular, axis1=-2, axis2=-1)).sum(axis=-1))


def _solved(lower: FloatArray, sides: FloatArray) -> FloatArray:
    """Return the solutions, (..., P, S), of lower triangular systems (..., P, P) for S right-hand sides."""
    found = np.zeros_like(sides)
    for row in range(lower.shape[-1]):
        known = (lower[..., row, None, :row] @ found[..., :row, :])[..., 0, :]
        found[..., row, :] = (sides[..., row, :] - known) / lower[..., row, row, None]
    return found


def _inverses(lower: FloatArray) -> FloatArray:
    """Return the inverses of lower triangular matrices, (..., P, P). `numpy.linalg.inv` does not use that
    they are triangular, and takes several times as long.
    """
    found = np.zeros_like(lower)
    for row in range(lower.shape[-1]):
        pivot = lower[..., row, row]
        above = (lower[..., row, None, :row] @ found[..., :row, :row])[..., 0, :]
        found[..., row, :row] = -above / pivot[..., None]
        found[..., row, row] = 1 / pivot
    return found
