"""Which laws are called not identifiable, and the reasons that are given."""

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.questions import identifiability
from modeling.engine.questions.identifiability import (
    UnknownGrowth,
    WideInterval,
    doubts,
    lead_certainty,
    spread,
)
from modeling.engine.results.rivals import lead_draws
from tests.modeling.engine.cases import GRID, LINE, P, noisy, regression


def test_certainty_is_that_of_the_best_window():
    models = fit(GRID, noisy(GRID.prod(axis=1) ** 2, 0.75, kernels=12))
    exponents = lead_draws(models.posterior, models.upper)[..., 0]  # No draw has a constant law.
    expected = [
        [max((np.abs(line - centre) <= 0.25 + 1e-9).mean() for centre in line) for line in kernel.T]
        for kernel in exponents
    ]
    found = lead_certainty(models)
    assert (found >= np.array(expected) - 1e-12).all()
    assert (found <= 1).all()


def test_a_vanishing_term_may_have_any_exponent():
    models = fit(LINE, noisy(5 + 1.5 / P, 0.1, kernels=30))
    leads = lead_draws(models.posterior, models.upper)[..., 0]
    scattered = [max(np.mean(np.abs(k - centre) <= 0.25) for centre in k.ravel()) for k in leads]
    assert np.median(scattered) < 0.8
    assert (lead_certainty(models) > 0.9).all()


def test_few_noisy_values_determine_no_law_unlike_many_exact_ones():
    vague = lead_certainty(fit(LINE[:2], noisy(3 + P[:2] ** 2, 0.5, kernels=30, repetitions=2)))
    clear = lead_certainty(fit(LINE, noisy(3 + P**2, 0.02, kernels=30)))
    assert (vague <= identifiability.KNOWN_GROWTH).mean() > 0.5
    assert (clear > 0.95).all()


def test_constants_are_identifiable():
    found = lead_certainty(fit(LINE, noisy(np.full(5, 7.0), 0.1, kernels=100)))
    assert (found > identifiability.KNOWN_GROWTH).mean() > 0.95


@pytest.mark.parametrize("points", [LINE[:1], LINE[:2]])
def test_one_or_two_values_determine_no_law(points):
    models = fit(points, noisy(np.full(len(points), 7.0), 0.05, kernels=20))
    assert not lead_certainty(models).any()
    assert (models.growth == "not identifiable").all()


def test_kernels_in_parts_have_the_same_certainty(monkeypatch):
    models = fit(LINE, noisy(3 + P, 0.5, kernels=9))
    whole = lead_certainty(models)
    monkeypatch.setattr(identifiability, "NUMBERS_AT_ONCE", 1000)
    np.testing.assert_array_equal(lead_certainty(models), whole)


def test_modelers_without_probabilities_have_no_certainty():
    assert lead_certainty(regression(LINE, noisy(P, 0.1))) is None


@pytest.mark.parametrize(
    ("interval", "factor"),
    [((10, 5, 20), 2), ((10, 1, 20), 10), ((10, 0, 20), np.inf), ((0, 0, 0), 1), ((0, 0, 2), np.inf)],
)
def test_spread(interval, factor):
    assert spread(*interval) == factor


def test_doubts_name_the_unknown_parameter():
    assert doubts([0.9, 0.51], (10.0, 5.0, 20.0)) == []
    assert doubts([0.9, 0.38], (10.0, 5.0, 320.0)) == [UnknownGrowth(1, 0.38), WideInterval(32.0)]
    assert doubts([], (None, None, None)) == []
    assert doubts([], (1.0, None, None)) == [WideInterval(None)]
    assert doubts([0.0]) == [UnknownGrowth(0, 0.0)]
    assert doubts([], (1.0, 0.0, 2.0)) == [WideInterval(np.inf)]


@pytest.mark.parametrize(
    ("certainty", "target", "identifiable"),
    [
        ([0.9, 0.51], (10.0, 5.0, 20.0), True),
        ([0.9, 0.5], (10.0, 5.0, 20.0), False),
        ([0.9], (10.0, 0.9, 20.0), False),
        ([], (None, None, None), True),
        ([0.9], (10.0, None, None), False),
    ],
)
def test_an_identifiable_law_has_no_doubts(certainty, target, identifiable):
    assert (not doubts(certainty, target)) is identifiable
