"""Linear systems with the covariance of a kernel's log ratios: a diagonal plus the directions of its law.

They are solved for all kernels at once by Woodbury's identity. Matrices are lists of their upper triangles.
"""

from collections.abc import Iterator

import numpy as np

from modeling.engine.changes.locations import NUMBERS_AT_ONCE
from modeling.engine.modelers.evidence.hypotheses.gaussian import triangles
from modeling.engine.validation import FloatArray, IntArray

ELEMENTWISE_RANK = 18
"""Largest number of directions with which all matrices are inverted together, to save time."""

Solved = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""Results of `solve` for log ratios d of K kernels at C points with the covariance Σ: Σ⁻¹ d, Σ⁻¹ 1 and the
diagonal of Σ⁻¹, (C, K) each; and log det Σ minus log det of Σ's diagonal summand, (K,).
"""


def solve(d: FloatArray, precision: FloatArray, columns: FloatArray) -> Solved:
    """Solve linear systems with Σ = diag(1 / precision) + columns · columnsᵀ; see `Solved`."""
    a, b, q = precision * d, precision, precision
    rank = columns.shape[1]
    if not rank:
        return a, b, q, np.zeros(d.shape[1])
    number = _numbers_of_pairs(rank)
    inner = _weighted_products(precision, columns)
    inner[np.diag(number)] += 1.0
    inverse, log_determinant = _inverted(inner, number)
    matrices = inverse[number]
    a, b = (
        np.asarray(each - precision * (columns @ np.einsum("ijk,jk->ik", matrices, columns.T @ each)))
        for each in (a, b)
    )
    q = np.maximum(q - np.square(precision) * _quadratic(columns, inverse), 0.0)
    return a, b, q, log_determinant


def _numbers_of_pairs(rank: int) -> IntArray:
    """Return the position of each element of a symmetric matrix in the list of its upper triangle."""
    row, column = np.triu_indices(rank)
    number = np.empty((rank, rank), dtype=np.int64)
    number[row, column] = number[column, row] = np.arange(len(row))
    return number


def _inverted(matrices: FloatArray, number: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the inverses of positive definite matrices, and the logarithms of their determinants."""
    rank = len(number)
    if rank > ELEMENTWISE_RANK:
        whole = matrices[number].transpose(2, 0, 1)
        solved = np.asarray(np.linalg.inv(whole), dtype=float).transpose(1, 2, 0)
        return solved[np.triu_indices(rank)], np.linalg.slogdet(whole)[1]
    lower, inverse = triangles([[matrices[number[i, j]] for j in range(i + 1)] for i in range(rank)])
    # The inverse of L · Lᵀ is L⁻ᵀ · L⁻¹.
    found = np.empty_like(matrices)
    for i, j in zip(*np.triu_indices(rank), strict=True):
        found[number[i, j]] = sum(inverse[k][i] * inverse[k][j] for k in range(j, rank))
    return found, 2 * np.log([lower[i][i] for i in range(rank)]).sum(axis=0)


def _quadratic(columns: FloatArray, inverse: FloatArray) -> FloatArray:
    """Return xᵀ M⁻¹ x for each row x of `columns`, given the upper triangles of the inverses M⁻¹."""
    row, column = np.triu_indices(columns.shape[1])
    flat = inverse * np.where(row == column, 1.0, 2.0)[:, None]
    return np.concatenate([some @ flat for _, some in _products(columns)])


def _weighted_products(weights: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the sums over points of weights times the products of any two columns."""
    return np.asarray(sum(some.T @ weights[places] for places, some in _products(columns)))


def _products(columns: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield slices of points with the products of any two columns, to limit memory."""
    row, column = np.triu_indices(columns.shape[1])
    step = max(1, NUMBERS_AT_ONCE // max(len(row), 1))
    for start in range(0, len(columns), step):
        some = columns[start : start + step]
        yield slice(start, start + step), some[:, row] * some[:, column]
