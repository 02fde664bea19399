"""Combine the classes of the parameters that matter to each kernel. The classes of all parameters are stacked
in one table. A row in this table gives the parameter and the class. So kernels with the same number of
parameters that matter are searched together.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import MOST_COMBINED, PAIRS
from modeling.engine.modelers.evidence.hypotheses.laws import (
    LAWS_KEPT,
    Laws,
    Located,
    best_weights,
    canonical,
    merged,
    scored,
)
from modeling.engine.modelers.evidence.search.combined import Combined
from modeling.engine.modelers.evidence.search.one_factor import removals
from modeling.engine.modelers.evidence.search.parts import members
from modeling.engine.validation import BoolArray, FloatArray, IntArray

CLASSES_COMBINED = {1: len(PAIRS), 2: 32, 3: 12, 4: 6}
"""The number of combined classes of each parameter, by the number of combined parameters."""

USUALLY_COMBINED = 3
"""The largest number of combined parameters, unless the best law itself has more."""

LEAST_PROBABILITY = 0.01
"""A parameter outside the best law is combined if it matters with more than this probability."""

NUMBERS_AT_ONCE = 200_000
"""The largest number of elements of one temporary array."""


def with_combinations(basis: Basis, located: Located, laws: Laws) -> Laws:
    """Merge the laws with the best laws that combine the classes of the parameters that matter."""
    chosen = _chosen(basis, located, laws)
    laws = laws.with_terms(max(len(laws.classes), int(chosen.sum(axis=0).max()))).widened(LAWS_KEPT)
    weights = best_weights(basis, laws, located)
    for some, parameters in _groups(chosen, len(basis.points)):
        own, near, count = laws.part(some), located.part(some), len(parameters)
        tables = Stacked.of(basis, count)
        lists = _likely(tables, near, own, parameters, weights[:, some])
        found = Combined(tables, lists, near, weights[:, some]).best(LAWS_KEPT)
        laws.put(some, merged(own, unstacked(basis, found, parameters, len(own.classes)), LAWS_KEPT))
    return laws


def _groups(chosen: BoolArray, points: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield kernels with the same number of `chosen` parameters, and the indices of these parameters."""
    for count, classes in CLASSES_COMBINED.items():
        those = np.flatnonzero(chosen.sum(axis=0) == count)
        step = max(1, NUMBERS_AT_ONCE // (classes ** (count - 1) * max(classes, points)))
        for some in np.split(those, range(step, len(those), step)):
            if len(some):
                yield some, np.nonzero(chosen[:, some].T)[1].reshape(-1, count).T


@dataclass(frozen=True)
class Stacked:
    """Stacked tables for laws of some parameters, and the prior of their rows. Each parameter has the same
    table, with the classes of all parameters. Class 0 is always row 0.
    """

    tables: list[FloatArray]
    log_prior: FloatArray
    independent: bool

    @classmethod
    def of(cls, basis: Basis, count: int) -> "Stacked":
        """Build the tables for laws of `count` parameters."""
        log_prior = np.tile(basis.log_prior.ravel(), (count, 1))
        return cls([basis.stacked.T] * count, log_prior, basis.independent)


def rows(classes: IntArray, parameters: IntArray) -> IntArray:
    """Return the rows of the stacked table with these classes of these parameters. Both arrays broadcast."""
    return np.where(classes > 0, parameters * len(PAIRS) + classes, 0)


def _likely(
    tables: Stacked, located: Located, laws: Laws, parameters: IntArray, weights: FloatArray
) -> list[IntArray]:
    """Return the likeliest classes of each of the `parameters`, as rows of the stacked table, class 0
    first.
    """
    begin = parameters * len(PAIRS)
    own = [np.stack([np.zeros_like(each), each]) for each in begin + _own(laws, parameters)]
    lists = []
    for place, first in enumerate(begin):
        every = first + np.arange(len(PAIRS))[:, None]
        every[0] = 0
        if len(own) > 1:
            beside = [*own[:place], every, *own[place + 1 :]]
            merit = Combined(tables, beside, located, weights).profile(place).T
            merit[0] = np.inf
            every = np.take_along_axis(
                every, np.argsort(-merit, axis=0)[: CLASSES_COMBINED[len(own)]], axis=0
            )
        lists.append(every)
    return lists


def _own(laws: Laws, parameters: IntArray) -> IntArray:
    """Return the class of each given parameter in the best law that contains it."""
    factors, kernels = laws.classes.max(axis=0), np.arange(parameters.shape[1])
    first = (factors != 0).argmax(axis=1)
    return np.asarray(factors[parameters, first[parameters, kernels], kernels])


def unstacked(basis: Basis, laws: Laws, parameters: IntArray, terms: int) -> Laws:
    """Return laws with classes in stacked tables as laws of all parameters."""
    classes = np.zeros((terms, basis.parameter_count, *laws.log_evidence.shape), dtype=np.int64)
    kernels = np.arange(parameters.shape[1])
    for place, parameter in enumerate(parameters):
        own = laws.classes[:, place]
        classes[: len(own), parameter, :, kernels] = np.moveaxis(np.where(own > 0, own % len(PAIRS), 0), 2, 0)
    idle = basis.log_prior[0, 0] * (basis.parameter_count - len(parameters))
    return Laws(canonical(classes), laws.log_evidence + idle)


def _chosen(basis: Basis, located: Located, laws: Laws) -> BoolArray:
    """Return which parameters are combined: the best law's, and others that probably matter. If the best law
    has more than `MOST_COMBINED` parameters, only `USUALLY_COMBINED` of these are combined.
    """
    there = members(laws)
    best = there[:, 0]
    probability = np.exp(laws.log_evidence - laws.log_evidence[0])
    worth = np.einsum("mhk,hk->mk", there, probability) / probability.sum(axis=0)
    many = np.flatnonzero(best.sum(axis=0) > MOST_COMBINED)
    if len(many):
        worth[:, many] = _missed(basis, located.part(many), laws.part(many))
    best[:, many] = False
    rank = np.argsort(np.argsort(-(worth + 2 * best), axis=0), axis=0)
    return np.asarray(best | (worth > LEAST_PROBABILITY) & (rank < USUALLY_COMBINED))


def _missed(basis: Basis, located: Located, laws: Laws) -> FloatArray:
    """Return by how much the log evidence of the best law falls if each parameter is removed from it."""
    made, kernel, parameter = removals(laws.classes[:, :, 0])
    weights = best_weights(basis, laws, located)
    without = scored(basis, made[:, :, None], located, weights, kernel).log_evidence[0]
    missed = np.zeros((basis.parameter_count, laws.log_evidence.shape[1]))
    missed[parameter, kernel] = np.maximum(laws.log_evidence[0, kernel] - without, 0.0)
    return missed
