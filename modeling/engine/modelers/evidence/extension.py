"""Laws with one term more: what a sum or product with one term per parameter cannot say.

c₁·n³/p + c₂·n²·log p is work that is divided beside communication, c₁·p·n + c₂·n² grows with n in two ways.
As the best plain law need not share a term with the best longer one, all sums of two simple terms are tried;
then the best laws get another term, or exchange one for any product of factors.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from modeling.engine.modelers.evidence.basis import COMBINED, DIVIDED, PAIRS, SLOWLY, Basis, classes_of
from modeling.engine.modelers.evidence.gaussian import log_evidence, solve
from modeling.engine.modelers.evidence.laws import (
    KEPT,
    Factors,
    Laws,
    Located,
    best_weights,
    canonical,
    merged,
)
from modeling.engine.modelers.evidence.pairs import best_pairs, products
from modeling.engine.modelers.evidence.parts import in_parts, of_best
from modeling.engine.validation import BoolArray, FloatArray, IntArray

BEGUN_WITH = {1: 64, 2: 8}
FEWEST_BEGUN_WITH = 4
"""Plain laws that get another term, with one and two parameters, and with more."""

AT_ONCE = 50_000
"""Numbers of one temporary array."""

CHANGED = 2
"""Laws of whom each term is exchanged for all products of factors, or that get one of these more."""

CHANGES = {1: 1, 2: 1}
MOST_CHANGES = 2
"""How often that is done, with one and two parameters, and with more, where fewer pairs are tried."""


_WORK = classes_of((1, 0), (2, 0), (3, 0), (-1, 0))
_SURFACE = classes_of((-1 / 2, 0), (-2 / 3, 0))
_SIMPLE = (*SLOWLY, *classes_of((1, 1), (2, 0), (3, 0), (-1, 0)), *_SURFACE)
_HALVES = tuple(np.flatnonzero(((PAIRS[:, 0] * 2) % 1 == 0) & (PAIRS[:, 1] < 2))[1:].tolist())

IN_PAIRS = {1: _HALVES, 2: _SIMPLE, 3: (*classes_of((0, 1)), *_WORK), 4: classes_of((0, 1), (1, 0), (-1, 0))}
"""Classes whose products stand in pairs of terms, by the number of parameters."""

IN_PRODUCTS = {1: _HALVES, 2: (*_HALVES, *_SURFACE[1:]), 3: _SIMPLE, 4: (*classes_of((0, 1)), *_WORK)}
"""Classes whose products are exchanged for terms, by the number of parameters."""


def paired(basis: Basis, located: Located, laws: Laws) -> Laws:
    """The laws (T, m, H, K) with a place for one term more, and the best sums of two simple terms.

    Of more parameters than are combined, those of the best law have these.
    """
    if basis.parameter_count > COMBINED:
        return in_parts(paired, basis, located, laws, of_best(laws), longer=1)
    found = Laws(with_place(laws.classes), laws.log_evidence)
    terms = products(_usable(basis, IN_PAIRS))
    return merged(found, best_pairs(basis, located, found, terms), KEPT)


def extended(basis: Basis, located: Located, laws: Laws) -> Laws:
    """The laws (T, m, H, K), whose last term is free in the first of them, and the best of those that have
    one term more, or another one.

    Of more parameters than are combined, those of the best law have these.
    """
    if basis.parameter_count > COMBINED:
        return in_parts(extended, basis, located, laws, of_best(laws))
    m = basis.parameter_count
    begun = laws.classes[:, :, : BEGUN_WITH.get(m, FEWEST_BEGUN_WITH)]
    begun = begun * (begun[-1:] == 0).all(axis=1, keepdims=True)
    found = _with_new_terms(basis, located, laws, begun, _new_terms(m))
    terms = products(_usable(basis, IN_PRODUCTS))
    for _ in range(CHANGES.get(m, MOST_CHANGES)):
        found = _with_new_terms(basis, located, found, _less(found.classes[:, :, :CHANGED]), terms)
    return found


def rising_again(basis: Basis, located: Located, laws: Laws) -> Laws:
    """The laws (T, m, H, K) with a place for one term more, and the best sums of two simple terms, of which
    one falls with a parameter and the other rises slowly, as communication beside work that is divided, or
    does not depend on it, as work that is not divided."""
    found = Laws(with_place(laws.classes), laws.log_evidence)
    terms = products(_usable(basis, IN_PAIRS))
    falls, stays = terms == DIVIDED, np.isin(terms, (0, *SLOWLY))
    again = (falls[:, None] & stays).any(axis=2) & (terms > 0).any(axis=1)
    return merged(found, best_pairs(basis, located, found, terms, again | again.T), KEPT)


def with_place(classes: IntArray) -> IntArray:
    """Laws (T, m, ...) with room for one term more."""
    return np.concatenate([classes, np.zeros_like(classes[:1])])


def _with_new_terms(basis: Basis, located: Located, laws: Laws, begun: IntArray, terms: IntArray) -> Laws:
    """The best of the laws (T, m, H, K) and of those that `begun` (T, m, N, K), whose last term is free, make
    with `terms` (terms, m) there, few kernels at once."""
    weights = best_weights(basis, laws, located)
    kernels = laws.log_evidence.shape[1]
    table = basis.columns(terms.T[None])[0].T
    step = max(1, AT_ONCE // (begun.shape[2] * len(terms)))
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
        parts.append(merged(some, Laws(canonical(made), evidence), KEPT))
    return Laws.joined(parts)


def _best(evidence: FloatArray) -> tuple[IntArray, FloatArray]:
    """Numbers of the laws with the most evidence (H, K), in no order, and their evidence."""
    count = min(KEPT, len(evidence))
    best = np.argpartition(-evidence, count - 1, axis=0)[:count]
    return best, np.take_along_axis(evidence, best, axis=0)


def _evidence(
    basis: Basis, classes: IntArray, values: tuple[FloatArray, FloatArray], table: FloatArray
) -> FloatArray:
    """Logarithm of the evidence but for the prior of laws (T, m, B) with each of N terms more, (N, B).

    `values` at the points and their precisions are (P, B), the new terms' columns `table` (N, P): all inner
    products with them are matrix products.
    """
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
    """Which terms (N, m) laws (T, m, B) have already, (N, B)."""
    there = [(terms[:, :, None] == term).all(axis=1) for term in classes]
    return np.asarray(np.any(there, axis=0))


def _less(classes: IntArray) -> IntArray:
    """Laws (T, m, H, K) less their last term, if they have it, or any other, (T, m, T · H, K)."""
    less = [
        canonical(np.where(np.arange(len(classes))[:, None, None, None] == term, 0, classes))
        for term in range(len(classes))
    ]
    return np.concatenate(less, axis=2)


def _usable(basis: Basis, classes: Mapping[int, Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Which of the classes for so many parameters each of these may have."""
    some = classes[min(basis.parameter_count, max(classes))]
    return tuple(tuple(each for each in some if usable[each]) for usable in basis.usable)


def _new_terms(parameters: int) -> IntArray:
    """Terms that may be added, (terms, m)."""
    found = []
    for parameter in range(parameters):
        alone = np.zeros((len(PAIRS) - 1, parameters), dtype=np.int64)
        alone[:, parameter] = np.arange(1, len(PAIRS))
        found.append(alone)
    for one, other in combinations(range(parameters), 2):
        both = np.zeros((len(_SIMPLE) ** 2, parameters), dtype=np.int64)
        both[:, one] = np.repeat(_SIMPLE, len(_SIMPLE))
        both[:, other] = np.tile(_SIMPLE, len(_SIMPLE))
        found.append(both)
    return np.concatenate(found)
