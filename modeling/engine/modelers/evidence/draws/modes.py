"""Modes of Gaussian processes: directions along which deviations at points are independent."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.deviations.processes import Kind
from modeling.engine.validation import FloatArray

MOVED_SHARE = 1e-12
"""Eigenvalues of a covariance matrix below this share of the largest one count as rounding errors."""

NUMBERS_AT_ONCE = 200_000
"""The largest number of elements of one temporary array. Such arrays fit into the processor's cache."""


@dataclass(frozen=True)
class Modes:
    """Positive eigenvalues and their eigenvectors of the covariance of P points under a process of size 1.

    Attributes:
        vectors: the vectors, (P, V).
        values: the eigenvalues, (V,).
    """

    vectors: FloatArray
    values: FloatArray

    @classmethod
    def of(cls, kind: Kind | None, at: FloatArray) -> "Modes":
        """Return the modes of a kind of process, if any, at points with the logarithms `at`."""
        if kind is None:
            return cls(np.empty((len(at), 0)), np.empty(0))
        vectors, values = kind.directions(at)
        moved = values > MOVED_SHARE * values.max()
        return cls(vectors[:, moved], values[moved])

    @property
    def counts(self) -> FloatArray:
        """Return the number of directions with each eigenvalue, and last the number with the eigenvalue 0."""
        points, moved = self.vectors.shape
        return np.append(np.ones(moved), points - moved)


def without_size(modes: Modes, residual: FloatArray, size: FloatArray, own: FloatArray) -> FloatArray:
    """Return the log density, (n, k), of residuals (P, k) under n processes. A factor common to all points is
    integrated out. `size` (n,) has the variances of the processes, and `own` (n, k) those of independent
    errors at all points. Powers of 2π are left out.
    """
    step = max(1, NUMBERS_AT_ONCE // (len(size) * len(modes.counts)))
    parts = [slice(first, first + step) for first in range(0, residual.shape[1], step)]
    found = [_without_size(modes, residual[:, part], size, own[:, part]) for part in parts]
    return np.concatenate(found, axis=1)


def _without_size(modes: Modes, residual: FloatArray, size: FloatArray, own: FloatArray) -> FloatArray:
    """Compute `without_size` for some of the kernels."""
    ones, along = modes.vectors.sum(axis=0)[:, None], modes.vectors.T @ residual
    variance = size[:, None, None] * np.append(modes.values, 0.0)[:, None] + own[:, None]
    precision = 1 / variance

    def over(one: FloatArray, other: FloatArray, whole: FloatArray) -> FloatArray:
        """Return inner products of vectors, weighted by the precision along each direction."""
        each = one * other
        each = np.concatenate([each, (whole - each.sum(axis=0))[None]])
        return np.asarray((each * precision).sum(axis=1))

    norms = over(ones, ones, np.array([float(len(residual))]))
    crossed = over(ones, along, residual.sum(axis=0))
    squares = over(along, along, (residual**2).sum(axis=0)) - crossed**2 / norms
    spread = np.einsum("c,nck->nk", modes.counts, np.log(variance))
    return np.asarray(-0.5 * (squares + spread + np.log(norms)))
