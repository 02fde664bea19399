"""The evidence of laws in closed form, for normal noise. In this module, columns are the values of the
constant 1 and of a law's terms. Columns and measured values are multiplied by the root of the values'
precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray

SHARE_FLOOR = 0.02
"""Floor in the prior of a term's share in the values: the prior is uniform in log(share + floor).

With a much smaller floor, terms too small to detect would determine all intervals far from the data. Half
this value gives the same results. Twice this value gives 7 % larger errors at the fourth value beyond the
data, at 50 % noise (`tests.benchmarks.constants`).
"""

LOG_SHARE_RANGE: float = np.log1p(1 / SHARE_FLOOR)
"""Width of the range of log(share + floor) in which the prior is uniform."""

DEPENDENT = 1e-6
"""A column is linearly dependent if preceding columns explain all but this share of its squared norm."""

_RESOLUTION = 1e-10


@dataclass(frozen=True)
class Fit:
    """The least-squares solution for n coefficients, with one array in each list for each coefficient.

    Attributes:
        coefficients: the solution.
        deviations: the standard deviations of the coefficients.
        diagonal: the diagonal of the Cholesky factor of the normal equations.
        misfit: the sum of squared residuals.
        norms: the squared norms of the columns.
        squares: the squared norm of the values.
    """

    coefficients: list[FloatArray]
    deviations: list[FloatArray]
    diagonal: list[FloatArray]
    misfit: FloatArray
    norms: list[FloatArray]
    squares: FloatArray

    def part(self, some: slice) -> "Fit":
        """Return some of the solutions, given by their indices along the first axis."""

        def of(values: FloatArray) -> FloatArray:
            return values[some] if len(values) > 1 else values

        lists = (self.coefficients, self.deviations, self.diagonal)
        coefficients, deviations, diagonal = ([of(each) for each in one] for one in lists)
        norms = [of(each) for each in self.norms]
        return Fit(coefficients, deviations, diagonal, of(self.misfit), norms, of(self.squares))


def solve(gram: Sequence[Sequence[FloatArray]], moments: Sequence[FloatArray], squares: FloatArray) -> Fit:
    """Solve normal equations elementwise by Cholesky's factorisation. All arrays broadcast.

    Args:
        gram: the inner products of columns i and j, `gram[i][j]`, for j ≤ i.
        moments: the inner products of the columns and the values.
        squares: the squared norms of the values.
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
    """Return the lower triangular L with L·Lᵀ = `gram`, elementwise, and the inverse of L."""
    lower = cholesky(gram)
    return lower, _inverse(lower)


def cholesky(gram: Sequence[Sequence[FloatArray]]) -> list[list[FloatArray]]:
    """Return the lower triangular L with L·Lᵀ = `gram`, elementwise."""
    lower: list[list[FloatArray]] = []
    for i in range(len(gram)):
        row: list[FloatArray] = []
        for j in range(i):
            row.append(_less(gram[i][j], row, lower[j], j) / lower[j][j])
        left = _less(gram[i][i], row, row, i)
        row.append(np.sqrt(np.maximum(left, _RESOLUTION * gram[i][i])))
        lower.append(row)
    return lower


def log_evidence(fit: Fit, present: Sequence[FloatArray], *, independent: bool = False) -> FloatArray:
    """Return the log evidence of a law: the log likelihood with the coefficients ≥ 0 integrated out.

    The coefficients' prior is uniform in the logarithms of the law's size and of each term's share in the
    values (docs/methods.md#evidence). The prior of the law itself is not included.

    Args:
        fit: the least-squares solution.
        present: for each coefficient, 1 if the law has it and 0 otherwise.
        independent: whether the integral over each coefficient is limited to 1, and laws with linearly
            dependent columns get the evidence 0. Many parameters need this, because some always vary
            together.
    """
    size = np.maximum(_total([np.maximum(c, 0.0) for c in fit.coefficients]), 1e-12)
    count = _total(list(present))
    several = _everywhere(count > 1)
    constant = count * (0.5 * np.log(2 * np.pi)) - np.where(several, count * np.log(LOG_SHARE_RANGE), 0.0)
    total = -0.5 * fit.misfit + constant
    volume: FloatArray = np.asarray(1.0)
    parts = zip(fit.coefficients, fit.deviations, fit.diagonal, fit.norms, present, strict=True)
    for c, deviation, diagonal, norm, given in parts:
        there = _everywhere(given > 0)
        total += _where(there, _log_positive(c / deviation), 0.0)
        # The integral over a coefficient is its prior density times the width of the likelihood. This width
        # is √(2π) / `diagonal`. The density is 1 / `size` with a single coefficient, otherwise 1 /
        # (`contribution` · `LOG_SHARE_RANGE`). The constants √(2π) and `LOG_SHARE_RANGE` are in `total`.
        contribution = np.minimum(np.maximum(c, deviation), size)
        contribution += negligible(norm, fit.squares)
        width = _where(several, contribution, size)
        width *= diagonal
        if independent:
            width = np.maximum(width, np.sqrt(2 * np.pi) / LOG_SHARE_RANGE)
            total = np.where(there & (diagonal**2 < DEPENDENT * norm), -np.inf, total)
        volume = volume * _where(there, width, 1.0)
    total -= np.log(volume)
    return np.asarray(total)


def _everywhere(condition: BoolArray) -> BoolArray | bool:
    """Return True if the condition holds everywhere, otherwise the condition itself."""
    return True if condition.all() else condition


def _where(condition: BoolArray | bool, one: FloatArray, other: FloatArray | float) -> FloatArray:
    """Return `np.where`, without copying `one` if the condition is True."""
    return one if condition is True else np.where(condition, one, other)


def negligible(norms: FloatArray, squares: FloatArray) -> FloatArray:
    """Return the coefficient with which each column has the share `SHARE_FLOOR` in the values. `norms` and
    `squares` are the squared norms of the columns and of the values. A share is a root mean square ratio to
    the values.
    """
    return np.asarray(SHARE_FLOOR * np.sqrt(squares / norms))


def _log_positive(z: FloatArray) -> FloatArray:
    """Approximate the log probability that a normal variable with mean z and deviation 1 is positive. The
    absolute error is at most 0.07 for positive z. The relative error is at most 17 % for negative z (11 % for
    z > −20).
    """
    # In place, because most time is spent on moving numbers between memory and the processor.
    positive = np.maximum(z, 0.0)
    fading = 0.5 * positive
    fading += 0.75
    fading *= positive
    fading += 1.0
    fading *= fading
    found = -np.log(2) / fading
    negative = np.minimum(z, 0.0)
    falling = -0.416 * negative
    falling += 0.717
    falling *= negative
    found += falling
    return np.asarray(found)


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
