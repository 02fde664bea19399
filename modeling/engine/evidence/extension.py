"""Laws with one term more: what a sum or product with one term per parameter cannot say.

c₁/p + c₂·log p falls and then rises, c₁·p·n + c₂·n² grows with n in two ways. The former are tried wherever
a series may fall, as points that fall can hardly rule them out. All others are tried where
points lie off all plain ones: the best of these get another term of one parameter, or of two. As the best
plain law need not share a term with the best longer one, all sums of two simple terms are tried, too.
"""

from itertools import combinations, product

import numpy as np

from modeling.engine.evidence.basis import DIVIDED, PAIRS, SLOWLY, Basis
from modeling.engine.evidence.gaussian import log_evidence, solve
from modeling.engine.evidence.laws import KEPT, Laws, Located, best_weights, canonical, log_prior, merged
from modeling.engine.validation import BoolArray, FloatArray, IntArray

BEGUN_WITH = {1: 64, 2: 8}
FEWEST_BEGUN_WITH = 4
"""Plain laws that get another term, with one and two parameters, and with more."""

PAIRED = 2
"""Parameters up to which all pairs of simple terms are tried, whatever plain laws say."""

AT_ONCE = 50_000
"""Numbers of one temporary array."""

_FACTORS = [*SLOWLY, PAIRS.tolist().index([1.0, 1.0]), PAIRS.tolist().index([2.0, 0.0]), DIVIDED]
"""Classes that are multiplied to another term of two parameters."""


def extended(basis: Basis, located: Located, laws: Laws) -> Laws:
    """The laws (T, m, H, K) with a place for one term more, and the best of those that have it."""
    found = _with_new_terms(basis, located, Laws(with_place(laws.classes), laws.log_evidence))
    return _with_pairs(basis, located, found, _pairs(basis)) if basis.parameter_count <= PAIRED else found


def rising_again(basis: Basis, located: Located, laws: Laws) -> Laws:
    """The laws (T, m, H, K) with a place for one term more, and the best sums of two simple terms, of which
    one falls with a parameter and the other rises slowly: as communication beside work that is divided."""
    pairs = _pairs(basis)
    falls, rises = pairs == DIVIDED, np.isin(pairs, SLOWLY)
    again = (falls & rises[:, ::-1]).any(axis=(1, 2))
    found = Laws(with_place(laws.classes), laws.log_evidence)
    return _with_pairs(basis, located, found, pairs[again]) if again.any() else found


def with_place(classes: IntArray) -> IntArray:
    """Laws (T, m, ...) with room for one term more."""
    return np.concatenate([classes, np.zeros_like(classes[:1])])


def _with_new_terms(basis: Basis, located: Located, laws: Laws) -> Laws:
    """The best of the laws, whose last term is free, and of the first of them with all others there, few
    kernels at once."""
    weights = best_weights(basis, laws, located)
    kernels = laws.log_evidence.shape[1]
    begun_with = BEGUN_WITH.get(basis.parameter_count, FEWEST_BEGUN_WITH)
    terms = _new_terms(basis.parameter_count)
    table = basis.columns(terms.T[None])[0].T
    step = max(1, AT_ONCE // (begun_with * len(terms)))
    parts = []
    for part in np.split(np.arange(kernels), range(step, kernels, step)):
        some = laws.part(part)
        begun = some.classes[:, :, :begun_with].reshape(*some.classes.shape[:2], -1)
        count = begun.shape[2] // len(part)
        values = np.tile(located.y[:, part], count), np.tile(weights[:, part], count)
        made = np.repeat(begun[:, :, None], len(terms), axis=2)
        made[-1] = terms.T[:, :, None]
        made = canonical(made)
        evidence = _evidence(basis, begun[:-1], values, table) + log_prior(basis, made)
        hopeless = ~np.isfinite(evidence) | _has_twins(made)
        evidence = np.where(hopeless, -np.inf, evidence).reshape(-1, len(part))
        new = _best(Laws(made.reshape(*made.shape[:2], -1, len(part)), evidence))
        parts.append(merged(some, new, KEPT))
    most = max(len(part.log_evidence) for part in parts)
    parts = [part.widened(most) for part in parts]
    return Laws(
        np.concatenate([part.classes for part in parts], axis=3),
        np.concatenate([part.log_evidence for part in parts], axis=1),
    )


def _pairs(basis: Basis) -> IntArray:
    """All pairs of simple terms, (pairs, 2, m)."""
    pairs = list(combinations(_simple_terms(basis), 2))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2, basis.parameter_count)


def _with_pairs(basis: Basis, located: Located, laws: Laws, pairs: IntArray) -> Laws:
    """The best of the laws (T, m, H, K) and of sums of two terms, `pairs` (N, 2, m)."""
    one, other = (basis.columns(terms.T[None])[0].T for terms in (pairs[:, 0], pairs[:, 1]))
    weights = best_weights(basis, laws, located)
    weighted = weights * located.y
    gram = [
        [weights.sum(axis=0)],
        [one @ weights, one**2 @ weights],
        [other @ weights, (one * other) @ weights, other**2 @ weights],
    ]
    moments = [weighted.sum(axis=0), one @ weighted, other @ weighted]
    evidence = log_evidence(solve(gram, moments, (weighted * located.y).sum(axis=0)), [np.ones(1)] * 3)
    classes = np.zeros((len(laws.classes), basis.parameter_count, len(pairs), 1), dtype=np.int64)
    classes[:2, :, :, 0] = pairs.transpose(1, 2, 0)
    classes = np.broadcast_to(canonical(classes), (*classes.shape[:3], weights.shape[1]))
    evidence = evidence + log_prior(basis, classes[..., :1])
    return merged(laws, _best(Laws(classes, evidence)), KEPT)


def _best(laws: Laws) -> Laws:
    """The best of many laws, in no order."""
    count = min(KEPT, len(laws.log_evidence))
    best = np.argpartition(-laws.log_evidence, count - 1, axis=0)[:count]
    return Laws(
        np.take_along_axis(laws.classes, best[None, None], axis=2),
        np.take_along_axis(laws.log_evidence, best, axis=0),
    )


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
    return log_evidence(solve(gram, moments, (weights * y * y).sum(axis=0)), present)


def _has_twins(classes: IntArray) -> BoolArray:
    """Which laws (T, m, ...), their terms in order, have a term twice."""
    same = (classes[1:] == classes[:-1]).all(axis=1) & (classes[1:] != 0).any(axis=1)
    return np.asarray(same.any(axis=0))


def _simple_terms(basis: Basis) -> IntArray:
    """Terms whose factors are the most common ones, (terms, m)."""
    factors = [[0, *(each for each in _FACTORS if usable[each])] for usable in basis.usable]
    return np.array([term for term in product(*factors) if any(term)])


def _new_terms(parameters: int) -> IntArray:
    """Terms that may be added, (terms, m)."""
    found = []
    for parameter in range(parameters):
        alone = np.zeros((len(PAIRS) - 1, parameters), dtype=np.int64)
        alone[:, parameter] = np.arange(1, len(PAIRS))
        found.append(alone)
    for one, other in combinations(range(parameters), 2):
        both = np.zeros((len(_FACTORS) ** 2, parameters), dtype=np.int64)
        both[:, one] = np.repeat(_FACTORS, len(_FACTORS))
        both[:, other] = np.tile(_FACTORS, len(_FACTORS))
        found.append(both)
    return np.concatenate(found)
