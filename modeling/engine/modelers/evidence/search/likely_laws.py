"""The search for laws, for any number of parameters.

With few parameters, the likely classes of all parameters are combined (`few`). With more parameters, the
search has two stages:

- The first stage finds the parameters that a kernel depends on. It starts from the constant and from products
  of powers, and adds, exchanges or drops one factor at a time.
- The second stage improves these laws in one or two rounds. Each round changes the best laws by one factor of
  any class and parameter, and then combines the classes of the parameters found.
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
"""The classes of the factors that the first stage tries: powers that are multiples of 1/2, with the logarithm
or without. These classes suffice to find the parameters that matter, because any other class is similar to
one of these.
"""

MOST_STEPS = 12
"""The largest number of changes by one factor in the first stage: two for each of the `MOST_TERMS` terms."""

STRUCTURES_CHANGED = 3
"""The number of structures whose best laws the first stage changes. One law could be a wrong choice."""

LAST_STRUCTURES_CHANGED = 2
"""The number of structures whose best laws the second stage changes."""

COMBINING_ROUNDS = 2
"""The largest number of rounds of the second stage. Another round follows only if the parameters of the best
law have changed.
"""

MOST_TRIED = 4_000_000
"""If factors times points are more than this, both stages try only classes in `COARSE`, to save time."""

NUMBERS_AT_ONCE = 3_000_000
"""The largest number of elements in the laws of kernels that are searched together."""


def at_first_sight(basis: Basis, located: Located) -> Laws:
    """Return the likeliest laws of each kernel. If `is_combined`, return only one law near the best, which is
    much faster.
    """
    return few.at_first_sight(basis, located) if is_combined(basis) else search(basis, located)


def is_combined(basis: Basis) -> bool:
    """Return whether there are several parameters, but so few that all are combined."""
    return 1 < basis.parameter_count <= MOST_COMBINED


def search(basis: Basis, located: Located, begun: Laws | None = None, *, again: bool = True) -> Laws:
    """Find the likeliest laws of each kernel. `begun` and `again` are used only if `is_combined`. The search
    starts from the laws `begun`, which are near the best ones. If `again`, the evidence is computed a second
    time, with the precision that the best law implies.
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
    """Search for laws of some of the kernels."""
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
    """Change `laws` by one factor at a time, at least twice, as long as the best law becomes more
    probable.
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
    """Merge the laws with changed laws that differ from the best ones by one factor."""
    count, classes = moved
    if basis.points.size * len(PAIRS) > MOST_TRIED:
        classes = COARSE
    begun, kernel = _best_of_structures(laws, count)
    small = (begun != 0).sum(axis=(0, 1)) < MOST_TERMS
    moves = Moves.joined([exchanges(begun, kernel), additions(begun[..., small], kernel[small])])
    found = tried(basis, located, weights, moves, classes)
    return merged(merged(laws, found, LAWS_KEPT), _less(basis, located, weights, begun, kernel), LAWS_KEPT)


def _less(basis: Basis, located: Located, weights: FloatArray, classes: IntArray, kernel: IntArray) -> Laws:
    """Return the laws that result when one factor of a law is removed."""
    made, law, _ = removals(classes)
    own = kernel[law]
    known = scored(basis, made[:, :, None], located, weights, own)
    return by_kernel(made, known.log_evidence[0], own, weights.shape[1])


def _best_of_structures(laws: Laws, count: int) -> tuple[IntArray, IntArray]:
    """Return the best laws of the `count` best structures of every kernel, and the kernel of each law."""
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
