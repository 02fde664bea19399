"""A step of the search that is applied to some parameters finds the laws of a campaign of these alone."""

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.laws import LAWS_KEPT, Laws, best_weights
from modeling.engine.modelers.evidence.search.few import search
from modeling.engine.modelers.evidence.search.parts import in_parts, members, of_best
from tests.modeling.engine.cases import CUBE
from tests.modeling.engine.modelers.evidence.search.enumeration import check_weights, measured

P, N, K = CUBE.T
KERNELS = [3 + 0.2 * P * N, 5 + K**2 + 0.3 * N, 7 + 0 * K, 9 + 4 * np.sqrt(K)]


def constants(count):
    """Return the constant as the only law of `count` kernels, with room for three terms."""
    laws = Laws(np.zeros((3, 3, 1, count), dtype=np.int64), np.full((1, count), -1e6))
    return laws.widened(LAWS_KEPT)


def test_laws_of_the_chosen_parameters_are_those_of_their_own_campaign():
    chosen = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 1]], dtype=bool)
    located, basis = measured(KERNELS, error=0.01), Basis(CUBE)
    found = in_parts(lambda few, near, _: search(few, near), basis, located, constants(4), chosen)
    for kernel, parameters in enumerate(([0, 1], [1, 2], [], [2])):
        outside = np.delete(found.classes[..., kernel], parameters, axis=1)
        assert not outside.any()
        if not parameters:
            assert found.log_evidence[0, kernel] == -1e6
            continue
        one = located.part(np.array([kernel]))
        alone = search(basis.only(np.array(parameters)), one)
        own = found.classes[:, parameters, 0, kernel]
        assert {tuple(term) for term in own.tolist() if any(term)} == {
            tuple(term) for term in alone.classes[:, :, 0, 0].tolist() if any(term)
        }
        check_weights(
            basis,
            Laws(found.classes[:, :, :1, [kernel]], found.log_evidence[:1, [kernel]]),
            one,
            best_weights(basis, found.part(np.array([kernel])), one),
        )


def test_a_step_gets_the_laws_that_have_no_other_parameter():
    classes = np.zeros((3, 3, 3, 1), dtype=np.int64)
    classes[0, 0, 0], classes[0, 1, 1], classes[0, [0, 1], 2] = 5, 6, 7
    laws = Laws(classes, np.array([[-3.0], [-2], [-1]])).widened(LAWS_KEPT)
    seen = []

    def step(few, _near, own):
        seen.append((few.parameter_count, own.classes[0, 0, 0, 0], own.log_evidence[:2, 0].tolist()))
        return own

    chosen = np.array([[True], [False], [True]])
    in_parts(step, Basis(CUBE), measured(KERNELS[:1]), laws, chosen)
    assert seen == [(2, 5, [-3, -np.inf])]


def test_parameters_of_laws():
    classes = np.zeros((2, 6, 2, 2), dtype=np.int64)
    classes[0, 1, 0, 0] = classes[1, 4, 0, 0] = classes[0, 2, 1, 0] = 3
    classes[0, :5, 0, 1] = 2
    laws = Laws(classes, np.zeros((2, 2)))
    there = members(laws)
    assert np.flatnonzero(there[:, 0, 0]).tolist() == [1, 4]
    assert np.flatnonzero(there[:, 1, 0]).tolist() == [2]
    best = of_best(laws)
    assert np.flatnonzero(best[:, 0]).tolist() == [1, 4]
    assert not best[:, 1].any()  # Five parameters are too many to combine.
