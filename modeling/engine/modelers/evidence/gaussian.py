"""Evidence of laws in closed form, values being normal around them: quick, and near enough to search by."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import FloatArray

SHARE_FLOOR = 0.02
"""Shares in the values below this are all one: the prior of a share is uniform in log(share + this).

With smaller ones there would be more terms that nobody sees than the data can exclude, and all intervals far
out would be told by these.
"""

LOG_SHARE_RANGE: float = np.log1p(1 / SHARE_FLOOR)
"""Size of the logarithm's range in which a share lies beforehand."""

DEPENDENT = 1e-6
"""Share of its square that the others leave of a column which they make up but for rounding and noise."""

_RESOLUTION = 1e-10


@dataclass(frozen=True)
class Fit:
    """Least squares of n coefficients: lists are over the coefficients, arrays broadcast.

    `norms` are the columns' inner products with themselves, `squares` that of the values.
    """

    coefficients: list[FloatArray]
    deviations: list[FloatArray]
    diagonal: list[FloatArray]
    misfit: FloatArray
    norms: list[FloatArray]
    squares: FloatArray


def solve(gram: Sequence[Sequence[FloatArray]], moments: Sequence[FloatArray], squares: FloatArray) -> Fit:
    """Solve normal equations elementwise by Cholesky's factorisation.

    `gram[i][j]` for j ≤ i, `moments[i]` and `squares` are the inner products of columns i and j, of column i
    with the values, and of the values; any shapes that broadcast.
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
    """Logarithm of the evidence but for the law's own prior, coefficients ≥ 0 integrated out.

    The prior is uniform in the logarithm of the law's size and of every contribution's share in the values.
    `present` tells per coefficient whether it is there at all (1 or 0). Laws whose columns must be
    `independent` are impossible where one is made of the others, and no coefficient's integral exceeds its
    prior: with many parameters some always vary together, and the width of a likelihood that tells only their
    sum has no bound.
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
        # Density of the coefficient: its share's over the size; then the width of the likelihood.
        contribution = np.minimum(np.maximum(c, deviation), size) + negligible(norm, fit.squares)
        width = np.where(several, contribution, size) * diagonal
        if independent:
            width = np.maximum(width, np.sqrt(2 * np.pi) / LOG_SHARE_RANGE)
            total = np.where((there > 0) & (diagonal**2 < DEPENDENT * norm), -np.inf, total)
        volume = volume * np.where(there > 0, width, 1.0)
    return np.asarray(total - np.log(volume))


def negligible(norms: FloatArray, squares: FloatArray) -> FloatArray:
    """Contributions below which all are one, by the norms of their columns and of the values.

    A contribution's share is that in the values, as the root of the mean square over the points: what is most
    of the smallest value is seen, though it be nothing of the largest.
    """
    return np.asarray(SHARE_FLOOR * np.sqrt(squares / norms))


def _log_positive(z: FloatArray) -> FloatArray:
    """Logarithm of the probability that a normal variable z deviations above 0 is positive, within 0.05."""
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
