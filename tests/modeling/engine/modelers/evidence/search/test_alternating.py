"""Sums of two terms of nearly any classes: the true sum is found, and predicted with intervals that hold."""

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import classes_of
from modeling.engine.modelers.evidence.hypotheses.laws import (
    LOG_ONE_TERM_MORE,
    LOG_SAME_CLASS,
    Laws,
    log_prior,
)
from modeling.engine.modelers.evidence.search.alternating import IN_TERMS, _Prior, alternated
from modeling.engine.modelers.evidence.search.extension import paired
from modeling.engine.modelers.evidence.search.few import search
from modeling.engine.modelers.evidence.search.pairs import products
from modeling.engine.modelers.evidence.search.tried_classes import usable
from tests.modeling.engine.modelers.evidence.search.enumeration import measured

P, N, M = 2.0 ** np.arange(3, 8), 10.0 * 2 ** np.arange(5), 2.0 ** np.arange(1, 5)
GRID = np.array([(p, n) for p in P for n in N])
CUBE = np.array([(p, n, m) for p in P for n in N for m in M])

SUMS = {
    "halo exchange and collectives": (GRID, [((-2 / 3, 0), (2 / 3, 0)), ((0, 1), (0, 0))], (1, 0.1)),
    "other powers": (GRID, [((-3 / 4, 0), (3 / 4, 0)), ((0, 1), (0, 0))], (1, 0.1)),
    "no simple term": (GRID, [((-1, 0), (3 / 2, 0)), ((0, 0), (2 / 3, 0))], (0.2, 0.1)),
    "two small powers": (GRID, [((-1, 0), (4 / 3, 0)), ((1 / 4, 0), (0, 0))], (1, 1)),
    "three parameters": (
        CUBE,
        [((-2 / 3, 0), (2 / 3, 0), (1, 0)), ((0, 1), (0, 0), (0, 0))],
        (1, 0.5),
    ),
}


def values(points, terms, coefficients):
    """Return the values of a sum of terms, each with one pair (i, j) for each parameter."""
    factors = [
        np.prod([x**i * np.log2(x) ** j for x, (i, j) in zip(points.T, term, strict=True)], axis=0)
        for term in terms
    ]
    return np.asarray(coefficients) @ np.array(factors)


@pytest.mark.parametrize(("points", "terms", "coefficients"), SUMS.values(), ids=SUMS)
def test_the_true_sum_is_the_best(points, terms, coefficients):
    law = values(points, terms, coefficients)
    basis, located = Basis(points), measured([law], error=0.002)
    simple = paired(basis, located, search(basis, located))
    found = alternated(basis, located, simple)
    expected = {classes_of(*term) for term in terms}
    best = {tuple(term) for term in found.classes[:, :, 0, 0].tolist() if any(term)}
    assert best == expected
    assert (np.diff(found.log_evidence[np.isfinite(found.log_evidence[:, 0]), 0]) <= 0).all()


def test_priors_of_sums_are_those_of_laws():
    basis = Basis(GRID)
    terms = products(usable(basis, IN_TERMS))
    prior = _Prior.of(basis, terms)
    rng = np.random.default_rng(0)
    some = rng.choice(len(terms), 200, replace=False)
    found = prior.of_sums(some[None])[0]
    others = rng.choice(len(terms), 200)
    sums = np.stack([terms[some].T, terms[others].T])
    np.testing.assert_allclose(found[np.arange(200), others], log_prior(basis, sums))


@pytest.mark.parametrize(
    ("terms", "coefficients"),
    [each[1:] for name, each in SUMS.items() if name != "three parameters"],
    ids=[name for name in SUMS if name != "three parameters"],
)
def test_intervals_far_away_contain_the_truth(terms, coefficients):
    """Without these sums, another law fits the values as well, and no interval contains the truth."""
    rng = np.random.default_rng(1)
    law = values(GRID, terms, coefficients)
    models = fit(GRID, law[:, None] * np.exp(0.02 * rng.normal(size=(30, len(GRID), 5))))
    far = np.array([[512.0, 160], [128, 640], [2048, 2560]])
    truth = values(far, terms, coefficients)
    lower, upper = models.interval(far)
    assert ((lower <= truth) & (truth <= upper)).mean() >= 0.85
    assert np.median(np.abs(models.predict(far) / truth - 1)) < 0.01


@pytest.mark.parametrize(
    ("terms", "coefficients"),
    [
        ([((-2 / 3, 0), (2 / 3, 0)), ((0, 1), (0, 0))], (1, 0.1)),
        ([((-3 / 4, 0), (3 / 4, 0)), ((0, 1), (0, 0))], (1, 0.1)),
        ([((-1, 0), (1, 0)), ((1 / 3, 0), (0, 0))], (1, 0.3)),
    ],
    ids=["halo exchange", "other powers", "slow growth with any power"],
)
def test_intervals_hold_if_noise_hides_the_sum(terms, coefficients):
    """Plain laws explain the values of most kernels. Taken for certain, two of three intervals would miss."""
    rng = np.random.default_rng(3)
    law = values(GRID, terms, coefficients)
    models = fit(GRID, law[:, None] * np.exp(0.05 * rng.normal(size=(40, len(GRID), 3))))
    far = np.array([[512.0, 160], [2048, 2560]])
    truth = values(far, terms, coefficients)
    lower, upper = models.interval(far)
    assert ((lower <= truth) & (truth <= upper)).mean() >= 0.88


def test_a_falling_factor_and_slow_growth_need_no_further_evidence():
    basis = Basis(GRID)

    def prior(*powers):
        """Return the log prior of a sum of powers of p, without those of its classes."""
        classes = np.zeros((2, 2), dtype=np.int64)
        classes[:, 0] = [number for power in powers for number in classes_of((power, 0))]
        idle = basis.log_prior[1, 0]
        return log_prior(basis, classes) - basis.log_prior[0, classes[:, 0]].sum() - idle

    assert prior(-2 / 3, 1 / 4) == pytest.approx(0)
    for powers in ((-1, 1), (-2 / 3, 1 / 2)):
        assert prior(*powers) == pytest.approx(np.log(3))
    for powers in ((-1, 2), (-1, -1 / 2), (1 / 2, 1 / 4)):
        assert prior(*powers) == pytest.approx(np.log(0.03))


def test_points_that_distinguish_no_terms_leave_laws_alone():
    basis = Basis(np.array([[8.0, 10.0]]))
    located = measured([np.array([3.0])], error=0.01)
    laws = Laws(np.zeros((3, 2, 1, 1), dtype=np.int64), np.zeros((1, 1)))
    assert alternated(basis, located, laws) is laws


def test_a_class_that_both_terms_share_counts_once():
    basis, pairs = Basis(GRID), classes_of((1, 0), (0, 1), (2, 0))
    (n, log_p, squared) = pairs
    shared = log_prior(basis, np.array([[[0], [n]], [[log_p], [n]]]))[0]
    different = log_prior(basis, np.array([[[0], [n]], [[log_p], [squared]]]))[0]
    product = log_prior(basis, np.array([[[log_p], [n]]]))[0]
    assert shared == pytest.approx(product + LOG_ONE_TERM_MORE + LOG_SAME_CLASS)
    assert different == pytest.approx(product + LOG_ONE_TERM_MORE + basis.log_prior[1, squared])


def test_noisy_terms_with_a_common_factor_are_told_from_a_power():
    """If the common class counted twice, the error would be 20 % and 30 % of the intervals would hold."""
    rng = np.random.default_rng(2)
    points = np.array([(p, n) for p in 4.0 * 2 ** np.arange(5) for n in 10.0 * np.arange(1, 6)])
    law, far = (n * (4 + np.log2(p)) for p, n in (points.T, np.array([1024.0, 800])))
    models = fit(points, law[:, None] * np.exp(0.05 * rng.standard_normal((40, len(points), 3))))
    at = np.array([[1024.0, 800]])
    lower, upper = models.prediction_interval(at)
    assert np.median(np.abs(models.predict(at) / far - 1)) < 0.05
    assert ((lower < far) & (far < upper)).mean() > 0.8
