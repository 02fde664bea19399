"""Questions that models answer: predictions, intervals, lead exponents, classes of growth; and rebuilding
models from parts.
"""

from dataclasses import fields

import numpy as np
import pytest
from scipy import stats

from modeling.engine import Models
from tests.modeling.engine.cases import GRID, LINE, P, law, noisy
from tests.modeling.engine.cases import regression as fit


def test_a_prediction_is_the_value_of_the_formula():
    models = law([2, -3], [[[1, 0], [0.5, 2]], [[0, 1], [0, 0]]])
    p, n = np.array([4.0, 100.0]), np.array([9.0, 3.0])
    expected = 1 + 2 * p * n**0.5 * np.log2(n) ** 2 - 3 * np.log2(p)
    np.testing.assert_allclose(models.predict(np.stack([p, n], 1)), [expected])


def test_interval_is_that_of_the_t_distribution():
    values = noisy(5 + 2 * P, 0.1)
    models = fit(LINE, values, exponents=[(1, 0)])
    y = values[0].mean(axis=1)
    regression = stats.linregress(P, y)
    at = 200.0
    variance = np.sum((y - regression.intercept - regression.slope * P) ** 2) / 3
    error = np.sqrt(variance * (1 / 5 + (at - P.mean()) ** 2 / np.sum((P - P.mean()) ** 2)))
    centre = regression.intercept + regression.slope * at
    lower, upper = models.interval([[at]], 0.9)
    np.testing.assert_allclose(
        [lower[0, 0], upper[0, 0]], centre + stats.t(3).ppf([0.05, 0.95]) * error, rtol=1e-9
    )


def test_the_interval_contains_the_law_as_often_as_stated():
    rng = np.random.default_rng(1)
    truth = 50 + 3 * P
    values = (truth + rng.normal(0, 4, (4000, 5)))[:, :, None]
    models = fit(LINE, values, exponents=[(1, 0)], negative_coefficients=True, negative_exponents=False)
    chosen = models.exponents[:, 0, 0, 0] == 1
    lower, upper = models.interval([[300.0]], 0.95)
    inside = (lower[chosen, 0] <= 950) & (upper[chosen, 0] >= 950)
    assert chosen.mean() > 0.99
    assert inside.mean() == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("repetitions", [1, 5])
def test_the_prediction_interval_contains_new_runs(repetitions):
    truth = 50 + 3 * P
    models = fit(LINE, noisy(truth, 0.2, kernels=3000, repetitions=repetitions), exponents=[(1, 0)])
    new = noisy(truth, 0.2, kernels=3000, repetitions=1, seed=9)[:, :, 0]
    lower, upper = models.prediction_interval(LINE, 0.95)
    assert ((lower <= new) & (new <= upper)).mean() > 0.94
    assert (upper - lower > np.subtract(*models.interval(LINE)[::-1])).all()


@pytest.mark.parametrize("modeler", ["evidence", "regression"])
def test_with_one_value_of_a_parameter_nothing_bounds_the_law_elsewhere(modeler):
    points = np.column_stack([P, np.full(5, 400.0)])
    models = fit(points, noisy(3 + P, 0.1), modeler=modeler)
    for interval in (models.interval, models.prediction_interval):
        lower, upper = interval([[128.0, 400.0], [128.0, 800.0]])
        np.testing.assert_array_equal(np.isnan(lower), [[False, True]])
        np.testing.assert_array_equal(np.isnan(upper), [[False, True]])
    assert np.isnan(models.estimates([[128.0, 800.0]])[1:]).all()
    assert np.isfinite(models.predict([[128.0, 800.0]])).all()


def test_runs_vary_no_less_than_their_law():
    models = fit(LINE, noisy(np.full(5, 7.0), 0.04, kernels=200), modeler="evidence")
    far = [[64.0], [1024.0], [16384.0]]
    law, run = models.interval(far), models.prediction_interval(far)
    # Where only some of the likely laws grow, the interval widens in steps.
    assert (law[1] / law[0] > 1.2).any()
    assert (run[0] <= law[0]).all()
    assert (run[1] >= law[1]).all()


def test_wider_level_wider_interval():
    models = fit(LINE, noisy(5 + P, 0.3))
    narrow, wide = models.interval(LINE, 0.5), models.interval(LINE, 0.99)
    assert (wide[0] < narrow[0]).all()
    assert (wide[1] > narrow[1]).all()


@pytest.mark.parametrize("modeler", ["evidence", "regression"])
def test_estimates_are_prediction_and_interval(modeler):
    models = fit(LINE, noisy(5 + P, 0.3, kernels=3), modeler=modeler)
    at = [[2.0], [64.0], [500.0]]
    np.testing.assert_array_equal(models.estimates(at, 0.8), (models.predict(at), *models.interval(at, 0.8)))


def test_the_lead_term_is_that_at_four_times_the_largest_values():
    """The largest measured values are 64.

    The lead term is n^2 only if n^2 is larger than n·p at four times these values.
    """
    models = law([1, 1000], [[[0, 0], [2, 0]], [[1, 0], [1, 0]]])
    assert models.lead_exponents[0].tolist() == [[1, 0], [1, 0]]
    models = law([1, 0.001], [[[0, 0], [2, 0]], [[1, 0], [1, 0]]])
    assert models.lead_exponents[0].tolist() == [[1, 0], [2, 0]]


@pytest.mark.parametrize(
    ("coefficients", "exponents", "growth"),
    [
        ([0], [[[0, 0]]], "constant"),
        ([2], [[[0, 2]]], "logarithmic"),
        ([2], [[[1 / 3, 1]]], "sublinear"),
        ([2], [[[1, 0]]], "linear"),
        ([2], [[[1, 1]]], "linearithmic"),
        ([2], [[[1.25, 0]]], "superlinear"),
        ([2], [[[-1, 0]]], "falling"),
        ([-2], [[[1, 0]]], "falling"),
        ([-2], [[[0, 1]]], "falling"),
        ([-2], [[[-1 / 2, 0]]], "saturating"),
        ([-2, 1], [[[-1, 0], [0, 0]], [[0, 0], [0, 1]]], "logarithmic"),
        ([2], [[[-1, 0], [1, 0]]], "linear"),
        ([2, 1], [[[-1, 0], [0, 0]], [[0, 0], [0, 1]]], "logarithmic"),
    ],
)
def test_classes_of_growth(coefficients, exponents, growth):
    assert law(coefficients, exponents).growth.tolist() == [growth]


def test_models_are_rebuilt_from_their_rows():
    models = fit(GRID, noisy(GRID.prod(axis=1), 0.2, kernels=7))
    stored = [field.name for field in fields(Models) if isinstance(getattr(models, field.name), np.ndarray)]
    rows = [
        {
            name: getattr(models, name)[k].tolist()
            for name in stored
            if name not in {"lower", "upper", "leads"}
        }
        for k in range(7)
    ]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    rebuilt = Models(**columns, lower=models.lower, upper=models.upper)
    np.testing.assert_array_equal(rebuilt.prediction_interval(GRID * 2), models.prediction_interval(GRID * 2))
    assert rebuilt.expressions("pn") == models.expressions("pn")
    assert rebuilt.growth.tolist() == models.growth.tolist()


@pytest.mark.parametrize("points", [[[1.0, 2.0]], [[0.0]], [[np.nan]], np.ones((1, 1, 1))])
def test_wrong_points_are_refused(points):
    with pytest.raises(ValueError, match="points: found"):
        fit(LINE, noisy(P, 0.1)).predict(points)


@pytest.mark.parametrize("level", [0, 1, -3, np.nan])
def test_wrong_levels_are_refused(level):
    with pytest.raises(ValueError, match="level: found"):
        fit(LINE, noisy(P, 0.1)).interval(LINE, level)
