"""What users see of kernels whose points have different numbers of repetitions."""

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.results.posterior import DEVIATING

X = 8.0 ** np.arange(1, 6)
LONG = 2.0 ** np.arange(2, 12)
CHEAP_OFTEN = (30,) * 5 + (1,) * 5
NOISE = 0.1


def repeated(truth, count, noise):
    """Return `count` (P,) repetitions of true values (kernels, P), (kernels, P, R)."""
    factors = np.exp(noise * np.random.default_rng(1).normal(size=(*truth.shape, max(count))))
    missing = np.arange(max(count)) >= np.array(count)[:, None]
    return np.where(missing, np.nan, truth[:, :, None] * factors)


def wandering(kernels, width=0.1):
    """Return kernels whose slope varies smoothly around that of a power."""
    rng = np.random.default_rng(8)
    bends = np.cumsum(np.cumsum(rng.normal(0, width, (kernels, len(LONG))), axis=1), axis=1)
    powers = rng.choice([-1, 0, 0.5, 1], (kernels, 1))
    return 3 * LONG**powers * np.exp(bends - bends.mean(axis=1)[:, None])


@pytest.mark.parametrize(
    ("count", "law"),
    [
        ((1000, 11, 1000, 11, 1000), lambda x: 2 + np.sqrt(x)),
        ((470, 13, 1000, 1000, 16), lambda x: 0.2555 + 9.75e-5 * x**0.75 * np.log2(x) ** 2),
    ],
)
def test_noise_of_points_with_few_runs_is_no_deviation(count, law):
    """As in designs of the planner. At points with many runs, medians are exact to 0.1 %."""
    models = fit(X[:, None], repeated(np.tile(law(X), (60, 1)), count, 0.018))
    assert (models.posterior.family == DEVIATING).mean() < 0.05
    far = 4 * X[-1]
    np.testing.assert_allclose(models.predict([[far]])[:, 0], law(far), rtol=0.003)


def test_predictions_follow_the_points_with_many_runs():
    truth = wandering(60)
    predicted = fit(LONG[:, None], repeated(truth, CHEAP_OFTEN, NOISE)).predict(LONG[:, None])
    off = np.sqrt((np.log(predicted / truth) ** 2).mean(axis=0))
    assert off[:5].mean() < 0.035
    assert off[5:].mean() < 0.11


def test_intervals_of_deviating_kernels_contain_the_next_value():
    truth = wandering(80)
    models = fit(LONG[:-1, None], repeated(truth[:, :-1], CHEAP_OFTEN[:-1], NOISE))
    deviating = (models.posterior.family == DEVIATING).mean(axis=1) > 0.5
    assert deviating.sum() > 20
    lower, upper = models.interval(LONG[-1:, None])
    inside = (lower[:, 0] <= truth[:, -1]) & (truth[:, -1] <= upper[:, 0])
    assert inside[deviating].mean() > 0.92


def test_two_parameters_follow_the_points_with_many_runs():
    points = np.array([(p, n) for p in 2.0 ** np.arange(2, 7) for n in 10.0 * 2 ** np.arange(5)])
    rng = np.random.default_rng(3)
    logs, often = np.log(points), points[:, 0] * points[:, 1] < 400
    waves = 0.15 * np.sin(logs @ rng.normal(0, 0.8, (2, 30)) + rng.uniform(0, 6, 30)).T
    truth = points[:, 0] * points[:, 1] ** 0.5 * np.exp(waves)
    values = repeated(truth, np.where(often, 100, 1), 0.05)
    off = np.sqrt((np.log(fit(points, values).predict(points) / truth) ** 2).mean(axis=0))
    assert off[often].mean() < 0.012
    assert off[~often].mean() < 0.04
