"""Fit many laws of two terms at once by least squares. In a term, each parameter has at most one factor.
Given the inner products of all terms, fitting a pair takes a few operations. The evidence is computed only
for the best pairs.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

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

Floats = NDArray[np.floating[Any]]

PAIRS_WEIGHED = 32
"""The number of pairs of each kernel for which the evidence is computed."""

NUMBERS_AT_ONCE = 100_000
"""The largest number of elements of one temporary array."""

_LEAST = 1e-6
"""Smallest value of 1 − ρ², where ρ is the correlation of two terms. Below it the terms count as equal, and
their sum is left out.
"""


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
    tried = np.triu(np.ones((len(terms), len(terms)), dtype=bool), 1) & (True if which is None else which)
    pairs = np.array(np.nonzero(tried))
    if not pairs.size:
        return Laws(laws.classes[:, :, :0], laws.log_evidence[:0])
    log_prior = Factors.of(basis, terms[pairs].swapaxes(1, 2)).log_prior(basis)
    table, weights = basis.columns(terms.T[None])[0].T, best_weights(basis, laws, located)
    kernels = np.arange(weights.shape[1])
    step = max(1, NUMBERS_AT_ONCE // pairs.shape[1])
    found = [
        _best(table, pairs, log_prior, located.y[:, part], weights[:, part])
        for part in np.split(kernels, range(step, len(kernels), step))
    ]
    number, merit = (np.concatenate(each, axis=1) for each in zip(*found, strict=True))
    classes = np.zeros((*laws.classes.shape[:2], *number.shape), dtype=np.int64)
    classes[:2] = terms[pairs[:, number]].transpose(0, 3, 1, 2)
    known = scored(basis, canonical(classes), located, weights)
    # If few pairs can be fitted, the remaining places have pairs that cannot be fitted.
    return Laws(known.classes, np.where(np.isfinite(merit), known.log_evidence, -np.inf))


def _best(
    table: FloatArray, pairs: IntArray, log_prior: FloatArray, y: FloatArray, weights: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return the numbers of the `pairs` (2, pairs) of columns with the largest maximum likelihood times
    prior, and the log of this product.
    """
    merit = gains_of(Centred.of(table, y, weights), *pairs) + log_prior
    count = min(PAIRS_WEIGHED, merit.shape[1])
    best = np.argpartition(-merit, count - 1, axis=1)[:, :count]
    return best.T, np.take_along_axis(merit, best, axis=1).T


@dataclass(frozen=True)
class Centred:
    """N columns at P points for each of K kernels, weighted, with the mean 0 and the norm 1.

    Attributes:
        columns: the columns, (K, N, P).
        mean: the means that the columns had, relative to their norms, (K, N).
        along: the inner products of the columns and the kernels' values, (K, N).
        height: the weighted means of the kernels' values, (K, 1).
        total: the sums of the weights, (K, 1).
    """

    columns: Floats
    mean: Floats
    along: Floats
    height: Floats
    total: Floats

    @classmethod
    def of(cls, table: Floats, y: Floats, weights: Floats) -> "Centred":
        """Centre the columns `table` (N, P) for kernels with values `y` (P, K) of the precision `weights`."""
        root = np.sqrt(weights).T
        values, total = root * y.T, (root**2).sum(axis=1)[:, None]
        columns = table * root[:, None]
        mean = np.einsum("knp,kp->kn", columns, root) / total
        columns -= mean[..., None] * root[:, None]
        norm = np.sqrt((columns**2).sum(axis=2))
        columns /= norm[..., None]
        height = (root * values).sum(axis=1)[:, None] / total
        along = np.einsum("knp,kp->kn", columns, values - height * root)
        return cls(columns, mean / norm, along, height, total)

    def part(self, some: IntArray) -> "Centred":
        """Return the columns with the indices `some`, (n,) for all kernels or (K, n) for each."""
        some = np.broadcast_to(some, (len(self.columns), np.shape(some)[-1]))
        mean, along = (np.take_along_axis(each, some, axis=1) for each in (self.mean, self.along))
        columns = np.take_along_axis(self.columns, some[..., None], axis=1)
        return replace(self, columns=columns, mean=mean, along=along)


def gains(one: Centred, other: Centred) -> Floats:
    """Return by how much the log likelihood of a constant grows with a pair of columns, (K, N, M), at their
    best coefficients. It is −∞ where a coefficient is not positive. One column is among N, the other among M.
    """
    correlation = one.columns @ other.columns.transpose(0, 2, 1)
    means, along = ((a[..., None], b[:, None]) for a, b in ((one.mean, other.mean), (one.along, other.along)))
    return _gains(correlation, means, along, one.height[..., None], one.total[..., None])


def gains_of(columns: Centred, first: IntArray, second: IntArray) -> Floats:
    """Return the `gains` of the pairs of columns with the indices `first` and `second`, (pairs,), as (K,
    pairs).
    """
    correlation = (columns.columns @ columns.columns.transpose(0, 2, 1))[:, first, second]
    means, along = ((each[:, first], each[:, second]) for each in (columns.mean, columns.along))
    return _gains(correlation, means, along, columns.height, columns.total)


def _gains(
    correlation: Floats,
    means: tuple[Floats, Floats],
    along: tuple[Floats, Floats],
    height: Floats,
    total: Floats,
) -> Floats:
    """Return the gains of pairs of columns, with the shape of `correlation`. See `Centred` for the other
    arguments, of which each has that of both columns, or is common to all pairs of a kernel.
    """
    # Millions of pairs are compared. So each step writes into an array that is there already.
    rest = correlation * correlation
    np.subtract(1, rest, out=rest)
    possible = rest > _LEAST
    np.maximum(rest, _LEAST, out=rest)
    coefficient = correlation * along[1]
    np.subtract(along[0], coefficient, out=coefficient)
    coefficient /= rest
    other_coefficient = correlation * coefficient
    np.subtract(along[1], other_coefficient, out=other_coefficient)
    possible &= coefficient > 0
    possible &= other_coefficient > 0
    gain = along[0] * coefficient
    gain += along[1] * other_coefficient
    coefficient *= means[0]
    other_coefficient *= means[1]
    constant = np.subtract(height, coefficient, out=coefficient)
    constant -= other_coefficient
    # A constant below 0 is 0 instead, which costs the likelihood of its estimate.
    np.minimum(constant, 0, out=constant)
    constant *= constant
    variance = np.multiply(correlation, -2 * means[0] * means[1], out=other_coefficient)
    variance += means[0] ** 2
    variance += means[1] ** 2
    variance /= rest
    variance += 1 / total
    constant /= variance
    gain -= constant
    gain /= 2
    gain[~possible] = -np.inf
    return gain
