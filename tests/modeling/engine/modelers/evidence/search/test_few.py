"""The search for laws of two parameters finds the best of all laws that exist."""

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import PAIRS
from modeling.engine.modelers.evidence.hypotheses.laws import best_weights
from modeling.engine.modelers.evidence.search.few import at_first_sight, search
from tests.modeling.engine.cases import CUBE, GRID
from tests.modeling.engine.modelers.evidence.search.enumeration import (
    check_weights,
    first,
    measured,
    plain_laws,
    weighed,
)

P, N = GRID.T
KERNELS = [
    3 + 0.2 * P * N,
    90 * N / P + 4,
    40 + np.sqrt(P) + 0.01 * N**2,
    0.2 * N**1.5 * np.log2(P),
    0 * P + 7,
    5 + 0.3 * N ** (4 / 3),
]


def test_no_other_law_has_more_evidence():
    basis, located = Basis(GRID), measured(KERNELS)
    found = search(basis, located)
    # The search weighs its laws again, with the precision of the values that its best law implies.
    weights = best_weights(basis, found, located)
    expected = weighed(basis, plain_laws([range(len(PAIRS))] * 2), located, weights)
    np.testing.assert_allclose(found.log_evidence[0], expected.log_evidence[0], atol=0.01)
    best = np.exp(expected.log_evidence - expected.log_evidence[0]).sum(axis=0)
    kept = np.exp(found.log_evidence - expected.log_evidence[0]).sum(axis=0)
    assert (kept > 0.75 * best).all()  # the shares of the probability of all laws


def test_one_law_at_first_sight_is_nearly_as_good():
    basis, located = Basis(GRID), measured(KERNELS)
    found = at_first_sight(basis, located)
    weights = located.weights(located.y)
    check_weights(basis, found, located, weights)
    expected = weighed(basis, plain_laws([range(len(PAIRS))] * 2), located, weights)
    assert len(found.log_evidence) == 1
    assert (found.log_evidence[0] > expected.log_evidence[0] - 5).all()


def test_a_search_may_begin_with_a_known_law():
    basis, located = Basis(GRID), measured(KERNELS)
    found = search(basis, located)
    again = search(basis, located, first(found, 1))
    np.testing.assert_allclose(again.log_evidence[0], found.log_evidence[0], atol=0.05)


def test_kernels_are_searched_together_whichever_parameters_matter():
    basis, (p, n, k) = Basis(CUBE), CUBE.T
    located = measured([3 + 0.1 * p * n, 3 + 0.1 * n * k**2, 20 / p + k, 9 + 0 * p])
    found = search(basis, located)
    for kernel in range(4):
        alone = search(basis, located.part(np.array([kernel])))
        np.testing.assert_array_equal(found.classes[..., 0, kernel], alone.classes[..., 0, 0])
        np.testing.assert_allclose(found.log_evidence[:8, kernel], alone.log_evidence[:8, 0], atol=1e-6)
