"""Which laws may stand behind the values: all of the likely classes in all structures, by their evidence."""

import numpy as np

from modeling.engine.modelers.evidence.basis import PAIRS, Basis
from modeling.engine.modelers.evidence.combined import Combined
from modeling.engine.modelers.evidence.laws import LAWS_KEPT, Laws, Located, best_weights, rescored
from modeling.engine.modelers.evidence.lines import likely_classes
from modeling.engine.validation import FloatArray, IntArray

FIRST_CLASSES = 5
"""Classes of every parameter that are combined first."""

OTHER_CLASSES = 2
"""Classes of the other parameters beside which all of one parameter's are compared."""

RANKING_ROUNDS = 2
"""How often that is done where not all combinations are tried: the first best law may be wrong in all."""

HOPELESS_CLASS = 7.0
"""Classes this much less likely than a parameter's best (logarithm) are left out."""

CLOSER_FACTOR = 0.8
"""By how much that is lowered where too many would be left."""

CLASS_COUNTS = np.array([4, 8, 16, 32, len(PAIRS)])
"""How many classes are combined: a few numbers, so that kernels have company."""

MOST_COMBINATIONS = 4096
"""Combinations of classes, in every structure; beyond, only likelier classes are combined."""

NUMBERS_AT_ONCE = 100_000
"""Numbers of one temporary array."""


def at_first_sight(basis: Basis, located: Located) -> Laws:
    """The law of each kernel with the most evidence among those of a few classes of each parameter."""
    weights = located.weights(located.y)
    begun = likely_classes(basis, located, weights, FIRST_CLASSES)
    return Combined(basis, list(begun), located, weights).best(1)


def search(basis: Basis, located: Located, begun: Laws | None = None) -> Laws:
    """Find the laws with the most evidence for each kernel.

    Those that are begun with one that is not far from the best are not yet rescored by the best.
    """
    m, kernels = basis.parameter_count, located.y.shape[1]
    step = max(1, NUMBERS_AT_ONCE // (len(PAIRS) * OTHER_CLASSES ** (m - 1)))
    return Laws.joined(
        [
            _searched(basis, located.part(part), None if begun is None else begun.part(part))
            for part in np.split(np.arange(kernels), range(step, kernels, step))
        ]
    )


def _searched(basis: Basis, located: Located, begun: Laws | None) -> Laws:
    """The same for few kernels at once."""
    if basis.parameter_count == 1:
        laws = Combined(basis, [None], located, located.weights(located.y)).best(LAWS_KEPT)
        return rescored(basis, laws, located)
    ranked, counts, weights = _suggested(basis, located, begun)
    laws = Laws(
        np.zeros((*ranked.shape[:1] * 2, LAWS_KEPT, len(weights.T)), dtype=np.int64),
        np.full((LAWS_KEPT, len(weights.T)), -np.inf),
    )
    shapes, member = np.unique(counts, axis=1, return_inverse=True)
    for number, shape in enumerate(shapes.T):
        those = np.flatnonzero(member.ravel() == number)
        step = max(1, NUMBERS_AT_ONCE // int(shape.prod()))
        for part in np.split(those, range(step, len(those), step)):
            lists = [each[:count, part] for each, count in zip(ranked, shape, strict=True)]
            near = located.part(part)
            found = Combined(basis, lists, near, weights[:, part]).best(LAWS_KEPT)
            found = rescored(basis, found.likely(), near) if begun is None else found
            laws.put(part, found.widened(LAWS_KEPT))
    return laws


def _suggested(basis: Basis, located: Located, begun: Laws | None) -> tuple[IntArray, IntArray, FloatArray]:
    """All classes by likelihood beside the best ones of other parameters, (m, classes, K), how many of them
    are likely, (m, K), and the precision of the values by the best law, (P, K)."""
    weights = located.weights(located.y)
    likely = likely_classes(basis, located, weights, FIRST_CLASSES)
    again = begun is None and len(PAIRS) ** basis.parameter_count > MOST_COMBINATIONS
    for _ in range(RANKING_ROUNDS if again else 1):
        first = Combined(basis, list(likely), located, weights).best(1) if begun is None else begun
        ranked, behind, weights = _ranked(basis, located, likely, first)
        likely = ranked[:, :FIRST_CLASSES]
    return ranked, _counts(behind), weights


def _ranked(
    basis: Basis, located: Located, likely: IntArray, laws: Laws
) -> tuple[IntArray, FloatArray, FloatArray]:
    """All classes by likelihood beside those of the first law, (m, classes, K), how far each is behind the
    best, (m, K, classes), and the precision of the values by that law, (P, K)."""
    weights = best_weights(basis, laws, located)
    own = laws.classes[:, :, 0].max(axis=0)
    ranked = [_begun(classes, each) for classes, each in zip(likely, own, strict=True)]
    behind = []
    for parameter in range(len(ranked)):
        beside: list[IntArray | None] = [each[:OTHER_CLASSES] for each in ranked]
        beside[parameter] = None
        profile = Combined(basis, beside, located, weights).profile(parameter)
        behind.append(profile.max(axis=1, keepdims=True) - profile)
        profile[:, 0] = np.inf
        ranked[parameter] = np.argsort(-profile, axis=1).T
    return np.stack(ranked), np.stack(behind), weights


def _begun(classes: IntArray, own: IntArray) -> IntArray:
    """Class 0 and the best law's own (K,), if it has another, before the others, (N, K)."""
    return np.where(own > 0, np.stack([np.zeros_like(own), own]), classes[:OTHER_CLASSES])


def _counts(behind: FloatArray) -> IntArray:
    """How many classes are combined that are so much less likely than the best (m, K, classes), (m, K)."""
    far = np.full(behind.shape[1], HOPELESS_CLASS)
    while True:
        likely = 1 + (behind[..., 1:] < far[:, None]).sum(axis=2)
        counts = CLASS_COUNTS[np.searchsorted(CLASS_COUNTS, likely)]
        many = counts.prod(axis=0) > MOST_COMBINATIONS
        if not many.any():
            return np.asarray(counts)
        far[many] *= CLOSER_FACTOR
