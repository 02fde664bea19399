"""Compute the evidence of all plain laws with a few given classes in each parameter, in all structures. The
inner products of the terms of all laws are computed together, as matrix products of tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from itertools import product
from math import prod
from typing import Protocol

import numpy as np

from modeling.engine.laws.partitions import partition_count, partitions
from modeling.engine.modelers.evidence.hypotheses.gaussian import log_evidence, solve
from modeling.engine.modelers.evidence.hypotheses.laws import Laws, Located, canonical, hopeful
from modeling.engine.validation import BoolArray, FloatArray, IntArray

Structure = tuple[tuple[int, ...], ...]
"""The parameters of each term of a law."""

Lists = Sequence[IntArray | None]
"""The N combined classes of each parameter for K kernels, (N, K), class 0 first. None means all classes."""


@cache
def structures(parameters: int) -> list[Structure]:
    """Return all partitions of the parameters, the one with a single term first."""
    return partitions(range(parameters))


class Tables(Protocol):
    """Values of the classes of each parameter at the points, and their prior."""

    @property
    def tables(self) -> list[FloatArray]:
        """Return the values of each parameter's classes at P points, (classes, P)."""

    @property
    def log_prior(self) -> FloatArray:
        """Return the log prior probability of each class for m parameters, (m, classes)."""

    @property
    def independent(self) -> bool:
        """Whether laws with linearly dependent terms are left out."""


@dataclass(frozen=True)
class Reordered:
    """The tables of a basis and their prior, with the parameters in another order."""

    tables: list[FloatArray]
    log_prior: FloatArray
    independent: bool

    @classmethod
    def of(cls, basis: Tables, order: Sequence[int]) -> "Reordered":
        """Return the tables of the parameters in this order."""
        return cls([basis.tables[one] for one in order], basis.log_prior[list(order)], basis.independent)


class Combined:
    """All plain laws with classes from `lists`, fitted by least squares. `weights` (P, K) is the precision of
    the values of K kernels at P points.
    """

    def __init__(self, basis: Tables, lists: Lists, located: Located, weights: FloatArray) -> None:
        self.lists = lists
        self.kernels = weights.shape[1]
        # Tables are (kernels, classes, points), with a single kernel where all kernels have all classes.
        self.tables = [
            table[None] if each is None else table[each.T]
            for table, each in zip(basis.tables, lists, strict=True)
        ]
        self.squares_of_tables = [table**2 for table in self.tables]
        self.shape = tuple(table.shape[1] for table in self.tables)
        self.weights = weights.T[:, None]
        self.weighted = (weights * located.y).T[:, None]
        self.squares = self._along((weights * located.y**2).sum(axis=0), ())
        self.log_evidence = self._all(basis)

    def best(self, count: int) -> Laws:
        """Return the `count` likeliest laws of each kernel, or fewer if no kernel has so many hopeful
        laws.
        """
        evidence = self.log_evidence.reshape(self.kernels, -1)
        count = min(count, evidence.shape[1])
        top = np.argpartition(-evidence, count - 1, axis=1)[:, :count]
        reached = np.take_along_axis(evidence, top, axis=1)
        order = np.argsort(-reached, axis=1)
        reached = np.ascontiguousarray(np.take_along_axis(reached, order, axis=1).T)
        kept = max(int(hopeful(reached).sum(axis=0).max()), 1)
        top = np.take_along_axis(top, order[:, :kept], axis=1)
        return Laws(self._laws(top.T), reached[:kept])

    def profile(self, parameter: int) -> FloatArray:
        """Return the log evidence of the best law of K kernels with each of N classes of a parameter, (K,
        N).
        """
        others = tuple(axis for axis in range(1, self.log_evidence.ndim) if axis != 2 + parameter)
        return np.asarray(self.log_evidence.max(axis=others))

    def _all(self, basis: Tables) -> FloatArray:
        """Return the log evidence of all laws, (kernels, structures, classes, …)."""
        m, log_prior = len(self.shape), self._log_prior(basis)
        subsets = {_union(terms) for structure in structures(m) for terms in _subsets(structure)}
        sums = {subset: self._sum(subset, self.weights) for subset in subsets | {()}}
        moments = {subset: self._sum(subset, self.weighted) for subset in subsets | {()}}
        squares = {subset: self._sum(subset, self.weights, power=2) for subset in subsets}
        found = np.full((self.kernels, len(structures(m)), *self.shape), -np.inf)
        for number, structure in enumerate(structures(m)):
            part = (slice(None), *_in_every_law(structure))
            gram = [[sums[()]]]
            for place, term in enumerate(structure):
                crossed = [_sliced(sums[_union((other, term))], part) for other in structure[:place]]
                gram.append([_sliced(sums[term], part), *crossed, _sliced(squares[term], part)])
            own = [moments[()], *(_sliced(moments[term], part) for term in structure)]
            fit = solve(gram, own, self.squares)
            evidence = log_evidence(fit, [np.ones(1)] * len(gram), independent=basis.independent)
            of_structure = found[:, number]
            of_structure[part] = evidence + log_prior[part]
            of_structure[:, _repeated(structure, self.shape)] = -np.inf
        constant = log_evidence(solve([[sums[()]]], [moments[()]], self.squares), [np.ones(1)])
        found.reshape(self.kernels, -1)[:, 0] = (constant + log_prior).reshape(self.kernels, -1)[:, 0]
        return np.fmax(found, -np.inf, out=found)  # NaN: no evidence

    def _sum(self, parameters: tuple[int, ...], weights: FloatArray, power: int = 1) -> FloatArray:
        """Sum products over the points: `weights` times one factor of each of the `parameters`. The sums are
        for all combinations of classes.
        """
        if not parameters:
            return self._along(weights.sum(axis=2), ())
        powers = self.tables if power == 1 else self.squares_of_tables
        tables = [powers[parameter] for parameter in parameters]
        longest = max(range(len(tables)), key=lambda number: tables[number].shape[1])
        last = tables.pop(longest)
        order = [*parameters[:longest], *parameters[longest + 1 :], parameters[longest]]
        rest = reduce(_products, tables, weights)
        if len(last) == 1:
            sums = rest.reshape(-1, rest.shape[2]) @ last[0].T
        else:
            sums = rest @ last.transpose(0, 2, 1)
        return self._along(sums, order)

    def _along(self, values: FloatArray, parameters: Sequence[int]) -> FloatArray:
        """Reshape values so that each parameter of the campaign has one axis, (kernels, classes, …)."""
        values = values.reshape(-1, *(self.shape[parameter] for parameter in parameters))
        values = values.transpose(0, *(1 + np.argsort(parameters, kind="stable").astype(int)))
        stretched = [count if place in parameters else 1 for place, count in enumerate(self.shape)]
        return np.ascontiguousarray(values).reshape(-1, *stretched)

    def _log_prior(self, basis: Tables) -> FloatArray:
        """Return the log prior probability of the laws, (kernels, classes, …)."""
        m = len(self.shape)
        active = (np.indices(self.shape) > 0).sum(axis=0)
        total = -np.log([partition_count(count) for count in range(m + 1)])[active][None]
        for parameter, each in enumerate(self.lists):
            prior = basis.log_prior[parameter]
            total = total + self._along(prior[None] if each is None else prior[each.T], (parameter,))
        return np.asarray(np.broadcast_to(total, (self.kernels, *self.shape)))

    def _laws(self, number: IntArray) -> IntArray:
        """Return the laws with the given indices in `log_evidence`."""
        m = len(self.shape)
        structure, place = np.divmod(number, prod(self.shape))
        laws = np.zeros((m, m, *number.shape), dtype=np.int64)
        for parameter, digit in enumerate(np.unravel_index(place, self.shape)):
            each = self.lists[parameter]
            chosen = digit if each is None else np.take_along_axis(each, digit, axis=0)
            term = np.array([_term(one, parameter) for one in structures(m)])[structure]
            np.put_along_axis(laws[:, parameter], term[None], chosen[None], axis=0)
        return canonical(laws)


def _products(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return all products of two sets of columns."""
    both = one[:, :, None] * other[:, None]
    return both.reshape(len(both), -1, both.shape[3])


def _subsets(structure: Structure) -> list[Structure]:
    """Return all choices of one or two terms of a structure."""
    return [
        *((term,) for term in structure),
        *((one, other) for number, one in enumerate(structure) for other in structure[:number]),
    ]


def _union(terms: Structure) -> tuple[int, ...]:
    return tuple(sorted(parameter for term in terms for parameter in term))


def _term(structure: Structure, parameter: int) -> int:
    return next(number for number, term in enumerate(structure) if parameter in term)


@lru_cache(maxsize=512)
def _repeated(structure: Structure, shape: tuple[int, ...]) -> BoolArray:
    """Return which combinations of classes are counted in another structure (see `_is_repeated`)."""
    pattern = np.ravel_multi_index(tuple(np.minimum(np.indices(shape), 1)), (2,) * len(shape))
    patterns = product((False, True), repeat=len(shape))
    repeated = np.array([_is_repeated(structure, active) for active in patterns])
    return np.asarray(repeated[pattern])


@cache
def _in_every_law(structure: Structure) -> tuple[slice, ...]:
    """Return the classes of each parameter that laws of a structure may have: all, or all but class 0."""
    patterns = list(product((False, True), repeat=sum(map(len, structure))))
    laws = [active for active in patterns if not _is_repeated(structure, active)]
    return tuple(slice(int(all(of_parameter)), None) for of_parameter in zip(*laws, strict=True))


def _sliced(values: FloatArray, part: tuple[slice, ...]) -> FloatArray:
    """Return a part of values (kernels, classes, …). An axis of length 1 stands for all classes."""
    return values[
        tuple(each if count > 1 else slice(None) for each, count in zip(part, values.shape, strict=True))
    ]


def _is_repeated(structure: Structure, active: Sequence[bool]) -> bool:
    """Return whether laws are counted in another structure. `active` marks the parameters with a class other
    than 0.

    A law with a parameter of class 0 results from several structures. It is counted where each such parameter
    is in the term of the first active parameter. The constant is counted in the structure with a single term.
    """
    if not any(active):
        return len(structure) > 1
    home = _term(structure, active.index(True))
    terms = [_term(structure, parameter) for parameter in range(len(active))]
    astray = any(term != home for term, counts in zip(terms, active, strict=True) if not counts)
    return astray or any(not any(active[parameter] for parameter in term) for term in structure)
