"""Evidence of laws in closed form, values being normal around them: quick, and near enough to search by."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import FloatArray

NEGLIGIBLE_CONSTANT = 1e-4
NEGLIGIBLE_TERM = 0.003
"""Shares of a law below these are all one: the prior of a share is uniform in log(share + this).

A constant that is little of the mean may be most of the smallest value. Of terms as small there would be more
that nobody sees than the data can exclude, and all intervals far out would be told by these.
"""

_RESOLUTION = 1e-10


@dataclass(frozen=True)
class Fit:
    """Least squares of n coefficients: lists are over the coefficients, arrays broadcast."""

    coefficients: list[FloatArray]
    deviations: list[FloatArray]
    diagonal: list[FloatArray]
    misfit: FloatArray


def solve(gram: Sequence[Sequence[FloatArray]], moments: Sequence[FloatArray], squares: FloatArray) -> Fit:
    """Solve normal equations elementwise by Cholesky's factorisation.

    `gram[i][j]` for j ≤ i, `moments[i]` and `squares` are the inner products of columns i and j, of column i
    with the values, and of the values; any shapes that broadcast.
    """
    n = len(moments)
    lower: list[list[FloatArray]] = []
    for i in range(n):
        row: list[FloatArray] = []
        for j in range(i):
            row.append(_less(gram[i][j], row, lower[j], j) / lower[j][j])
        left = _less(gram[i][i], row, row, i)
        row.append(np.sqrt(np.maximum(left, _RESOLUTION * gram[i][i])))
        lower.append(row)
    inverse = _inverse(lower)
    projected = [_dot(inverse[i], moments, i + 1) for i in range(n)]
    misfit = squares
    for part in projected:
        misfit = misfit - part * part
    return Fit(
        coefficients=[_total([inverse[i][j] * projected[i] for i in range(j, n)]) for j in range(n)],
        deviations=[np.sqrt(_total([inverse[i][j] ** 2 for i in range(j, n)])) for j in range(n)],
        diagonal=[lower[i][i] for i in range(n)],
        misfit=misfit,
    )


def log_evidence(fit: Fit, present: Sequence[FloatArray]) -> FloatArray:
    """Logarithm of the evidence but for the law's own prior, coefficients ≥ 0 integrated out.

    The prior is uniform in the logarithm of the law's size and of every contribution's share in it.
    `present` tells per coefficient whether it is there at all (1 or 0).
    """
    size = np.maximum(_total([np.maximum(c, 0.0) for c in fit.coefficients]), 1e-12)
    count = _total(list(present))
    several = count > 1
    normaliser = _total([-there * np.log(np.log1p(1 / one)) for there, one in _each(present)])
    total = -0.5 * fit.misfit + count * (0.5 * np.log(2 * np.pi)) + np.where(several, normaliser, 0)
    volume: FloatArray = np.asarray(1.0)
    parts = zip(fit.coefficients, fit.deviations, fit.diagonal, _each(present), strict=True)
    for c, deviation, diagonal, (there, negligible) in parts:
        total = total + there * _log_positive(c / deviation)
        # Density of the coefficient: its share's over the size; then the width of the likelihood.
        contribution = np.minimum(np.maximum(c, deviation), size) + negligible * size
        volume = volume * np.where(there > 0, np.where(several, contribution, size) * diagonal, 1.0)
    return np.asarray(total - np.log(volume))


def log_share_priors(shares: FloatArray) -> FloatArray:
    """Logarithm of the prior density of the shares (n, ...) of all contributions there are, together, (...).

    What is not there has share 0.
    """
    product: FloatArray = np.asarray(1.0)
    for share, negligible in _each(shares):
        product = product * np.where(share > 0, np.log1p(1 / negligible) * (share + negligible), 1.0)
    return np.asarray(-np.log(product))


def _each(contributions: Sequence[FloatArray] | FloatArray) -> Iterator[tuple[FloatArray, float]]:
    """Contributions, the constant's first, each with the share below which such are all one."""
    for number, contribution in enumerate(contributions):
        yield contribution, NEGLIGIBLE_TERM if number else NEGLIGIBLE_CONSTANT


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
