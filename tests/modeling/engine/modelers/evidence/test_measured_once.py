"""Kernels of one parameter that were measured once at each point, or counted, and follow a law."""

import numpy as np
import pytest

from modeling.engine import fit

COUNT = 40


def predicted(points, noise, grown=lambda x: 20 + 0.05 * x):
    """Return the median error and the median width (a factor) of predictions at four times the largest value,
    and the share of true values inside the intervals. By default, the constant is 1 % of the largest value.
    """
    x = 2.0 ** np.arange(16 - points, 16)
    law = grown(x)
    values = law * np.exp(np.random.default_rng(3).normal(0, noise, (COUNT, points)))
    models = fit(x[:, None], values[..., None])
    at = 4 * x[-1]
    truth = grown(at)
    lower, upper = models.prediction_interval([[at]])
    error = np.abs(models.predict([[at]]) / truth - 1)
    return np.median(error), np.median(upper / lower), np.mean((lower <= truth) & (truth <= upper))


@pytest.mark.parametrize("points", [7, 10])
@pytest.mark.parametrize("noise", [0.002, 0.005])
def test_a_small_constant_does_not_spoil_predictions(points, noise):
    error, width, inside = predicted(points, noise)
    assert error < 0.002 + 1.5 * noise
    assert width < 1.1 + 10 * noise
    assert inside >= 0.9


LAWS = {
    "1 %": lambda x: 20 + 0.05 * x,
    "0.3 %": lambda x: 5 + 0.05 * x,
    "4 %": lambda x: 60 + 0.05 * x,
    "n·log n": lambda x: 20 + 0.005 * x * np.log2(x),
}


@pytest.mark.parametrize("noise", [0.02, 0.03])
@pytest.mark.parametrize("grown", LAWS.values(), ids=LAWS)
def test_noise_does_not_hide_a_small_constant(grown, noise):
    error, width, inside = predicted(7, noise, grown)
    assert error < 1.5 * noise
    assert width < 1.9
    assert inside >= 0.95


@pytest.mark.parametrize("noise", [0.005, 0.02])
@pytest.mark.parametrize("slope", [0.0005, 0.002])
def test_overhead_that_grows_beside_divided_work_is_found(noise, slope):
    """Divided work b/p plus overhead c·p, for which a campaign of smaller values shows no growth."""
    p = 2.0 ** np.arange(3, 10)
    size = np.exp(np.random.default_rng(1).normal(0, 1, (COUNT, 1)))
    noisy = np.exp(np.random.default_rng(3).normal(0, noise, (COUNT, len(p))))
    models = fit(p[::-1, None], (size * (1 / p + slope * p) * noisy)[:, ::-1, None])
    at = 16 * p[-1]
    truth = size[:, 0] * (1 / at + slope * at)
    lower, upper = models.prediction_interval([[at]])
    assert np.median(np.abs(models.predict([[at]])[:, 0] / truth - 1)) < 0.015 + 1.5 * noise
    assert np.median(upper / lower) < 1.1 + 10 * noise
    assert np.mean((lower[:, 0] <= truth) & (truth <= upper[:, 0])) >= 0.9


def test_a_trend_does_not_hide_overhead_that_only_the_largest_value_shows():
    """At smaller values nothing grows, so "no growth" forecasts the largest value best."""
    p, at = 2.0 ** np.arange(7), 256.0
    law, truth = 1 / p + 0.0005 * p, 1 / at + 0.0005 * at
    inside = []
    for seed in range(3):
        noise = np.random.default_rng(seed).normal(0, 0.02, (COUNT, len(p)))
        lower, upper = fit(p[:, None], (law * np.exp(noise))[..., None]).prediction_interval([[at]])
        inside.append(np.mean((lower <= truth) & (truth <= upper)))
    assert np.mean(inside) > 0.85


@pytest.mark.parametrize("bend", [0.1, 0.3])
def test_smooth_deviations_from_divided_work_are_no_overhead(bend):
    """Intervals contain kernels of divided work whose smooth deviations go on beyond the measured range."""
    rng = np.random.default_rng(5)
    p = 2.0 ** np.arange(10)
    distance = np.abs(np.log(p)[:, None] - np.log(p)) / 1.5 * np.sqrt(3)
    covariance = bend**2 * (1 + distance) * np.exp(-distance)
    values = np.exp(rng.multivariate_normal(np.zeros(10), covariance, COUNT)) / p
    lower, upper = fit(p[:-1, None], values[:, :-1, None]).prediction_interval([[p[-1]]])
    assert np.mean((lower[:, 0] <= values[:, -1]) & (values[:, -1] <= upper[:, 0])) >= 0.9


def test_few_values_near_a_law_promise_little():
    """Five values lie near some law by chance."""
    _, width, inside = predicted(5, 0.01)
    assert width > 1.3
    assert inside >= 0.9


COUNTED = {
    "loops": lambda n: 500 + 300 * n + 2 * n**2,
    "sort beside pairs": lambda n: 1000 * n * np.log2(n) + 20 * n**2,
    "surface and volume": lambda n: 1e6 * n ** (2 / 3) + 100 * n**3,
    "two falling terms": lambda n: 1e8 / n + 1e7 / np.sqrt(n),
}


@pytest.mark.parametrize("repetitions", [1, 5])
@pytest.mark.parametrize("x", [2.0 ** np.arange(3, 8), 2.0 ** np.arange(3, 10)], ids=["5 values", "7 values"])
@pytest.mark.parametrize("law", COUNTED.values(), ids=COUNTED)
def test_counted_values_may_follow_sums_of_two_terms(law, x, repetitions):
    """No other law explains counted values exactly, so even five values leave no doubt."""
    models = fit(x[:, None], np.repeat(np.round(law(x))[None, :, None], repetitions, axis=2))
    at = np.array([[4 * x[-1]], [16 * x[-1]]])
    lower, upper = models.prediction_interval(at)
    np.testing.assert_allclose(models.predict(at)[0], law(at[:, 0]), rtol=1e-4)
    assert ((lower <= law(at[:, 0])) & (law(at[:, 0]) <= upper)).all()
    assert (upper / lower < 1.01).all()


SUMS = {
    "loops": lambda p, n: 500 + 300 * n + 2 * n * p,
    "pairs": lambda p, n: 5 * n * p + 2 * n**2,
    "tree": lambda p, n: 8 * np.log2(p) * n + 3 * p**2,
    "halo": lambda p, n: 50 * n * np.sqrt(p) + 2 * n**1.5,
}


def of_two_parameters(law, noise, values=5, deviation=0.0):
    """Return the median error of `COUNT` kernels at 16 times the largest values of both parameters, each
    measured once, and the share of intervals that contain the true value. Deviations are smooth.
    """
    rng = np.random.default_rng(4)
    p, n = (each.ravel() for each in np.meshgrid(2.0 ** np.arange(3, 3 + values), 2.0 ** np.arange(6, 11)))
    size = np.arange(1, COUNT + 1)[:, None]
    waves = np.sin(rng.uniform(0.5, 1, (COUNT, 1)) * np.log(p * n) + rng.uniform(0, 6, (COUNT, 1)))
    moved = np.exp(rng.normal(0, noise, (COUNT, len(p))) + deviation * waves)
    models = fit(np.column_stack([p, n]), (size * law(p, n) * moved)[..., None])
    far = 16 * p.max(), 16 * n.max()
    truth = size[:, 0] * law(*far)
    lower, upper = (
        models.prediction_interval([far], 0.95)[0][:, 0],
        models.prediction_interval([far])[1][:, 0],
    )
    inside = (lower <= truth * (1 + 1e-6)) & (truth * (1 - 1e-6) <= upper)
    return np.median(np.abs(models.predict([far])[:, 0] / truth - 1)), inside.mean()


@pytest.mark.parametrize("values", [3, 5])
@pytest.mark.parametrize("law", SUMS.values(), ids=SUMS)
def test_counts_of_two_parameters_may_follow_sums(law, values):
    error, inside = of_two_parameters(law, 0.0, values)
    assert error < 1e-4
    assert inside == 1


@pytest.mark.parametrize("law", SUMS.values(), ids=SUMS)
def test_times_of_two_parameters_may_follow_sums(law):
    error, inside = of_two_parameters(law, 0.005)
    assert error < 0.02
    assert inside >= 0.85


def test_smooth_deviations_of_two_parameters_are_no_sums():
    _, inside = of_two_parameters(lambda p, n: n * np.log2(p), 0.002, deviation=0.1)
    assert inside >= 0.9
