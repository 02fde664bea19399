"""Fit laws with given classes to many kernels at once, by least squares of residuals divided by the
values.
"""

from collections.abc import Sequence

import numpy as np

from modeling.engine.measured.observations import Observations
from modeling.engine.modelers.adaptive.examples import CLASSES
from modeling.engine.modelers.leastsquares import LeastSquares, reciprocal, smape, solve
from modeling.engine.modelers.single import LEAST_FREE_LEVERAGE
from modeling.engine.modelers.structures import Structure
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LAWS_AT_ONCE = 1024
"""The number of laws that are fitted in one call. Half and twice this number take a tenth longer."""

DEPENDENT = 1e-11
"""A column gets no coefficient if a smaller share of its squared norm is independent of earlier columns."""


def law_exponents(classes: IntArray, structure: Structure) -> FloatArray:
    """Return the exponents of K kernels' laws in a structure, with m terms of m parameters, (K, m, m, 2).
    `classes` (m, K) has the class of each parameter.
    """
    m, K = classes.shape
    exponents = np.zeros((K, m, m, 2))
    for term, mask in enumerate(structure):
        for parameter in range(m):
            if mask >> parameter & 1:
                exponents[:, term, parameter] = CLASSES[classes[parameter]]
    return exponents


def term_values(tables: list[FloatArray], classes: IntArray, structure: Structure) -> FloatArray:
    """Return the values of a structure's T terms for K kernels at P points, (T, P, K). `tables` have the
    values of all classes for each parameter, (43, P). `classes` (m, K) has the classes of m parameters. A
    term with only constant parameters is 0.
    """
    found = []
    for mask in structure:
        members = [parameter for parameter in range(len(classes)) if mask >> parameter & 1]
        term = np.ones(())
        for parameter in members:
            term = term * tables[parameter][classes[parameter]].T
        found.append(term * (classes[members] != 0).any(axis=0))
    return np.stack(found)


def cross_validated(terms: FloatArray, observations: Observations) -> FloatArray:
    """Return the cross-validated SMAPE of K kernels' laws, (K,): each point is predicted by the law fitted to
    all other points.

    `terms` (T, P, K) has the values of T terms at P points. The result is infinite for refused laws. A law is
    refused if a term's coefficient is negative, or if it cannot be fitted without some point.
    """
    y, unit = observations.y, observations.unit
    w = np.broadcast_to(observations.w, y.shape)
    fit = _fit(terms, observations)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        free = 1 - fit.leverages
        error = smape(np.where(w > 0, unit * fit.residuals / free, 0.0), y) / w.sum(axis=0)
    refused = _unstable(fit, w, free) | _subtracts(fit) | ~np.isfinite(error)
    return np.where(refused, np.inf, error)


def _fit(terms: FloatArray, observations: Observations) -> LeastSquares:
    """Fit a constant and terms by least squares of residuals divided by the values."""
    w = np.broadcast_to(observations.w, observations.y.shape)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = np.abs(terms).max(axis=1, keepdims=True)
        columns = np.concatenate([w[None], np.where(size > 0, terms / size, 0.0) * w])
        return solve(columns / observations.unit, observations.y / observations.unit)


def _subtracts(found: LeastSquares) -> BoolArray:
    """Return whether the coefficient of a term is negative, for each kernel."""
    return np.asarray((found.coefficients[1:] < 0).any(axis=0))


def _unstable(found: LeastSquares, w: FloatArray, free: FloatArray) -> BoolArray:
    return np.asarray(
        ((free < LEAST_FREE_LEVERAGE) & (w > 0)).any(axis=0) | ~np.isfinite(found.residuals).all(axis=0)
    )


def constant_error(observations: Observations) -> FloatArray:
    """Return the cross-validated SMAPE of a constant for K kernels, (K,)."""
    empty = np.zeros((0, *observations.y.shape))
    return cross_validated(empty, observations)


def residual_squares(
    tables: list[FloatArray], classes: IntArray, structure: Structure, observations: Observations
) -> FloatArray:
    """Return the sums of squared relative residuals of N laws of K kernels, (N, K). `classes` (N, m, K) has
    the classes of m parameters. The sums are infinite if the coefficient of a term is negative.
    """
    N, m, K = classes.shape
    relative, signs = observations.w / observations.unit, np.sign(observations.y)
    parts = []
    for some in np.array_split(classes, -(-N * K // LAWS_AT_ONCE)):
        count = len(some)
        weights = np.tile(relative, count)
        terms = term_values(tables, some.swapaxes(0, 1).reshape(m, count * K), structure)
        squares = sum_of_squares([weights, *(terms * weights)], np.tile(signs, count))
        parts.append(squares.reshape(count, K))
    return np.concatenate(parts)


def sum_of_squares(columns: Sequence[FloatArray], values: FloatArray) -> FloatArray:
    """Return the least sum of squares, (K,), of values − Σ coefficient · column. It is infinite if a
    coefficient other than the first one is negative.

    Values and columns of K kernels at P points are (P, K). A column that depends on earlier ones gets no
    coefficient. Normal equations take a third of the time of `leastsquares.solve`, and rounding errors hardly
    matter here.
    """
    n = len(columns)
    gram = np.zeros((n + 1, n + 1, values.shape[1]))
    known = [*columns, values]
    for row in range(n + 1):
        for column in range(row + 1):
            gram[row, column] = np.einsum("pk,pk->k", known[row], known[column])
    size = np.sqrt(np.einsum("aak->ak", gram))
    gram *= reciprocal(size)[:, None] * reciprocal(size)
    lower = np.zeros_like(gram)
    for row in range(n + 1):
        for column in range(row):
            left = gram[row, column] - np.einsum("ak,ak->k", lower[row, :column], lower[column, :column])
            lower[row, column] = left * reciprocal(lower[column, column])
        rest = gram[row, row] - np.einsum("ak,ak->k", lower[row, :row], lower[row, :row])
        lower[row, row] = np.sqrt(np.where(rest > DEPENDENT, rest, 0.0)) if row < n else rest
    coefficients = np.zeros((n, lower.shape[2]))
    for row in range(n - 1, -1, -1):
        later = np.einsum("ak,ak->k", lower[row + 1 : n, row], coefficients[row + 1 :])
        coefficients[row] = (lower[n, row] - later) * reciprocal(lower[row, row])
    squares = np.maximum(lower[n, n], 0.0) * size[n] ** 2
    return np.where((coefficients[1:] < 0).any(axis=0) | ~np.isfinite(squares), np.inf, squares)
