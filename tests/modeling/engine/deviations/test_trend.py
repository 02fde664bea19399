"""Trends beyond the largest measured values: where they begin, how far they reach, and what they leave
unchanged.
"""

import numpy as np
import pytest

from modeling.engine.deviations.trend import (
    BEGIN_SHARE,
    TREND_LENGTH,
    Trend,
    begun,
    effective,
    join_trends,
)
from modeling.engine.joining import in_turn

LONGEST = np.array(TREND_LENGTH)


def trend(slope, level=0.0, largest=3.0, length=TREND_LENGTH):
    largest = np.array([[largest]])
    return Trend(np.array([[[slope]]]), np.array([[[level]]]), largest - 3, largest, np.array([[length]]))


def at(*logarithms):
    return np.exp(np.array(logarithms))[:, None]


@pytest.mark.parametrize("length", [0.2, TREND_LENGTH])
def test_the_effective_distance_is_the_integral_of_a_slope_that_fades(length):
    for distance in (0.1, 1.0, 7.0):
        steps = np.linspace(0, distance, 100_001)
        assert effective(np.array(distance), np.array(length)) == pytest.approx(
            np.trapezoid(np.exp(-steps / length), steps), rel=1e-6
        )


def test_nothing_changes_within_the_measured_range():
    np.testing.assert_array_equal(trend(0.5, 0.2).factors(at(0.0, 2.9, 3.0)), 1.0)


def test_just_beyond_the_range_the_slope_is_added():
    near = trend(0.5).factors(at(3.001))[0, 0]
    assert np.log(near) / 0.001 == pytest.approx(0.5, rel=1e-3)


def test_far_away_the_law_grows_alone_and_the_trend_is_bounded():
    far, farther = trend(0.5).factors(at(20.0, 21.0))[0]
    assert farther == pytest.approx(far, rel=1e-4)
    assert far == pytest.approx(np.exp(0.5 * TREND_LENGTH), rel=1e-4)
    assert trend(0.5, length=0.3).factors(at(20.0)) == pytest.approx(np.exp(0.5 * 0.3))


def test_the_level_changes_without_a_step_and_fades_far_away():
    for length in (LONGEST, LONGEST / 10):
        found = begun(np.array([0.0, 1e-5 * BEGIN_SHARE, 5 * BEGIN_SHARE, 60.0]) * length, length)
        assert found[0] == 0
        assert found[1] < 1e-4
        assert 0.85 < found[2] < 1
        assert found[3] < 0.02


SLOPES = np.array([[[0.5, 0.1], [0.2, -0.25]]])
LEVELS = np.array([[[0.2, -0.3], [0.0, 0.1]]])
TWO = Trend(SLOPES, LEVELS, np.array([[0.0, -2.0]]), np.array([[3.0, 1.0]]), np.full((1, 2), TREND_LENGTH))


def logarithms(*places):
    return np.log(TWO.factors(np.exp(np.array(places))))[0]


def test_the_slope_depends_on_the_value_of_the_other_parameter():
    """A trend is a plane over the measured range of the other parameter, and constant beyond it."""
    one = effective(np.array(1.0), LONGEST)
    begun_one = begun(np.array(1.0), LONGEST)
    found = logarithms((4.0, 1.0), (4.0, -1.0), (4.0, -2.0), (4.0, -9.0), (1.0, 2.0))
    assert found == pytest.approx(
        [
            0.5 * one + 0.2 * begun_one,
            (0.5 - 2 * 0.1) * one + (0.2 + 2 * 0.3) * begun_one,
            (0.5 - 3 * 0.1) * one + (0.2 + 3 * 0.3) * begun_one,
            (0.5 - 3 * 0.1) * one + (0.2 + 3 * 0.3) * begun_one,
            (-0.25 - 2 * 0.2) * one + 0.1 * begun_one,
        ]
    )


def test_beyond_both_parameters_slopes_are_added_and_levels_averaged():
    far, near = effective(np.array(3.0), LONGEST), effective(np.array(1.0), LONGEST)
    level = (3 * 0.2 + 1 * 0.1) / 4 * begun(np.array(4.0), LONGEST)
    assert logarithms((6.0, 2.0)) == pytest.approx([0.5 * far - 0.25 * near + level])


def test_without_a_trend_nothing_changes():
    nothing = Trend.nothing(2, 2)
    np.testing.assert_array_equal(nothing.factors(np.exp(np.array([[5.0, 7.0], [0, 0]]))), np.ones((2, 2)))


def test_only_some_kernels_may_have_a_trend():
    spread = TWO.spread(np.array([False, True, False]))
    at = np.exp(np.array([[4.0, -1.0], [6.0, 2.0]]))
    np.testing.assert_array_equal(spread.factors(at)[[0, 2]], 1)
    np.testing.assert_array_equal(spread.factors(at)[1], TWO.factors(at)[0])


def test_joined_groups_keep_their_trends():
    joined = join_trends([trend(0.5, 0.1), None, trend(-0.5)], in_turn([1, 2, 1]))
    np.testing.assert_array_equal(joined.slope[:, 0, 0], [0.5, 0, 0, -0.5])
    np.testing.assert_array_equal(joined.part(np.array([3])).slope, [[[-0.5]]])
    assert join_trends([None, None], in_turn([1, 1])) is None
