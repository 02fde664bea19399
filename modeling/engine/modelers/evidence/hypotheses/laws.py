"""Laws as tables of classes: their prior, their fit, and the best of many. A law has one class for each of T
terms and m parameters, (T, m). Class 0 means that the parameter is not in the term. Arrays of laws have
further axes: of H laws for each of K kernels, or of B laws.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from modeling.engine.laws.partitions import partition_count
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import (
    EVERY_PAIR,
    FALLING_CLASSES,
    MOST_COMBINED,
    PER_PROCESS,
    SLOW_CLASSES,
    SLOWLY,
)
from modeling.engine.modelers.evidence.hypotheses.gaussian import Fit, log_evidence, solve
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LAWS_KEPT = 128
"""The number of laws that are kept for each kernel."""

LOG_ONE_TERM_MORE = np.log(0.03)
"""Logarithm of the prior factor for each further term that contains the same parameter."""

LOG_SAME_CLASS = np.log(0.5)
"""Logarithm of the prior probability that a parameter has the same class in all terms that contain it, as in
4·n + n·log p. Such a class counts once. If it counted twice, like different classes, kernels 4·n + n·log p
with noise of 5 % would be called n·p^0.19, and 30 instead of 90 % of the intervals at 16 times the measured
values would contain the truth.
"""

LOG_OFTEN_AGAIN, LOG_RISING_AGAIN = np.log(3.0), 0.0
"""These replace `LOG_ONE_TERM_MORE` if a parameter is in two terms, one that falls and one that grows slowly
(`SLOW_CLASSES`). The first one holds for the most frequent sums, of classes in `PER_PROCESS` and `SLOWLY`. A
priori, about a quarter of the laws with divided work have such a second term.

With 0.03 for all but 1/p, sums such as n/p + p^(1/3) are missed where noise of 5 % hides them, and 65 to 90 %
of the intervals at 16 times the measured values contain the truth. With 1 for the frequent sums, too, single
kernels b/p + c·p whose growth only the largest value shows are up to 29 instead of 7 % wrong there.
"""

LARGEST_RATIO = 2.0
"""For precisions, the values of a law are limited to this factor above or below the measured values."""

LEAST_RATIO = 1e-3
"""A fitted law is at least this share of the measured value at each point, so that precisions stay finite."""

FALLING_SHARE = 0.1
"""A law with a falling factor is likely from this share of the best law's evidence."""

REPEATED_SHARE = 0.01
"""A law with a parameter in several terms is likely from this share of the best law's evidence."""

HOPELESS_LAW = 10.0
"""Laws after the first `FEWEST_LAWS` are dropped if their log evidence is more than this below the best one.
All dropped laws together have at most 128 · exp(−10) = 0.6 % of the probability.
"""

FEWEST_LAWS = 8
"""The number of best laws that are always kept. If no law fits, longer laws are built from the best laws."""

NUMBERS_AT_ONCE = 2_000_000
"""The largest number of elements of one temporary array."""

NUMBERS_IN_CACHE = 100_000
"""The largest number of elements of an array that should stay in the processor's cache."""

_RADIX = 2**14
_DIGITS = 4
"""The number of classes that fit into one number of 64 bits."""

_MIXER = 0x9E3779B97F4A7C15
"""The golden ratio in 64 bits, made odd. Multiplication by it mixes the bits of a hash (SplitMix64)."""

_MANY = 100
_CODES: IntArray = np.ones(len(EVERY_PAIR), dtype=np.int64)
_CODES[0] = 0
_CODES += _MANY * FALLING_CLASSES + _MANY**2 * SLOW_CLASSES
_CODES[[*PER_PROCESS, *SLOWLY]] += _MANY**3
_RISES_AGAIN = 2 + _MANY + _MANY**2
_OFTEN_AGAIN = _RISES_AGAIN + 2 * _MANY**3
"""The sums of `_CODES` for a parameter with two factors, one that falls and one that grows slowly, of any and
of the most frequent classes. The last two digits count all factors, the two before them those that fall, the
next two those that grow slowly, and the first ones those of the most frequent classes.
"""


@dataclass(frozen=True)
class Located:
    """One value for each of P points and K kernels, `y` (P, K), and its relative variance, (P, K). The
    variance is infinite where the value is missing.
    """

    y: FloatArray
    variance: FloatArray

    def weights(self, law: FloatArray) -> FloatArray:
        """Return the precision of the values of K kernels at P points, (P, K), around a law with the values
        `law` (P, K).
        """
        return np.asarray(1 / (self.variance * law**2))

    def where(self, kernels: BoolArray, others: "Located") -> "Located":
        """Return these values for the marked `kernels`, and the values of `others` for all other kernels."""
        return Located(np.where(kernels, self.y, others.y), np.where(kernels, self.variance, others.variance))

    @classmethod
    def joined(cls, parts: "Sequence[Located]") -> "Located":
        """Join the values of several groups of kernels."""
        return cls(
            *(np.concatenate(each, axis=1) for each in zip(*((p.y, p.variance) for p in parts), strict=True))
        )

    def part(self, kernels: IntArray) -> "Located":
        """Return the values of the kernels with the given indices."""
        return Located(self.y[:, kernels], self.variance[:, kernels])

    def put(self, kernels: IntArray, others: "Located") -> None:
        """Replace the values of the kernels with these indices by `others`."""
        self.y[:, kernels] = others.y
        self.variance[:, kernels] = others.variance


@dataclass(frozen=True)
class Laws:
    """The laws of K kernels, best first: the `classes` of H laws with T terms of m parameters, (T, m, H, K),
    and their log evidence, (H, K).
    """

    classes: IntArray
    log_evidence: FloatArray

    @classmethod
    def joined(cls, parts: "Sequence[Laws]") -> "Laws":
        """Join the laws of several groups of kernels."""
        most = max(len(part.log_evidence) for part in parts)
        wide = [part.widened(most) for part in parts]
        return cls(
            np.concatenate([part.classes for part in wide], axis=3),
            np.concatenate([part.log_evidence for part in wide], axis=1),
        )

    def part(self, kernels: IntArray) -> "Laws":
        """Return the laws of the given kernels only."""
        return Laws(self.classes[..., kernels], self.log_evidence[:, kernels])

    def may_fall(self) -> BoolArray:
        """Return for each of K kernels whether a law with a falling factor is likely (`FALLING_SHARE`),
        (K,).
        """
        falls = FALLING_CLASSES[self.classes].any(axis=(0, 1))
        return np.asarray(
            (falls & (self.log_evidence > self.log_evidence[0] + np.log(FALLING_SHARE))).any(axis=0)
        )

    def may_repeat(self) -> BoolArray:
        """Return for each of K kernels whether a law with a parameter in several terms is likely, (K,)."""
        repeats = ((self.classes != 0).sum(axis=0) > 1).any(axis=0)
        return np.asarray(
            (repeats & (self.log_evidence > self.log_evidence[0] + np.log(REPEATED_SHARE))).any(axis=0)
        )

    def widened(self, count: int) -> "Laws":
        """Return these laws with room for `count` laws for each kernel. Empty places have the log evidence
        −∞.
        """
        more = count - len(self.log_evidence)
        if more <= 0:
            return self
        classes = np.pad(self.classes, [(0, 0), (0, 0), (0, more), (0, 0)])
        return Laws(classes, np.pad(self.log_evidence, [(0, more), (0, 0)], constant_values=-np.inf))

    def with_terms(self, count: int) -> "Laws":
        """Return these laws with room for exactly `count` terms. No law may have more terms."""
        more = count - len(self.classes)
        if not more:
            return self
        classes = np.pad(self.classes[:count], [(0, max(more, 0)), (0, 0), (0, 0), (0, 0)])
        return Laws(classes, self.log_evidence)

    @property
    def terms(self) -> int:
        """The largest number of terms of any of the laws."""
        return int(self.classes.any(axis=(1, 2, 3)).sum())

    def put(self, kernels: IntArray, laws: "Laws") -> None:
        """Replace the laws of the kernels with these indices by `laws`."""
        self.classes[..., kernels] = laws.classes
        self.log_evidence[:, kernels] = laws.log_evidence


def best_weights(basis: Basis, laws: Laws, located: Located) -> FloatArray:
    """Return the precision of the values of K kernels at P points, (P, K), if each kernel follows its best
    law.
    """
    return located.weights(_best_law(basis, laws, located, located.weights(located.y)))


def _best_law(basis: Basis, laws: Laws, located: Located, weights: FloatArray) -> FloatArray:
    """Return the values of each kernel's best law, limited by `LARGEST_RATIO`."""
    law = fitted(basis, laws.classes[:, :, 0], located, weights)
    return np.clip(law, located.y / LARGEST_RATIO, located.y * LARGEST_RATIO)


def fitted(basis: Basis, classes: IntArray, located: Located, weights: FloatArray) -> FloatArray:
    """Fit laws of K kernels by weighted least squares, and return the values of these laws at P points, (P,
    K). `classes` (T, m, K) has T terms of m parameters. Negative coefficients are set to 0.
    """
    columns = basis.columns(classes)
    columns = np.concatenate([np.ones((1, *columns.shape[1:])), columns])
    present = np.concatenate([np.ones((1, columns.shape[2])), (classes != 0).any(axis=1)])
    weighted = columns * weights
    gram = np.einsum("ipk,jpk->ijk", weighted, columns)
    diagonal = np.einsum("iik->ik", gram)
    diagonal += 1 - present
    moments = np.einsum("ipk,pk->ik", weighted, located.y)
    fit = solve([list(row[: number + 1]) for number, row in enumerate(gram)], list(moments), np.zeros(1))
    coefficients = np.maximum(np.stack([np.broadcast_to(c, present[0].shape) for c in fit.coefficients]), 0)
    law = np.einsum("ck,cpk->pk", coefficients * present, columns)
    return np.asarray(np.maximum(law, LEAST_RATIO * located.y))


def log_prior(basis: Basis, classes: IntArray) -> FloatArray:
    """Return the log prior probabilities (...) of laws with T terms of m parameters, (T, m, ...)."""
    return Factors.of(basis, classes).log_prior(basis)


@dataclass(frozen=True)
class Factors:
    """Sums over the terms of laws for each of m parameters, (m, ...): the log priors of classes, their
    `_CODES`, and the classes and their squares.
    """

    log_prior_of_each: FloatArray
    codes: IntArray
    classes: IntArray
    squares: IntArray

    @classmethod
    def of(cls, basis: Basis, classes: IntArray) -> "Factors":
        """Sum over the T terms of laws, (T, m, ...)."""
        prior = np.where(_CODES[: basis.every_log_prior.shape[1]] > 0, basis.every_log_prior, 0.0)
        each = [
            table[factors].sum(axis=0) for table, factors in zip(prior, classes.swapaxes(0, 1), strict=True)
        ]
        return cls(np.stack(each), _CODES[classes].sum(axis=0), classes.sum(axis=0), (classes**2).sum(axis=0))

    def __add__(self, others: "Factors") -> "Factors":
        """Return the sums for laws that have the terms of both operands."""
        return Factors(*(getattr(self, each.name) + getattr(others, each.name) for each in fields(self)))

    @property
    def same(self) -> BoolArray:
        """Return whether all factors of each parameter have the same class, (m, ...). Only then is the mean
        of the classes' squares the square of their mean.
        """
        return np.asarray(self.codes % _MANY * self.squares == self.classes**2)

    def log_prior(self, basis: Basis) -> FloatArray:
        """Return the log prior probabilities of the laws, (...)."""
        count = self.codes % _MANY
        again = np.where(self.codes % _MANY**3 == _RISES_AGAIN, LOG_RISING_AGAIN, LOG_ONE_TERM_MORE)
        again = np.where(self.codes == _OFTEN_AGAIN, LOG_OFTEN_AGAIN, again)
        idle = basis.log_prior[:, 0].reshape(-1, *(1,) * (count.ndim - 1))
        again = again + np.where(self.same, LOG_SAME_CLASS, 0.0)
        of_classes = self.log_prior_of_each / np.where(self.same, np.maximum(count, 1), 1)
        each = np.where(count > 0, of_classes + (count - 1) * again, idle)
        ways = np.log([partition_count(number) for number in range(len(count) + 1)])
        return np.asarray(each.sum(axis=0) - ways[(count > 0).sum(axis=0)])


@dataclass(frozen=True)
class Equations:
    """The normal equations of laws, weighted by the precision of the values.

    Attributes:
        gram: the inner products of columns i and j, `gram[i][j]`, for j ≤ i. Column 0 is the constant.
        moments: the inner products of the columns and the values.
        squares: the squared norms of the values.
        present: 1 for coefficients that a law has. Absent coefficients have columns of 0, but a `gram[i][i]`
            of 1.
    """

    gram: list[list[FloatArray]]
    moments: list[FloatArray]
    squares: FloatArray
    present: list[FloatArray]

    @classmethod
    def of(
        cls,
        basis: Basis,
        classes: IntArray,
        located: Located,
        weights: FloatArray,
        kernel: IntArray | None = None,
    ) -> "Equations":
        """Compute the equations of H laws of K kernels, with T terms of m parameters, (T, m, H, K). `located`
        and `weights` describe these kernels or, if `kernel` (K,) is given, others: kernel k is then the one
        with the number `kernel[k]`.
        """
        terms, _, laws, kernels = classes.shape
        sums = np.empty(((terms + 1) * (terms + 4) // 2, laws, kernels))
        step = max(1, NUMBERS_IN_CACHE // ((terms + 1) * len(weights) * laws))
        roots = np.sqrt(weights)
        of_values = located.y * roots
        for begin in range(0, kernels, step):
            part = slice(begin, begin + step)
            own = part if kernel is None else kernel[part]
            root, values = roots[:, own], of_values[:, own]
            columns = [root[:, None], *(basis.columns(classes[..., part]) * root[:, None])]
            rows = iter(sums[..., part])
            for number, one in enumerate(columns):
                for other in columns[: number + 1]:
                    np.einsum("phk,phk->hk", one, other, out=next(rows))
                np.einsum("phk,pk->hk", one, values, out=next(rows))
        squares = np.einsum("pk,pk,pk->k", weights, located.y, located.y)
        squares = squares if kernel is None else squares[kernel]
        present = [np.ones(1), *(classes != 0).any(axis=1).astype(float)]
        rows = iter(sums)
        gram, moments = [], []
        for number, there in enumerate(present):
            row = [next(rows) for _ in range(number + 1)]
            gram.append([*row[:-1], row[-1] + (1 - there)])
            moments.append(next(rows))
        return cls(gram, moments, squares, present)

    def without_constant(self) -> "Equations":
        """Return the equations of the same laws without a constant."""
        gram = [row[1:] for row in self.gram[1:]]
        return Equations(gram, self.moments[1:], self.squares, self.present[1:])

    @cached_property
    def fit(self) -> Fit:
        """Return the solutions."""
        return solve(self.gram, self.moments, self.squares)

    def log_evidence(self, basis: Basis) -> FloatArray:
        """Return the log evidence of H laws of K kernels, without their prior, (H, K)."""
        found = log_evidence(self.fit, self.present, independent=basis.independent)
        return np.where(np.isnan(found), -np.inf, found)


def scored(
    basis: Basis,
    classes: IntArray,
    located: Located,
    weights: FloatArray,
    kernel: IntArray | None = None,
) -> Laws:
    """Return H laws of K kernels, with T terms of m parameters, (T, m, H, K), with their evidence. The other
    arguments are those of `Equations.of`.
    """
    of_fit = Equations.of(basis, classes, located, weights, kernel).log_evidence(basis)
    return Laws(classes, of_fit + log_prior(basis, classes))


def rescored(basis: Basis, laws: Laws, located: Located) -> Laws:
    """Compute the evidence of the `hopeful` laws again, with the precision that the best law implies. Return
    the laws best first.
    """
    rank, kernel = np.nonzero(hopeful(laws.log_evidence))
    weights = best_weights(basis, laws, located)
    known = np.full_like(laws.log_evidence, -np.inf)
    for terms, some in _alike(basis, laws.classes[:, :, rank, kernel]):
        own = kernel[some]
        again = scored(basis, laws.classes[:terms, :, None, rank[some], own], located, weights, own)
        known[rank[some], own] = again.log_evidence[0]
    return best_first(Laws(laws.classes, known))


def hopeful(log_evidence: FloatArray) -> BoolArray:
    """Return which of H laws of K kernels are near the best law (`HOPELESS_LAW`) or among the first
    `FEWEST_LAWS`, (H, K). `log_evidence` (H, K) is sorted, best first.
    """
    first = np.arange(len(log_evidence))[:, None] < FEWEST_LAWS
    near = log_evidence > log_evidence[0] - HOPELESS_LAW
    # Places without a law have the evidence −∞, so they are not hopeful.
    return np.asarray((near | first) & np.isfinite(log_evidence))


def _alike(basis: Basis, classes: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Yield the number of terms and the indices of laws that are scored together."""
    every = np.arange(classes.shape[2])
    if basis.parameter_count <= MOST_COMBINED:
        yield len(classes), every
        return
    terms = (classes != 0).any(axis=1).sum(axis=0)
    for count in np.unique(terms).tolist():
        those = every[terms == count]
        step = max(1, NUMBERS_AT_ONCE // ((count + 1) * len(basis.points)))
        for part in np.split(those, range(step, len(those), step)):
            yield count, part


def canonical(classes: IntArray) -> IntArray:
    """Return the same laws with their terms in a canonical order."""
    number = _numbers(classes, 1)
    if (number[:-1] >= number[1:]).all():
        return classes
    return np.take_along_axis(classes, np.argsort(-number, axis=0)[:, None], axis=0)


def _numbers(classes: IntArray, axis: int) -> IntArray:
    """Return a number that identifies the classes along an axis; 0 if all are 0."""
    count = classes.shape[axis]
    if count <= _DIGITS:
        return np.asarray(np.tensordot(_RADIX ** np.arange(count), classes, axes=(0, axis)))
    digits = np.array([pow(_MIXER, power, 2**64) for power in range(1, count + 1)], dtype=np.uint64)
    mixed = np.tensordot(digits, classes.astype(np.uint64), axes=(0, axis))
    return np.asarray((mixed >> np.uint64(1)).astype(np.int64))


def merged(one: Laws, other: Laws, kept: int) -> Laws:
    """Merge two sets of laws, and return the `kept` best laws, each law once."""
    classes = np.concatenate([one.classes, other.classes], axis=2)
    evidence = np.concatenate([one.log_evidence, other.log_evidence])
    name = names(classes)
    order = np.lexsort((-evidence, name), axis=0)
    in_order = np.take_along_axis(name, order, axis=0)
    double = np.zeros(order.shape, dtype=bool)
    double[1:] = in_order[1:] == in_order[:-1]
    again = np.zeros_like(double)
    np.put_along_axis(again, order, double, axis=0)
    return best_first(Laws(classes, np.where(again, -np.inf, evidence)), kept)


def names(classes: IntArray) -> IntArray:
    """Return a hash that identifies each of H laws of K kernels, (H, K), mixed as in SplitMix64."""
    name = np.zeros(classes.shape[2:], dtype=np.uint64)
    for term in classes:
        for factor in term:
            name = mixed(name ^ factor.astype(np.uint64))
    return name.astype(np.int64)


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return hashes of numbers, mixed as in SplitMix64. The hash of 0 is 0."""
    numbers = numbers * np.uint64(_MIXER)
    return numbers ^ (numbers >> np.uint64(31))


def best_first(laws: Laws, kept: int = LAWS_KEPT) -> Laws:
    """Return the `kept` best laws, in order of falling evidence."""
    order = np.argsort(-laws.log_evidence, axis=0, kind="stable")[:kept]
    place = (order * order.shape[1] + np.arange(order.shape[1])).ravel()
    shape = laws.classes.shape[:2]
    classes = laws.classes.reshape(shape[0] * shape[1], -1).take(place, axis=1)
    return Laws(classes.reshape(*shape, *order.shape), np.take_along_axis(laws.log_evidence, order, axis=0))
