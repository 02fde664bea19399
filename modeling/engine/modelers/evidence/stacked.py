"""All combinations of the parameters that matter, which these are differing between kernels.

The classes of all parameters stand in one table, one parameter after the other. So a law's first, second, …
parameter may be another one in every kernel, and kernels with equally many are searched together.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from modeling.engine.modelers.evidence.basis import MOST_COMBINED, PAIRS, Basis
from modeling.engine.modelers.evidence.combined import Combined
from modeling.engine.modelers.evidence.laws import (
    LAWS_KEPT,
    Laws,
    Located,
    best_weights,
    canonical,
    merged,
    scored,
)
from modeling.engine.modelers.evidence.one_factor import removals
from modeling.engine.modelers.evidence.parts import members
from modeling.engine.validation import BoolArray, FloatArray, IntArray

CLASSES_COMBINED = {1: len(PAIRS), 2: 32, 3: 12, 4: 6}
"""Classes of each that are combined, by the number of parameters: as many as a few milliseconds allow."""

USUALLY_COMBINED = 3
"""Parameters that are combined, unless the best law has more."""

LEAST_PROBABILITY = 0.01
"""Probability that a kernel depends on a parameter from which it is combined with others."""

NUMBERS_AT_ONCE = 200_000
"""Numbers of one temporary array."""


def with_combinations(basis: Basis, located: Located, laws: Laws) -> Laws:
    """The laws, and the best of those that combine the parameters that matter in all structures."""
    chosen = _chosen(basis, located, laws)
    laws = laws.with_terms(max(len(laws.classes), int(chosen.sum(axis=0).max()))).widened(LAWS_KEPT)
    weights = best_weights(basis, laws, located)
    for some, parameters in _groups(chosen, len(basis.points)):
        own, near, count = laws.part(some), located.part(some), len(parameters)
        tables = Stacked.of(basis, count)
        lists = _likely(tables, near, own, parameters, weights[:, some])
        found = Combined(tables, lists, near, weights[:, some]).best(LAWS_KEPT)
        laws.put(some, merged(own, _unstacked(basis, found, parameters, len(own.classes)), LAWS_KEPT))
    return laws


def _groups(chosen: BoolArray, points: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Kernels with equally many chosen parameters (m, K), some at once, and these, (parameters, kernels)."""
    for count, classes in CLASSES_COMBINED.items():
        those = np.flatnonzero(chosen.sum(axis=0) == count)
        step = max(1, NUMBERS_AT_ONCE // (classes ** (count - 1) * max(classes, points)))
        for some in np.split(those, range(step, len(those), step)):
            if len(some):
                yield some, np.nonzero(chosen[:, some].T)[1].reshape(-1, count).T


@dataclass(frozen=True)
class Stacked:
    """For each of a law's parameters the classes of all there are, one after the other, and their prior.

    Class 0 of the first stands for that of all.
    """

    tables: list[FloatArray]
    log_prior: FloatArray
    independent: bool = True

    @classmethod
    def of(cls, basis: Basis, count: int) -> "Stacked":
        """The same for each of so many parameters."""
        return cls([basis.stacked.T] * count, np.tile(basis.log_prior.ravel(), (count, 1)))


def _likely(
    tables: Stacked, located: Located, laws: Laws, parameters: IntArray, weights: FloatArray
) -> list[IntArray]:
    """For each of some parameters (parameters, K) its likeliest classes in stacked tables, (classes, K), 0
    first: likeliest beside 0 and one class of each of the others, that of the best law which has one."""
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
    """Class of each of some parameters (parameters, K) in the best law that it stands in."""
    factors, kernels = laws.classes.max(axis=0), np.arange(parameters.shape[1])
    first = (factors != 0).argmax(axis=1)
    return np.asarray(factors[parameters, first[parameters, kernels], kernels])


def _unstacked(basis: Basis, laws: Laws, parameters: IntArray, terms: int) -> Laws:
    """Laws of some parameters (parameters, K) in stacked tables as laws of all, the others being class 0."""
    classes = np.zeros((terms, basis.parameter_count, *laws.log_evidence.shape), dtype=np.int64)
    kernels = np.arange(parameters.shape[1])
    for place, parameter in enumerate(parameters):
        own = laws.classes[:, place]
        classes[: len(own), parameter, :, kernels] = np.moveaxis(np.where(own > 0, own % len(PAIRS), 0), 2, 0)
    idle = basis.log_prior[0, 0] * (basis.parameter_count - len(parameters))
    return Laws(canonical(classes), laws.log_evidence + idle)


def _chosen(basis: Basis, located: Located, laws: Laws) -> BoolArray:
    """Which parameters are combined, (m, K): those of the best law, if they are few, and others that likely
    matter; else those without which the best law is least likely."""
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
    """How much less likely (logarithm) the best law is without each parameter, (m, K)."""
    made, kernel, parameter = removals(laws.classes[:, :, 0])
    weights = best_weights(basis, laws, located)[:, kernel]
    without = scored(basis, made[:, :, None], located.part(kernel), weights).log_evidence[0]
    missed = np.zeros((basis.parameter_count, laws.log_evidence.shape[1]))
    missed[parameter, kernel] = np.maximum(laws.log_evidence[0, kernel] - without, 0.0)
    return missed
