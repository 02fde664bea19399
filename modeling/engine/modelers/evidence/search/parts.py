"""Apply a search function to laws of only some parameters. These parameters may differ between kernels."""

from collections.abc import Callable

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import MOST_COMBINED, places
from modeling.engine.modelers.evidence.hypotheses.laws import (
    LAWS_KEPT,
    Laws,
    Located,
    best_first,
    canonical,
    merged,
)
from modeling.engine.validation import BoolArray, IntArray


def members(laws: Laws) -> BoolArray:
    """Return whether each of m parameters is in each of H laws of K kernels, (m, H, K)."""
    return np.asarray((laws.classes != 0).any(axis=0))


def of_best(laws: Laws) -> BoolArray:
    """Return which of m parameters the best law of each of K kernels contains, (m, K): none if it contains
    more than `MOST_COMBINED`.
    """
    best = members(laws)[:, 0]
    return np.asarray(best & (best.sum(axis=0) <= MOST_COMBINED))


def in_parts(
    step: Callable[[Basis, Located, Laws], Laws],
    basis: Basis,
    located: Located,
    laws: Laws,
    chosen: BoolArray,
    *,
    longer: int = 0,
) -> Laws:
    """Apply `step` to laws of only the `chosen` parameters, and merge the results with `laws`. `chosen` (m,
    K) marks some of m parameters for each of K kernels. All laws get room for `longer` more terms.
    """
    spare = len(laws.classes) - places(basis.parameter_count)
    laws = laws.with_terms(len(laws.classes) + longer)
    sets, member = np.unique(chosen, axis=1, return_inverse=True)
    for number in np.flatnonzero(sets.any(axis=0)):
        some, parameters = np.flatnonzero(member.ravel() == number), np.flatnonzero(sets[:, number])
        own = laws.part(some)
        of_part = _only(own, parameters).with_terms(len(parameters) + spare)
        found = step(basis.only(parameters), located.part(some), of_part)
        laws.put(
            some,
            merged(own, _among_all(basis, found, parameters, len(own.classes)), LAWS_KEPT).widened(LAWS_KEPT),
        )
    return laws


def _only(laws: Laws, parameters: IntArray) -> Laws:
    """Write laws as laws of the given parameters only, best first. Other laws get the evidence 0."""
    others = np.delete(laws.classes, parameters, axis=1).any(axis=(0, 1))
    classes = canonical(laws.classes[:, parameters])
    return best_first(Laws(classes, np.where(others, -np.inf, laws.log_evidence)))


def _among_all(basis: Basis, laws: Laws, parameters: IntArray, terms: int) -> Laws:
    """Write laws of some parameters as laws of all parameters, with class 0 for the others."""
    classes = np.zeros((terms, basis.parameter_count, *laws.log_evidence.shape), dtype=np.int64)
    classes[: len(laws.classes), parameters] = laws.classes
    idle = np.delete(basis.log_prior[:, 0], parameters).sum()
    return Laws(canonical(classes), laws.log_evidence + idle)
