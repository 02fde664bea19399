"""Formulas of kernels equal those of plain loops over kernels, draws and points."""

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.modelers.evidence.draws.coefficients import WeightedDraws
from modeling.engine.modelers.evidence.formula import amid, formula
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import classes_of
from modeling.engine.modelers.evidence.noise.runs import summarise
from modeling.engine.results.posterior import SHAPES

X = 2.0 ** np.arange(2, 9)
LINE = X[:, None]
LINEAR, ROOT = classes_of((1, 0), (1 / 2, 0))
KERNELS, DRAWS = 6, 40


def draws_of(values, family, seed=0):
    """Return random draws of two laws for each kernel. The levels of the draws scatter around that of the
    values.
    """
    rng = np.random.default_rng(seed)
    coefficients = rng.lognormal(0, 0.8, (2, DRAWS, len(values)))
    return WeightedDraws(
        classes=np.tile([[[LINEAR, ROOT]]], (1, 1, len(values))),
        law=2 * np.arange(len(values)) + rng.integers(0, 2, (DRAWS, len(values))),
        coefficients=coefficients,
        weights=rng.dirichlet(np.ones(DRAWS), len(values)).T,
        level=np.zeros((DRAWS, len(values))),
        family=np.full(DRAWS, SHAPES.index(family)),
    )


def measured(scatter, missing, seed=1):
    rng = np.random.default_rng(seed)
    values = (1 + X / X.mean()) * np.exp(scatter * rng.normal(size=(KERNELS, len(X))))
    values[rng.random(values.shape) < missing] = np.nan
    return values


def plainly(values, terms, coefficients, weights, share):
    """Return the formula of one kernel with the values (P,), computed from one draw after the other."""
    there = [point for point in range(len(values)) if not np.isnan(values[point])]
    at_points = [[c + t * terms[point] for point in there] for c, t in coefficients]
    levels = [
        np.mean([one / values[point] for one, point in zip(law, there, strict=True)]) for law in at_points
    ]
    log_level = sum(w * np.log(level) for w, level in zip(weights, levels, strict=True))
    shape = sum(w * pair / level for w, pair, level in zip(weights, coefficients, levels, strict=True))
    needed = [np.log(values[point] / (shape[0] + shape[1] * terms[point])) for point in there]
    lower, upper = np.quantile(needed, [share, 1 - share])
    return shape * np.exp(min(max(log_level, lower), upper))


@pytest.mark.parametrize("missing", [0, 0.3])
@pytest.mark.parametrize(("family", "share"), [("normal", 0.25), ("deviating", 0.5)])
def test_formulas_equal_those_of_plain_loops(family, share, missing):
    values, basis = measured(0.5, missing), Basis(LINE)
    runs, draws = summarise(values[:, :, None]), draws_of(values, family)
    law = 2 * np.arange(KERNELS) + np.array([0, 1] * 3)
    found = formula(basis, runs, draws, law)
    for kernel in range(KERNELS):
        own = draws.law[:, kernel] == law[kernel]
        weights = draws.weights[own, kernel] / draws.weights[own, kernel].sum()
        terms = basis.tables[0][draws.classes[0, 0, law[kernel]]]
        expected = plainly(
            values[kernel] / runs.scale[kernel], terms, draws.coefficients[:, own, kernel].T, weights, share
        )
        np.testing.assert_allclose(found[:, kernel], expected)


def test_bounds_are_quantiles_of_the_values():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(9, 50))
    values[rng.random(values.shape) < 0.4] = np.nan
    values[:, 7] = np.nan
    share = rng.choice([0, 0.1, 0.25, 0.5], 50)
    lower, upper = amid(values, share)
    for kernel, own in enumerate(values.T):
        there = own[~np.isnan(own)]
        ends = np.quantile(there, [share[kernel], 1 - share[kernel]]) if len(there) else (-np.inf, np.inf)
        np.testing.assert_allclose([lower[kernel], upper[kernel]], ends)


def test_draws_of_one_shape_have_the_formula_of_their_middle_level():
    """The level of the formula is not the mean of the draws' levels, which a few large ones would raise."""
    values = np.ones((1, len(X)))
    draws = draws_of(values, "normal")
    draws.law[:] = 0
    draws.weights[:] = 1 / DRAWS
    levels = np.exp(np.linspace(-2, 2, DRAWS))
    draws.coefficients[:] = np.array([1.0, 0.0])[:, None, None] * levels[:, None]
    assert levels.mean() > 1.7
    found = formula(Basis(LINE), summarise(values[:, :, None]), draws, np.array([0]))
    np.testing.assert_allclose(found[:, 0], [1, 0], atol=1e-12)


def test_points_where_a_law_is_0_do_not_affect_its_level():
    """The formula may be 0 at some points where the measured values are not, as x·log x is at 1."""
    points = np.array([[1.0], [2], [4]])
    values = np.array([[0.5, 3 * 2, 4 * 8]])
    (law,) = classes_of((1, 1))
    draws = WeightedDraws(
        classes=np.array([[[law]]]),
        law=np.zeros((DRAWS, 1), dtype=int),
        coefficients=np.stack([np.zeros((DRAWS, 1)), np.ones((DRAWS, 1))]),
        weights=np.full((DRAWS, 1), 1 / DRAWS),
        level=np.zeros((DRAWS, 1)),
        family=np.full(DRAWS, SHAPES.index("deviating")),
    )
    basis, runs = Basis(points), summarise(values[:, :, None])
    found = formula(basis, runs, draws, np.array([0])) * runs.scale / basis.sizes(draws.classes[:, :, 0])
    np.testing.assert_allclose(found[:, 0], [0, np.sqrt(3 * 4)])


@pytest.mark.parametrize("power", [-1.0, 0.0, 0.5, 2.0])
@pytest.mark.parametrize("scatter", [0.1, 0.5, 1.0])
def test_formulas_of_scattered_runs_lie_among_them(scatter, power):
    rng = np.random.default_rng(2)
    values = 3 * X**power * np.exp(scatter * rng.normal(size=(30, len(X))))
    models = fit(LINE, values[:, :, None])
    above = (values > models.law(LINE)).mean(axis=1)
    assert ((above > 0.2) & (above < 0.8)).all()


LAWS = {
    "7": np.full(len(X), 7.0),
    "3 + 2·p": 3 + 2 * X,
    "5·p^(1/2)": 5 * X**0.5,
    "4·p·log2(p)": 4 * X * np.log2(X),
    "100·p^(-1)": 100 / X,
}


@pytest.mark.parametrize("repetitions", [1, 4])
def test_exact_laws_are_reproduced(repetitions):
    models = fit(LINE, np.repeat(np.stack(list(LAWS.values()))[:, :, None], repetitions, axis=2))
    assert models.expressions(["p"]) == list(LAWS)
    np.testing.assert_allclose(models.law(LINE), np.stack(list(LAWS.values())), rtol=1e-5)
