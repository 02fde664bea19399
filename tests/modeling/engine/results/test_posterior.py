"""Intervals and medians of draws, for values whose distribution is known."""

import numpy as np
import pytest

from modeling.engine.results.posterior import INDEPENDENT_DRAWS, between, nearest


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_independent_draws_contain_a_new_one_as_often_as_stated(level):
    rng = np.random.default_rng(0)
    draws, new = rng.random((20_000, INDEPENDENT_DRAWS, 1)), rng.random((20_000, 1))
    lower, upper = between(draws, level)
    assert ((lower <= new) & (new <= upper)).mean() == pytest.approx(level, abs=0.005)


def test_a_slight_majority_decides_and_one_extreme_third_does_not():
    draws = np.array([[1.0] * 43 + [1.1] * 57, [1.0] * 67 + [100.0] * 33])[:, :, None]
    np.testing.assert_array_equal(nearest(draws)[:, 0], [1.1, 1.0])
