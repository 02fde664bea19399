"""The search for laws, for any number of parameters.

With few parameters, all combinations of their likely classes are tried in all structures (`few`). With more,
a kernel depends on some of them, which are found first. Laws grow from the constant, and from products of
powers, by one factor at a time, of any parameter, in a term of its own or in an existing one; a factor may
also be exchanged or dropped. The parameters of the resulting laws are then combined as if they were all, with
class 0 for the others. Finally, each factor of the best laws is exchanged for factors of all other
parameters, so that among parameters that vary together none is preferred by chance; and one more factor is
tried.
"""

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import MOST_COMBINED, MOST_TERMS, PAIRS, places
from modeling.engine.modelers.evidence.hypotheses.laws import (
    LAWS_KEPT,
    Laws,
    Located,
    best_weights,
    merged,
    mixed,
    rescored,
    scored,
)
from modeling.engine.modelers.evidence.search import few
from modeling.engine.modelers.evidence.search.one_factor import (
    Moves,
    additions,
    by_kernel,
    exchanges,
    removals,
    tried,
)
from modeling.engine.modelers.evidence.search.parts import members
from modeling.engine.modelers.evidence.search.powers import products
from modeling.engine.modelers.evidence.search.stacked import with_combinations
from modeling.engine.validation import BoolArray, FloatArray, IntArray

COARSE: BoolArray = ((PAIRS[:, 0] * 2) % 1 == 0) & (PAIRS[:, 1] < 2)
"""Classes of the factors by which laws grow, half powers: the classes between them are found with these as
well."""

MOST_STEPS = 12
"""The largest number of steps in which laws change by one factor: twice the number of a law's factors."""

STRUCTURES_CHANGED = 3
"""The number of structures whose best law is changed in each step. With one, a wrong first choice is hardly
ever undone."""

LAST_STRUCTURES_CHANGED = 2
"""The number of such structures in the last rounds, when the best law has usually been found."""

COMBINING_ROUNDS = 2
"""The largest number of rounds of combining parameters and exchanging factors, while these change the best
set of parameters."""

MOST_TRIED = 4_000_000
"""The number of values of all factors at all points above which only half powers are tried, to bound time.
The other classes are found when the parameters that matter are combined."""

NUMBERS_AT_ONCE = 3_000_000
"""Numbers that the laws of kernels that are searched together may take."""


def at_first_sight(basis: Basis, located: Located) -> Laws:
    """The laws with the most evidence, or, where `is_combined`, one law near these for each kernel."""
    return few.at_first_sight(basis, located) if is_combined(basis) else search(basis, located)


def is_combined(basis: Basis) -> bool:
    """Whether all parameters are combined, because there are few; `at_first_sight` is much faster then."""
    return 1 < basis.parameter_count <= MOST_COMBINED


def search(basis: Basis, located: Located, begun: Laws | None = None) -> Laws:
    """Find the laws with the most evidence for each kernel.

    Where `is_combined`, the search may start from laws `begun` near these, and the result is not rescored
    yet.
    """
    m, kernels = basis.parameter_count, located.y.shape[1]
    if m <= MOST_COMBINED:
        return few.search(basis, located, begun)
    step = max(1, NUMBERS_AT_ONCE // (places(m) * m * LAWS_KEPT))
    return Laws.joined(
        [
            _searched(basis, located.part(part))
            for part in np.split(np.arange(kernels), range(step, kernels, step))
        ]
    )


def _searched(basis: Basis, located: Located) -> Laws:
    """As `search`, for some of the kernels."""
    weights, m = located.weights(located.y), basis.parameter_count
    laws = scored(basis, np.zeros((1, m, 1, weights.shape[1]), dtype=np.int64), located, weights)
    if not basis.usable[:, 1:].any():
        return laws.with_terms(places(m)).widened(LAWS_KEPT)
    begun = laws, products(basis, located, weights)
    grown = [_grown(basis, located, each, weights).with_terms(places(m)) for each in begun]
    laws = rescored(basis, merged(grown[0], grown[1], LAWS_KEPT), located).widened(LAWS_KEPT)
    some = np.arange(weights.shape[1])
    for _ in range(COMBINING_ROUNDS):
        near, own = located.part(some), laws.part(some)
        before = members(own)[:, 0]
        own = own.with_terms(min(own.terms + 1, len(own.classes)))
        own = _changed(basis, near, own, best_weights(basis, own, near), (LAST_STRUCTURES_CHANGED, None))
        own = rescored(basis, with_combinations(basis, near, rescored(basis, own, near)), near)
        laws.put(some, own.with_terms(places(m)).widened(LAWS_KEPT))
        some = some[(members(own)[:, 0] != before).any(axis=0)]
        if not len(some):
            break
    return laws


def _grown(basis: Basis, located: Located, laws: Laws, weights: FloatArray) -> Laws:
    """Laws grown from `laws` by one factor at a time, while the best one becomes more probable.

    Two factors are added in any case, as they may matter only together.
    """
    laws = laws.widened(LAWS_KEPT)
    some = np.arange(weights.shape[1])
    for step in range(MOST_STEPS):
        own = laws.part(some)
        own = own.with_terms(min(own.terms + 1, places(basis.parameter_count)))
        more = _changed(basis, located.part(some), own, weights[:, some], (STRUCTURES_CHANGED, COARSE))
        laws = laws.with_terms(max(len(laws.classes), len(more.classes)))
        laws.put(some, more.with_terms(len(laws.classes)).widened(LAWS_KEPT))
        some = some[(more.log_evidence[0] > own.log_evidence[0]) | (step == 0)]
        if not len(some):
            break
    return laws


def _changed(
    basis: Basis, located: Located, laws: Laws, weights: FloatArray, moved: tuple[int, BoolArray | None]
) -> Laws:
    """The laws, merged with those that differ from the best ones by one factor: added, dropped or exchanged.

    `moved` gives the number of structures whose best law is changed, and the classes of the factors (None:
    all).
    """
    count, classes = moved
    if basis.points.size * len(PAIRS) > MOST_TRIED:
        classes = COARSE
    begun, kernel = _best_of_structures(laws, count)
    small = (begun != 0).sum(axis=(0, 1)) < MOST_TERMS
    moves = Moves.joined([exchanges(begun, kernel), additions(begun[..., small], kernel[small])])
    found = tried(basis, located, weights, moves, classes)
    return merged(merged(laws, found, LAWS_KEPT), _less(basis, located, weights, begun, kernel), LAWS_KEPT)


def _less(basis: Basis, located: Located, weights: FloatArray, classes: IntArray, kernel: IntArray) -> Laws:
    """Laws (T, m, B) of some kernels, without each one of their factors."""
    made, law, _ = removals(classes)
    own = kernel[law]
    known = scored(basis, made[:, :, None], located.part(own), weights[:, own])
    return by_kernel(made, known.log_evidence[0], own, weights.shape[1])


def _best_of_structures(laws: Laws, count: int) -> tuple[IntArray, IntArray]:
    """The best law of each of the best structures, (T, m, B), and the laws' kernels (B,)."""
    bits = (1 << np.arange(laws.classes.shape[1], dtype=np.uint64)).reshape(-1, 1, 1)
    name = mixed(((laws.classes != 0) * bits).sum(axis=1)).sum(axis=0)
    evidence, every = laws.log_evidence.copy(), np.arange(name.shape[1])
    ranks, kernels = [], []
    for _ in range(count):
        rank = evidence.argmax(axis=0)
        there = np.isfinite(evidence[rank, every])
        ranks.append(rank[there])
        kernels.append(every[there])
        evidence[name == name[rank, every]] = -np.inf
    rank, kernel = np.concatenate(ranks), np.concatenate(kernels)
    return laws.classes[:, :, rank, kernel], kernel
