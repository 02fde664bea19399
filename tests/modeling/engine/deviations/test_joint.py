"""Totals and shares from joint draws of all kernels, compared with simulated campaigns and plain sums."""

from dataclasses import replace

import numpy as np
import pytest

from modeling.engine.deviations.correlation import NOTHING_SHARED, SharedDeviation, shared_deviation
from modeling.engine.deviations.joint import JOINT_DRAWS, Joint, numbers

INDEPENDENT = SharedDeviation(kernels=50, together=0.0, freedom=1e4)
"""A shared deviation estimated from residuals that show clearly that kernels deviate independently."""


def known(rho):
    """Return a shared deviation from residuals that show clearly that the correlation is `rho`."""
    return SharedDeviation(kernels=50, together=1 + 49 * rho, freedom=1e5)


def joint(predicted, spread, shared=INDEPENDENT, ids=None):
    """Return kernels whose logarithms have intervals of ± 1.96 `spread`."""
    predicted = np.asarray(predicted, float)
    factor = np.exp(1.96 * np.broadcast_to(spread, predicted.shape))
    ids = np.arange(len(predicted)) if ids is None else ids
    return Joint(ids, predicted, predicted / factor, predicted * factor, shared)


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_every_kernel_keeps_its_own_distribution(rho):
    lower, middle, upper = np.array([8.0, 1.0]), np.array([10.0, 4.0]), np.array([20.0, 5.0])
    draws = Joint(np.array([7, 8]), middle, lower, upper, known(rho)).draws()
    for end, share in ((lower, 0.025), (middle, 0.5), (upper, 0.975)):
        error = np.sqrt(share * (1 - share) / JOINT_DRAWS)
        np.testing.assert_allclose((draws < end[:, None]).mean(axis=1), share, atol=3 * error)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.7])
def test_kernels_have_the_given_correlation(rho):
    draws = np.log(joint(np.ones(60), 0.2, known(rho)).draws())
    found = np.corrcoef(draws)[np.triu_indices(60, 1)]
    assert found.mean() == pytest.approx(rho, abs=0.02)


def test_draws_of_a_kernel_do_not_depend_on_other_kernels():
    every = joint(np.arange(1.0, 2001.0), 0.1, NOTHING_SHARED, ids=np.arange(5, 2005) * 7)
    some = np.array([3, 500, 1999])
    np.testing.assert_array_equal(
        every.part(some).draws(),
        np.concatenate([draws[np.isin(rows, some)] for rows, draws in every.portions()]),
    )


def test_draws_depend_only_on_paths():
    paths = ["main", "main->solve", "main->exchange"]
    found = numbers(paths)
    assert len(set(found.tolist())) == 3
    np.testing.assert_array_equal(numbers(paths[::-1]), found[::-1])


def test_independent_half_widths_add_in_quadrature_and_common_ones_plainly():
    half = 1.96 * 0.02 * 50
    for shared, expected in ((INDEPENDENT, half / np.sqrt(50)), (known(1.0), half)):
        middle, lower, upper = joint(np.ones(50), 0.02, shared).total
        assert middle == 50
        assert (upper - lower) / 2 == pytest.approx(expected, rel=0.08)


def campaigns(rho, count, *, kernels=50, spread=0.1, seed=0):
    """Simulate campaigns whose deviations, at all measured points and at the target, have the correlation
    `rho`.

    The laws are known. For each campaign, yield the true total at the target, its joint prediction with
    independent draws, and its joint prediction with the correlation that was learned from the residuals.
    """
    rng = np.random.default_rng(seed)
    points = 2.0 ** np.arange(3, 8)[:, None] * np.ones(1)
    points = np.array([[p, n] for p in points[:, 0] for n in (10.0, 20, 40, 80, 160)])
    for _ in range(count):
        sizes = rng.lognormal(0, 1, kernels)
        common, own = rng.normal(size=len(points) + 1), rng.normal(size=(kernels, len(points) + 1))
        factors = np.exp(spread * (np.sqrt(rho) * common + np.sqrt(1 - rho) * own))
        laws = np.repeat(sizes[:, None], len(points), axis=1)
        told = shared_deviation(points, laws * factors[:, :-1], laws, np.ones(kernels, int))
        ids = rng.integers(1, 10**9, kernels)
        yield (
            float(sizes @ factors[:, -1]),
            joint(sizes, spread, INDEPENDENT, ids),
            joint(sizes, spread, told, ids),
        )


def coverage(found):
    inside = [
        [lower <= truth <= upper for _, lower, upper in (alone.total, together.total)]
        for truth, alone, together in found
    ]
    return np.mean(inside, axis=0)


def test_intervals_of_correlated_totals_contain_the_truth_as_often_as_stated():
    alone, together = coverage(campaigns(0.4, 300))
    assert together == pytest.approx(0.95, abs=0.03)
    assert alone < 0.6


def test_intervals_of_independent_totals_stay_narrow():
    found = list(campaigns(0.0, 200))
    widths = [[total.total[2] - total.total[1] for total in each[1:]] for each in found]
    assert np.median([learned / alone for alone, learned in widths]) < 1.1
    assert coverage(found)[1] == pytest.approx(0.95, abs=0.03)


def test_the_total_of_one_kernel_is_its_own_prediction():
    one = Joint(np.array([3]), np.array([2.0]), np.array([1.5]), np.array([3.5]), NOTHING_SHARED)
    assert one.total == (2.0, 1.5, 3.5)


def test_an_unknown_kernel_does_not_widen_the_interval():
    nan = np.nan
    found = Joint(
        np.arange(4), np.array([2.0, 3, nan, 0]), np.array([1.9, nan, nan, 0]), np.array([2.1, nan, nan, 0]),
        NOTHING_SHARED,
    )  # fmt: skip
    middle, lower, upper = found.total
    assert middle == 5
    assert 4.85 < lower < 5 < upper < 5.15
    assert np.isnan(found.part(np.array([2])).total).all()
    assert np.isnan(found.part(np.array([1, 3])).total[1]) == np.isnan(found.lower[[1, 3]]).all()


def test_thousands_of_light_kernels_hardly_change_the_interval():
    rng = np.random.default_rng(0)
    sizes = rng.lognormal(0, 2.5, 6000)
    found = joint(sizes, 0.1, known(0.2))
    plain = found.draws().sum(axis=0)
    np.testing.assert_allclose(found.total[1:], np.quantile(plain, [0.025, 0.975]), rtol=0.01)


def test_shares_equal_those_of_plain_draws():
    found = joint([6.0, 3.0, 1.0], [0.05, 0.3, 0.5], known(0.5))
    draws = found.draws()
    shares = draws / draws.sum(axis=0)
    lower, upper = found.part(np.array([0, 2])).shares(found, np.ones(2, bool))
    expected = np.quantile(shares[[0, 2]], [0.025, 0.975], axis=1)
    np.testing.assert_allclose([lower, upper], expected, rtol=0.03)


def test_correlated_kernels_have_more_certain_shares():
    widths = []
    for rho in (0.0, 0.9):
        both = joint([5.0, 5.0], 0.2, known(rho))
        lower, upper = both.shares(both, np.ones(2, bool))
        widths.append(upper - lower)
    assert (widths[1] < 0.5 * widths[0]).all()


def test_shares_of_kernels_within_the_root():
    found = joint([10.0, 4.0], 0.1, known(0.3))
    lower, upper = found.shares(found.part(np.array([0])), np.array([True, False]))
    assert lower[0] == upper[0] == 1
    assert 0.3 < lower[1] < 0.4 < upper[1] < 0.5


def test_an_empty_program_has_no_shares():
    nothing = Joint(np.arange(2), np.array([0.0, np.nan]), np.zeros(2), np.zeros(2), NOTHING_SHARED)
    assert np.isnan(nothing.shares(nothing, np.ones(2, bool))).all()


def test_an_unknown_call_does_not_make_the_total_unknown():
    """A call that was measured at one point has an extremely wide interval, but does not widen that of the
    total.
    """
    predicted, ends = np.array([100.0, 200.0, 1e-3]), np.array([1.1, 1.2, 1e20])
    every = Joint(np.arange(3), predicted, predicted / ends, predicted * ends, INDEPENDENT)
    unknown = np.array([False, False, True])
    assert every.total[2] > 1e10
    total = every.with_constant(unknown).total
    assert total[0] == every.total[0]
    assert total[1:] == pytest.approx(every.part(np.array([0, 1])).total[1:], rel=1e-4)
    # If such calls make up much of the total, the total is unknown as well.
    heavy = replace(every, predicted=np.array([100.0, 200.0, 50.0]))
    assert heavy.with_constant(unknown) is heavy
    assert every.with_constant(np.ones(3, bool)) is every
