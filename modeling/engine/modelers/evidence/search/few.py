"""The search for laws of few parameters: the likely classes of all parameters are combined. A first law near
the best comes from a few classes of each parameter. Then the classes of each parameter are ranked, and the
likely ones are combined.
"""

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import PAIRS
from modeling.engine.modelers.evidence.hypotheses.laws import LAWS_KEPT, Laws, Located, best_weights, rescored
from modeling.engine.modelers.evidence.search.combined import Combined, Reordered
from modeling.engine.modelers.evidence.search.lines import likely_classes
from modeling.engine.modelers.evidence.search.stacked import Stacked, rows, unstacked
from modeling.engine.validation import FloatArray, IntArray

FIRST_CLASSES = 5
"""The number of classes of every parameter that are combined to find the first law."""

OTHER_CLASSES = 2
"""The number of classes of each other parameter while the classes of one parameter are ranked: class 0 and
the likeliest other class.
"""

HOPELESS_CLASS = 7.0
"""A class is hopeless if its log evidence is more than this below that of the parameter's best class. With a
larger value, more classes are combined, which takes more time.
"""

CLOSER_FACTOR = 0.8
"""Factor that shrinks the limit `HOPELESS_CLASS` until at most `MOST_COMBINATIONS` combinations are left."""

CLASS_COUNTS = np.array([4, 8, 16, 32, len(PAIRS)])
"""The possible numbers of combined classes. Kernels with the same numbers are searched together, whichever
parameters have these numbers.
"""

MOST_COMBINATIONS = 4096
"""The largest number of combinations of classes of all parameters."""

NUMBERS_AT_ONCE = 100_000
"""The largest number of elements of one temporary array."""


def at_first_sight(basis: Basis, located: Located) -> Laws:
    """Return the likeliest law of each kernel, of the laws with a few classes of each parameter."""
    weights = located.weights(located.y)
    begun = likely_classes(basis, located, weights, FIRST_CLASSES)
    return Combined(basis, list(begun), located, weights).best(1)


def search(basis: Basis, located: Located, begun: Laws | None = None, *, again: bool = True) -> Laws:
    """Find the likeliest laws of each kernel. The search starts from `begun`, if given: one law near the best
    for each kernel. If `again`, the evidence of laws of several parameters is computed a second time, with
    the precision that the best law implies.
    """
    m, kernels = basis.parameter_count, located.y.shape[1]
    step = max(1, NUMBERS_AT_ONCE // (len(PAIRS) * OTHER_CLASSES ** (m - 1)))
    return Laws.joined(
        [
            _searched(basis, located.part(part), None if begun is None else begun.part(part), again=again)
            for part in np.split(np.arange(kernels), range(step, kernels, step))
        ]
    )


def _searched(basis: Basis, located: Located, begun: Laws | None, *, again: bool) -> Laws:
    """Search for laws of some of the kernels."""
    if basis.parameter_count == 1:
        laws = Combined(basis, [None], located, located.weights(located.y)).best(LAWS_KEPT)
        return rescored(basis, laws, located)
    ranked, counts, weights = _suggested(basis, located, begun)
    laws = Laws(
        np.zeros((*ranked.shape[:1] * 2, LAWS_KEPT, len(weights.T)), dtype=np.int64),
        np.full((LAWS_KEPT, len(weights.T)), -np.inf),
    )
    # Parameters are sorted by their counts, so that more kernels have the same counts.
    order = np.argsort(counts, axis=0)
    counts = np.take_along_axis(counts, order, axis=0)
    ranked = np.take_along_axis(rows(ranked, np.arange(len(ranked))[:, None, None]), order[:, None], axis=0)
    tables = Stacked.of(basis, len(order))
    shapes, member = np.unique(counts, axis=1, return_inverse=True)
    for number, shape in enumerate(shapes.T):
        those = np.flatnonzero(member.ravel() == number)
        step = max(1, NUMBERS_AT_ONCE // int(shape.prod()))
        for part in np.split(those, range(step, len(those), step)):
            lists = [each[:count, part] for each, count in zip(ranked, shape, strict=True)]
            found = Combined(tables, lists, located.part(part), weights[:, part]).best(LAWS_KEPT)
            laws.put(part, unstacked(basis, found, order[:, part], len(order)).widened(LAWS_KEPT))
    return rescored(basis, laws, located) if again else laws


def _suggested(basis: Basis, located: Located, begun: Laws | None) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the ranked classes of each parameter, their combined number, and the precision of the values."""
    first = at_first_sight(basis, located) if begun is None else begun
    weights = best_weights(basis, first, located)
    beside = _beside(basis, located, first)
    ranked, behind = [], []
    every = range(len(beside))
    for parameter in every:
        # The last parameter has the fastest axis, which should be the longest.
        others = [one for one in every if one != parameter]
        tables = Reordered.of(basis, [*others, parameter])
        lists: list[IntArray | None] = [*beside[others], None]
        profile = Combined(tables, lists, located, weights).profile(len(others))
        behind.append(profile.max(axis=1, keepdims=True) - profile)
        profile[:, 0] = np.inf
        ranked.append(np.argsort(-profile, axis=1).T)
        beside[parameter] = ranked[-1][:OTHER_CLASSES]
    return np.stack(ranked), _counts(np.stack(behind)), weights


def _beside(basis: Basis, located: Located, laws: Laws) -> IntArray:
    """Return class 0 of each parameter, and its class in the first law (if 0, the likeliest class)."""
    own = laws.classes[:, :, 0].max(axis=0)
    some = np.flatnonzero((own == 0).any(axis=0))
    if len(some):
        near = located.part(some)
        likeliest = likely_classes(basis, near, near.weights(near.y), OTHER_CLASSES)[:, 1]
        own[:, some] = np.where(own[:, some] > 0, own[:, some], likeliest)
    return np.stack([np.zeros_like(own), own], axis=1)


def _counts(behind: FloatArray) -> IntArray:
    """Return the number of combined classes, given how far each class is below the best log evidence."""
    far = np.full(behind.shape[1], HOPELESS_CLASS)
    while True:
        likely = 1 + (behind[..., 1:] < far[:, None]).sum(axis=2)
        counts = CLASS_COUNTS[np.searchsorted(CLASS_COUNTS, likely)]
        many = counts.prod(axis=0) > MOST_COMBINATIONS
        if not many.any():
            return np.asarray(counts)
        far[many] *= CLOSER_FACTOR
