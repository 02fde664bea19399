"""Results of the evidence modeler for known laws, and how often its intervals contain these laws."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import nnls

from modeling.engine import fit
from modeling.engine.laws.growth import SAME_EXPONENT, lead_exponents
from modeling.engine.laws.synthetic import SERIES, grid, measure, random_functions
from modeling.engine.laws.terms import evaluate
from modeling.engine.modelers.evidence.drawn_laws import LEAST_SHOWN
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.laws import Laws, Located, best_weights
from modeling.engine.modelers.evidence.search import pairs
from modeling.engine.modelers.evidence.search.pairs import best_pairs, products
from modeling.engine.results.posterior import SHAPES
from tests.modeling.engine.cases import CUBE, GRID, LINE, P

WIDE = np.array([4.0, 8, 16, 32, 64, 128, 256])[:, None]


def measured(truth, noise, seed=0, runs=5, kernels=40):
    """Return repetitions of the same law with uniform noise of this full width, (kernels, P, runs)."""
    spread = np.random.default_rng(seed).uniform(1 - noise / 2, 1 + noise / 2, (kernels, len(truth), runs))
    return truth[None, :, None] * spread


SCATTER = {
    "uniform": lambda rng, shape: rng.uniform(-1.7, 1.7, shape),
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "one-sided": lambda rng, shape: rng.standard_exponential(shape),
}
"""Noise with the standard deviation 1, in units of the value without noise."""

MEDIAN = {"one-sided": np.log(2)}
"""Distance of the median repetition from the value without noise, in standard deviations.

Predictions are of the median repetition.
"""


@pytest.mark.parametrize("deviation", [0.01, 0.15])
@pytest.mark.parametrize("shape", SCATTER)
@pytest.mark.parametrize("parameters", [1, 2])
def test_intervals_contain_laws_as_often_as_stated(shape, deviation, parameters):
    points = grid(SERIES[:parameters])
    rng = np.random.default_rng(11)
    functions = random_functions(100, parameters, rng)
    truth = functions.evaluate(points)
    values = truth[:, :, None] * (1 + deviation * SCATTER[shape](rng, (*truth.shape, 5)))
    models = fit(points, values)
    far = points.max(axis=0, keepdims=True) * 2
    # 95 % minus the statistical error of the test, which is larger far from the points.
    for some, least in ((points, 0.91), (far, 0.89)):
        lower, upper = models.interval(some)
        expected = functions.evaluate(some) * (1 + deviation * MEDIAN.get(shape, 0))
        assert ((lower <= expected) & (expected <= upper)).mean() >= least
    assert np.median(np.abs(models.predict(far) / expected - 1)) < deviation / 2


@pytest.mark.parametrize("power", [0.5, 2])
def test_intervals_contain_laws_without_a_constant(power):
    truth = 3 * P**power
    values = truth[None, :, None] * (1 + 0.03 * np.random.default_rng(4).standard_exponential((100, 5, 5)))
    models = fit(LINE, values)
    at = np.array([[P[0]], [16 * P[-1]]])
    lower, upper = models.interval(at)
    expected = 3 * at[:, 0] ** power * (1 + 0.03 * np.log(2))
    assert (((lower <= expected) & (expected <= upper)).mean(axis=0) >= 0.9).all()


def test_intervals_contain_new_runs():
    truth = 3 + 0.5 * P
    models = fit(LINE, measured(truth, 0.3))
    lower, upper = models.prediction_interval(LINE * 2)
    new = measured(3 + P, 0.3, seed=1, runs=20)
    inside = (lower[..., None] <= new) & (new <= upper[..., None])
    assert 0.9 < inside.mean() < 0.99


def test_kinds_of_noise_are_told_from_each_other():
    rng = np.random.default_rng(2)
    truth = (5 + GRID.prod(axis=1))[None, :, None]
    scatter = {
        "uniform": rng.uniform(0.8, 1.2, (20, 25, 5)),
        "normal": np.maximum(rng.normal(1, 0.3, (20, 25, 5)), 0.05),
        "log-normal": np.exp(rng.normal(0, 0.4, (20, 25, 5))),
        "one-sided": 1 + rng.exponential(0.1, (20, 25, 5)),
        "heavy-tailed": np.exp(rng.laplace(0, 0.1, (20, 25, 5))),
    }
    for name, factor in scatter.items():
        found = fit(GRID, truth * factor).posterior.family_probability().mean(axis=0)
        assert SHAPES[found.argmax()] == name


@pytest.mark.parametrize("seed", [16, 18, 56])
def test_runs_at_all_points_together_show_the_kind_of_noise(seed):
    # Seen point by point, these repetitions look heavy-tailed, and no other kernel helps to decide.
    truth = 300 + 7 * GRID[:, 0] + GRID[:, 1]
    delays = np.random.default_rng(seed).standard_exponential((1, 25, 5))
    found = fit(GRID, truth[None, :, None] * (1 + 0.3 * delays)).posterior.family_probability()[0]
    assert found[SHAPES.index("one-sided")] > 0.9


def test_under_one_sided_noise_the_median_is_predicted():
    rng = np.random.default_rng(4)
    truth = 2 + 0.1 * P**1.5
    models = fit(LINE, truth[None, :, None] * (1 + rng.exponential(0.1, (30, 5, 5))))
    median = truth * (1 + 0.1 * np.log(2))
    np.testing.assert_allclose(np.median(models.predict(LINE), axis=0), median, rtol=0.02)


def test_a_single_slow_run_changes_little():
    values = measured(3 + 0.5 * P, 0.05)
    values[:, 2, 3] *= 5
    far = fit(LINE, values).predict(LINE[-1:] * 4)[:, 0]
    assert abs(np.median(far) / (3 + 0.5 * 256) - 1) < 0.05


def test_correlated_and_skewed_deviations_do_not_create_a_law():
    """A cache effect raises all points of the same size together, and some repetitions are slower."""
    rng = np.random.default_rng(3)
    truth = 1e-6 + 1e-8 * GRID[:, 1] * np.log2(GRID[:, 1])
    lifted = truth * np.tile(np.exp(0.06 * rng.standard_normal((40, 5))), (1, 5))
    slowed = 1 + rng.exponential(0.02, (40, 25, 5)) + 0.3 * (rng.random((40, 25, 5)) < 0.04)
    models = fit(GRID, lifted[:, :, None] * slowed)
    assert (models.posterior.family == SHAPES.index("deviating")).mean() > 0.75
    lower, upper = models.interval(GRID[-1:] * [1, 4])
    assert np.median(upper / lower) > 1.1


def test_a_constant_is_called_one():
    models = fit(LINE, measured(np.full(5, 7.0), 0.1, kernels=100))
    assert np.mean(models.growth == "constant") > 0.95
    assert (models.lead_exponents[:, 0, 0] == 0).mean() > 0.95


def test_laws_that_fall_and_rise_again_are_found():
    truth = 100 / WIDE[:, 0] + 1.5 * np.log2(WIDE[:, 0])
    models = fit(WIDE, measured(truth, 0.02, kernels=4))
    for formula in models.expressions("p"):
        assert "p^(-1)" in formula
        assert "log2(p)" in formula
    far = WIDE[-1:] * 4
    np.testing.assert_allclose(
        models.predict(far), 100 / far + 1.5 * np.log2(far) + 0 * models.predict(far), rtol=0.03
    )


@pytest.mark.parametrize(
    "law",
    [
        lambda p, n: 2 * p * n + 3 * n**2,
        lambda p, n: p * n**0.5 + 20 * n,
        lambda p, n: n**2 / p + 20 * np.log2(p),
        lambda p, n: 0.05 * n**3 / p + 0.05 * n**2 * np.log2(p),
        lambda p, n: 0.05 * n**3 / p + n**2 / p ** (2 / 3),
    ],
)
def test_laws_with_two_terms_of_a_parameter_are_found(law):
    models = fit(GRID, measured(law(*GRID.T), 0.02, kernels=20))
    truth = law(256.0, 200.0)
    lower, upper = models.interval([[256.0, 200.0]])
    np.testing.assert_allclose(models.predict([[256.0, 200.0]]), np.full((20, 1), truth), rtol=0.03)
    assert ((lower <= truth) & (truth <= upper)).mean() >= 0.8


@pytest.mark.parametrize(
    "law",
    [
        lambda p, n, k: 0.05 * k * n**3 / p + 0.05 * k * n**2 * np.log2(p),
        lambda p, n, k: k * n / p + 0.1 * n * p**0.5,
    ],
)
def test_divided_work_and_communication_of_three_parameters_are_distinguished(law):
    models = fit(CUBE, measured(law(*CUBE.T), 0.1, kernels=10))
    far = np.array([[512.0, 50, 5], [32, 200, 20]])
    lower, upper = models.interval(far)
    np.testing.assert_allclose(models.predict(far), np.tile(law(*far.T), (10, 1)), rtol=0.03)
    assert ((lower <= law(*far.T)) & (law(*far.T) <= upper)).mean() >= 0.8


def test_pairs_of_terms_equal_those_of_separate_least_squares(monkeypatch):
    values = measured(2 + GRID[:, 1] ** 2 / GRID[:, 0] + 5 * np.log2(GRID[:, 0]), 0.3, kernels=3).mean(axis=2)
    basis, located = Basis(GRID), Located(values.T, np.full(values.T.shape, 0.05**2))
    terms = products((tuple(range(1, 40, 8)),) * 2)
    monkeypatch.setattr(pairs, "PAIRS_WEIGHED", 5)
    nothing = Laws(np.zeros((2, 2, 1, 3), dtype=np.int64), np.zeros((1, 3)))
    found = best_pairs(basis, located, nothing, terms)
    table = np.column_stack([np.ones(len(GRID)), basis.columns(terms.T[None])[0]])
    weights = best_weights(basis, nothing, located)
    for kernel in range(3):
        root = np.sqrt(weights[:, kernel])
        misfit = {
            pair: nnls(table[:, [0, *pair]] * root[:, None], values[kernel] * root)[1]
            for pair in combinations(range(1, len(terms) + 1), 2)
        }
        best = min(misfit, key=misfit.__getitem__)
        expected = {tuple(terms[number - 1].tolist()) for number in best}
        named = [
            {tuple(term) for term in law.tolist()} for law in found.classes[..., kernel].transpose(2, 0, 1)
        ]
        assert expected in named
    only = np.zeros((len(terms), len(terms)), dtype=bool)
    only[0, 1] = True
    assert np.isfinite(best_pairs(basis, located, nothing, terms, only).log_evidence).sum() <= 3


def test_terms_that_matter_only_at_small_values_are_considered():
    # log p makes up a ten-thousandth of the largest values, but nearly all of the smallest.
    truth = 3 * np.log2(GRID[:, 0]) + 1e-4 * GRID[:, 0] ** 3 * GRID[:, 1]
    lower, upper = fit(GRID, measured(truth, 0.1)).interval(GRID)
    assert ((lower <= truth) & (truth <= upper)).mean() > 0.9


@pytest.mark.parametrize(("powers", "least"), [((1.0, 2.0, 3.0), 0.93), ((0.25, 0.75, 1.25, 2.75), 0.5)])
def test_the_frequency_of_whole_powers_is_learned(powers, least):
    rng = np.random.default_rng(1)
    power, scale = rng.choice(powers, 60), 10 ** rng.uniform(-1, 1, 60)
    truth = 1 + scale[:, None] * (P / 16) ** power[:, None]
    values = truth[:, :, None] * rng.uniform(0.95, 1.05, (60, 5, 3))
    together = fit(LINE, values).lead_exponents[:, 0, 0] == power
    alone = np.array([fit(LINE, values[[k]]).lead_exponents[0, 0, 0] for k in range(60)]) == power
    assert together.mean() >= max(least, alone.mean())


def test_rivals_have_probabilities():
    models = fit(LINE, measured(3 + 0.5 * P, 0.5))
    probability = models.posterior.probability
    assert (np.diff(probability[:, 1:], axis=1) <= 1e-12).all()
    assert (probability.sum(axis=1) <= 1 + 1e-9).all()
    assert (probability[:, 1] > 0.01).mean() > 0.9  # The noise is so large that several laws are likely.


@pytest.mark.parametrize("parameters", [1, 2])
def test_formulas_grow_by_about_the_lead_exponents(parameters):
    rng = np.random.default_rng(1)
    points = grid([2.0 ** np.arange(1, 6)] * parameters)
    truth = random_functions(200, parameters, rng).evaluate(points)
    models = fit(points, measure(truth, rng, noise=0.5, repetitions=3))
    far = models.coefficients * evaluate(models.exponents, 4 * models.upper[None])[:, :, 0]
    own = lead_exponents(far, models.exponents)
    assert (np.abs(own[..., 0] - models.leads[..., 0]) <= SAME_EXPONENT + 1e-9).all()
    probability = models.posterior.probability
    assert (probability[:, 0] >= LEAST_SHOWN * probability.max(axis=1)).all()
    assert (probability[:, 0] < probability.max(axis=1)).any()


def test_intervals_widen_with_distance():
    models = fit(LINE, measured(3 + 0.5 * P, 0.5))
    lower, upper = models.interval(LINE[-1:] * np.array([[1.0], [4], [16], [64]]))
    width = np.median(
        (upper - lower) / models.predict(LINE[-1:] * np.array([[1.0], [4], [16], [64]])), axis=0
    )
    assert (np.diff(width) > 0).all()


@pytest.mark.parametrize("power", [-1.0, -0.5])
@pytest.mark.parametrize("noise", [0.001, 0.1])
def test_a_falling_law_may_fall_for_ever(power, noise):
    truth = 100 * P**power
    factors = np.random.default_rng(1).uniform(1 - noise / 2, 1 + noise / 2, (100, 5, 5))
    models = fit(LINE, truth[:, None] * factors, modeler="evidence")
    lower, upper = models.interval([[1024.0]])
    ahead = 100 * 1024**power
    assert ((lower <= ahead) & (ahead <= upper)).mean() > 0.9


@pytest.mark.parametrize("rising", [lambda p: 0.1 * np.log2(p), lambda p: 0.01 * p], ids=["log", "linear"])
@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_growth_hidden_under_a_falling_part_is_considered(rising, noise):
    # Over five points the values fall to a fourteenth. Growth looks like a constant there, and no simple law
    # has both a falling and a growing term.
    truth = 100 / P + rising(P)
    models = fit(LINE, measured(truth, noise, kernels=100))
    lower, upper = models.interval([[1024.0]])
    ahead = 100 / 1024 + rising(1024)
    assert ((lower <= ahead) & (ahead <= upper)).mean() > 0.85


def test_a_law_that_levels_off_does_not_fall_for_ever():
    factors = np.random.default_rng(1).uniform(0.99, 1.01, (100, 5, 5))
    models = fit(LINE, (100 / P + 0.02)[:, None] * factors, modeler="evidence")
    assert (models.posterior.coefficients[:, :, 0] > 0).mean() > 0.9
    lower, _ = models.interval([[1024.0]])
    assert np.median(lower) > 0.107  # The true value is 0.098 without the constant, and 0.118 with it.


def test_a_nearly_invisible_term_does_not_dominate():
    # b takes nearly all of the time, and the target lies a factor of 4,096 beyond the largest a.
    def law(a, b):
        return 700 + 2e8 * a**0.25 + 600 * b**2 * np.log2(b)

    a, b = (each.ravel() for each in np.meshgrid(8.0 ** np.arange(1, 6), 1000.0 + 500 * np.arange(5)))
    models = fit(np.column_stack([a, b]), measured(law(a, b), 0.6, kernels=60))
    far = np.array([[8.0**9, 5000.0]])
    truth = law(*far[0])
    lower, upper = models.interval(far)
    middle, predicted = np.median(models.draws(far), axis=1), models.predict(far)[:, 0]
    assert middle.max() > 100 * truth
    assert predicted.max() < middle.max() / 5
    assert (predicted < 2 * truth).mean() >= 0.95
    assert ((lower <= truth) & (truth <= upper)).mean() >= 0.8


@pytest.mark.parametrize("runs", [(20,) * 5, (69, 34, 75, 7, 11), (114, 81, 200, 32, 16)])
def test_laws_with_a_small_constant_are_found_from_many_and_uneven_repetitions(runs):
    """Some of these kernels seem to deviate from their law because of noise. They keep the law."""
    points = np.array([8.0, 64, 512, 4096, 32768])[:, None]
    rng = np.random.default_rng(3)
    there = np.arange(max(runs)) < np.array(runs)[:, None]
    spread = rng.uniform(0.9, 1.1, (60, *there.shape, 10)).mean(axis=3)
    truth = 0.25 + 1.3e-8 * (np.append(points, 131072) * np.log2(np.append(points, 131072))) ** 2
    values = np.where(there, truth[:-1, None] * spread, np.nan)
    predicted = fit(points, values).predict(4 * points[-1:])[:, 0]
    assert (abs(predicted / truth[-1] - 1) < 0.1).all()
