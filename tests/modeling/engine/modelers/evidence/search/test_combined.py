"""The laws that combine classes of all parameters are those of an enumeration, each once."""

import numpy as np
import pytest

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import DIVIDED, PAIRS, classes_of
from modeling.engine.modelers.evidence.hypotheses.laws import names
from modeling.engine.modelers.evidence.search.combined import Combined, Reordered
from tests.modeling.engine.cases import CUBE, LINE
from tests.modeling.engine.modelers.evidence.search.enumeration import (
    check_best,
    measured,
    plain_laws,
    weighed,
)

LISTS = [[0, *classes_of((1, 0), (0, 1))], [0, *classes_of((1 / 2, 0))], [0, DIVIDED, *classes_of((2, 0))]]


@pytest.fixture
def cube():
    """Return the basis of three parameters, values of three kernels, and their precisions."""
    p, n, k = CUBE.T
    located = measured([3 + p * np.sqrt(n) + 20 / k, 5 + 0.1 * p + 0 * n, p * np.sqrt(n) * k**2])
    return Basis(CUBE), located, located.weights(located.y)


def test_all_laws_are_found_with_their_evidence(cube):
    basis, located, weights = cube
    expected = weighed(basis, plain_laws(LISTS), located, weights)
    lists = [np.array([classes] * 3).T for classes in LISTS]
    combined = Combined(basis, lists, located, weights)
    assert (
        np.isfinite(combined.log_evidence).sum(axis=tuple(range(1, 5))).tolist()
        == [expected.log_evidence.shape[0]] * 3
    )
    found = combined.best(10)
    count = len(found.log_evidence)
    assert count >= 8
    check_best(found, expected, count)
    assert all(len(set(names(found.classes)[:, kernel].tolist())) == count for kernel in range(3))


def test_a_profile_is_the_best_evidence_with_each_class(cube):
    basis, located, weights = cube
    expected = weighed(basis, plain_laws(LISTS), located, weights)
    profile = Combined(basis, [np.array([each] * 3).T for each in LISTS], located, weights).profile(2)
    for place, number in enumerate(LISTS[2]):
        own = (expected.classes[:, 2] == number).any(axis=0)
        if number == 0:
            own = (expected.classes[:, 2] == 0).all(axis=0)
        best = np.where(own, expected.log_evidence, -np.inf).max(axis=0)
        np.testing.assert_allclose(profile[:, place], best, atol=1e-6)


def test_parameters_may_be_in_another_order(cube):
    basis, located, weights = cube
    lists = [np.array([classes] * 3).T for classes in LISTS]
    expected = Combined(basis, lists, located, weights)
    found = Combined(Reordered.of(basis, [2, 0, 1]), [lists[2], *lists[:2]], located, weights)
    for parameter, place in enumerate((1, 2, 0)):
        np.testing.assert_allclose(found.profile(place), expected.profile(parameter), atol=1e-6)


def test_kernels_may_have_different_lists(cube):
    basis, located, weights = cube
    own_classes = [[0, 1, 2], [0, 2, 3], [0, 4, 5]]
    lists = [np.array(own_classes).T] * 3
    found = Combined(basis, lists, located, weights).best(8)
    for kernel, own in enumerate(own_classes):
        one = located.part(np.array([kernel]))
        expected = weighed(basis, plain_laws([own] * 3), one, weights[:, [kernel]])
        np.testing.assert_allclose(found.log_evidence[:, kernel], expected.log_evidence[:8, 0], atol=1e-6)


def test_all_classes_of_one_parameter():
    x = LINE[:, 0]
    located = measured([2 + x, 90 / x, 0 * x + 4])
    weights = located.weights(located.y)
    expected = weighed(Basis(LINE), np.arange(len(PAIRS))[None, None], located, weights)
    check_best(Combined(Basis(LINE), [None], located, weights).best(20), expected, 8)
