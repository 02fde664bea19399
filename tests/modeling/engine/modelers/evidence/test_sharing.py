"""Draws under several kinds of noise are weighted by Bayes' theorem, and rare kinds are left out."""

import numpy as np
import pytest

from modeling.engine.modelers.evidence.draws.sampling import EFFECTIVE_DRAWS, Draws
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import classes_of
from modeling.engine.modelers.evidence.sharing import KIND_NAMES, Part, Weighed, pooled, shared_out
from modeling.engine.results.common import Common
from tests.modeling.engine.cases import LINE

pytestmark = pytest.mark.filterwarnings("ignore:divide by zero encountered in log:RuntimeWarning")
"""The modeler ignores such warnings, too: kinds of law without any draw have no evidence."""
S = 80
(LINEAR, ODD) = classes_of((1, 0), (5 / 4, 0))


def part(family, kernels, log_evidence, seed, scatter=0.5):
    """Return draws of two laws, x and x^(5/4), whose weights sum to the evidence of each kernel."""
    rng = np.random.default_rng(seed)
    shape = S, len(kernels)
    weights = rng.normal(0, scatter, shape)
    weights += log_evidence - np.log(np.exp(weights).sum(axis=0))
    draws = Draws(
        classes=np.array([[[LINEAR, ODD]]]),
        law=rng.integers(0, 2, shape),
        coefficients=np.full((2, *shape), float(family)),
        log_weights=weights,
        level=np.full(shape, 0.1),
    )
    return Part(family, np.array(kernels), draws)


def group(*parts):
    """Return three kernels that were weighed under some kinds of noise."""
    return Weighed(Basis(LINE), 3, list(parts))


def common(frequency, textbook=1.0):
    """Return frequencies of the kinds of noise."""
    return Common((), by_evidence=tuple(frequency), textbook=textbook)


def shares(found, kernel):
    """Return family → share of a kernel's draws."""
    for kernels, draws in found:
        if kernel in kernels:
            own = draws.weights[:, kernels.tolist().index(kernel)]
            assert own.sum() == pytest.approx(1)
            return {family: own[draws.family == family].sum() for family in set(draws.family.tolist())}
    return {}


FREQUENCY = np.full(len(KIND_NAMES), 0.02)
FREQUENCY[:2] = 0.7, 0.2


def test_each_kind_has_its_frequency_times_its_evidence():
    weighed = group(
        part(0, [0, 1, 2], np.array([-3.0, -5, -3]), 1), part(1, [0, 1], np.array([-2.0, -4.5]), 2)
    )
    found = shared_out(weighed, common(FREQUENCY))
    for kernel, (one, other) in enumerate([(-3.0, -2.0), (-5, -4.5)]):
        odds = 0.7 / 0.2 * np.exp(one - other)
        assert shares(found, kernel) == pytest.approx({0: odds / (1 + odds), 1: 1 / (1 + odds)})
    assert shares(found, 2) == {0: pytest.approx(1)}


def test_unlikely_kinds_are_left_out():
    weighed = group(part(0, [0, 1, 2], np.zeros(3), 1), part(1, [0, 1, 2], np.array([-4.0, -6, 0]), 2))
    found = shared_out(weighed, common(FREQUENCY))
    assert [set(shares(found, kernel)) for kernel in range(3)] == [{0, 1}, {0}, {0, 1}]


def test_odds_of_textbook_laws_are_odds_of_their_draws():
    weighed = group(part(0, [0, 1, 2], np.zeros(3), 1))

    def odds(textbook):
        ((_, draws),) = shared_out(weighed, common(FREQUENCY, textbook))
        linear = draws.classes[0, 0, draws.law] == LINEAR
        return (draws.weights * linear).sum(axis=0) / (draws.weights * ~linear).sum(axis=0)

    np.testing.assert_allclose(odds(1.6), 1.6 * odds(1.0))


def test_weights_of_few_draws_are_made_more_equal():
    ((_, draws),) = shared_out(group(part(0, [0, 1, 2], np.zeros(3), 1, scatter=20)), common(FREQUENCY))
    effective = 1 / (draws.weights**2).sum(axis=0)
    assert ((effective >= EFFECTIVE_DRAWS) & (effective < 2 * EFFECTIVE_DRAWS)).all()


def test_a_kind_that_explains_most_kernels_becomes_frequent():
    one = group(part(0, [0, 1, 2], np.array([0.0, 0, -9]), 1), part(1, [0, 1, 2], np.array([-9.0, -9, 0]), 2))
    learned = pooled(Common((0.5,)), [one, one, one, one])
    frequency = np.array(learned.by_evidence)
    count = len(KIND_NAMES)
    expected = [(12 * share + 0.2) / (12 + 0.2 * count) for share in (2 / 3, 1 / 3)]
    np.testing.assert_allclose(frequency[:2], expected, rtol=1e-3)
    assert frequency.sum() == pytest.approx(1)
