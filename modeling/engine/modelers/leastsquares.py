"""Least squares for many kernels at once, where each kernel has its own columns. Kernels are the last axis of
all arrays.
"""

from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray

DEPENDENT = 1e-9
"""A column is dependent if its part independent of earlier columns is shorter than this share of its
length.
"""

RESOLUTION = np.finfo(np.float64).eps / 2
"""LAPACK's limit for singular values. A column may be dropped if its independent part is shorter than this
share of the longest column.
"""

TINY = 1e-300
"""This number in denominators makes 0 / 0 become 0 if a value and its prediction are both 0."""


@dataclass(frozen=True)
class LeastSquares:
    """Solutions of K problems with n columns and P rows each.

    Attributes:
        coefficients: the solution, (n, K); 0 for columns that depend on earlier ones.
        inverse: R⁻¹ of the factorisation X = Q·R, (n, n, K). R⁻¹·R⁻ᵀ is the covariance of the coefficients if
            residuals have the variance 1.
        residuals: the residuals, (P, K).
        leverages: the leverages of the rows, (P, K).
        rank: the number of independent columns, (K,).
    """

    coefficients: FloatArray
    inverse: FloatArray
    residuals: FloatArray
    leverages: FloatArray
    rank: np.ndarray


def solve(columns: FloatArray, y: FloatArray) -> LeastSquares:
    """Solve y ≈ Σ coefficient · column by modified Gram–Schmidt, as accurate as Householder's factorisation
    (Björck 1967). K problems have n `columns` (n, P, K) and P values `y` (P, K). Both are 0 in rows of
    missing points.
    """
    C, _, K = columns.shape
    q = columns.copy()
    upper = np.zeros((C, C, K))
    projected = np.zeros((C, K))
    residuals = y.copy()
    for c in range(C):
        length = np.sqrt(np.einsum("pk,pk->k", columns[c], columns[c]))
        left = np.sqrt(np.einsum("pk,pk->k", q[c], q[c]))
        upper[c, c] = np.where(left > DEPENDENT * length, left, 0.0)
        q[c] *= reciprocal(upper[c, c])
        for later in range(c + 1, C):
            upper[c, later] = np.einsum("pk,pk->k", q[c], q[later])
            q[later] -= q[c] * upper[c, later]
        projected[c] = np.einsum("pk,pk->k", q[c], residuals)
        residuals -= q[c] * projected[c]
    inverse = invert_triangular(upper)
    return LeastSquares(
        coefficients=np.einsum("ack,ck->ak", inverse, projected),
        inverse=inverse,
        residuals=residuals,
        leverages=np.einsum("cpk,cpk->pk", q, q),
        rank=np.count_nonzero(np.einsum("cck->ck", upper), axis=0),
    )


def solve_resolved(columns: FloatArray, size: FloatArray, y: FloatArray) -> LeastSquares:
    """Solve as `solve` does, but drop columns that are negligible compared with the longest one, if `y` is
    then described better.

    `size` (n, K) has the numbers by which the n columns of K problems were divided. The noise of large values
    may give a small term a coefficient far above the smallest values. Extra-P always drops columns below
    LAPACK's limit. Here the solution with the smaller SMAPE is used.
    """
    complete = solve(columns, y)
    longest = (size * np.sqrt(np.einsum("cpk,cpk->ck", columns, columns))).max(axis=0)
    own = size * reciprocal(np.sqrt(np.einsum("ack,ack->ak", complete.inverse, complete.inverse)))
    lost = (own > 0) & (own < RESOLUTION * longest)
    kernels = np.flatnonzero(lost.any(axis=0))
    if len(kernels):
        values = y[:, kernels]
        without = solve(np.where(lost[:, None, kernels], 0.0, columns[:, :, kernels]), values)
        better = smape(without.residuals, values) < smape(complete.residuals[:, kernels], values)
        for field in fields(LeastSquares):
            getattr(complete, field.name)[..., kernels[better]] = getattr(without, field.name)[..., better]
    return complete


def solve_above_zero(columns: FloatArray, size: FloatArray, y: FloatArray, falls: BoolArray) -> LeastSquares:
    """Solve as `solve_resolved` does, but keep the laws of K kernels marked by `falls` (K,) from becoming
    negative far from the data. If the constant (the first column) of such a law is negative, the law is
    fitted without it.
    """
    solution = solve_resolved(columns, size, y)
    sinks = np.flatnonzero(falls & (solution.coefficients[0] < 0))
    if len(sinks):
        without = columns[:, :, sinks]
        without[0] = 0
        again = solve_resolved(without, size[:, sinks], y[:, sinks])
        for field in fields(LeastSquares):
            getattr(solution, field.name)[..., sinks] = getattr(again, field.name)
    return solution


def smape(error: FloatArray, y: FloatArray) -> FloatArray:
    """Sum 2·|error| / (|value| + |prediction|) over P points for K kernels, (K,), from errors and values (P,
    K).
    """
    total: FloatArray = (2 * np.abs(error) / (np.abs(y) + np.abs(y - error) + TINY)).sum(axis=0)
    return total


def invert_triangular(upper: FloatArray) -> FloatArray:
    """Invert K upper triangular matrices of n rows, (n, n, K). Rows and columns with a 0 on the diagonal stay
    0.
    """
    C = len(upper)
    inverse = np.zeros_like(upper)
    for column in range(C):
        inverse[column, column] = reciprocal(upper[column, column])
        for row in range(column - 1, -1, -1):
            known = np.einsum(
                "ck,ck->k", upper[row, row + 1 : column + 1], inverse[row + 1 : column + 1, column]
            )
            inverse[row, column] = -known * reciprocal(upper[row, row])
    return inverse


def reciprocal(array: FloatArray) -> FloatArray:
    """Return 1 / array, and 0 where the array is 0."""
    return np.divide(1.0, array, out=np.zeros_like(array), where=array != 0)
