"""Kernels may grow with powers that are in no exponent pair."""

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import (
    EVERY_PAIR,
    FIRST_RANGE,
    PAIRS,
    SAME,
    WIDTH,
    WIDTHS,
    range_classes,
)
from modeling.engine.modelers.evidence.hypotheses.laws import best_weights, log_prior, scored
from modeling.engine.modelers.evidence.hypotheses.prior import SHARE_BETWEEN
from modeling.engine.modelers.evidence.search.between import with_powers_between
from modeling.engine.modelers.evidence.search.likely_laws import search
from tests.modeling.engine.cases import GRID, LINE, P
from tests.modeling.engine.modelers.evidence.search.enumeration import measured

X = 2.0 ** np.arange(3, 10)
FAR = X[-1] * np.array([[2.0], [4], [16]])


def repeated(power, constant, kernels, noise, seed=0):
    """Return five noisy repetitions of constant + x^power at each point, (kernels, points, 5)."""
    rng = np.random.default_rng(seed)
    law = constant + X[:, None] ** power
    return law * np.exp(noise * rng.standard_normal((kernels, len(X), 5)))


def test_ranges_of_each_width_cover_all_powers_once():
    powers = EVERY_PAIR[FIRST_RANGE:, 0]
    for sign in (1, -1):
        for width in WIDTHS:
            own = np.sort(np.abs(powers[(width == WIDTH) & (powers * sign > 0)]))
            np.testing.assert_allclose(np.diff(own), width)
            assert own[0] - width < 1 / 8 <= own[0]
            assert own[-1] <= 3 < own[-1] + width


@pytest.mark.parametrize("level", range(len(WIDTHS)))
def test_a_power_is_in_its_range(level):
    power = np.array([0.2, 0.4137, 1.0, 2.83, -0.6, -1.02])
    classes = range_classes(power, np.full(6, level))
    assert (classes >= FIRST_RANGE).all()
    assert (WIDTH[classes - FIRST_RANGE] == WIDTHS[level]).all()
    assert (np.abs(EVERY_PAIR[classes, 0] - power) <= WIDTHS[level] / 2 + 1e-12).all()


def test_classes_with_the_same_exponents_count_as_the_first():
    half = range_classes(np.array([0.5]), np.array([len(WIDTHS) - 1]))
    assert SAME[half] == PAIRS.tolist().index([0.5, 0.0])
    np.testing.assert_allclose(EVERY_PAIR[SAME], EVERY_PAIR)


def test_columns_of_ranges_are_powers_with_mean_1():
    basis = Basis(LINE)
    classes = np.array([range_classes(np.array([0.4, 1.6]), np.array([2, 5])), [1, 0]])[:, None]
    columns, sizes = basis.columns(classes), basis.sizes(classes)
    expected = P[:, None] ** EVERY_PAIR[classes[0, 0], 0]
    np.testing.assert_allclose(columns[0], expected / expected.mean(axis=0))
    np.testing.assert_allclose(sizes[0], expected.mean(axis=0))
    np.testing.assert_allclose(columns[1], basis.columns(classes[1:])[0])
    np.testing.assert_allclose(
        basis.terms(classes, np.array([100.0]))[0] * sizes[0], 100.0 ** EVERY_PAIR[classes[0, 0], 0]
    )


def test_ranges_of_one_width_have_the_prior_share_of_powers_between():
    basis = Basis(LINE)
    for width in WIDTHS:
        classes = FIRST_RANGE + np.flatnonzero(width == WIDTH)
        of_ranges = np.exp(log_prior(basis, classes[None, None])).sum()
        others = np.exp(basis.log_prior[0, 1:]).sum()
        assert of_ranges / (of_ranges + others) == pytest.approx(SHARE_BETWEEN, rel=0.06)


def test_ranges_fall_only_beside_other_parameters_and_are_not_steep_in_processes():
    powers = EVERY_PAIR[FIRST_RANGE:, 0]

    def share(basis, parameter, which):
        return np.exp(basis.every_log_prior[parameter, FIRST_RANGE:][which & (WIDTHS[3] == WIDTH)]).sum()

    falls, rises, steep = powers < 0, powers > 0, powers > 2
    assert share(Basis(LINE), 0, falls) == 0
    usual, processes = Basis(GRID), Basis(GRID, processes=(0,))
    for basis in (usual, processes):
        assert share(basis, 1, falls) / share(basis, 1, rises) == pytest.approx(1 / 9)
        assert share(basis, 1, steep) == pytest.approx(share(usual, 1, steep))
    assert share(processes, 0, steep) == pytest.approx(0.02 * share(usual, 0, steep), rel=0.01)


def test_the_evidence_of_the_ranges_is_the_integral_over_the_power():
    located = measured([P**0.4, 5 + P**0.87, P**1.37], 0.003)
    basis = Basis(LINE)
    laws = search(basis, located)
    found = with_powers_between(basis, located, laws)
    finest = FIRST_RANGE + np.flatnonzero(WIDTHS[-1] == WIDTH)
    every = np.repeat(finest[None, None, :, None], located.y.shape[1], axis=3)
    known = scored(basis, every, located, best_weights(basis, found, located))
    of_ranges = np.where(found.classes[0, 0] >= FIRST_RANGE, found.log_evidence, -np.inf)
    ratio = np.logaddexp.reduce(of_ranges, axis=0) - np.logaddexp.reduce(known.log_evidence, axis=0)
    # The ranges for laws with and without a constant overlap, so some powers count twice.
    assert (ratio > -0.05).all()
    assert (ratio < np.log(2.1)).all()


def test_few_values_one_falling_parameter_and_laws_of_the_pairs_have_no_ranges():
    for basis, located in (
        (Basis(GRID), measured([GRID[:, 0] ** 0.5 * GRID[:, 1]])),
        (Basis(LINE[:4]), measured([P[:4] ** 0.4])),
        (Basis(LINE), measured([1 / P, np.full(len(P), 3.0)])),
    ):
        laws = search(basis, located)
        assert with_powers_between(basis, located, laws) is laws


@pytest.mark.parametrize("constant", [0.0, 3.0])
@pytest.mark.parametrize("power", [0.4, 0.87, 1.38])
def test_intervals_of_powers_between_contain_the_truth(power, constant):
    models = fit(X[:, None], repeated(power, constant, 20, 0.01))
    lower, upper = models.interval(FAR)
    truth = constant + FAR[:, 0] ** power
    assert ((lower <= truth) & (truth <= upper)).mean() > 0.85
    assert np.median(np.abs(models.predict(FAR) / truth - 1)) < 0.03


@pytest.mark.parametrize("power", [0.85, 1.15, 1.4])
def test_five_precise_values_with_a_power_between_are_no_deviation(power):
    """Residuals from the nearest law of the exponent pairs are too rough for another law."""
    x = 2.0 ** np.arange(2, 7)
    noise = np.random.default_rng(1).uniform(0.995, 1.005, (4, 5, 5))
    models = fit(x[:, None], 0.2 * x[:, None] ** power * noise)
    assert not np.any(models.posterior.deviates)
    assert models.lead_exponents[:, 0, 0] == pytest.approx(power, abs=0.051)
    assert models.predict([[1024.0]])[:, 0] == pytest.approx(0.2 * 1024**power, rel=0.03)


def test_a_power_between_is_shown_if_the_data_show_it():
    models = fit(X[:, None], repeated(0.4, 0.0, 4, 0.005))
    assert models.lead_exponents[:, 0].tolist() == [[0.4, 0.0]] * 4
    assert all(each.endswith("p^(2/5)") for each in models.expressions(("p",)))


def test_powers_of_exponent_pairs_are_recognised_with_narrow_intervals():
    models = fit(X[:, None], repeated(0.5, 3.0, 20, 0.005))
    assert np.mean([lead == [0.5, 0.0] for lead in models.lead_exponents[:, 0].tolist()]) >= 0.9
    lower, upper = models.interval(FAR)
    assert np.median(upper / lower) < 1.02


def test_many_kernels_with_powers_between_make_them_frequent():
    several, alone = (fit(X[:, None], repeated(0.4, 3.0, kernels, 0.01)).common for kernels in (20, 1))
    lawful = fit(X[:, None], repeated(0.5, 3.0, 20, 0.01)).common
    assert several.between > 10 * alone.between
    assert lawful.between < 0.8


PRODUCTS = {
    "divided work": lambda p, n: n * p**-0.6,
    "work": lambda p, n: n**0.9 / p,
    "growing work": lambda p, n: n**0.6 * np.log2(p),
    "beside another term": lambda p, n: n / p + 0.5 * p**0.4,
}
PLANE = np.array([(p, n) for p in 2.0 ** np.arange(3, 8) for n in 10 * 2.0 ** np.arange(5)])
BEYOND = np.array([[512.0, 160], [128, 640], [512, 640], [2048, 2560]])


@pytest.mark.parametrize("law", PRODUCTS.values(), ids=PRODUCTS)
def test_intervals_of_products_with_a_power_between_contain_the_truth(law):
    """With the powers of the exponent pairs alone, 30 to 60 % would, and errors would be 19 to 70 %."""
    rng = np.random.default_rng(3)
    values = law(*PLANE.T)[:, None] * np.exp(0.05 * rng.standard_normal((20, len(PLANE), 3)))
    models, truth = fit(PLANE, values), law(*BEYOND.T)
    lower, upper = models.prediction_interval(BEYOND)
    assert ((lower <= truth) & (truth <= upper)).mean() > 0.9
    assert np.median(np.abs(models.predict(BEYOND) / truth - 1)) < 0.04


def test_powers_of_the_pairs_stay_narrow_in_products():
    rng = np.random.default_rng(3)
    law = PLANE[:, 1] / PLANE[:, 0]
    models = fit(PLANE, law[:, None] * np.exp(0.02 * rng.standard_normal((20, len(PLANE), 3))))
    lower, upper = models.interval(BEYOND)
    assert np.median(upper / lower) < 1.02
    assert models.common.between < 1
    assert models.lead_exponents[:, :, 0].tolist() == [[-1.0, 1.0]] * 20


def test_three_parameters_may_have_a_power_between():
    points = np.array(
        [(p, n, k) for p in (8.0, 16, 32, 64) for n in (10.0, 20, 40, 80) for k in (1.0, 2, 4, 8)]
    )
    law = points[:, 1] * points[:, 2] * points[:, 0] ** -0.6
    noise = np.random.default_rng(0).normal(size=(8, len(points), 3))
    models = fit(points, law[:, None] * np.exp(0.03 * noise))
    assert models.predict([[1024.0, 80, 8]])[:, 0] == pytest.approx(640 * 1024**-0.6, rel=0.05)
