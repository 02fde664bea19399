"""Search for longer laws, such as c₁·n³/p + c₂·n²·log p: divided work plus communication.

The best longer law may share no term with the best plain law. Therefore all sums of two *simple* terms are
tried first (`paired`). Simple terms have only classes in `IN_PAIRS`. With one parameter, these are all sums.
With more parameters, the best laws then get one more term, or one of their terms is replaced (`extended`).
The replacing term has only classes in `IN_PRODUCTS`.
"""

from itertools import combinations

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import (
    MOST_COMBINED,
    PAIRS,
    PER_PROCESS,
    SLOWLY,
    classes_of,
)
from modeling.engine.modelers.evidence.hypotheses.gaussian import log_evidence, solve
from modeling.engine.modelers.evidence.hypotheses.laws import (
    LAWS_KEPT,
    Factors,
    Laws,
    Located,
    best_weights,
    canonical,
    merged,
)
from modeling.engine.modelers.evidence.search.pairs import best_pairs, products
from modeling.engine.modelers.evidence.search.parts import in_parts, of_best
from modeling.engine.modelers.evidence.search.tried_classes import SIMPLE, SURFACE, usable
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LAWS_EXTENDED, LAWS_EXTENDED_MANY = 8, 4
"""The numbers of plain laws that get one more term: for two, and for more parameters (`_MANY`)."""

NUMBERS_AT_ONCE = 50_000
"""The largest number of elements of one temporary array."""

LAWS_CHANGED = 2
"""The number of best laws in which each term is replaced in each round."""

CHANGE_ROUNDS, CHANGE_ROUNDS_MANY = 1, 2
"""The numbers of rounds of replacements: for two, and for more parameters (`_MANY`)."""

_WORK = classes_of((1, 0), (2, 0), (3, 0), (-1, 0))
_HALVES = tuple(np.flatnonzero(((PAIRS[:, 0] * 2) % 1 == 0) & (PAIRS[:, 1] < 2))[1:].tolist())

_EVERY = tuple(range(1, len(PAIRS)))

IN_PAIRS = {1: _EVERY, 2: SIMPLE, 3: (*classes_of((0, 1)), *_WORK), 4: classes_of((0, 1), (1, 0), (-1, 0))}
"""The classes of simple terms, by the number of parameters: all classes if there is one parameter. All pairs
of such terms are tried.
"""

IN_PRODUCTS = {2: (*_HALVES, *SURFACE[1:]), 3: SIMPLE, 4: (*classes_of((0, 1)), *_WORK)}
"""The classes of the products that replace terms, by the number of parameters."""


def paired(basis: Basis, located: Located, laws: Laws) -> Laws:
    """Merge the laws with the best sums of two simple terms. All laws get room for one more term. With more
    than `MOST_COMBINED` parameters, sums contain only the parameters of the kernel's best law.
    """
    if basis.parameter_count > MOST_COMBINED:
        return in_parts(paired, basis, located, laws, of_best(laws), longer=1)
    found = Laws(with_place(laws.classes), laws.log_evidence)
    terms = products(usable(basis, IN_PAIRS))
    return merged(found, best_pairs(basis, located, found, terms), LAWS_KEPT)


def extended(basis: Basis, located: Located, laws: Laws) -> Laws:
    """Merge the laws with the best laws in which one term is new. The new term replaces another one or a free
    term. With more than `MOST_COMBINED` parameters, new terms contain only the parameters of the kernel's
    best law.
    """
    if basis.parameter_count == 1:  # a kernel of many parameters whose best law has only one of them
        return laws  # `paired` compares all sums
    if basis.parameter_count > MOST_COMBINED:
        return in_parts(extended, basis, located, laws, of_best(laws))
    m = basis.parameter_count
    begun = laws.classes[:, :, : LAWS_EXTENDED if m == 2 else LAWS_EXTENDED_MANY]
    begun = begun * (begun[-1:] == 0).all(axis=1, keepdims=True)
    found = _with_new_terms(basis, located, laws, begun, _new_terms(m))
    terms = products(usable(basis, IN_PRODUCTS))
    for _ in range(CHANGE_ROUNDS if m == 2 else CHANGE_ROUNDS_MANY):
        found = _with_new_terms(basis, located, found, _less(found.classes[:, :, :LAWS_CHANGED]), terms)
    return found


def rising_again(basis: Basis, located: Located, laws: Laws) -> Laws:
    """Merge the laws with the best laws that fall and rise again. All laws get room for one more term. Such a
    law is a sum of two simple terms. One term falls with a parameter, like divided work or its surface. The
    other term rises slowly with this parameter or does not depend on it.
    """
    found = Laws(with_place(laws.classes), laws.log_evidence)
    terms = products(usable(basis, IN_PAIRS | {1: (*PER_PROCESS, *SLOWLY)}))
    falls, stays = np.isin(terms, PER_PROCESS), np.isin(terms, (0, *SLOWLY))
    again = (falls[:, None] & stays).any(axis=2) & (terms > 0).any(axis=1)
    return merged(found, best_pairs(basis, located, found, terms, np.asarray(again | again.T)), LAWS_KEPT)


def with_place(classes: IntArray) -> IntArray:
    """Return laws with T terms of m parameters, (T, m, ...), with room for one more term, (T + 1, m, ...)."""
    return np.concatenate([classes, np.zeros_like(classes[:1])])


def _with_new_terms(basis: Basis, located: Located, laws: Laws, begun: IntArray, terms: IntArray) -> Laws:
    """Return the best of `laws` and of all laws with one of the `terms` in the free last term of `begun`."""
    weights = best_weights(basis, laws, located)
    kernels = laws.log_evidence.shape[1]
    table = basis.columns(terms.T[None])[0].T
    step = max(1, NUMBERS_AT_ONCE // (begun.shape[2] * len(terms)))
    parts = []
    for part in np.split(np.arange(kernels), range(step, kernels, step)):
        some = laws.part(part)
        own = begun[..., part].reshape(*begun.shape[:2], -1)
        values = np.tile(located.y[:, part], begun.shape[2]), np.tile(weights[:, part], begun.shape[2])
        factors = Factors.of(basis, own[:, :, None]) + Factors.of(basis, terms.T[None, :, :, None])
        evidence = _evidence(basis, own[:-1], values, table) + factors.log_prior(basis)
        hopeless = ~np.isfinite(evidence) | _contained(terms, own)
        number, evidence = _best(np.where(hopeless, -np.inf, evidence).reshape(-1, len(part)))
        beside, last = number % begun.shape[2], number // begun.shape[2]
        made = np.take_along_axis(begun[..., part], beside[None, None], axis=2)
        made[-1] = terms.T[:, last]
        parts.append(merged(some, Laws(canonical(made), evidence), LAWS_KEPT))
    return Laws.joined(parts)


def _best(evidence: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the indices of each kernel's likeliest laws, unordered, and their evidence."""
    count = min(LAWS_KEPT, len(evidence))
    best = np.argpartition(-evidence, count - 1, axis=0)[:count]
    return best, np.take_along_axis(evidence, best, axis=0)


def _evidence(
    basis: Basis, classes: IntArray, values: tuple[FloatArray, FloatArray], table: FloatArray
) -> FloatArray:
    """Return the log evidence, without the prior, of laws extended by each new term, (terms, laws)."""
    y, weights = values
    columns = np.concatenate([np.ones((1, *y.shape)), basis.columns(classes)])
    present = [np.ones(1), *(classes != 0).any(axis=1).astype(float), np.ones(1)]
    gram = [
        [(weights * one * other).sum(axis=0) for other in columns[: number + 1]]
        for number, one in enumerate(columns)
    ]
    for row, there in zip(gram, present, strict=False):
        row[-1] = row[-1] + (1 - there)
    gram.append([*(table @ (weights * one) for one in columns), table**2 @ weights])
    moments = [*((weights * y * one).sum(axis=0) for one in columns), table @ (weights * y)]
    fit = solve(gram, moments, (weights * y * y).sum(axis=0))
    return log_evidence(fit, present, independent=basis.independent)


def _contained(terms: IntArray, classes: IntArray) -> BoolArray:
    """Return which of the terms each law already contains, (terms, laws)."""
    there = [(terms[:, :, None] == term).all(axis=1) for term in classes]
    return np.asarray(np.any(there, axis=0))


def _less(classes: IntArray) -> IntArray:
    """Return all laws that result when one term of a law is removed."""
    less = [
        canonical(np.where(np.arange(len(classes))[:, None, None, None] == term, 0, classes))
        for term in range(len(classes))
    ]
    return np.concatenate(less, axis=2)


def _new_terms(parameters: int) -> IntArray:
    """Return factors of all classes, and products of two factors of `SIMPLE` classes."""
    found = []
    for parameter in range(parameters):
        alone = np.zeros((len(PAIRS) - 1, parameters), dtype=np.int64)
        alone[:, parameter] = np.arange(1, len(PAIRS))
        found.append(alone)
    for one, other in combinations(range(parameters), 2):
        both = np.zeros((len(SIMPLE) ** 2, parameters), dtype=np.int64)
        both[:, one] = np.repeat(SIMPLE, len(SIMPLE))
        both[:, other] = np.tile(SIMPLE, len(SIMPLE))
        found.append(both)
    return np.concatenate(found)
