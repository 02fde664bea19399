"""Laws with one more term: the best of all sums of two terms is found, and no law twice."""

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import (
    DIVIDED,
    PAIRS,
    PER_PROCESS,
    SLOWLY,
    classes_of,
)
from modeling.engine.modelers.evidence.hypotheses.laws import Laws, best_weights, names, rescored
from modeling.engine.modelers.evidence.search.extension import extended, paired, rising_again, with_place
from modeling.engine.modelers.evidence.search.few import search
from tests.modeling.engine.cases import GRID
from tests.modeling.engine.modelers.evidence.search.enumeration import check_weights, measured, weighed

X = 2.0 ** np.arange(1, 10)
FALLING = [400 / X + 0.3 * X, 50 / X + 3 * np.log2(X), 200 / np.sqrt(X) + 0.002 * X**2]


def test_the_best_sums_of_two_terms_are_found():
    basis, located = Basis(X[:, None]), measured(FALLING, error=0.01)
    found = rescored(basis, paired(basis, located, search(basis, located)), located)
    weights = best_weights(basis, found, located)
    one, other = np.triu_indices(len(PAIRS), 1)
    every = np.stack([other, one])[:, None]
    expected = weighed(basis, every, located, weights)
    np.testing.assert_allclose(found.log_evidence[0], expected.log_evidence[0])
    for kernel in range(len(FALLING)):
        known = names(found.classes)[np.isfinite(found.log_evidence[:, kernel]), kernel]
        assert len(set(known.tolist())) == len(known)
        one_term, other_term = found.classes[:, 0, : len(known), kernel]
        assert not ((one_term == other_term) & (one_term > 0)).any()
        likely = expected.log_evidence[:, kernel] > expected.log_evidence[0, kernel] - 2
        missed = set(names(expected.classes)[likely, kernel].tolist()) - set(known.tolist())
        assert len(missed) <= likely.sum() / 10


@pytest.mark.parametrize(
    "law", [lambda n: n ** (2 / 3) + 1e-3 * n**2, lambda n: np.log2(n) + 0.1 * n**0.75], ids=["powers", "log"]
)
def test_sums_of_any_two_classes_of_one_parameter_are_found(law):
    """Powers between the classes fit such sums better than any plain law, and must not hide them."""
    x = 2.0 ** np.arange(2, 9)
    values = law(x)[:, None] * np.exp(0.005 * np.random.default_rng(3).normal(size=(20, 7, 5)))
    models, far = fit(x[:, None], values), np.array([[512.0], [4096]])
    lower, upper = models.interval(far)
    truth = law(far[:, 0])
    assert ((lower <= truth) & (truth <= upper)).mean() >= 0.8
    assert np.median(np.abs(models.predict(far) / truth - 1)) < 0.02


def test_noise_hides_no_overhead_beside_halo_exchange():
    """A constant and another power fit such kernels within the noise, but not the truth beyond."""
    x, law = X[1:8], lambda p: 20 * p ** (-2 / 3) + 0.1 * np.log2(p)
    values = law(x)[:, None] * np.exp(0.02 * np.random.default_rng(3).normal(size=(40, 7, 5)))
    far = np.array([[512.0], [1024], [4096]])
    lower, upper = fit(x[:, None], values).interval(far)
    assert (((lower <= law(far[:, 0])) & (law(far[:, 0]) <= upper)).mean(axis=0) > 0.65).all()


def test_a_parameter_may_occur_in_two_terms_of_a_law_of_two_parameters():
    p, n = GRID.T
    basis, located = Basis(GRID), measured([100 * n / p + 2 * n * p + 5], error=0.005)
    plain = search(basis, located)
    found = extended(basis, located, paired(basis, located, plain))
    one, fall = classes_of((1, 0))[0], DIVIDED
    best = {tuple(term) for term in found.classes[:, :, 0, 0].tolist()}
    assert best >= {(one, one), (fall, one)}
    assert found.log_evidence[0, 0] > plain.log_evidence[0, 0] + 10


def test_laws_that_rise_again_have_divided_work_and_slow_growth():
    basis, located = Basis(X[:, None]), measured([400 / X + 0.3 * X + 2], error=0.05)
    plain = search(basis, located)
    found = rising_again(basis, located, plain)
    added = np.setdiff1d(names(found.classes), names(with_place(plain.classes)))
    new = np.isin(names(found.classes)[:, 0], added) & np.isfinite(found.log_evidence[:, 0])
    laws = found.classes[:, 0, new, 0]
    expected = {tuple(sorted((fall, rise))) for fall in PER_PROCESS for rise in SLOWLY}
    assert {tuple(sorted(law)) for law in laws.T.tolist()} == expected
    assert found.log_evidence[0, 0] > plain.log_evidence[0, 0] + 2
    sums = Laws(found.classes[:, :, new], found.log_evidence[new])
    check_weights(basis, sums, located, best_weights(basis, plain, located))


def test_two_points_bear_no_sum_of_two_terms():
    """At two points all terms are equal up to a constant. Rounding errors alone would decide about sums."""
    x, rng = np.array([4.0, 8.0]), np.random.default_rng(0)
    basis, located = Basis(x[:, None]), measured((1 / x) * rng.uniform(0.99, 1.01, (40, 2)), error=0.01)
    found = rising_again(basis, located, search(basis, located))
    assert not ((found.classes > 0).all(axis=(0, 1)) & np.isfinite(found.log_evidence)).any()


def test_intervals_far_off_two_lines_contain_a_product():
    """Along two lines, n + n·p looks like a sum of n and p. With such sums alone, no interval would hold."""
    rng = np.random.default_rng(0)
    p, n = np.array([(p, 10.0) for p in 4.0 * 2 ** np.arange(5)] + [(4.0, 10.0 * n) for n in range(2, 6)]).T
    values = (40 * n + n * p)[:, None] * np.exp(0.02 * rng.standard_normal((8, len(p), 5)))
    models = fit(np.column_stack([p, n]), values)
    _lower, upper = models.interval(np.array([[256.0, 200.0]]))
    assert (upper > 0.95 * 200 * (40 + 256)).mean() > 0.7
    assert set(models.status) == {"no crossed points"}
