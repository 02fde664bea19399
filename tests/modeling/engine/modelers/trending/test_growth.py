"""Growth at the largest values, and the planes through it, equal those of a loop over lines."""

import numpy as np
import pytest
from scipy.optimize import minimize

from modeling.engine.modelers.trending.growth import AHEAD, SAME_EVERYWHERE, STEPS, Growth, errors_of_medians
from tests.modeling.engine.cases import law

GRID = np.array([(p, n) for p in (4.0, 8, 16) for n in (10.0, 20, 50)])
P, N = GRID.T
MODEL = law([0.5], [[(1, 0), (1, 0)]], constant=3.0)


@pytest.fixture
def growth():
    """Return the growth along p of a kernel that grows faster at the end, and its medians."""
    values = (3 + 0.5 * P * N) * np.where(P == 16, 1.1 + N / 500, 1.0)
    runs = values[None, :, None] * np.array([0.9, 1, 1.3])
    return Growth.of(MODEL, GRID, runs, np.array([0])), values


def test_slopes_and_levels_are_relative_to_the_predictions(growth):
    found, values = growth
    order = np.argsort(found.places[:, 1])
    assert found.along.tolist() == [0, 0, 0]
    for line, n in zip(order, (10, 20, 50), strict=True):
        last, before = (values[(p == P) & (n == N)][0] for p in (16, 8))
        predicted = MODEL.predict(np.array([(16.0, n), (16 * AHEAD, n)]))[0]
        own = np.log(predicted[1] / predicted[0]) / np.log(AHEAD)
        assert found.slopes[0, 0, line] == pytest.approx(np.log(last / before) / np.log(2) - own)
        assert found.slopes[1, 0, line] == pytest.approx(-own)
        assert found.begins[0, line] == pytest.approx(np.log(last / predicted[0]))
        assert found.lengths[0, line] == pytest.approx(min(STEPS * np.log(2), 1.5))
    np.testing.assert_allclose(found.smallest, np.log([[4, 10]]))
    np.testing.assert_allclose(found.largest, np.log([[16, 50]]))


def test_a_trend_is_the_plane_of_least_squares_over_the_lines(growth):
    found, _ = growth
    weights = np.array([[0.6, 0.3], [0.0, 0.0]])
    trend = found.trend(weights)
    below = found.places[:, 1] - np.log(50)
    for plane, heights in (
        (trend.slope, weights[0] @ found.slopes[:, 0]),
        (trend.level, weights[0].sum() * found.begins[0]),
    ):

        def cost(at, heights=heights):
            return ((at[0] + at[1] * below - heights) ** 2).sum() + SAME_EVERYWHERE * at[1] ** 2

        np.testing.assert_allclose(plane[0, 0], minimize(cost, [0, 0]).x, atol=1e-5)
        assert not plane[0, 1].any()


def test_growth_is_unknown_without_two_values_on_a_line():
    values = (3 + 0.5 * P * N)[None, :, None].copy()
    values[0, (N == 10) & (P > 4)] = np.nan
    found = Growth.of(MODEL, GRID, values, np.array([0]))
    alone = found.places[:, 1] == np.log(10)
    assert np.isnan(found.slopes[:, 0, alone]).all()
    assert np.isfinite(found.slopes[:, 0, ~alone]).all()
    assert (errors_of_medians(MODEL, values) == 0).all()  # models without a posterior have no noise
