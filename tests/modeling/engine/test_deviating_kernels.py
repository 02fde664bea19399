"""What users see of kernels that follow no law: a curve through their points, and honest intervals beyond
them.
"""

import numpy as np
import pytest

from modeling.engine import TOWARDS_LIMIT, fit
from modeling.engine.results.models import SEGMENTED

X = 2.0 ** np.arange(2, 12)
LINE = X[:, None]


def wandering(kernels=12, seed=3, width=0.1):
    """Return kernels whose slope varies smoothly around the slope of their law."""
    rng = np.random.default_rng(seed)
    bends = np.cumsum(np.cumsum(rng.normal(0, width, (kernels, len(X))), axis=1), axis=1)
    return 3 * X ** rng.choice([-1, 0, 0.5, 1], (kernels, 1)) * np.exp(bends - bends.mean(axis=1)[:, None])


@pytest.fixture(scope="module")
def single():
    values = wandering()
    models = fit(LINE, values[:, :, None])
    kept = np.flatnonzero(models.status != SEGMENTED)
    assert len(kept) > 6
    return values[kept], models.part(kept)


def test_the_curve_passes_through_the_measured_points(single):
    values, models = single
    off = np.abs(np.log(models.predict(LINE) / values))
    assert np.quantile(off, 0.95) < 0.15
    assert off.max() < 0.35


def test_the_curve_passes_through_medians_of_repetitions():
    rng = np.random.default_rng(1)
    values = wandering(seed=5)[:, :, None] * np.exp(0.02 * rng.normal(size=(12, 10, 5)))
    models = fit(LINE, values)
    kept = models.status != SEGMENTED
    off = np.abs(np.log(models.predict(LINE) / np.median(values, axis=2)))[kept]
    assert np.quantile(off, 0.95) < 0.1


def test_a_curve_has_no_steps(single):
    """The curve has no step at any place, neither where the nearest points change nor where the measured
    range ends.
    """
    _, models = single
    at = np.exp(np.linspace(np.log(2), np.log(20_000), 3000))[:, None]
    for curve in models.estimates(at):
        assert np.abs(np.diff(np.log(curve), axis=1)).max() < 0.04


def test_a_surface_has_no_steps():
    points = np.array([(p, n) for p in 2.0 ** np.arange(1, 8) for n in 10 * 2.0 ** np.arange(6)])
    rng = np.random.default_rng(0)
    logs = np.log(points)
    waves = np.sin(logs @ rng.normal(0, 0.8, (2, 6)) + rng.uniform(0, 6, 6)).T
    values = points[:, 0] * points[:, 1] ** 0.5 * np.exp(0.3 * waves)
    models = fit(points, values[:, :, None])
    path = np.exp(np.linspace(0.7, 6, 1500))
    predicted = models.predict(np.column_stack([path, 400 / path**0.5]))
    assert np.abs(np.diff(np.log(predicted), axis=1)).max() < 0.04


def test_intervals_widen_with_distance(single):
    _, models = single
    far = X[-1] * np.array([1, 2, 4, 8, 32])
    lower, upper = models.interval(far[:, None])
    widths = np.log(upper / lower)
    assert (np.diff(widths, axis=1) > 0).mean() > 0.95
    assert (widths[:, -1] > 2 * widths[:, 0]).all()


def test_intervals_contain_the_next_value():
    """If deviations are smooth, the interval contains the left-out largest value as often as it should."""
    values = wandering(60, seed=8, width=0.05)
    models = fit(LINE[:-1], values[:, :-1, None])
    lower, upper = models.prediction_interval(LINE[-1:])
    assert ((lower[:, 0] <= values[:, -1]) & (values[:, -1] <= upper[:, 0])).mean() > 0.85


def test_without_deviations_the_prediction_is_the_law():
    rng = np.random.default_rng(2)
    values = (3 + 0.2 * X)[:, None] * np.exp(0.01 * rng.normal(size=(20, len(X), 5)))
    lower, upper = fit(LINE, values).interval(np.array([[8192.0]]))
    assert (upper / lower < 1.05).mean() > 0.8


SCATTERED = np.array([3.54e-6, 1.7e-5, 0.00123, 0.0125, 0.0475])
SIZES = np.array([64.0, 512, 4096, 32768, 262144])


def test_growth_of_single_runs_is_not_called_noise():
    """Explained by one-sided noise alone, the values would follow a constant, although they span four powers
    of ten.
    """
    models = fit(SIZES[:, None], SCATTERED[None, :, None])
    assert models.growth[0] in {"linear", "linearithmic", "superlinear"}
    np.testing.assert_allclose(models.predict(SIZES[:, None])[0], SCATTERED, rtol=0.5)
    assert models.predict(np.array([[2.0**20]]))[0, 0] > 0.05


def test_the_formula_is_near_the_numbers_beside_it():
    """The law stays within a factor of four of the values, and does not miss one end by a factor of a
    hundred.
    """
    models = fit(SIZES[:, None], SCATTERED[None, :, None])
    formula = models.constant[0] + models.coefficients[0] @ models._terms(SIZES[:, None])[0]
    assert np.abs(np.log(formula / SCATTERED)).max() < np.log(4)


@pytest.mark.parametrize("scatter", [0.4, 0.7, 1.0])
@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_laws_of_scattered_single_runs_lie_among_them(scatter, power):
    rng = np.random.default_rng(0)
    values = 3 * X**power * np.exp(scatter * rng.normal(size=(25, len(X))))
    models = fit(LINE, values[:, :, None])
    for law in (models.predict(LINE), models._predicted(LINE)):
        above = (values > law).mean(axis=1)
        assert (above < 0.95).all()
        # If a random factor of e³ raises one value, the law must not follow it, unless other kernels grow as
        # well.
        assert (law[:, -1] > 0.1 * values[:, -1]).mean() > 0.95
        assert np.median(above) == pytest.approx(0.5, abs=0.25)


@pytest.mark.parametrize("power", [0.0, 1.0])
def test_two_runs_of_one_and_two_times_have_their_law_between_them(power):
    values = np.stack([5 * X**power, 10 * X**power], axis=1)[None]
    models = fit(LINE, values)
    np.testing.assert_allclose(models.predict(LINE)[0], 7.5 * X**power, rtol=0.2)
    np.testing.assert_allclose(models._predicted(LINE)[0], 7.5 * X**power, rtol=0.2)


def test_slowed_runs_of_growing_kernels_have_a_growing_law():
    """The law describes the median repetition, not the fastest one."""
    rng = np.random.default_rng(4)
    values = 5 * X[:, None] ** 0.5 * (1 + 0.5 * rng.exponential(size=(40, len(X), 5)))
    models = fit(LINE, values)
    assert (models.growth == "sublinear").mean() > 0.9
    far = 4 * X[-1]
    truth = 5 * far**0.5 * (1 + 0.5 * np.log(2))
    ratio = models.predict(np.array([[far]]))[:, 0] / truth
    assert np.median(ratio) == pytest.approx(1, abs=0.06)
    assert (np.abs(np.log(ratio)) < 0.3).mean() > 0.9


def test_kernels_measured_at_dense_values_are_not_predicted_below_their_last_values():
    """The kernel doubles with every value of its parameter, which no power law does."""
    x = np.arange(2.0, 26)
    truth = 1.75 + 0.03 * x + 2 ** (x - 21)
    values = truth * np.random.default_rng(0).lognormal(0, 0.03, (4, len(x)))
    models = fit(x[:, None], values[:, :, None])
    assert np.abs(models.predict(x[-1:, None])[:, 0] / values[:, -1] - 1).max() < 0.1
    following = np.array([[26.0]])
    assert (models.predict(following)[:, 0] > 1.2 * values[:, -1]).all()
    assert (models.prediction_interval(following)[1][:, 0] > 1.75 + 0.03 * 26 + 2**5).all()


@pytest.mark.parametrize("law", [lambda x: 100 - 95 * (4 / x), lambda x: 100 - 90 * (4 / x) ** 0.5])
def test_kernels_that_rise_towards_a_limit_are_predicted_to_stay_below_it(law):
    """A bandwidth or a rate. A logarithm, which fits nearly as well, would let it grow further."""
    x, rng = X[:9], np.random.default_rng(7)
    values = law(x)[:, None] * np.exp(0.01 * rng.normal(size=(4, len(x), 3)))
    models, ahead = fit(x[:, None], values), np.array([[16 * x[-1]]])
    assert models.predict(ahead) == pytest.approx(law(ahead[0, 0]), rel=0.1)
    lower, upper = models.interval(ahead)
    assert (lower < law(ahead[0, 0])).all()
    assert (upper < 200).all()
    assert (models.growth == "saturating").all()
    assert (models.lead_exponents == TOWARDS_LIMIT).all()
