"""Medians and intervals of draws, and where curves cross a level, found again on dense grids."""

import numpy as np
import pytest

from modeling.engine.questions import estimates
from modeling.engine.questions.estimates import Estimate, doublings, estimate, first_below, in_parts, least
from modeling.engine.results.posterior import share_of_draws
from tests.modeling.engine.cases import law


def test_an_estimate_consists_of_values_that_were_drawn():
    draws = np.random.default_rng(0).lognormal(size=(3, 101, 2))
    draws[0, :5, 0] = np.inf
    found = estimate(draws)
    for kernel in range(3):
        for place in range(2):
            own = sorted(draws[kernel, :, place])
            for value, share in (
                (found.median, 0.5),
                (found.lower, share_of_draws(0.025)),
                (found.upper, 1 - share_of_draws(0.025)),
            ):
                assert value[kernel, place] == own[int(np.ceil(share * 101)) - 1]


def test_a_single_draw_has_no_interval():
    found = estimate(np.array([[[2.0, 3.0]]]))
    assert found.median.tolist() == [[2, 3]]
    assert np.isnan([found.lower, found.upper]).all()


def test_a_power_crosses_a_level_exactly_between_the_points_of_a_grid():
    x = doublings(1.0, 1000.0)
    assert (x[0], x[-1]) == (1, pytest.approx(1000))
    assert (np.diff(np.log2(x)) <= 1 / estimates.STEPS_A_DOUBLING + 1e-12).all()
    powers = np.array([0.5, 1.0, 2.0])
    found = first_below(x, 5 * x ** -powers[:, None], 0.3)
    np.testing.assert_allclose(found, (5 / 0.3) ** (1 / powers))


def test_curves_may_never_cross_a_level_or_begin_below_it():
    x = np.array([1.0, 2, 4, 8])
    curves = np.array([[9.0, 8, 7, 6], [1, 9, 9, 9], [9, 1, 9, 1], [9, np.nan, 1, 1], [9, 9, 2, 2]])
    np.testing.assert_allclose(first_below(x, curves, 3.0)[[0, 1, 3]], [np.inf, 1, np.nan])
    assert 1 < first_below(x, curves, 3.0)[2] < 2
    assert 2 < first_below(x, curves, 3.0)[4] < 4


def test_the_least_value_must_not_be_the_last():
    x = np.array([1.0, 2, 4])
    found = least(x, np.array([[3.0, 1, 2], [3, 2, 1], [1, 2, 3], [np.nan, 1, 2]]))
    np.testing.assert_array_equal(found, [2, np.inf, 1, np.nan])


def test_portions_of_kernels_give_the_same_estimates(monkeypatch):
    models = law([2.0], [[(1, 0)]]).part(np.zeros(7, dtype=int))
    sizes = []

    def answers(part):
        sizes.append(len(part))
        return [Estimate(*np.full((3, len(part)), float(len(sizes))))]

    monkeypatch.setattr(estimates, "NUMBERS_AT_ONCE", 30)
    (found,) = in_parts(models, 10, answers)
    assert sizes == [3, 3, 1]
    assert found.median.tolist() == found.upper.tolist() == [1, 1, 1, 2, 2, 2, 3]
