"""Combinations of the parameters that matter are as good as the best of all laws of these parameters."""

import numpy as np
import pytest

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import PAIRS, classes_of, places
from modeling.engine.modelers.evidence.hypotheses.laws import Laws, best_weights, scored
from modeling.engine.modelers.evidence.search.stacked import with_combinations
from tests.modeling.engine.modelers.evidence.search.enumeration import (
    check_weights,
    measured,
    plain_laws,
    weighed,
)

COUNT = 6
POINTS = 2.0 ** np.random.default_rng(3).integers(1, 7, (60, COUNT))
A, B, C, D, E, F = POINTS.T
PARAMETERS = [(0, 3), (1, 4), (2,), ()]
KERNELS = [4 + A * np.sqrt(D), 50 + 2 * B + 0.3 * E**1.5, 3 + C ** (2 / 3), 7 + 0 * A]


@pytest.fixture
def begun():
    """Return a basis, values, and one poor law of each kernel with the parameters that matter."""
    basis, located = Basis(POINTS), measured(KERNELS, error=0.02)
    classes = np.zeros((places(COUNT), COUNT, 1, len(KERNELS)), dtype=np.int64)
    (square,) = classes_of((2, 0))
    for kernel, parameters in enumerate(PARAMETERS):
        for term, parameter in enumerate(parameters):
            classes[term, parameter, 0, kernel] = square
    return basis, located, scored(basis, classes, located, located.weights(located.y))


def test_no_other_law_of_these_parameters_has_more_evidence(begun):
    basis, located, laws = begun
    found = with_combinations(basis, located, laws)
    weights = best_weights(basis, laws, located)
    for kernel, parameters in enumerate(PARAMETERS[:3]):
        own = np.array([kernel])
        lists = [range(len(PAIRS)) if number in parameters else [0] for number in range(COUNT)]
        near = located.part(own)
        expected = weighed(basis, plain_laws(lists)[:2], near, weights[:, own])
        assert found.log_evidence[0, kernel] == pytest.approx(expected.log_evidence[0, 0], abs=1e-6)
        combined = Laws(found.classes[:, :, :1, own], found.log_evidence[:1, own])
        check_weights(basis, combined, near, weights[:, own])
        unused = np.delete(found.classes[..., kernel], parameters, axis=1)
        assert not unused.any()
    assert (
        found.log_evidence[0, 3] == laws.log_evidence[0, 3]
    )  # without parameters there is nothing to combine


def test_likely_parameters_of_other_laws_are_combined_with_those_of_the_best(begun):
    basis, located, laws = begun
    (square,) = classes_of((2, 0))
    other = laws.classes.copy()
    other[:, :, 0, 0] = 0
    other[0, 3, 0, 0] = square
    best = laws.classes.copy()
    best[:, 3, 0, 0] = 0
    near = laws.log_evidence.copy()
    both = Laws(np.concatenate([best, other], axis=2), np.concatenate([near, near - 2]))
    found = with_combinations(basis, located, both)
    assert (found.classes[:, [0, 3], 0, 0] > 0).any(axis=0).all()
