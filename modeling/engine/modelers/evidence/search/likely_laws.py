"""The search for laws, for any number of parameters.

With few parameters, the likely classes of all parameters are combined (`few`). With more parameters, the
search has two stages:

- It finds the parameters that a kernel depends on. It starts from the constant and from products of powers,
  and changes laws by one factor at a time. A change adds a factor of any parameter, as a term of its own or
  in an existing term, or it exchanges or drops a factor.
- It improves the laws found, in one or two rounds. Each round begins with one more change of the best laws
  by one factor, for which all parameters are tried again with all classes. Otherwise, of parameters that vary
  together, one could be preferred by chance. Then the classes of the parameters found are combined, and all
  other parameters are ignored.
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
"""The classes of the factors that are tried in the first stage: powers that are multiples of 1/2, with the
logarithm or without. They suffice to find the parameters that matter, because a factor of any other class is
similar to one of them.
"""

MOST_STEPS = 12
"""The largest number of changes by one factor in the first stage: two for each of the `MOST_TERMS` terms.
"""

STRUCTURES_CHANGED = 3
"""The number of structures whose best law is changed at a time in the first stage. If only the best law of
all were changed, a wrong first choice would hardly ever be corrected.
"""

LAST_STRUCTURES_CHANGED = 2
"""The same number for the rounds of the second stage. By then, the best law has usually been found, so fewer
structures suffice.
"""

COMBINING_ROUNDS = 2
"""The largest number of rounds of the second stage. A kernel gets another round only if the parameters of its
best law have changed.
"""

MOST_TRIED = 4_000_000
"""If the number of factors times the number of points exceeds this limit, only factors of the classes in
`COARSE` are tried in both stages, to save time. Other classes are then found only when the classes of the
parameters that matter are combined.
"""

NUMBERS_AT_ONCE = 3_000_000
"""The largest number of elements in the laws of kernels that are searched together."""


def at_first_sight(basis: Basis, located: Located) -> Laws:
    """Return the laws with the most evidence for each kernel. If `is_combined`, return one law near the best
    instead.
    """
    return few.at_first_sight(basis, located) if is_combined(basis) else search(basis, located)


def is_combined(basis: Basis) -> bool:
    """Return whether all parameters are combined because there are few. If so, `at_first_sight` is much
    faster than `search`.
    """
    return 1 < basis.parameter_count <= MOST_COMBINED


def search(basis: Basis, located: Located, begun: Laws | None = None, *, again: bool = True) -> Laws:
    """Find the laws with the most evidence for each kernel.

    `begun` and `again` are used only if `is_combined`. `begun` are laws near the best ones to start from. If
    not `again`, the evidence is not computed again with the precision of the values that the best law
    implies.
    """
    m, kernels = basis.parameter_count, located.y.shape[1]
    if m <= MOST_COMBINED:
        return few.search(basis, located, begun, again=again)
    step = max(1, NUMBERS_AT_ONCE // (places(m) * m * LAWS_KEPT))
    return Laws.joined(
        [
            _searched(basis, located.part(part))
            for part in np.split(np.arange(kernels), range(step, kernels, step))
        ]
    )


def _searched(basis: Basis, located: Located) -> Laws:
    """Search for laws as `search` does, for some of the kernels."""
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
    """Change `laws` by one factor at a time, as long as the best law becomes more probable.

    The second change is made even if the first one brings nothing, because two factors may matter only
    together.
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
    """Merge the laws with those that differ from the best ones by one factor, which is added, dropped or
    exchanged.

    `moved` is a pair: the number of structures whose best law is changed, and a mask of the classes that new
    factors may have (None: all classes).
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
    """Return the laws that result when one factor of one of the given laws is removed. The laws have
    `classes` (T, m, B), and belong to the kernels `kernel` (B,).
    """
    made, law, _ = removals(classes)
    own = kernel[law]
    known = scored(basis, made[:, :, None], located.part(own), weights[:, own])
    return by_kernel(made, known.log_evidence[0], own, weights.shape[1])


def _best_of_structures(laws: Laws, count: int) -> tuple[IntArray, IntArray]:
    """Return the best law of each of the `count` best structures of each kernel, (T, m, B), and the laws'
    kernels (B,). The best structure is that of the best law.
    """
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
