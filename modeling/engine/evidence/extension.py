"""Laws with one term more: what a sum or product with one term per parameter cannot say.

c₁/p + c₂·log p falls and then rises, c₁·p·n + c₂·n² grows with n in two ways. Such laws are tried where
points lie off all plain ones: the best of these get another term of one parameter, or of two.
"""

from itertools import combinations

import numpy as np

from modeling.engine.evidence.basis import PAIRS, Basis
from modeling.engine.evidence.laws import KEPT, Laws, Located, best_weights, canonical, merged, scored
from modeling.engine.validation import IntArray

BEGUN_WITH = {1: 64, 2: 8}
FEWEST_BEGUN_WITH = 4
"""Plain laws that get another term, with one and two parameters, and with more."""

AT_ONCE = 300_000
"""Numbers of one temporary array."""

_FACTORS = [
    number
    for number, pair in enumerate(PAIRS.tolist())
    if pair in ([0.0, 1.0], [0.5, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 0.0], [-1.0, 0.0])
]
"""Classes that are multiplied to another term of two parameters."""


def extended(basis: Basis, located: Located, laws: Laws) -> Laws:
    """The laws (T, m, H, K) with a place for one term more, and the best of those that have it."""
    weights = best_weights(basis, laws, located)
    plain = Laws(with_place(laws.classes), laws.log_evidence)
    others = _other_terms(basis)
    kernels = laws.log_evidence.shape[1]
    begun_with = BEGUN_WITH.get(basis.parameter_count, FEWEST_BEGUN_WITH)
    step = max(1, AT_ONCE // (begun_with * len(others) * len(basis.points)))
    parts = []
    for part in np.split(np.arange(kernels), range(step, kernels, step)):
        longer = scored(
            basis,
            _longer(plain.classes[:, :, :begun_with, part], others),
            located.part(part),
            weights[:, part],
        )
        parts.append(merged(plain.part(part), longer, KEPT))
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
