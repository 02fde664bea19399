"""Probabilities that laws grow no faster than a user expects, and stay below given values."""

import numpy as np
import pytest

from modeling.engine import below_probability, fit, growth_probability
from modeling.engine.questions import expected
from modeling.engine.results.rivals import lead_draws
from tests.modeling.engine.cases import GRID, LINE, P, noisy, regression

FREE = (np.nan, np.nan)


@pytest.fixture(scope="module")
def linear():
    return fit(LINE, noisy(3 + P, 0.05, kernels=8))


def test_probabilities_are_high_if_the_expectation_holds_and_low_if_not(linear):
    assert (growth_probability(linear, [(1.5, 0)]) > 0.9).all()
    assert (growth_probability(linear, [(1 / 3, 0)]) < 0.05).all()
    assert (growth_probability(linear, [(0, 0)]) < 0.05).all()


def test_constants_meet_every_expectation_of_growth():
    models = fit(LINE, noisy(np.full(5, 7.0), 0.05, kernels=8))
    assert (growth_probability(models, [(0, 0)]) > 0.7).all()
    assert (growth_probability(models, [(1, 0)]) > 0.95).all()


def test_a_falling_law_does_not_grow():
    models = fit(LINE, noisy(100 / P, 0.02, kernels=4))
    assert (growth_probability(models, [(0, 0)]) > 0.8).all()


def test_the_probability_is_the_share_of_draws(linear):
    leads = lead_draws(linear.posterior, linear.upper)[:, :, 0]
    for most in [(1.0, 0.0), (1.0, 1.0), (2 / 3, 0.0)]:
        for kernel, probability in enumerate(growth_probability(linear, [most])):
            draws = [tuple(np.round(draw, 6)) for draw in leads[kernel].tolist()]
            share = np.mean([draw <= tuple(np.round(most, 6)) for draw in draws])
            assert probability == pytest.approx((64 * share + 0.5) / 65)


def test_growth_with_other_parameters_is_not_restricted():
    models = fit(GRID, noisy(3 + GRID[:, 0] ** 2 + GRID[:, 1], 0.02, kernels=3))
    assert (growth_probability(models, [FREE, (1.5, 0)]) > 0.9).all()
    assert (growth_probability(models, [(1, 0), FREE]) < 0.05).all()
    assert (growth_probability(models, [FREE, FREE]) > 0.99).all()


def test_below_agrees_with_the_interval(linear):
    lower, upper = linear.interval([[256.0]])
    for kernel in range(len(linear)):
        one = linear.part(np.array([kernel]))
        assert below_probability(one, [256.0], upper[kernel, 0] * 1.0001)[0] == pytest.approx(0.975, abs=0.01)
        assert below_probability(one, [256.0], lower[kernel, 0] * 0.9999)[0] == pytest.approx(0.025, abs=0.01)


def test_no_probability_is_0_or_1(linear):
    assert 0.99 < below_probability(linear, [256.0], 1e9)[0] < 1
    assert 0 < below_probability(linear, [256.0], 1.0)[0] < 0.01


def test_kernels_in_parts_have_the_same_probabilities(linear, monkeypatch):
    whole = growth_probability(linear, [(1, 0)]), below_probability(linear, [256.0], 260)
    monkeypatch.setattr(expected, "NUMBERS_AT_ONCE", 1)
    np.testing.assert_array_equal(growth_probability(linear, [(1, 0)]), whole[0])
    np.testing.assert_array_equal(below_probability(linear, [256.0], 260), whole[1])


def test_unknown_cases_have_no_probability():
    few = fit(LINE[:2], noisy(3 + P[:2], 0.05, kernels=3))
    assert np.isnan(growth_probability(few, [(1, 0)])).all()
    unweighed = regression(LINE, noisy(3 + P, 0.05))
    assert np.isnan(growth_probability(unweighed, [(1, 0)])).all()
    assert np.isnan(below_probability(unweighed, [64.0], 1.0)).all()
    column = np.stack([P, np.full(5, 8.0)], axis=1)
    fixed = fit(column, noisy(3 + P, 0.05, kernels=2))
    assert np.isnan(growth_probability(fixed, [FREE, (1, 0)])).all()
    assert (growth_probability(fixed, [(1.5, 0), FREE]) > 0.5).all()
    assert np.isnan(below_probability(fixed, [64.0, 16.0], 1.0)).all()


def test_no_kernels_give_no_probabilities(linear):
    none = linear.part(np.zeros(0, int))
    assert growth_probability(none, [(1, 0)]).shape == below_probability(none, [64.0], 1.0).shape == (0,)


def test_other_shapes_are_refused(linear):
    with pytest.raises(ValueError, match=r"found shape \(2, 2\), expected \(1, 2\)"):
        growth_probability(linear, [(1, 0), (1, 0)])
