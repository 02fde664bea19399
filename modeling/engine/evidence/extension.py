"""Laws with one term more: what a sum or product with one term per parameter cannot say.

c₁/p + c₂·log p falls and then rises, c₁·p·n + c₂·n² grows with n in two ways. Such laws are tried where
points lie off all plain ones: the best of these get another term of one parameter, or of two.
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from modeling.engine.evidence.basis import PAIRS, Basis
from modeling.engine.evidence.laws import KEPT, Laws, Located, best_weights, canonical, merged, scored
from modeling.engine.validation import IntArray

BEGUN_WITH = {1: 64, 2: 8}
FEWEST_BEGUN_WITH = 4
"""Plain laws that get another term, with one and two parameters, and with more."""

EXCHANGED = 4
"""Longer laws whose classes are exchanged for all others."""

AT_ONCE = 300_000
"""Numbers of one temporary array."""

_FACTORS = [
    number
    for number, pair in enumerate(PAIRS.tolist())
    if pair in ([0.0, 1.0], [0.5, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 0.0], [-1.0, 0.0])
]
"""Classes that are multiplied to another term of two parameters."""


def extended(basis: Basis, located: Located, laws: Laws, *, exchanges: int = 0) -> Laws:
    """The laws (T, m, H, K) with a place for one term more, and the best of those that have it.

    The best plain law need not share a class with the best longer one: `exchanges` tells how often every
    class of the best ones is exchanged for all others.
    """
    plain = Laws(with_place(laws.classes), laws.log_evidence)
    others = _other_terms(basis)
    begun_with = BEGUN_WITH.get(basis.parameter_count, FEWEST_BEGUN_WITH)
    found = _with_new(basis, located, plain, lambda some: _longer(some[:, :, :begun_with], others))
    for _ in range(exchanges):
        found = _with_new(basis, located, found, lambda some: _exchanged(some[:, :, :EXCHANGED]))
    return found


def _with_new(basis: Basis, located: Located, laws: Laws, new: Callable[[IntArray], IntArray]) -> Laws:
    """The best of the laws and of those that are made of them, few kernels at once."""
    weights = best_weights(basis, laws, located)
    kernels = laws.log_evidence.shape[1]
    step = max(1, AT_ONCE // (new(laws.classes[..., :1]).shape[2] * len(basis.points)))
    parts = []
    for part in np.split(np.arange(kernels), range(step, kernels, step)):
        some = laws.part(part)
        more = scored(basis, new(some.classes), located.part(part), weights[:, part])
        parts.append(merged(some, more, KEPT))
    most = max(len(part.log_evidence) for part in parts)
    parts = [part.widened(most) for part in parts]
    return Laws(
        np.concatenate([part.classes for part in parts], axis=3),
        np.concatenate([part.log_evidence for part in parts], axis=1),
    )


def with_place(classes: IntArray) -> IntArray:
    """Laws (T, m, ...) with room for one term more."""
    return np.concatenate([classes, np.zeros_like(classes[:1])])


def _other_terms(basis: Basis) -> IntArray:
    """Terms that may be added, (terms, m)."""
    m = basis.parameter_count
    found = []
    for parameter in range(m):
        alone = np.zeros((len(PAIRS) - 1, m), dtype=np.int64)
        alone[:, parameter] = np.arange(1, len(PAIRS))
        found.append(alone)
    for one, other in combinations(range(m), 2):
        both = np.zeros((len(_FACTORS) ** 2, m), dtype=np.int64)
        both[:, one] = np.repeat(_FACTORS, len(_FACTORS))
        both[:, other] = np.tile(_FACTORS, len(_FACTORS))
        found.append(both)
    return np.concatenate(found)


def _longer(classes: IntArray, others: IntArray) -> IntArray:
    """Each of the laws (T, m, H, K) with each of the other terms; those that it has stay one."""
    longer = np.repeat(classes, len(others), axis=2)
    longer[-1] = np.tile(others.T, classes.shape[2])[:, :, None]
    again = (longer[:-1] == longer[-1]).all(axis=1).any(axis=0)
    longer[-1, :, again] = 0
    return canonical(longer)


def _exchanged(classes: IntArray) -> IntArray:
    """The laws (T, m, H, K) with every class that they have exchanged for every other one."""
    terms, m, count = classes.shape[:3]
    found = []
    for term in range(terms):
        for parameter in range(m):
            others = np.repeat(classes, len(PAIRS) - 1, axis=2)
            new = np.tile(np.arange(1, len(PAIRS)), count)[:, None]
            others[term, parameter] = np.where(others[term, parameter] > 0, new, 0)
            found.append(others)
    return canonical(np.concatenate(found, axis=2))
