"""The estimated correlation between kernels agrees with the true correlation of simulated campaigns."""

import numpy as np
import pytest

from modeling.engine.deviations.correlation import NOTHING_SHARED, SharedDeviation, shared_deviation

GRID = np.array([[p, n] for p in 2.0 ** np.arange(2, 9) for n in (100.0, 200, 400, 800)])
LINE = 2.0 ** np.arange(2, 14)[:, None]


def estimated(rho, kernels=40, points=GRID, *, seed=0, sizes=None, spread=0.1):
    """Estimate the correlation from the residuals of one simulated campaign.

    Its deviations are normal and have the correlation `rho`.
    """
    rng = np.random.default_rng(seed)
    common, own = rng.normal(size=len(points)), rng.normal(size=(kernels, len(points)))
    deviation = spread * (np.sqrt(rho) * common + np.sqrt(1 - rho) * own)
    laws = np.outer(np.ones(kernels) if sizes is None else sizes, points[:, 0])
    return shared_deviation(points, laws * np.exp(deviation), laws, np.ones(kernels, int))


def mean_correlation(rho, **options):
    return np.mean([estimated(rho, seed=seed, **options).correlation for seed in range(40)])


@pytest.mark.parametrize(("rho", "within"), [(0.0, 0.02), (0.3, 0.1), (0.7, 0.1)])
def test_the_simulated_correlation_is_estimated(rho, within):
    assert mean_correlation(rho) == pytest.approx(rho, abs=within)


@pytest.mark.parametrize(("rho", "low", "high"), [(0.0, 0.0, 0.35), (0.9, 0.6, 1.0)])
def test_two_kernels_give_some_information(rho, low, high):
    assert low <= mean_correlation(rho, kernels=2) <= high


def test_few_points_give_little_information():
    spread = []
    for points in (LINE[-4:], GRID):
        values, probability = estimated(0.3, points=points).probability
        spread.append(np.sqrt(probability @ values**2 - (probability @ values) ** 2))
    assert spread[0] > 1.3 * spread[1]


def test_without_data_the_estimate_is_the_prior():
    # The prior mean is 0.9 times one half.
    assert NOTHING_SHARED.correlation == pytest.approx(0.45, abs=0.01)
    assert estimated(0.3, points=LINE[:2]) == NOTHING_SHARED
    assert estimated(0.3, kernels=1) == NOTHING_SHARED


def test_large_kernels_count_most():
    """Two heavy kernels deviate together, and fifty light ones independently.

    The estimate is that of the heavy kernels, because they make up the total.
    """
    rng = np.random.default_rng(0)
    common = rng.normal(0, 0.1, len(GRID))
    sizes = np.array([1.0, 1.0, *[1e-3] * 50])
    deviation = np.concatenate([[common, common], rng.normal(0, 0.1, (50, len(GRID)))])
    laws = np.outer(sizes, GRID[:, 0])
    found = shared_deviation(GRID, laws * np.exp(deviation), laws, np.ones(52, int))
    assert found.kernels == pytest.approx(2, rel=0.2)
    assert found.correlation > 0.75


def test_exact_kernels_and_missing_values_give_no_information():
    laws = np.outer(np.ones(3), GRID[:, 0])
    medians = laws.copy()
    assert shared_deviation(GRID, medians, laws, np.ones(3, int)) == NOTHING_SHARED
    medians[0], medians[1] = np.nan, 0.0
    assert (
        shared_deviation(GRID, medians, np.where(laws > 100, np.nan, laws), np.ones(3, int)) == NOTHING_SHARED
    )


def test_the_probability_is_the_textbook_s():
    """The likelihood equals the density of the residuals, integrated numerically over their scale."""
    m, freedom, together = 5, 6, 2.5
    found = SharedDeviation(m, together, freedom)
    values, probability = found.probability
    scales = np.exp(np.linspace(-4, 4, 4001))

    def likelihood(rho):
        a, b = 1 + (m - 1) * rho, 1 - rho
        squares = freedom * (together / a + (m - together) / b)
        density = (
            (a * b ** (m - 1)) ** (-freedom / 2) * scales ** (-m * freedom) * np.exp(-squares / 2 / scales**2)
        )
        return density.sum()  # Integral over the logarithm of the scale.

    some = np.searchsorted(values, [0.1, 0.3, 0.6, 0.8])
    prior = NOTHING_SHARED.probability[1]
    expected = np.array([likelihood(values[at]) for at in some]) * prior[some]
    np.testing.assert_allclose(probability[some] / probability[some[0]], expected / expected[0], rtol=1e-3)


def test_a_stored_correlation_is_read_unchanged():
    found = estimated(0.3)
    assert SharedDeviation.from_json(found.to_json()) == found
    assert SharedDeviation.from_json(None) == NOTHING_SHARED
