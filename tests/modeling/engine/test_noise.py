"""The noise level that is estimated from repetitions."""

import numpy as np
import pytest

from modeling.engine import fit, noise
from modeling.engine.measured.repetitions import aggregate, runs_first
from tests.modeling.engine.cases import LINE, P, noisy


def test_worked_example():
    values = np.array([[[9.0, 10, 11], [40, 50, 60]]])
    found = noise(values)
    np.testing.assert_allclose(found.per_point, [[0.2, 0.4]])
    for name, expected in [("level", 0.4), ("mean", 0.3), ("median", 0.3), ("min", 0.2), ("max", 0.4)]:
        np.testing.assert_allclose(getattr(found, name), [expected])


def test_level_spans_all_points():
    """One point deviates downwards and the other upwards, so the noise level is larger than the range of each
    point.
    """
    found = noise(np.array([[[8.0, 11, 11], [12, 9, 9]]]))
    np.testing.assert_allclose(found.per_point, [[0.3, 0.3]])
    np.testing.assert_allclose(found.level, [0.4])


@pytest.mark.parametrize("width", [0.02, 0.2, 1.0])
def test_level_estimates_the_width_of_uniform_noise(width):
    level = noise(noisy(P, width, kernels=500)).level
    assert level.mean() == pytest.approx(width, rel=0.15)


def test_unknown_without_repetitions():
    values = np.array([[[3.0, np.nan], [4, np.nan]], [[0, 0], [0, 0]], [[np.nan, np.nan], [5, 6]]])
    found = noise(values)
    assert np.isnan(found.level).tolist() == [True, True, False]
    assert np.isnan(found.median).tolist() == [True, True, False]
    np.testing.assert_allclose(found.level[2], 1 / 5.5)


def test_unit_does_not_matter():
    values = noisy(P, 0.3, kernels=5)
    np.testing.assert_allclose(noise(values * 1e-9).level, noise(values).level)


def test_models_know_their_noise():
    values = noisy(P, 0.3, kernels=5)
    np.testing.assert_array_equal(fit(LINE, values).noise, noise(values).level)


@pytest.mark.parametrize(
    ("how", "oracle"), [("mean", np.nanmean), ("median", np.nanmedian), ("minimum", np.nanmin)]
)
def test_aggregates_are_those_of_what_is_there(how, oracle):
    values = noisy(P, 0.5, kernels=20, repetitions=6)
    values[np.random.default_rng(3).random(values.shape) < 0.3] = np.nan
    values[:, :, 0] = 5.0
    np.testing.assert_allclose(aggregate(runs_first(values), how), oracle(values, axis=2).T)
