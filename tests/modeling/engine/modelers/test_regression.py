"""Laws that the regression modeler finds: known laws, those of a slow oracle, and the same ones for data in
another order or unit.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeling.engine import Models
from modeling.engine.laws.terms import EXPONENTS, FALLING_PAIRS, term_rows
from modeling.engine.modelers.single import NEGLIGIBLE_SHARE
from tests.modeling.engine.cases import CUBE, GRID, LINE, P, noisy
from tests.modeling.engine.cases import regression as fit

p, n = GRID.T


def exact(points, *truths, **options):
    return fit(points, np.stack(truths)[:, :, None], **options)


def test_exact_law_of_one_parameter_is_found():
    for i, j in EXPONENTS:
        models = exact(LINE, 3 + 2 * P**i * np.log2(P) ** j)
        assert models.exponents[0, 0, 0].tolist() == [i, j]
        np.testing.assert_allclose([models.constant[0], models.coefficients[0, 0]], [3, 2], rtol=1e-6)


def test_exact_laws_of_two_parameters_are_found():
    models = exact(
        GRID,
        8.5 + 0.11 * p ** (1 / 3) * n,
        3 + 2 * p + n**2,
        5 + 40 * n / p,
        7 * n,
        1 + 2 * p + 3 * p * n,
        p / p,
    )
    assert models.expressions(("p", "n")) == [
        "8.5 + 0.11·p^(1/3)·n",
        "3 + 2·p + n^2",
        "5 + 40·p^(-1)·n",
        "7·n",
        "1 + 3·p·n + 2·p",
        "1",
    ]


def test_exact_laws_of_three_parameters_are_found():
    a, b, c = CUBE.T
    models = exact(CUBE, 1 + 2 * a * b + 3 * c**2, 2 + 5 * a * np.log2(b) * c, 1 + 2 * a + 3 * b + 4 * c)
    assert models.expressions(("a", "b", "c")) == [
        "1 + 2·a·b + 3·c^2",
        "2 + 5·a·log2(b)·c",
        "1 + 2·a + 3·b + 4·c",
    ]


def test_pairs_of_four_parameters_are_found():
    points = np.array(np.meshgrid(*[[2.0, 4, 8, 16, 32]] * 4, indexing="ij")).reshape(4, -1).T
    a, b, c, d = points.T
    models = exact(points, 1 + 2 * a * b + 3 * c * d, 5 + a * b * c * d, a + b + c + d)
    assert models.expressions("abcd") == ["1 + 2·a·b + 3·c·d", "5 + a·b·c·d", "a + b + c + d"]


def test_seven_parameters_on_a_sparse_design():
    base = np.full(7, 4.0)
    points = [np.where(np.arange(7) == axis, x, base) for axis in range(7) for x in (8.0, 16, 32, 64)]
    design = np.array([base, *points, np.full(7, 32.0)])
    models = exact(design, design.sum(axis=1), design.prod(axis=1))
    np.testing.assert_allclose(models.predict(design), [design.sum(axis=1), design.prod(axis=1)], rtol=1e-9)


def left_out_oracle(y, pairs):
    """Return the cross-validated SMAPE of every pair of exponents, with one refit for each left-out point."""
    errors = []
    for i, j in pairs:
        term = P**i * np.log2(P) ** j
        total = 0.0
        for left in range(len(P)):
            keep = np.arange(len(P)) != left
            (c0, c1), *_ = np.linalg.lstsq(np.stack([np.ones(4), term[keep]], 1), y[keep], rcond=None)
            if abs(c0) < NEGLIGIBLE_SHARE * y[keep].min():
                c0 = 0.0
            f = c0 + c1 * term[left]
            total += 2 * abs(f - y[left]) / (abs(f) + abs(y[left]))
        errors.append(total / len(P))
    return np.array(errors)


@pytest.mark.parametrize("width", [0.02, 0.3, 1.0])
def test_the_choice_equals_that_of_leave_one_out_refits(width):
    rng = np.random.default_rng(5)
    chosen = [EXPONENTS[rng.integers(len(EXPONENTS))] for _ in range(60)]
    truth = np.stack([rng.uniform(0, 900) + rng.uniform(0, 900) * P**i * np.log2(P) ** j for i, j in chosen])
    values = truth[:, :, None] * rng.uniform(1 - width / 2, 1 + width / 2, (60, 5, 5))
    models = fit(LINE, values, negative_exponents=False, negative_coefficients=True)
    for kernel, y in enumerate(values.mean(axis=2)):
        constant = (2 * abs(y - y.mean()) / (y + y.mean())).mean()
        oracle = left_out_oracle(y, EXPONENTS)
        best = EXPONENTS[int(oracle.argmin())] if oracle.min() < constant else (0.0, 0.0)
        assert tuple(models.exponents[kernel, 0, 0]) == best


def test_coefficients_and_errors_equal_least_squares():
    values = noisy(5 + 2 * p * n + 3 * n, 0.05, kernels=20)
    models = fit(GRID, values)
    for kernel, y in enumerate(values.mean(axis=2)):
        used = models.coefficients[kernel] != 0
        i, j = np.moveaxis(models.exponents[kernel][used], 2, 0)
        columns = np.prod(GRID[:, None] ** i * np.log2(GRID[:, None]) ** j, axis=2)
        X = np.concatenate([np.ones((25, 1)), columns], axis=1)
        beta, *_ = np.linalg.lstsq(X, y, rcond=None)
        np.testing.assert_allclose(models.constant[kernel], beta[0], rtol=1e-7)
        np.testing.assert_allclose(models.coefficients[kernel][used], beta[1:], rtol=1e-7)
        residuals = y - X @ beta
        left_out = np.array(
            [
                y[r] - X[r] @ np.linalg.lstsq(np.delete(X, r, 0), np.delete(y, r), rcond=None)[0]
                for r in range(25)
            ]
        )
        np.testing.assert_allclose(models.rss[kernel], residuals @ residuals, rtol=1e-6)
        np.testing.assert_allclose(models.r_squared[kernel], 1 - residuals @ residuals / y.var() / 25)
        np.testing.assert_allclose(models.relative_error[kernel], np.mean(abs(residuals) / y), rtol=1e-6)
        smape = np.mean(2 * abs(residuals) / (y + abs(y - residuals)))
        np.testing.assert_allclose(models.smape[kernel], smape, rtol=1e-6)
        cv_smape = np.mean(2 * abs(left_out) / (y + abs(y - left_out)))
        np.testing.assert_allclose(models.cv_smape[kernel], cv_smape, rtol=1e-6)
        covariance = residuals @ residuals / (25 - X.shape[1]) * np.linalg.inv(X.T @ X)
        rows = np.flatnonzero([True, *used])
        np.testing.assert_allclose(
            models.covariance[kernel][np.ix_(rows, rows)], covariance, rtol=1e-5, atol=1e-12
        )


def test_the_holdout_error_equals_that_of_a_fit_without_the_largest_point():
    values = noisy(20 + 3 * p * np.log2(n), 0.3, kernels=30)
    models = fit(GRID, values)
    without = fit(GRID[:-1], values[:, :-1])
    largest = values[:, -1].mean(axis=1)
    np.testing.assert_allclose(models.holdout_error, abs(without.predict(GRID[-1])[:, 0] - largest) / largest)


def test_falling_series_get_falling_laws():
    models = exact(LINE, 1000 / P, 7 + 90 / np.sqrt(P), 321.9 - 56.25 * np.log2(P) + 20)
    assert models.expressions("p")[:2] == ["1000·p^(-1)", "7 + 90·p^(-1/2)"]
    assert models.growth.tolist() == ["falling"] * 3
    assert (models.predict([[1e6]]) >= 0).all()


def test_options_for_signs_are_applied():
    y = np.stack([1000 / P, 100 - P])[:, :, None]
    assert fit(LINE, y, negative_exponents=False).growth.tolist() == ["constant", "constant"]
    assert fit(LINE, y, negative_coefficients=True).expressions("p") == ["1000·p^(-1)", "100 − p"]


def test_options_for_exponents_are_applied():
    y = (3 + P * np.log2(P))[None, :, None]
    assert fit(LINE, y, exponents=[(2, 0), (3, 1)]).exponents[0, 0, 0].tolist() == [2, 0]


@pytest.mark.parametrize(("how", "value"), [("mean", 4.0), ("median", 2.0), ("minimum", 1.0)])
def test_aggregates(how, value):
    models = fit(LINE, np.broadcast_to([1.0, 2, 9, np.nan], (1, 5, 4)), aggregate=how)
    assert models.constant[0] == value


def test_noise_around_a_constant_is_mostly_called_constant():
    growth = fit(LINE, noisy(np.full(5, 7.0), 0.1, kernels=400)).growth
    assert np.mean(growth == "constant") > 0.5


def same(one: Models, other: Models, factor=1.0):
    np.testing.assert_array_equal(one.exponents, other.exponents)
    np.testing.assert_allclose(one.predict(LINE * 3) * factor, other.predict(LINE * 3), rtol=1e-9)
    np.testing.assert_allclose(one.smape, other.smape, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(one.holdout_error, other.holdout_error, rtol=1e-7, atol=1e-12)


some_values = st.lists(st.floats(0.5, 1e4), min_size=5, max_size=5).map(
    lambda numbers: np.array(numbers)[None, :, None]
)


@settings(max_examples=60, deadline=None)
@given(some_values, st.sampled_from([1e-9, 1e9, 1e-150, 1e150]))
def test_the_unit_does_not_matter(values, factor):
    with np.errstate(over="ignore"):
        same(fit(LINE, values), fit(LINE, values * factor), factor)


@settings(max_examples=40, deadline=None)
@given(some_values, st.permutations(range(5)))
def test_the_order_of_points_does_not_matter(values, order):
    same(fit(LINE, values), fit(LINE[order], values[:, order]))


def test_other_kernels_and_their_order_do_not_matter():
    values = noisy(3 + P, 0.5, kernels=700)
    together = fit(LINE, values)
    same(fit(LINE, values[::-1]), fit(LINE, values[::-1].copy()))
    for kernel in (0, 1, 350, 699):
        alone = fit(LINE, values[kernel : kernel + 1])
        np.testing.assert_array_equal(alone.exponents[0], together.exponents[kernel])
        np.testing.assert_allclose(alone.predict(LINE)[0], together.predict(LINE)[kernel])


def test_kernels_with_missing_points_do_not_affect_others():
    """If one kernel of a batch lacks a point, all kernels are computed with weights of their own, with the
    same results.
    """
    values = noisy(3 + 2 * p * n, 0.3, kernels=50)
    lacking = np.concatenate([values, values[:1]])
    lacking[-1, 7] = np.nan
    alone, together = fit(GRID, values), fit(GRID, lacking)
    np.testing.assert_array_equal(together.exponents[:-1], alone.exponents)
    np.testing.assert_allclose(together.predict(GRID)[:-1], alone.predict(GRID))
    np.testing.assert_allclose(together.holdout_error[:-1], alone.holdout_error)


def test_missing_points_are_ignored():
    values = noisy(5 + p**2, 0.2, kernels=3)
    there = np.ones(25, dtype=bool)
    there[[3, 4, 12, 24]] = False
    lacking = values.copy()
    lacking[:, ~there] = np.nan
    # Because of the missing points, the batch is computed with weights.
    whole = np.concatenate([lacking, values])
    one, other = fit(GRID, whole), fit(GRID[there], values[:, there])
    np.testing.assert_array_equal(one.exponents[:3], other.exponents)
    for name in ("constant", "coefficients", "smape", "cv_smape", "holdout_error", "points_used"):
        np.testing.assert_allclose(getattr(one, name)[:3], getattr(other, name), rtol=1e-8)


def test_numbers_of_repetitions_may_differ():
    values = noisy(3 + 2 * P, 0.1, repetitions=6)
    values[0, 1, 2:] = np.nan
    values[0, 4, 1:] = np.nan
    means = np.nanmean(values, axis=2)[:, :, None]
    same(fit(LINE, values), fit(LINE, means))


def test_lines_with_other_values_are_not_averaged():
    """Two lines along p have the same number of points, but other values of p and very different levels."""
    points = np.array([*((x, 1.0) for x in P), *((x * 3, 100.0) for x in P)])
    a, b = points.T
    models = exact(points, 5 + 2 * a + 1000 * b)
    assert models.exponents[0, :, 0].max() == 1


def test_falling_terms_mirror_the_growing_ones():
    rows = term_rows(np.array(FALLING_PAIRS), P)
    assert (np.diff(rows, axis=1) < 0).all()


def test_noise_does_not_lead_to_steep_laws():
    values = noisy(1 + n / 500, 0.3, kernels=300)
    far, truth = [[1000 * p.max(), n.max()]], 1 + n.max() / 500
    ratio = fit(GRID, values).predict(far)[:, 0] / truth
    assert ((ratio > 0.5) & (ratio < 2)).mean() > 0.99
    by_extra_p_s_rule = fit(GRID, values, negative_coefficients=True).predict(far)[:, 0] / truth
    assert ((by_extra_p_s_rule < 0.5) | (by_extra_p_s_rule > 2)).mean() > 0.05


def test_a_weak_parameter_above_the_noise_is_kept():
    models = fit(GRID, noisy(1 + n / 500 + 0.02 * p, 0.02, kernels=100))
    assert (models.lead_exponents[:, 0, 0] > 0).mean() > 0.95


def test_noise_of_large_values_does_not_hide_small_values():
    """Values span 16 powers of ten. Plain least squares would give a constant far above the
    smallest values.
    """
    points = np.array([(a, b) for a in (8.0, 64, 512, 4096, 32768) for b in (100.0, 200, 300, 400, 500)])
    a, b = points.T
    models = fit(points, noisy(500 + 400 * a**3 * b**2.5, 0.02, kernels=50))
    assert (models.exponents[:, 0] == [[3, 0], [2.5, 0]]).all()
    assert models.smape.max() < 0.02  # With such a constant, the SMAPE would be larger than 1.


def test_a_constant_beside_very_large_terms_is_kept():
    points = np.array([(a, b) for a in 4.0 ** np.arange(10, 16) for b in (1.0, 2, 3, 4, 5)])
    a, b = points.T
    models = fit(points, noisy(5 + 1e-17 * a**2 * b, 0.02, kernels=50))
    np.testing.assert_allclose(models.constant, 5, rtol=0.05)
    assert (models.exponents[:, 0] == [[2, 0], [1, 0]]).mean() > 0.8


@pytest.mark.parametrize("modeler", ["regression", "refinement"])
def test_laws_of_twenty_parameters_are_combined(modeler):
    base = np.full(20, 4.0)
    points = [np.where(np.arange(20) == axis, x, base) for axis in range(20) for x in (8.0, 16, 32, 64)]
    design = np.array([base, *points, np.full(20, 32.0)])
    c, h = design[:, 2], design[:, 7]
    models = exact(design, design.sum(axis=1), 1 + 2 * c + 3 * h**2, 5 + c * h, modeler=modeler)
    assert models.expressions("abcdefghijklmnopqrst")[1:] == ["1 + 2·c + 3·h^2", "5 + c·h"]
    np.testing.assert_allclose(models.predict(design)[0], design.sum(axis=1), rtol=1e-9)
