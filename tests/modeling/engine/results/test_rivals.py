"""Probabilities of laws estimated from draws, compared with the simplest possible loops."""

import numpy as np
import pytest

from modeling.engine import Models, fit
from modeling.engine.laws.synthetic import grid, measure, random_functions
from modeling.engine.laws.terms import LEAD_MULTIPLE
from modeling.engine.results.models import SEGMENTED
from modeling.engine.results.posterior import Posterior
from modeling.engine.results.rivals import draws_of, lead_draws, middle_coefficients


@pytest.fixture(scope="module")
def models() -> Models:
    rng = np.random.default_rng(4)
    points = grid([(4, 8, 16, 32, 64), (10, 20, 30, 40, 50)])
    values = measure(random_functions(6, 2, rng).evaluate(points), rng, noise=0.3)
    return fit(points, values)


def posterior_of(models: Models) -> Posterior:
    assert models.posterior is not None
    return models.posterior


def test_coefficients_lie_among_those_of_the_laws_draws(models: Models) -> None:
    posterior = posterior_of(models)
    found = middle_coefficients(posterior, models.upper)
    exponents = np.asarray(posterior.exponents, float)
    for kernel in range(len(models)):
        for law in range(posterior.probability.shape[1]):
            own = posterior.coefficients[kernel][posterior.law[kernel] == law]
            if not len(own):
                assert np.isnan(found[kernel, law]).all()
                continue
            terms = np.prod(
                models.upper ** exponents[kernel, law, ..., 0]
                * np.log2(models.upper) ** exponents[kernel, law, ..., 1],
                axis=1,
            )
            used = np.array([1.0, *terms])
            levels = [draw @ used for draw in own]
            shape = np.mean([draw / level for draw, level in zip(own, levels, strict=True)], axis=0)
            np.testing.assert_allclose(found[kernel, law], shape * np.exp(np.mean(np.log(levels))))
    assert np.array_equal(draws_of(posterior).sum(axis=1), np.ones_like(posterior.law))


def test_rivals_of_kernels_that_deviate_lie_amid_their_points() -> None:
    rng = np.random.default_rng(1)
    x = 2.0 ** np.arange(2, 9)
    values = 3 * x**0.5 * np.exp(0.5 * rng.normal(size=(20, 7)))
    models = fit(x[:, None], values[:, :, None])
    whole = np.flatnonzero(models.status != SEGMENTED)
    models, values = models.part(whole), values[whole]
    posterior = posterior_of(models)
    found, exponents = middle_coefficients(posterior, models.upper), np.asarray(posterior.exponents, float)
    assert posterior.deviates is not None
    assert posterior.deviates.all()
    for kernel, law in zip(*np.nonzero(np.isfinite(found[:, :, 0])), strict=True):
        powers = exponents[kernel, law, :, 0]
        terms = x[:, None] ** powers[:, 0] * np.log2(x)[:, None] ** powers[:, 1]
        curve = found[kernel, law, 0] + terms @ found[kernel, law, 1:]
        assert np.median(np.log(values[kernel] / curve)) == pytest.approx(0, abs=1e-6)


def test_lead_terms_contribute_most_far_from_the_points(models: Models) -> None:
    posterior = posterior_of(models)
    found = lead_draws(posterior, models.upper)
    far = LEAD_MULTIPLE * models.upper
    for kernel in range(len(models)):
        for draw in range(0, 128, 9):
            exponents = posterior.exponents[kernel, posterior.law[kernel, draw]]
            sizes = posterior.coefficients[kernel, draw, 1:] * np.prod(
                far ** exponents[..., 0] * np.log2(far) ** exponents[..., 1], axis=1
            )
            for parameter in range(2):
                having = [at for at in range(len(sizes)) if exponents[at, parameter].any() and sizes[at]]
                expected = exponents[max(having, key=lambda at: sizes[at]), parameter] if having else (0, 0)
                np.testing.assert_array_equal(found[kernel, draw, parameter], expected)


def test_a_constant_has_no_lead_term() -> None:
    values = np.full((1, 5, 3), 7.0) * np.random.default_rng(0).uniform(0.99, 1.01, (1, 5, 3))
    constant = fit(grid([(4, 8, 16, 32, 64)]), values)
    leads = lead_draws(posterior_of(constant), constant.upper)
    assert (leads[0] == 0).all(axis=(1, 2)).mean() > 0.5
