"""Unusual data never make a campaign fail, and invalid calls raise an error that says what is wrong."""

import numpy as np
import pytest

from modeling.engine import noise
from tests.modeling.engine.cases import GRID, LINE, P
from tests.modeling.engine.cases import regression as fit

NAN = np.nan


@pytest.mark.parametrize(
    ("series", "status"),
    [
        ([NAN, NAN, NAN, NAN, NAN], "no data"),
        ([0, 0, 0, 0, 0], "ok"),
        ([7, 7, 7, 7, 7], "ok"),
        ([0, 1, 0, 1, 0], "ok"),
        ([-1, -2, -3, -4, -5], "ok"),
        ([1e-300, 2e-300, 3e-300, 4e-300, 5e-300], "ok"),
        ([1e150, 1, 1e-150, 1, 1e150], "ok"),
        ([3, NAN, NAN, NAN, NAN], "too few values"),
        ([3, 4, NAN, NAN, NAN], "too few values"),
        ([3, 4, 5, NAN, NAN], "few values"),
        ([3, 4, 5, 6, NAN], "few values"),
    ],
)
def test_unusual_kernels_do_not_affect_others(series, status):
    values = np.array([series, 3 + 2 * P])[:, :, None]
    models = fit(LINE, values)
    assert models.status.tolist() == [status, "ok"]
    assert models.expressions("p")[1] == "3 + 2·p"
    there = ~np.isnan(models.constant)
    assert np.isfinite(models.predict([[1000.0]])[there]).all()


def test_few_values_give_only_common_laws():
    models = fit(LINE, np.array([[4, 8, 16, NAN, NAN], [2, 7, NAN, NAN, NAN]])[:, :, None])
    assert models.expressions("p") == ["p", "4.5"]
    assert models.growth.tolist() == ["linear", "not identifiable"]
    assert np.isnan(models.holdout_error[0]) or models.holdout_error[0] >= 0


def test_single_point():
    models = fit([[4.0]], np.full((2, 1, 3), 5.0))
    assert models.constant.tolist() == [5, 5]
    assert models.status.tolist() == ["too few values"] * 2
    lower, upper = models.interval([[8.0]])
    assert np.isnan([lower, upper]).all()


def test_no_kernels():
    models = fit(LINE, np.empty((0, 5, 3)))
    assert len(models) == 0
    assert models.predict(LINE).shape == (0, 5)
    assert models.expressions("p") == []


def test_points_on_lines_only():
    cross = (GRID[:, 0] == 4) | (GRID[:, 1] == 10)
    models = fit(GRID[cross], (GRID[cross].sum(axis=1))[None, :, None])
    assert models.status[0] == "no crossed points"
    np.testing.assert_allclose(models.predict(GRID[cross])[0], GRID[cross].sum(axis=1))


def test_parameter_that_does_not_vary():
    points = np.concatenate([LINE, np.full((5, 1), 3.0)], axis=1)
    models = fit(points, (1 + 2 * P)[None, :, None])
    assert models.status[0] == "ok"
    assert models.expressions("pn") == ["1 + 2·p"]


def test_parameter_below_one_gets_no_logarithm():
    theta = np.array([0.1, 0.2, 0.4, 0.8, 1.6])
    models = fit(theta[:, None], np.stack([3 + theta**2, 5 / theta, np.log2(theta) ** 2])[:, :, None])
    assert models.expressions("t")[:2] == ["3 + t^2", "5·t^(-1)"]
    assert (models.exponents[..., 1] == 0).all()


def test_enormous_parameter_values():
    x = np.array([1e60, 1e70, 1e80, 1e90, 1e100])
    models = fit(x[:, None], (2 * x)[None, :, None])
    assert np.isfinite(models.constant).all()


@pytest.mark.parametrize(
    ("points", "values", "message"),
    [
        (P, np.ones((1, 5, 1)), r"points: found shape \(5,\)"),
        (np.empty((0, 1)), np.ones((1, 0, 1)), "points: found shape"),
        (LINE - 4, np.ones((1, 5, 1)), "points: found .*expected positive"),
        (LINE * np.inf, np.ones((1, 5, 1)), "points: found .*expected positive finite"),
        (LINE, np.ones((1, 4, 1)), r"values: found shape \(1, 4, 1\), expected \(kernels, 5 points"),
        (LINE, np.ones((5, 1)), "values: found shape"),
        (LINE, np.full((1, 5, 1), np.inf), "values: found an infinite"),
        (LINE, np.full((1, 5, 1), "x"), "values: .*expected an array of numbers"),
    ],
)
def test_wrong_arrays_are_refused(points, values, message):
    with pytest.raises(ValueError, match=message):
        fit(points, values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"modeler": "magic"}, "modeler: found 'magic', expected one of"),
        ({"aggregate": "mode"}, "aggregate: found 'mode'"),
        ({"exponents": [1, 2]}, "exponents: found"),
        ({"exponents": [(1, np.inf)]}, "exponents: found"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        fit(LINE, np.ones((1, 5, 1)), **options)


def test_wrong_values_for_noise_are_refused():
    with pytest.raises(ValueError, match="values: found shape"):
        noise(np.ones((3, 5)))
