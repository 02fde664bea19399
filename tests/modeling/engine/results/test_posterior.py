"""Intervals and medians of draws, for values whose distribution is known."""

import numpy as np
import pytest

from modeling.engine.results.posterior import INDEPENDENT_DRAWS, between, nearest


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_so_many_independent_draws_hold_a_new_one_as_often_as_they_say(level):
    rng = np.random.default_rng(0)
    draws, new = rng.random((20_000, INDEPENDENT_DRAWS, 1)), rng.random((20_000, 1))
    lower, upper = between(draws, level)
    assert ((lower <= new) & (new <= upper)).mean() == pytest.approx(level, abs=0.005)


def test_a_slight_majority_is_believed_and_a_wild_third_is_not():
    draws = np.array([[1.0] * 43 + [1.1] * 57, [1.0] * 67 + [100.0] * 33])[:, :, None]
    np.testing.assert_array_equal(nearest(draws)[:, 0], [1.1, 1.0])
