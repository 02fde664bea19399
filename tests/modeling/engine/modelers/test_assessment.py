"""Coefficients and errors of laws equal those of one fit for each kernel and each point that is left out."""

import numpy as np
import pytest

from modeling.engine.measured.observations import observe
from modeling.engine.modelers.assessment import assess, holdout_error
from modeling.engine.modelers.term_modeler import falls
from tests.modeling.engine.cases import GRID

P, N = GRID.T
TERMS = [P * N**0.5, np.log2(P)]
EXPONENTS = np.array([[[(1, 0), (0.5, 0)], [(0, 1), (0, 0)]]] * 3, dtype=float)
COUNTS = np.array([[5], [5]])


@pytest.fixture(scope="module")
def values():
    """Return single values (K, P) of three kernels; the last one was not measured at three points."""
    rng = np.random.default_rng(4)
    found = (3 + 0.5 * TERMS[0] + 2 * TERMS[1]) * rng.uniform(0.9, 1.1, (3, len(GRID)))
    found[2, [0, 7, 24]] = np.nan
    return found


def refit(points, y, relative):
    """Return the coefficients of the law for the measured points of one kernel, by NumPy."""
    unit = y[points] if relative else np.ones(points.sum())
    columns = np.stack([np.ones(len(GRID)), *TERMS], axis=1)
    return np.linalg.lstsq(columns[points] / unit[:, None], y[points] / unit, rcond=None)[0]


@pytest.mark.parametrize("relative", [False, True])
def test_laws_have_the_errors_of_a_fit_for_each_point_left_out(values, relative):
    observations = observe(GRID, values[:, :, None], "mean")
    models = assess(
        observations, EXPONENTS, holdout_error=np.zeros(3), value_counts=COUNTS, relative=relative
    )
    columns = np.stack([np.ones(len(GRID)), *TERMS], axis=1)
    for kernel, series in enumerate(values):
        measured = ~np.isnan(series)
        own = refit(measured, series, relative)
        np.testing.assert_allclose([models.constant[kernel], *models.coefficients[kernel]], own, rtol=1e-9)
        law, left = columns @ own, []
        for point in np.flatnonzero(measured):
            others = measured & (np.arange(len(series)) != point)
            left.append(columns[point] @ refit(others, series, relative))
        left, y, law = np.array(left), series[measured], law[measured]
        assert models.relative_error[kernel] == pytest.approx((abs(law - y) / y).mean())
        assert models.smape[kernel] == pytest.approx((2 * abs(law - y) / (abs(law) + y)).mean())
        assert models.rss[kernel] == pytest.approx(((law - y) ** 2).sum())
        assert models.r_squared[kernel] == pytest.approx(
            1 - ((law - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()
        )
        if not relative:
            assert models.cv_smape[kernel] == pytest.approx((2 * abs(left - y) / (abs(left) + y)).mean())
        unit = y if relative else np.ones(len(y))
        x = columns[measured] / unit[:, None]
        squares = (((law - y) / unit) ** 2).sum() / (len(y) - 3)
        np.testing.assert_allclose(models.covariance[kernel], squares * np.linalg.inv(x.T @ x), rtol=1e-6)
        assert models.degrees_of_freedom[kernel] == len(y) - 3


def test_the_largest_point_is_predicted_by_a_law_without_it(values):
    observations = observe(GRID, values[:, :, None], "mean").distinct()
    found = holdout_error(observations, observations.without_largest(), EXPONENTS)
    for kernel, y in enumerate(values):
        measured = ~np.isnan(y)
        largest = max(np.flatnonzero(measured), key=lambda point: GRID[point].prod())
        others = measured & (np.arange(len(y)) != largest)
        law = np.array([1.0, *(term[largest] for term in TERMS)]) @ refit(others, y, relative=False)
        assert found[kernel] == pytest.approx(abs(law / y[largest] - 1))


def test_a_series_falls_if_its_regression_line_falls():
    rng = np.random.default_rng(0)
    x = np.array([1.0, 2, 4, 16, 64, 100])
    y, w = rng.uniform(1, 2, (6, 40)), np.ones((6, 40))
    w[2, 20:] = 0
    expected = [np.polyfit(np.log(x[w[:, k] > 0]), y[w[:, k] > 0, k], 1)[0] < 0 for k in range(y.shape[1])]
    assert falls(x, y * w, w).tolist() == expected
