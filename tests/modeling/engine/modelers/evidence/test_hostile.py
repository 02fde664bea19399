"""For unusual data, results show how uncertain they are, and no kernel makes a campaign fail."""

import numpy as np
import pytest

from modeling.engine import fit
from tests.modeling.engine.cases import CUBE, GRID, LINE, P, noisy

NAN = np.nan
SERIES = {
    "nothing": [NAN, NAN, NAN, NAN, NAN],
    "zeros": [0, 0, 0, 0, 0],
    "constant": [7, 7, 7, 7, 7],
    "now and then": [0, 1, 0, 1, 0],
    "negative": [-1, -2, -3, -4, -5],
    "tiny": [1e-50, 2e-50, 3e-50, 4e-50, 5e-50],
    "wild": [1e50, 1, 1e-50, 1, 1e50],
    "one point": [3, NAN, NAN, NAN, NAN],
    "two points": [3, 4, NAN, NAN, NAN],
    "three points": [3, 4, 5, NAN, NAN],
    "all but one": [3, 4, 5, 6, NAN],
    "falling": [16, 8, 4, 2, 1],
    "exact": [4, 8, 16, 32, 64],
}


@pytest.mark.parametrize("series", SERIES.values(), ids=SERIES)
@pytest.mark.parametrize("runs", [1, 3])
def test_no_series_stops_a_campaign(series, runs):
    values = np.repeat(np.array([series, 5 + 2 * P], float)[:, :, None], runs, axis=2)
    models = fit(LINE, values)
    predicted = models.predict(LINE * 4)
    lower, upper = models.interval(LINE * 4)
    assert np.isfinite(predicted[1]).all()
    known = np.isfinite(predicted)
    assert (lower[known] <= predicted[known]).all()
    assert (predicted[known] <= upper[known]).all()
    assert known[0].all() == bool((np.array(series) >= 0).any())


@pytest.mark.parametrize(
    "points", [LINE, GRID, CUBE, GRID[[0, 1, 2, 3, 4, 5, 10, 15, 20, 24]], GRID[:1], CUBE[::9]]
)
@pytest.mark.parametrize("runs", [1, 2])
def test_every_layout_is_modelled(points, runs):
    rng = np.random.default_rng(3)
    values = (5 + points.prod(axis=1))[None, :, None] * rng.uniform(0.97, 1.03, (3, len(points), runs))
    models = fit(points, values)
    assert np.isfinite(models.predict(points)).all()
    if len(points) > 4:
        np.testing.assert_allclose(models.predict(points) / (5 + points.prod(axis=1)), 1, atol=0.1)


def test_missing_runs_lose_only_their_own_information():
    rng = np.random.default_rng(5)
    values = (3 + 0.5 * P)[None, :, None] * rng.uniform(0.99, 1.01, (20, 5, 5))
    values[:10, 2, 1:] = NAN
    values[10:, 4] = NAN
    models = fit(LINE, values)
    np.testing.assert_allclose(models.predict(LINE), np.tile(3 + 0.5 * P, (20, 1)), rtol=0.05)
    lower, upper = models.interval(LINE * 8)
    width = (upper - lower)[:, -1]
    assert np.median(width[10:]) > np.median(width[:10])


def test_other_kernels_and_their_order_hardly_matter():
    """A kernel learns only the kind of noise from the other kernels of its campaign."""
    rng = np.random.default_rng(7)
    values = (3 + 0.5 * P)[None, :, None] * rng.uniform(0.95, 1.05, (30, 5, 5))
    together, alone = fit(LINE, values), fit(LINE, values[4:5])
    np.testing.assert_allclose(together.predict(LINE * 4)[4], alone.predict(LINE * 4)[0], rtol=0.05)
    again = fit(LINE, values[::-1])
    np.testing.assert_allclose(again.predict(LINE * 4)[::-1], together.predict(LINE * 4), rtol=0.01)


def test_points_with_only_zeros_are_not_used():
    values = noisy(3 + P, 0.05, kernels=3)
    values[0, :2] = 0
    values[1] = 0
    models = fit(LINE, values)
    np.testing.assert_array_equal(models.points_used, [3, 5, 5])
    np.testing.assert_array_equal(models.status, ["few values", "ok", "ok"])
    assert models.degrees_of_freedom[0] <= 2
    np.testing.assert_array_equal(models.predict(LINE)[1], np.zeros(5))


def test_a_falling_neighbour_does_not_affect_kernels_measured_once():
    """A kernel learns from other kernels how much kernels deviate, but not in which direction."""
    growing = (5 + P**0.5) * [1.01, 0.99, 1.02, 0.98, 1.0]
    alone = fit(LINE, growing[None, :, None]).predict([[1024.0]])
    together = fit(LINE, np.stack([growing, 100 / P])[..., None]).predict([[1024.0]])
    np.testing.assert_allclose(together[:1], alone, rtol=0.2)
