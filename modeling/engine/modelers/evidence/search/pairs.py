"""Fit many laws of two terms at once by least squares. In a term, each parameter has at most one factor.
Given the inner products of all terms, fitting a pair takes a few operations. The evidence is computed only
for the best pairs.
"""

from functools import cache
from itertools import product

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.laws import (
    Factors,
    Laws,
    Located,
    best_weights,
    canonical,
    scored,
)
from modeling.engine.validation import BoolArray, FloatArray, IntArray

PAIRS_WEIGHED = 32
"""The number of pairs of each kernel for which the evidence is computed."""

NUMBERS_AT_ONCE = 100_000
"""The largest number of elements of one temporary array."""

_LEAST = 1e-6
"""Smallest value of 1 − ρ², where ρ is the correlation of two terms. Below it the terms count as equal."""


@cache
def products(factors: tuple[tuple[int, ...], ...]) -> IntArray:
    """Return all products of the given classes of m parameters, (terms, m)."""
    return np.array(
        [term for term in product(*((0, *each) for each in factors)) if any(term)], dtype=np.int64
    )


def best_pairs(
    basis: Basis, located: Located, laws: Laws, terms: IntArray, which: BoolArray | None = None
) -> Laws:
    """Return the best sums of two of N `terms` of m parameters, (N, m), as laws with as many places as
    `laws`. The precision of the values comes from the best of `laws`. If `which` (N, N) is given, only the
    pairs that it marks are tried.
    """
    factors = Factors.of(basis, terms.T[None])
    both = Factors(factors.log_prior_of_each[..., None], factors.codes[..., None]) + Factors(
        factors.log_prior_of_each[:, None], factors.codes[:, None]
    )
    tried = np.triu(np.ones((len(terms), len(terms)), dtype=bool), 1) & (True if which is None else which)
    log_prior = np.where(tried, both.log_prior(basis), -np.inf)
    table, weights = basis.columns(terms.T[None])[0].T, best_weights(basis, laws, located)
    kernels = np.arange(weights.shape[1])
    step = max(1, NUMBERS_AT_ONCE // len(terms) ** 2)
    found = [
        _best(table, log_prior, located.y[:, part], weights[:, part])
        for part in np.split(kernels, range(step, len(kernels), step))
    ]
    number, merit = (np.concatenate(each, axis=1) for each in zip(*found, strict=True))
    one, other = np.divmod(number, len(terms))
    classes = np.zeros((*laws.classes.shape[:2], *one.shape), dtype=np.int64)
    classes[0], classes[1] = terms.T[:, one], terms.T[:, other]
    known = scored(basis, canonical(classes), located, weights)
    # If few pairs can be fitted, the remaining places have pairs that cannot be fitted.
    return Laws(known.classes, np.where(np.isfinite(merit), known.log_evidence, -np.inf))


def _best(
    table: FloatArray, log_prior: FloatArray, y: FloatArray, weights: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return the pairs of columns with the largest maximum likelihood times prior, and the log of this
    product. A pair has the index first · N + second, with N columns.
    """
    root = np.sqrt(weights).T
    values, total = root * y.T, (root**2).sum(axis=1)[:, None]
    columns = table * root[:, None]
    # Each column gets the mean 0 and the norm 1.
    mean = np.einsum("knp,kp->kn", columns, root) / total
    columns -= mean[..., None] * root[:, None]
    norm = np.sqrt((columns**2).sum(axis=2))
    columns /= norm[..., None]
    mean /= norm
    height = (root * values).sum(axis=1)[:, None] / total
    along = np.einsum("knp,kp->kn", columns, values - height * root)
    correlation = columns @ columns.transpose(0, 2, 1)
    rest = np.maximum(1 - correlation**2, _LEAST)
    coefficient = (along[:, :, None] - correlation * along[:, None]) / rest
    gain = _with_transposed(along[:, :, None] * coefficient)
    constant = height[..., None] - _with_transposed(mean[:, :, None] * coefficient)
    spread = (mean[:, :, None] - correlation * mean[:, None]) / rest
    variance = 1 / total[..., None] + _with_transposed(mean[:, :, None] * spread)
    gain -= np.where(constant < 0, constant**2 / variance, 0.0)
    positive = (coefficient > 0) & (coefficient > 0).transpose(0, 2, 1)
    merit = np.where(positive, gain / 2, -np.inf) + log_prior
    merit = np.where(np.isnan(merit), -np.inf, merit).reshape(len(merit), -1)
    count = min(PAIRS_WEIGHED, merit.shape[1])
    best = np.argpartition(-merit, count - 1, axis=1)[:, :count]
    return best.T, np.take_along_axis(merit, best, axis=1).T


def _with_transposed(square: FloatArray) -> FloatArray:
    return np.asarray(square + square.transpose(0, 2, 1))
