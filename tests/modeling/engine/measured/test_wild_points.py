"""Single values that lie far off all others."""

import numpy as np
import pytest

from modeling.engine import fit, holdout_error, wild_points, wild_ratios
from modeling.engine.measured.wild_points import LEAST_BEND, LEAST_RATIO

POINTS = 2.0 ** np.arange(2, 10)[:, None]


def series(noise: float, kernels: int = 1, repetitions: int = 1) -> np.ndarray:
    """Return times that grow as x^1.5, with relative noise."""
    rng = np.random.default_rng(3)
    law = 1e-3 * POINTS[:, 0] ** 1.5
    return law[:, None] * np.exp(noise * rng.standard_normal((kernels, len(law), repetitions)))


def slowly(x: np.ndarray, y: np.ndarray) -> int | None:
    """Return the wildest value of one series without vectorisation, for all values at once."""

    def bends(places: list[int]) -> list[float]:
        found = []
        for before, here, after in zip(places, places[1:], places[2:], strict=False):
            share = (x[here] - x[before]) / (x[after] - x[before])
            found.append(abs(y[here] - y[before] - share * (y[after] - y[before])))
        return found

    every = list(range(len(x)))
    best, wildest = LEAST_RATIO, None
    for place in every[1:-1]:
        bend, left = bends(every)[place - 1], bends([one for one in every if one != place])
        usual = max(*left[max(place - 2, 0) : place], float(np.quantile(left, 0.75, method="higher")))
        if bend >= LEAST_BEND and bend / usual >= best:
            best, wildest = bend / usual, place
    return wildest


def test_the_wildest_value_equals_that_of_a_slow_search():
    rng = np.random.default_rng(1)
    points = np.cumsum(rng.uniform(1, 5, 9))[:, None]
    values = points[:, 0] ** 0.8 * np.exp(0.03 * rng.standard_normal((300, 9)))
    values *= np.where(rng.random((300, 9)) < 0.05, 1.5, 1.0)
    found = wild_points(points, values[..., None])
    for row, wild in zip(values, found, strict=True):
        expected = slowly(np.log(points[:, 0]), np.log(row))
        assert wild.any() == (expected is not None)
        assert expected is None or wild[expected]
        assert wild.sum() <= 1  # a fifth of nine values
    assert found.any(axis=1).sum() > 30


@pytest.mark.parametrize("repetitions", [1, 3])
def test_a_single_disturbed_run_does_not_change_distant_predictions(repetitions: int):
    values = series(0.01, kernels=4, repetitions=repetitions)
    disturbed = values.copy()
    disturbed[:, 4] *= 2
    at = [[8192.0]]
    clean, found = fit(POINTS, values), fit(POINTS, disturbed)
    assert found.points_used.tolist() == [7] * 4
    np.testing.assert_allclose(found.predict(at), clean.predict(at), rtol=0.05)
    widths = [np.divide(*models.prediction_interval(at, 0.95)[::-1]) for models in (clean, found)]
    assert (widths[1] < 1.5 * widths[0]).all()
    np.testing.assert_allclose(holdout_error(POINTS, disturbed), holdout_error(POINTS, values), atol=0.05)
    np.testing.assert_allclose(wild_ratios(POINTS, disturbed)[:, 4], 2.0, rtol=0.1)
    assert np.isfinite(wild_ratios(POINTS, disturbed)).sum() == 4


@pytest.mark.parametrize(
    "bent",
    [
        np.array([1, 1, 1, 1, 8, 8, 8, 8.0]),  # a step
        np.array([1, 1, 1, 1, 2, 4, 8, 16.0]),  # a knee
        np.array([8, 4, 2, 1, 2, 4, 8, 16.0]),  # strong scaling with its upturn
        np.array([5, 1, 1, 1, 1, 1, 1, 1.0]),  # the first value
        np.array([1, 1, 1, 1, 1, 1, 1, 5.0]),  # the last value
        np.array([1, 3, 1, 3, 1, 3, 1, 3.0]),  # irregular everywhere
    ],
)
def test_steps_knees_and_ends_are_not_wild(bent: np.ndarray):
    assert not wild_points(POINTS, bent[None, :, None] * series(0.01)).any()


def test_noise_alone_is_hardly_ever_wild():
    rng = np.random.default_rng(7)
    for count, noise in ((6, 0.4), (8, 0.1), (12, 0.4)):
        points = 2.0 ** np.arange(count)[:, None]
        values = np.exp(noise * rng.standard_normal((4000, count, 1)))
        assert wild_points(points, values).any(axis=1).mean() < (0.02 if count < 10 else 0.003)


def test_missing_and_zero_values_are_skipped():
    values = series(0.0, kernels=2, repetitions=2)
    values[0, 2], values[1, 3] = np.nan, 0.0
    values[:, 5] *= 3
    assert np.argwhere(wild_points(POINTS, values)).tolist() == [[0, 5], [1, 5]]


def test_several_parameters_have_no_wild_values():
    points = np.array([[x, y] for x in (1.0, 2.0, 4.0) for y in (1.0, 2.0, 4.0)])
    values = np.ones((1, 9, 1))
    values[0, 4] = 9.0
    assert not wild_points(points, values).any()
