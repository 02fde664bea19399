"""Laws that the refinement modeler finds, compared with worked examples, a slow oracle, and the figures of
its paper.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modeling.engine import fit
from modeling.engine.modelers.slices import GROWING_SLICES, POWER_SLICE, Series, start, step
from tests.benchmarks.refinement_synthetic import COMMON, EXOTIC, RARE, X_SETS
from tests.modeling.engine.cases import CUBE, GRID, LINE, P, noisy
from tests.modeling.engine.refinement_oracle import refined

p, n = GRID.T


def refine(points, *truths, **options):
    return fit(points, np.stack(truths)[:, :, None], modeler="refinement", **options)


def fractions_of(search):
    return [str(Fraction(*each[:, 0].tolist())) for each in (search.low, search.best, search.high)]


def searched(y, own, steps):
    series = Series(P, y[:, None], np.ones((5, 1)))
    search = start(series, own)
    path = [fractions_of(search)]
    for _ in range(steps):
        search = step(series, own, search)
        path.append(fractions_of(search))
    return path


def test_mediants_divide_the_search_range():
    """The steps for x^(2/3) were worked out by hand, as in Fig. 2 of the paper: cut on the right, on the
    left, and on both sides.
    """
    assert searched(3 + 2 * P ** (2 / 3), POWER_SLICE, 3) == [
        ["0", "1", "2"],
        ["0", "1/2", "1"],
        ["1/2", "2/3", "1"],
        ["3/5", "2/3", "3/4"],
    ]


def test_bounds_are_those_of_the_search_space():
    """Above 5 the search is bounded by 6, which no mediant reaches; 0 is bounded by itself."""
    assert searched(P**5.95, POWER_SLICE, 2) == [["4", "5", "6"], ["5", "11/2", "6"], ["11/2", "17/3", "6"]]
    assert searched(np.log2(P), GROWING_SLICES[1], 2) == [
        ["0", "0", "1"],
        ["0", "0", "1/2"],
        ["0", "0", "1/3"],
    ]
    assert searched(np.log2(P) ** 2.9, GROWING_SLICES[3], 1) == [["1", "2", "3"], ["2", "5/2", "3"]]


def test_exponents_stay_exact_fractions():
    models = refine(
        LINE, 3 + 2 * P ** (2 / 3), 5 + P**0.8, 1 + 5 * np.log2(P) ** 0.5, 7 + P**1.5 * np.log2(P)
    )
    assert models.expressions("p") == [
        "3 + 2·p^(2/3)",
        "5 + p^(4/5)",
        "1 + 5·log2(p)^(1/2)",
        "7 + p^(3/2)·log2(p)",
    ]


@pytest.mark.parametrize("x", X_SETS)
def test_common_and_rare_functions_are_found_without_noise(x):
    truths = [10 + 3 * x**i * np.log2(x) ** j for i, j in COMMON + RARE]
    leads = refine(x[:, None], *truths).lead_exponents[:, 0]
    found = np.isclose(leads, COMMON + RARE, rtol=0, atol=1e-12).all(axis=1)
    assert found[: len(COMMON)].all()
    assert found.sum() >= len(found) - 1


def series_of(seed, count, width):
    """Return noisy series of random classes of the paper, and of falling terms."""
    rng = np.random.default_rng(seed)
    pairs = np.array(COMMON + RARE + EXOTIC + [(-1, 0), (-2 / 3, 0), (1.37, 0)])
    i, j = pairs[rng.integers(len(pairs), size=count)].T
    c0, c1 = 10 ** rng.uniform(-2, 3, (2, count, 1))
    truth = c0 + c1 * P ** i[:, None] * np.log2(P) ** j[:, None]
    return truth * rng.uniform(1 - width / 2, 1 + width / 2, truth.shape)


@pytest.mark.parametrize("width", [0.0001, 0.04, 0.5])
def test_the_choice_equals_that_of_the_oracle(width):
    values = series_of(3, 120, width)
    leads = refine(LINE, *values).lead_exponents[:, 0]
    expected = [[float(e) for e in refined(P.tolist(), y.tolist())] for y in values]
    np.testing.assert_allclose(leads, expected, rtol=0, atol=1e-12)
    assert len(np.unique(leads, axis=0)) > 10


@settings(max_examples=80, deadline=None)
@given(st.lists(st.floats(0.5, 1e4), min_size=6, max_size=6))
def test_the_choice_equals_that_of_the_oracle_for_any_series(y):
    # All terms fit a constant equally well, so only rounding errors would decide between them.
    assume(np.ptp(y) > 1e-9 * max(y))
    x = np.array([1.0, 2, 3, 5, 8, 13])
    lead = refine(x[:, None], np.array(y)).lead_exponents[0, 0]
    np.testing.assert_allclose(lead, [float(e) for e in refined(x.tolist(), y)], rtol=0, atol=1e-12)


def test_the_choice_equals_that_of_the_oracle_with_missing_points():
    x = np.array([2.0, 4, 8, 16, 32, 64, 128])
    values = np.stack([5 + x**1.25, 3 + x ** (2 / 3) * 9, 100 / x, x * np.log2(x)])
    values *= np.random.default_rng(2).uniform(0.99, 1.01, values.shape)
    lacking = [[1], [0, 6], [3, 4], []]
    expected = [
        [float(e) for e in refined(np.delete(x, lack).tolist(), np.delete(y, lack).tolist())]
        for y, lack in zip(values, lacking, strict=True)
    ]
    for y, lack in zip(values, lacking, strict=True):
        y[lack] = np.nan
    np.testing.assert_allclose(refine(x[:, None], *values).lead_exponents[:, 0], expected)


def test_equal_values_give_a_constant():
    models = refine(LINE, np.full(len(LINE), 544.25))
    assert models.growth[0] == "constant"
    assert not models.lead_exponents.any()


def test_constants_are_recognised_and_more_often_than_by_regression():
    values = noisy(np.full(5, 7.0), 0.04, kernels=1000, repetitions=1)
    shares = [
        np.mean(fit(LINE, values, modeler=m).growth == "constant") for m in ("refinement", "regression")
    ]
    assert shares[0] > 0.84
    assert shares[0] > shares[1] + 0.04


def test_a_term_must_halve_the_error_of_the_constant():
    values = noisy(100 + 0.3 * P, 0.2, kernels=500, repetitions=1)
    y = values[:, :, 0]
    mean = y.mean(axis=1, keepdims=True)
    of_constant = (2 * abs(y - mean) / (y + mean)).mean(axis=1)
    models = fit(LINE, values, modeler="refinement")
    is_constant = models.growth == "constant"
    assert 0.2 < is_constant.mean() < 0.8
    assert (2 * models.smape[~is_constant] <= of_constant[~is_constant] * (1 + 1e-9)).all()
    np.testing.assert_allclose(models.smape[is_constant], of_constant[is_constant])


def test_series_that_fall_get_reciprocal_powers():
    models = refine(LINE, 1000 / P, 7 + 90 / np.sqrt(P), 12 + 50 / P**2)
    assert models.expressions("p") == ["1000·p^(-1)", "7 + 90·p^(-1/2)", "12 + 50·p^(-2)"]
    assert (refine(LINE, *series_of(4, 50, 1.0)).predict([[1e6]]) >= 0).all()


def test_laws_of_several_parameters_are_combined():
    a, b, c = CUBE.T
    models = refine(GRID, 8.5 + 0.11 * p ** (1 / 3) * n, 3 + 2 * p + n**0.8, 5 + 40 * n / p, 7 * n, p / p)
    assert models.expressions(("p", "n")) == [
        "8.5 + 0.11·p^(1/3)·n",
        "3 + 2·p + n^(4/5)",
        "5 + 40·p^(-1)·n",
        "7·n",
        "1",
    ]
    three = refine(CUBE, 1 + 2 * a * b + 3 * c**2, 2 + 5 * a * np.log2(b) * c)
    assert three.expressions(("a", "b", "c")) == ["1 + 2·a·b + 3·c^2", "2 + 5·a·log2(b)·c"]


def test_kernels_do_not_depend_on_each_other():
    values = series_of(6, 300, 0.1)
    together = refine(LINE, *values)
    for kernel in (0, 17, 299):
        alone = refine(LINE, values[kernel])
        np.testing.assert_array_equal(alone.exponents[0], together.exponents[kernel])
    lacking = np.concatenate([values, values[:1]])
    lacking[-1, 2] = np.nan
    np.testing.assert_array_equal(refine(LINE, *lacking).exponents[:-1], together.exponents)


def test_the_holdout_error_equals_that_of_a_fit_without_the_largest_point():
    x = np.array([2.0, 4, 8, 16, 32, 64])
    values = np.stack([20 + 3 * x, 5 + x**1.5]) * np.random.default_rng(1).uniform(0.98, 1.02, (2, 6))
    without = refine(x[:-1, None], *values[:, :-1]).predict([[64.0]])[:, 0]
    np.testing.assert_allclose(
        refine(x[:, None], *values).holdout_error, abs(without - values[:, -1]) / values[:, -1]
    )


@pytest.mark.parametrize(
    ("series", "law", "status"),
    [
        ([0, 0, 0, 0, 0], "0", "ok"),
        ([7, 7, 7, 7, 7], "7", "ok"),
        ([0.1, 0.1, 0.1 + 1e-17, 0.1, 0.1], "0.1", "ok"),
        ([0, 0, 5, 0, 0], "1", "ok"),
        ([-1, -2, -3, -4, -5], "−3", "ok"),
        ([4, 8, 16, np.nan, np.nan], "p", "few values"),
        ([2, 7, np.nan, np.nan, np.nan], "4.5", "too few values"),
        ([4, np.nan, np.nan, np.nan, np.nan], "4", "too few values"),
        ([np.nan] * 5, "–", "no data"),
    ],
)
def test_strange_series(series, law, status):
    models = refine(LINE, np.array(series, dtype=float), 3 + 2 * P)
    assert models.expressions("p") == [law, "3 + 2·p"]
    assert models.status.tolist() == [status, "ok"]


def test_parameters_below_one_get_no_logarithm_and_enormous_ones_stay_finite():
    theta = np.array([0.1, 0.2, 0.4, 0.8, 1.6])
    assert refine(theta[:, None], 3 + theta**1.5, 5 / theta).expressions("t") == ["3 + t^(3/2)", "5·t^(-1)"]
    x = np.array([1e60, 1e70, 1e80, 1e90, 1e100])
    assert np.isfinite(refine(x[:, None], 2 * x).predict([[1e100]])).all()


def test_wrong_options_are_refused():
    with pytest.raises(ValueError, match="aggregate: found 'mode'"):
        refine(LINE, P, aggregate="mode")
