"""Evidence of laws in closed form for values normal around them: fast, and accurate enough for the search."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import FloatArray

SHARE_FLOOR = 0.02
"""Floor under which shares in the values count as equal: the prior of a share is uniform in log(share +
this).

With a smaller floor, terms too small to detect would have more prior than the data can exclude, and would
decide all intervals far from the data. At half of it nothing changes, at twice of it errors at the fourth
value beyond the data grow by 7 % where the noise is 50 % (`tests.benchmarks.constants`).
"""

LOG_SHARE_RANGE: float = np.log1p(1 / SHARE_FLOOR)
"""Width of the range of log(share + floor) in which the prior is uniform."""

DEPENDENT = 1e-6
"""Share of a column's square that the other columns leave, below which it depends on them but for
rounding."""

_RESOLUTION = 1e-10


@dataclass(frozen=True)
class Fit:
    """Least squares of n coefficients. Lists are over the coefficients; arrays broadcast.

    `norms` are the squared norms of the columns, `squares` that of the values.
    """

    coefficients: list[FloatArray]
    deviations: list[FloatArray]
    diagonal: list[FloatArray]
    misfit: FloatArray
    norms: list[FloatArray]
    squares: FloatArray


def solve(gram: Sequence[Sequence[FloatArray]], moments: Sequence[FloatArray], squares: FloatArray) -> Fit:
    """Solve normal equations elementwise by Cholesky's factorisation.

    `gram[i][j]`, j ≤ i, is the inner product of columns i and j, `moments[i]` that of column i and the
    values, and `squares` that of the values with themselves. Their shapes must broadcast.
    """
    n = len(moments)
    lower, inverse = triangles(gram)
    projected = [_dot(inverse[i], moments, i + 1) for i in range(n)]
    misfit = squares
    for part in projected:
        misfit = misfit - part * part
    return Fit(
        coefficients=[_total([inverse[i][j] * projected[i] for i in range(j, n)]) for j in range(n)],
        deviations=[np.sqrt(_total([inverse[i][j] ** 2 for i in range(j, n)])) for j in range(n)],
        diagonal=[lower[i][i] for i in range(n)],
        misfit=misfit,
        norms=[gram[i][i] for i in range(n)],
        squares=squares,
    )


def triangles(gram: Sequence[Sequence[FloatArray]]) -> tuple[list[list[FloatArray]], list[list[FloatArray]]]:
    """Lower triangular L with L·Lᵀ = `gram`, elementwise, and its inverse."""
    lower: list[list[FloatArray]] = []
    for i in range(len(gram)):
        row: list[FloatArray] = []
        for j in range(i):
            row.append(_less(gram[i][j], row, lower[j], j) / lower[j][j])
        left = _less(gram[i][i], row, row, i)
        row.append(np.sqrt(np.maximum(left, _RESOLUTION * gram[i][i])))
        lower.append(row)
    return lower, _inverse(lower)


def log_evidence(fit: Fit, present: Sequence[FloatArray], *, independent: bool = False) -> FloatArray:
    """Logarithm of the evidence, without the law's prior, with coefficients ≥ 0 integrated out.

    The prior is uniform in the logarithm of the law's size and of every contribution's share in the values
    (docs/methods.md#evidence). `present` is 1 for coefficients that the law has and 0 for others. If columns
    must be `independent`, a law with linearly dependent columns is impossible, and no coefficient's integral
    exceeds its prior: with many parameters some always vary together, and a likelihood that depends on their
    sum alone has no bounded width.
    """
    size = np.maximum(_total([np.maximum(c, 0.0) for c in fit.coefficients]), 1e-12)
    count = _total(list(present))
    several = count > 1
    total = -0.5 * fit.misfit + count * (0.5 * np.log(2 * np.pi))
    total = total - np.where(several, count * np.log(LOG_SHARE_RANGE), 0.0)
    volume: FloatArray = np.asarray(1.0)
    parts = zip(fit.coefficients, fit.deviations, fit.diagonal, fit.norms, present, strict=True)
    for c, deviation, diagonal, norm, there in parts:
        total = total + there * _log_positive(c / deviation)
        # The density of the coefficient is that of its share over the size; then comes the likelihood's
        # width.
        contribution = np.minimum(np.maximum(c, deviation), size) + negligible(norm, fit.squares)
        width = np.where(several, contribution, size) * diagonal
        if independent:
            width = np.maximum(width, np.sqrt(2 * np.pi) / LOG_SHARE_RANGE)
            total = np.where((there > 0) & (diagonal**2 < DEPENDENT * norm), -np.inf, total)
        volume = volume * np.where(there > 0, width, 1.0)
    return np.asarray(total - np.log(volume))


def negligible(norms: FloatArray, squares: FloatArray) -> FloatArray:
    """Contributions below which all count as equal, from the norms of their columns and of the values.

    The share of a contribution is the root of the mean square, over the points, of its ratio to the value. So
    a term that makes most of the smallest value counts, even if it is a negligible part of the largest.
    """
    return np.asarray(SHARE_FLOOR * np.sqrt(squares / norms))


def _log_positive(z: FloatArray) -> FloatArray:
    """Logarithm of the probability that a normal variable with mean z and deviation 1 is positive, within
    0.05."""
    positive, negative = np.maximum(z, 0.0), np.minimum(z, 0.0)
    fading = 1 + positive * (0.75 + 0.5 * positive)
    return np.asarray(-np.log(2) / (fading * fading) + negative * (0.717 - 0.416 * negative))


def _inverse(lower: list[list[FloatArray]]) -> list[list[FloatArray]]:
    inverse: list[list[FloatArray]] = []
    for i, row in enumerate(lower):
        found = [-_total([row[k] * inverse[k][j] for k in range(j, i)]) / row[i] for j in range(i)]
        inverse.append([*found, 1 / row[i]])
    return inverse


def _less(
    value: FloatArray, one: Sequence[FloatArray], other: Sequence[FloatArray], count: int
) -> FloatArray:
    for k in range(count):
        value = value - one[k] * other[k]
    return value


def _dot(one: Sequence[FloatArray], other: Sequence[FloatArray], count: int) -> FloatArray:
    return _total([one[k] * other[k] for k in range(count)])


def _total(parts: Sequence[FloatArray]) -> FloatArray:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
