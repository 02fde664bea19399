"""Intervals and medians of draws, for values whose distribution is known."""

import numpy as np
import pytest

from modeling.engine.results.posterior import (
    INDEPENDENT_DRAWS,
    SHAPES,
    between,
    nearest,
    run_factors,
)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_independent_draws_contain_a_new_one_as_often_as_stated(level):
    rng = np.random.default_rng(0)
    draws, new = rng.random((20_000, INDEPENDENT_DRAWS, 1)), rng.random((20_000, 1))
    lower, upper = between(draws, level)
    assert ((lower <= new) & (new <= upper)).mean() == pytest.approx(level, abs=0.005)


def test_a_slight_majority_decides_and_one_extreme_third_does_not():
    draws = np.array([[1.0] * 43 + [1.1] * 57, [1.0] * 67 + [100.0] * 33])[:, :, None]
    np.testing.assert_array_equal(nearest(draws)[:, 0], [1.1, 1.0])


def test_each_draw_has_repetitions_of_its_own_kind_of_noise():
    family = np.arange(len(SHAPES))[None]
    three_quarters = run_factors(family, np.full(family.shape, 0.1), np.array([0.5, 0.75]))[0]
    np.testing.assert_allclose(three_quarters[:, 0], 1.0)
    normal, delays = 0.0674490, 1 + 0.1 * np.log(4)
    expected = [1.025, 1 + normal, np.exp(normal), delays / (1 + 0.1 * np.log(2)), 2**0.1, np.exp(normal)]
    np.testing.assert_allclose(three_quarters[:, 1], expected, rtol=1e-6)
    assert run_factors(np.array([[SHAPES.index("normal")]]), np.full((1, 1), 5.0), np.array([0.25])) == 0
