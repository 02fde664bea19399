"""Fit laws on ranges of a parameter's values for many series at once, and compute their evidence."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import PAIRS
from modeling.engine.modelers.evidence.hypotheses.gaussian import Fit, log_evidence, solve
from modeling.engine.validation import FloatArray, IntArray

LOG_SIZE_RANGE = np.log(100.0)
"""Width of the uniform prior of the logarithm of a law's size, the sum of its mean contributions."""

BELOW_ZERO = 2.0
"""A coefficient counts as positive if it is at most this many standard deviations below 0."""

NUMBERS_AT_ONCE = 16_000
"""The largest number of elements of one temporary array, so that several fit into the processor's cache."""

_VARY = (PAIRS != 0).any(axis=1)
_HALVES = (PAIRS[:, 0] * 2) % 1 == 0

PAIR_CLASSES: IntArray = np.flatnonzero(_VARY & _HALVES)
"""Classes of terms in laws with two terms: powers that are multiples of 1/2, with any logarithm."""

SEGMENT_CLASSES: IntArray = np.flatnonzero(
    _VARY & _HALVES & ((PAIRS[:, 1] == 0) | (PAIRS == (0, 1)).all(axis=1))
)
"""Classes of terms in the laws of segments: powers that are multiples of 1/2, and the logarithm. Segments
have too few values to distinguish more classes.
"""


POWERS_TOWARDS_A_LIMIT = (1 / 4, 1 / 2, 1, 2)
"""Powers of 1/x by which laws approach their limit."""


@dataclass(frozen=True)
class Ranges:
    """All ranges of at least `shortest` consecutive cells, ordered by their first and then their last cell. A
    cell is one value of a parameter or several merged ones. `begins` (C,) has the index of the first value of
    each of C cells.
    """

    begins: IntArray
    shortest: int

    @cached_property
    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return the first cell of each of N ranges, and the first cell after each range, (N,) each."""
        first = np.arange(len(self.begins) - self.shortest + 1)
        lengths = len(self.begins) - first - self.shortest + 1
        begin = np.repeat(first, lengths)
        place = np.arange(len(begin)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return begin, begin + self.shortest + place

    def sums(self, products: Iterable[FloatArray], factors: FloatArray) -> list[FloatArray]:
        """Return the sums of `product[:, x] · factors[x]` over the values x of each of N ranges, (N, L, K),
        for each of the `products`. With X values, L laws and K kernels, a product is (L, X), and `factors`
        are (X, K).
        """
        if len(self.begins) == 1:
            return [(product @ factors)[None] for product in products]
        each = list(products)
        of_values = np.concatenate(each).T[:, :, None] * factors[:, None]
        if len(self.begins) < len(factors):
            of_values = np.add.reduceat(of_values, self.begins, axis=0)
        begins = range(len(of_values) - self.shortest + 1)
        sums = np.concatenate([of_values[begin:].cumsum(axis=0)[self.shortest - 1 :] for begin in begins])
        return np.split(sums, np.cumsum([len(product) for product in each])[:-1], axis=1)


@dataclass(frozen=True)
class RangeLaws:
    """L laws on each of N ranges of X values. The lists have an entry for each coefficient, the constant
    first. If all laws have the same entry, its axis of laws has the length 1 instead of L.

    Attributes:
        ranges: the ranges.
        columns: the values of the coefficient's term in each law, (L, X).
        sizes: the divisors of these values on each range, (N, L).
        present: 1 for the laws that have the coefficient and 0 for the others, (L, 1).
        log_prior: the log prior probability of the laws, (L, 1).
    """

    ranges: Ranges
    columns: list[FloatArray]
    sizes: list[FloatArray]
    present: list[FloatArray]
    log_prior: FloatArray

    @property
    def size(self) -> int:
        """The number of laws times the number of ranges."""
        return len(self.ranges.bounds[0]) * len(self.log_prior)

    @cached_property
    def counts(self) -> FloatArray:
        """The number of values in each of N ranges, (N, 1)."""
        ones = np.ones((1, self.columns[0].shape[1]))
        return self.ranges.sums([ones], ones.T)[0][:, 0]

    def _products(self) -> Iterator[FloatArray]:
        """Yield the products of the columns i and j for j ≤ i, row by row, (L, X) each."""
        for number, one in enumerate(self.columns):
            for other in self.columns[: number + 1]:
                yield one * other

    def fit(self, y: FloatArray) -> Fit:
        """Fit L laws on all N ranges, (N, L, K), by least squares of relative deviations. `y` (X, K) has K
        series of X values.
        """
        scales = [1 / size[:, :, None] for size in self.sizes]
        sums = iter(self.ranges.sums(self._products(), 1 / y**2))
        gram = [
            [next(sums) * scale * other for other in scales[: number + 1]]
            for number, scale in enumerate(scales)
        ]
        for number, there in enumerate(self.present):
            gram[number][number] = gram[number][number] + (1 - there)
        sums = iter(self.ranges.sums(self.columns, 1 / y))
        moments = [next(sums) * scale for scale in scales]
        return solve(gram, moments, self.counts[:, :, None])

    def misfit(self, y: FloatArray, variance: FloatArray) -> FloatArray:
        """Return the least sum of squares on each of N ranges, (N, K), of laws with positive coefficients
        (`BELOW_ZERO`). `y` (X, K) has K series of X values, and `variance` (K,) their relative variance.
        """
        fit = self.fit(y)
        misfit = np.maximum(fit.misfit, 0.0)
        root = BELOW_ZERO * np.sqrt(np.maximum(misfit / self.counts[:, :, None], variance))
        for coefficient, deviation, there in zip(fit.coefficients, fit.deviations, self.present, strict=True):
            misfit = np.where((coefficient + root * deviation >= 0) | (there == 0), misfit, np.inf)
        return np.asarray(np.fmin.reduce(misfit, axis=1))

    def evidence(self, fit: Fit, scales: FloatArray) -> FloatArray:
        """Return the log evidence of every law, (D, N, L, K), for each of the relative variances `scales` (D,
        K) of the values.
        """
        scale = scales[:, None, None]
        root = np.sqrt(scale)
        ranges, laws, _ = fit.misfit.shape
        step = max(1, NUMBERS_AT_ONCE // max(laws * scales.size, 1))
        found = []
        for begin in range(0, ranges, step):
            part = fit.part(slice(begin, begin + step))
            deviations, diagonal = [d * root for d in part.deviations], [d / root for d in part.diagonal]
            scaled = replace(part, deviations=deviations, diagonal=diagonal, misfit=part.misfit / scale)
            found.append(log_evidence(scaled, self.present))
        each = np.concatenate(found, axis=1)
        normal = -self.counts[:, :, None] / 2 * np.log(2 * np.pi * scale)
        return np.where(np.isnan(each), -np.inf, each + normal + self.log_prior - np.log(LOG_SIZE_RANGE))


def one_term(basis: Basis, classes: IntArray, ranges: Ranges) -> RangeLaws:
    """Return laws on ranges: the constant alone, and the constant plus a term of each usable class."""
    chosen = np.array([0, *(number for number in classes if basis.usable[0, number])])
    there = (chosen > 0).astype(float)[:, None]
    table = basis.tables[0][chosen]
    log_prior = basis.log_prior[0][chosen, None]
    return RangeLaws(
        ranges,
        [np.ones((1, table.shape[1])), table * there],
        [np.ones((1, 1)), _means(table, ranges)],
        [np.ones(1), there],
        log_prior - np.logaddexp.reduce(log_prior),
    )


def two_terms(basis: Basis) -> RangeLaws:
    """Return laws for all values: the constant plus terms of two different classes."""
    usable = [number for number in PAIR_CLASSES if basis.usable[0, number]]
    pairs = np.array(list(combinations(usable, 2)), dtype=np.int64).reshape(-1, 2)
    tables = [basis.tables[0][classes] for classes in pairs.T]
    everything = whole()
    log_prior = np.full((len(pairs), 1), -np.log(max(len(pairs), 1)))
    return RangeLaws(
        everything,
        [np.ones((1, len(basis.points))), *tables],
        [np.ones((1, 1)), *(_means(table, everything) for table in tables)],
        [np.ones(1)] * 3,
        log_prior,
    )


def towards_a_limit(basis: Basis) -> RangeLaws:
    """Return laws for all values that rise towards a limit: a constant plus 1 − (x₀/x)^n for several powers
    n, where x₀ is the smallest value. Bandwidths and rates often follow such laws.
    """
    x = basis.points[:, 0]
    table = 1 - (x.min() / x) ** np.array(POWERS_TOWARDS_A_LIMIT)[:, None]
    everything = whole()
    return RangeLaws(
        everything,
        [np.ones((1, len(x))), table],
        [np.ones((1, 1)), _means(table, everything)],
        [np.ones(1)] * 2,
        np.full((len(table), 1), -np.log(len(table))),
    )


def whole() -> Ranges:
    """Return the single range of all values."""
    return Ranges(np.zeros(1, dtype=np.int64), 1)


def _means(table: FloatArray, ranges: Ranges) -> FloatArray:
    """Return the means of terms over ranges, (ranges, laws)."""
    ones = np.ones((table.shape[1], 1))
    of_terms, count = ranges.sums([table, ones.T], ones)
    return np.asarray(of_terms[..., 0] / count[..., 0])
