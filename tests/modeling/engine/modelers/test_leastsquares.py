"""Least squares for many kernels at once equal those of NumPy and SciPy for each kernel alone."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from modeling.engine.modelers.leastsquares import smape, solve, solve_above_zero, solve_resolved

POINTS, KERNELS = 9, 6


@pytest.fixture
def problems():
    """Return columns (3, P, K) and values (P, K); two points of the last kernel are missing."""
    rng = np.random.default_rng(0)
    columns = rng.uniform(0.2, 1, (3, POINTS, KERNELS))
    columns[0] = 1
    y = 2 * columns[1] + rng.normal(size=(POINTS, KERNELS))
    columns[:, 3:5, -1] = y[3:5, -1] = 0
    return columns, y


def test_solutions_leverages_and_covariances_are_those_of_the_normal_equations(problems):
    columns, y = problems
    found = solve(columns, y)
    for kernel in range(KERNELS):
        x, own = columns[:, :, kernel].T, y[:, kernel]
        expected = np.linalg.lstsq(x, own, rcond=None)[0]
        covariance = np.linalg.inv(x.T @ x)
        inverse = found.inverse[:, :, kernel]
        np.testing.assert_allclose(found.coefficients[:, kernel], expected)
        np.testing.assert_allclose(found.residuals[:, kernel], own - x @ expected, atol=1e-12)
        np.testing.assert_allclose(found.leverages[:, kernel], np.diag(x @ covariance @ x.T), atol=1e-12)
        np.testing.assert_allclose(inverse @ inverse.T, covariance)
    assert (found.rank == 3).all()


def test_a_column_that_depends_on_earlier_ones_gets_no_coefficient(problems):
    columns, y = problems
    columns[2, :, 0] = 3 * columns[0, :, 0] - columns[1, :, 0]
    found = solve(columns, y)
    assert found.rank.tolist() == [2, *[3] * (KERNELS - 1)]
    expected = np.linalg.lstsq(columns[:2, :, 0].T, y[:, 0], rcond=None)[0]
    np.testing.assert_allclose(found.coefficients[:, 0], [*expected, 0])


def test_only_the_constants_of_falling_laws_are_bounded(problems):
    columns, y = problems
    y[:, :4] -= 3 * columns[0, :, :4]
    falls = np.arange(KERNELS) % 2 == 0
    found = solve_above_zero(columns, np.ones((3, KERNELS)), y, falls)
    for kernel in range(KERNELS):
        least = np.array([0.0 if falls[kernel] else -np.inf, -np.inf, -np.inf])
        expected = lsq_linear(columns[:, :, kernel].T, y[:, kernel], (least, np.inf), tol=1e-13).x
        np.testing.assert_allclose(found.coefficients[:, kernel], expected, atol=1e-6)
    assert (found.coefficients[0] == 0).any()
    assert (found.coefficients[0] < 0).any()


def test_a_constant_that_is_lost_beside_a_huge_term_is_dropped_if_that_describes_small_values_better():
    term = 10.0 ** np.arange(0, 25, 4)
    y = term * (1 + 0.01 * np.cos(np.arange(len(term))))
    size = np.array([[1.0], [term.max()]])
    columns = np.stack([np.ones(len(term)), term / term.max()])[:, :, None]
    found, complete = (solve_resolved(columns, size, y[:, None]), solve(columns, y[:, None]))
    assert found.coefficients[0, 0] == 0
    assert smape(found.residuals, y[:, None])[0] < 0.1 < smape(complete.residuals, y[:, None])[0]


def test_a_constant_that_is_barely_visible_beside_a_huge_term_is_kept_if_small_values_need_it():
    term = 10.0 ** np.arange(0, 18)
    columns = np.stack([np.ones(len(term)), term / term.max()])[:, :, None]
    found = solve_resolved(columns, np.array([[1.0], [term.max()]]), 300 + term[:, None])
    assert found.coefficients[0, 0] == pytest.approx(300, rel=0.3)


def test_the_smape_counts_each_point_between_0_and_2():
    y = np.array([[1.0], [2.0], [0.0], [4.0]])
    prediction = np.array([[1.0], [4.0], [0.0], [-4.0]])
    assert smape(y - prediction, y)[0] == pytest.approx(0 + 2 * 2 / 6 + 0 + 2)
