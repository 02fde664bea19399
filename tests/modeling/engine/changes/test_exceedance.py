"""Probabilities that kernels, and the whole program, became worse by more than a given factor."""

import numpy as np
import pytest

from modeling.engine import Ratios, exceeds, program_ratio, ratio_of_draws


def ratios(*rows):
    """Return the ratios of kernels, given as rows of (probability of a change, ratio, lower end,
    upper end).
    """
    return Ratios(*np.array(rows, float).T)


def test_probabilities_at_the_ends_of_the_interval_agree_with_it():
    one = ratios((1.0, 1.3, 1.2, 1.5))
    assert exceeds(one, 1.2)[0] == pytest.approx(0.975, abs=1e-3)
    assert exceeds(one, 1.3)[0] == pytest.approx(0.5, abs=1e-3)
    assert exceeds(one, 1.5)[0] == pytest.approx(0.025, abs=1e-3)


def test_an_uncertain_change_makes_an_exceedance_less_probable():
    assert exceeds(ratios((0.6, 2.0, 1.9, 2.1)), 1.05)[0] == pytest.approx(0.6)


def test_exact_and_unknown_ratios_have_certain_and_unknown_results():
    found = exceeds(ratios((1, 2, 2, 2), (1, 1, 1, 1), (1, np.nan, np.nan, np.nan)), 1.05)
    assert found[:2].tolist() == [1, 0]
    assert np.isnan(found[2])


def test_an_interval_without_ends_is_treated_as_missing():
    assert exceeds(ratios((1, 2, np.nan, np.nan)), 1.05).tolist() == [1]


def test_for_a_throughput_the_inverse_ratio_counts():
    inverse = ratios((1, 0.5, 0.4, 0.8)).inverse
    assert (inverse.ratio[0], inverse.lower[0], inverse.upper[0]) == pytest.approx((2, 1.25, 2.5))


def test_the_ratio_of_the_program_is_the_weighted_sum():
    draws = program_ratio(ratios((1, 2, 2, 2), (1, 0.5, 0.5, 0.5)), np.array([0.25, 0.5]), 0.125)
    assert draws == pytest.approx(np.full(len(draws), 1 + 0.25 - 0.25 + 0.125))


def test_its_draws_agree_with_a_plain_simulation():
    known = ratios((0.7, 1.5, 1.2, 2.2), (0.9, 0.8, 0.7, 0.9))
    shares = np.array([0.5, 0.3])
    random, simulated = np.random.default_rng(7), []
    for _ in range(40_000):
        total = 1.0
        for probability, share, (middle, low, high) in zip(
            known.probability, shares, np.log([known.ratio, known.lower, known.upper]).T, strict=True
        ):
            z = random.standard_normal()
            width = (middle - low) / 1.96 if z < 0 else (high - middle) / 1.96
            if random.random() < probability:
                total += share * (np.exp(middle + z * width) - 1)
        simulated.append(total)
    wanted = [0.05, 0.25, 0.5, 0.75, 0.95]
    found = program_ratio(known, shares)
    np.testing.assert_allclose(np.quantile(found, wanted), np.quantile(simulated, wanted), rtol=0.02)


def test_most_of_many_kernels_are_drawn_together(monkeypatch):
    """The result equals that of drawing each kernel separately. Kernels with skewed ratios contribute most of
    the variance.
    """
    random = np.random.default_rng(3)
    middle = np.exp(random.normal(0.05, 0.2, 600))
    low, high = np.exp(-random.uniform(0, 0.2, 600)), np.exp(random.uniform(0, 0.6, 600))
    known = Ratios(random.uniform(0.2, 1, 600), middle, middle * low, middle * high)
    known.ratio[5] = np.nan
    shares = random.dirichlet(np.full(600, 0.3))
    wanted = [0.025, 0.25, 0.5, 0.75, 0.975]
    found = np.quantile(program_ratio(known, shares), wanted)
    monkeypatch.setattr("modeling.engine.changes.exceedance.KERNELS_DRAWN", 600)
    np.testing.assert_allclose(found, np.quantile(program_ratio(known, shares, seed=1), wanted), atol=0.01)


def test_kernels_drawn_together_are_as_certain_as_exact_sums(monkeypatch):
    monkeypatch.setattr("modeling.engine.changes.exceedance.KERNELS_DRAWN", 7)
    known = ratios(*[(1, 1.1, 1.1, 1.1)] * 30)
    assert program_ratio(known, np.full(30, 1 / 30)) == pytest.approx(np.full(2_000, 1.1))


def test_nothing_changed():
    none = Ratios(*np.zeros((4, 0)))
    assert (program_ratio(none, np.zeros(0)) == 1).all()
    assert exceeds(none, 1.05).shape == (0,)


def test_ratio_of_draws():
    random = np.random.default_rng(1)
    before, after = np.exp(random.normal(0, 0.1, (2, 160))), np.exp(random.normal(1, 0.2, (2, 160)))
    middle, lower, upper = ratio_of_draws(before, after, shift=2.0)
    width = 1.96 * np.hypot(0.1, 0.2)
    np.testing.assert_allclose(np.log(middle), 1 - np.log(2), atol=0.08)
    np.testing.assert_allclose(np.log(upper / lower), 2 * width, rtol=0.2)
