"""Trends of campaigns are learned where they hold, are absent where laws hold, and change predictions."""

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.deviations.trend import TREND_LENGTH, begun, effective
from modeling.engine.modelers.segmented.modeler import SegmentedEvidence
from modeling.engine.modelers.trending import forecasts
from modeling.engine.modelers.trending import modeler as trending
from modeling.engine.modelers.trending.modeler import NEGLIGIBLE_WEIGHT
from modeling.engine.results.common import Common
from modeling.engine.results.posterior import run_factors

X = 4.0 * 2 ** np.arange(8)
LINE = X[:, None]
NEXT = np.array([[1024.0]])


def measured(truth, seed=0, noise=0.01, repetitions=3):
    rng = np.random.default_rng(seed)
    truth = np.asarray(truth, dtype=float)
    return truth[..., None] * np.exp(noise * rng.normal(size=(*truth.shape, repetitions)))


def lawful(count=24, seed=3):
    rng = np.random.default_rng(seed)
    c0, c1 = rng.uniform(1, 10, (2, count, 1))
    return c0 + c1 * X ** rng.choice([0.5, 1, 1.5], (count, 1)) / 20


def bending(count=24, seed=3, x=X):
    """Return kernels whose slope changes slowly.

    The last two values predict such kernels better than a law through all values.
    """
    rng = np.random.default_rng(seed)
    slope = np.cumsum(rng.normal(0, 0.25, (count, len(x))), axis=1)
    return np.exp(np.cumsum(slope * np.log(2), axis=1))


@pytest.fixture(scope="module")
def of_laws():
    return fit(LINE, measured(lawful()))


@pytest.fixture(scope="module")
def of_trends():
    return fit(LINE, measured(bending(), noise=0.002))


def test_kernels_that_follow_laws_have_no_trend(of_laws):
    assert sum(of_laws.common.trend) < NEGLIGIBLE_WEIGHT
    assert of_laws.posterior.trend is None
    plain = SegmentedEvidence(LINE)(measured(lawful()))
    np.testing.assert_array_equal(of_laws.predict(NEXT), plain.predict(NEXT))


def test_random_deviations_do_not_worsen_predictions():
    errors = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        c0, c1 = rng.uniform(1, 10, (2, 24, 1))
        truth = c0 + c1 * np.append(X, NEXT) ** rng.choice([0.5, 1, 1.5], (24, 1)) / 20
        values = measured(truth[:, :-1] * rng.uniform(0.95, 1.05, (24, len(X))), seed)
        both = SegmentedEvidence(LINE)(values), fit(LINE, values)
        errors.append([np.abs(np.log(models.predict(NEXT)[:, 0] / truth[:, -1])) for models in both])
    laws, trends = np.mean(errors, axis=(0, 2))
    assert trends < 1.02 * laws


def test_changing_slopes_are_followed(of_trends):
    two, none = of_trends.common.trend
    assert two > 0.4
    assert none < 0.2


def test_trends_predict_the_next_values_better_than_laws_alone():
    errors = np.zeros(2)
    for seed in (5, 6, 7):
        truth = bending(24, seed, np.append(X, 2 * X[-1]))
        values = measured(truth[:, :-1], noise=0.002)
        for number, models in enumerate((SegmentedEvidence(LINE)(values), fit(LINE, values))):
            errors[number] += np.abs(np.log(models.predict(NEXT)[:, 0] / truth[:, -1])).mean()
    assert errors[1] < 0.95 * errors[0]


def test_growth_that_ended_is_followed():
    truth = lawful()
    flat = measured(np.where(X < 256, truth, truth[:, [6]]), noise=0.001)
    grown = [
        np.median(np.abs(np.log(models.predict(NEXT)[:, 0] / truth[:, 6])))
        for models in (SegmentedEvidence(LINE)(flat), fit(LINE, flat))
    ]
    assert grown[1] < 0.8 * grown[0]


def test_a_quarter_of_the_draws_gives_the_same_trends(of_trends, monkeypatch):
    monkeypatch.setattr(trending, "DRAW_STEP", 1)
    of_all_draws = fit(LINE, measured(bending(), noise=0.002))
    difference = np.abs(of_trends.predict(NEXT) / of_all_draws.predict(NEXT) - 1)
    assert np.median(difference) < 0.01
    assert difference.max() < 0.05


def test_nothing_changes_within_the_measured_range(of_trends):
    plain = SegmentedEvidence(LINE)(measured(bending(), noise=0.002))
    np.testing.assert_array_equal(of_trends.predict(LINE), plain.predict(LINE))
    np.testing.assert_array_equal(of_trends.law(NEXT), plain.law(NEXT))


def test_the_curve_has_no_step_at_the_last_value(of_trends):
    near = of_trends.predict(X[-1] * np.array([[1.0], [1.0001]]))
    np.testing.assert_allclose(near[:, 0], near[:, 1], rtol=1e-3)


def test_predictions_lie_inside_of_their_intervals(of_trends):
    for at in (NEXT, 16 * NEXT):
        lower, upper = of_trends.prediction_interval(at)
        predicted = of_trends.predict(at)
        assert ((lower <= predicted) & (predicted <= upper)).all()


def test_a_portion_has_the_same_models_as_the_whole(of_trends):
    values = measured(bending(), noise=0.002)
    common = Common.from_json(of_trends.common.to_json())
    part = fit(LINE, values[5:9], common=common)
    np.testing.assert_allclose(part.predict(NEXT), of_trends.predict(NEXT)[5:9], rtol=1e-12)


def test_times_that_double_with_every_value_are_continued():
    """The parameter is a logarithm, such as a level of refinement, a number of qubits, or a tree's depth.

    The steepest law grows like x³, and would predict hardly more than the last measured value.
    """
    levels = np.arange(8.0, 27)[:, None]
    rng = np.random.default_rng(5)
    kernels = (1 + 0.2 * np.arange(4))[:, None] * (1 + 1e-3 * 2 ** levels[:, 0])
    values = kernels[..., None] * np.exp(rng.normal(0, 0.03, (*kernels.shape, 3)))
    models = fit(levels[:-1], values[:, :-1])
    error = models.predict(levels[-1:])[:, 0] / kernels[:, -1] - 1
    assert np.abs(error).max() < 0.3
    lower, upper = models.prediction_interval(levels[-1:])
    assert ((lower[:, 0] < kernels[:, -1]) & (kernels[:, -1] < upper[:, 0])).all()


def test_weights_equal_those_of_a_slow_search():
    """The slow search treats one kernel at a time, and tries every pair of weights in a loop."""
    values = measured(bending(12), noise=0.002)
    models = fit(LINE, values)
    common, deviating = models.common, models.posterior.deviates.mean()
    likely, pairs = [], []
    told = [
        one for end, kernels in ((8, 12), (7, 12), (6, 8)) for one in told_of(values, end, kernels, common)
    ]
    assert len(told) == forecasts.FORECASTS
    length = np.array(TREND_LENGTH)
    most = 1.4 / np.log(2)
    for two in np.linspace(0, 1, 11):
        for none in np.linspace(0, 1, 11):
            if two + none > 1 + 1e-9:
                continue
            errors = []
            for truth, ahead, law, more, begins in told:
                slope = two * np.clip(more, -most, most) + none * np.clip(-law, -most, most)
                level = (two + none) * begins
                said = np.log(ahead) + slope * effective(np.log(2), length) + level * begun(np.log(2), length)
                errors.append(min(abs(np.log(truth) - said), 0.5))
            from_law = 0.7 - 0.4 * deviating
            prior = (1 - from_law) * np.exp(-3 * none) / PRIORS + from_law * (two == none == 0)
            likely.append(prior * max(np.mean(errors), 1e-3) ** -20)
            pairs.append((two, none))
    expected = np.array(likely) @ np.array(pairs) / np.sum(likely)
    np.testing.assert_allclose(common.trend, expected, rtol=1e-6, atol=1e-9)


def told_of(values, end, count, common):
    """Predict the value with number `end` - 1 of `count` kernels from the values before it.

    For each kernel, yield the true value, the prediction, the slope of the law, the difference between the
    slope of the last two values and that of the law, and the logarithm of the last value over the law there.
    """
    some = values[np.unique(np.linspace(0, len(values) - 1, count).astype(int))]
    models = SegmentedEvidence(LINE[: end - 1])(some[:, : end - 1], common)
    middle = np.median(some, axis=2)
    for kernel in range(count):
        one = models.part(np.array([kernel]))
        here, there, ahead = one.predict([[X[end - 2]], [1.4 * X[end - 2]], [X[end - 1]]])[0]
        law = np.log(there / here) / np.log(1.4)
        line = np.log(middle[kernel, end - 2] / middle[kernel, end - 3]) / np.log(2)
        runs = run_factors(models.posterior.family, models.posterior.level, QUANTILES)[kernel]
        noise = np.sqrt((np.log(runs) ** 2).mean() * np.pi / 2 / 3) * np.sqrt(2) / np.log(2)
        more = (line - law) ** 3 / ((line - law) ** 2 + noise**2)
        yield middle[kernel, end - 1], ahead, law, more, np.log(middle[kernel, end - 2] / here)


QUANTILES = (np.arange(15) + 0.5) / 15
PRIORS = sum(
    np.exp(-3 * none)
    for two in np.linspace(0, 1, 11)
    for none in np.linspace(0, 1, 11)
    if two + none <= 1 + 1e-9
)


def test_a_single_kernel_follows_a_trend_if_it_deviates():
    """A kernel that is alone in its campaign has three forecasts at most. The trends of deviating kernels are
    followed more readily, so that they predict the next value better.
    """
    kernels = bending(24, seed=5, x=np.append(X, NEXT))
    truth, errors = kernels[:, -1], []
    for modeler in (fit, lambda points, values: SegmentedEvidence(points)(values)):
        alone = [modeler(LINE, kernel[None, :-1, None]) for kernel in kernels]
        said = np.array([models.predict(NEXT)[0, 0] for models in alone])
        errors.append(np.abs(np.log(said / truth)).mean())
    assert errors[0] < 0.92 * errors[1]


def test_a_single_noisy_kernel_that_follows_a_law_keeps_it():
    for values in measured(lawful(12), noise=0.1, repetitions=5):
        assert fit(LINE, values[None]).posterior.trend is None


def test_too_few_values_for_a_forecast_have_no_trend():
    models = fit(LINE[:3], measured(bending())[:, :3])
    assert models.common.trend == ()
    assert models.posterior.trend is None


GRID = np.array([(p, n) for p in X[:6] for n in (10.0, 20, 40, 80)])
AHEAD = np.array([(2 * X[5], n) for n in (10.0, 20, 40, 80)])


def wandering_in_one_of_two(count=24, seed=11):
    """Return values at the measured points and beyond them.

    The slope of each kernel in p changes slowly, and more for small n than for large n.
    """
    slopes = np.cumsum(np.random.default_rng(seed).normal(0, 0.3, (count, 7)), axis=1)
    heights = np.cumsum(slopes * np.log(2), axis=1)
    truth = [
        n * np.exp(heights[:, np.searchsorted(X[:7], p)] * (1 - np.log(n / 10) / 4))
        for p, n in (*GRID, *AHEAD)
    ]
    values = np.transpose(truth)
    return measured(values[:, : len(GRID)], noise=0.002), values[:, len(GRID) :]


def test_each_line_of_several_parameters_has_a_trend():
    errors = []
    for seed in range(13, 18):
        values, truth = wandering_in_one_of_two(seed=seed)
        both = SegmentedEvidence(GRID)(values), fit(GRID, values)
        errors.append([np.abs(np.log(models.predict(AHEAD) / truth)).mean() for models in both])
        if seed == 13:
            two, none = both[1].common.trend[:2]
            assert two > 0.4
            assert none < 0.2
            within = np.array([(X[5], 30.0), (X[2], 80)])  # where a trend changes nothing
            np.testing.assert_array_equal(both[1].predict(within), both[0].predict(within))
    laws, trends = np.mean(errors, axis=0)
    # Deviations of both parameters together already predict most of what a trend adds.
    assert trends < 0.98 * laws
    assert trends < 0.17


def on_laws(count, noise):
    rng = np.random.default_rng(5)
    c0, c1 = rng.uniform(1, 10, (2, count, 1))
    return measured(c0 + c1 * GRID[:, 0] ** 0.5 * GRID[:, 1], noise=noise)


def test_without_deviations_several_parameters_have_no_trend():
    models = fit(GRID, on_laws(16, 0.02))
    assert sum(models.common.trend) < NEGLIGIBLE_WEIGHT
    assert models.posterior.trend is None


def test_a_kernel_of_several_parameters_on_its_law_has_no_trend_beside_others_that_have():
    values, _ = wandering_in_one_of_two()
    values = np.concatenate([values, on_laws(2, 0.002)])
    models = fit(GRID, values)
    moved = np.abs(models.posterior.trend.slope).max(axis=(1, 2))
    assert (moved[:-2] > 0).mean() > 0.8
    assert (moved[-2:] == 0).all()
    plain = SegmentedEvidence(GRID)(values)
    np.testing.assert_array_equal(models.predict(AHEAD)[-2:], plain.predict(AHEAD)[-2:])


def test_a_single_noisy_kernel_of_several_parameters_keeps_its_law():
    """The errors of one kernel's law are the same on all lines, so lines are not independent evidence for a
    trend.
    """
    grid = np.array([(p, n) for p in X[:5] for n in (10.0, 20, 40, 80, 160)])
    truth = 50 + 3 * grid[:, 0] ** (2 / 3) + grid[:, 1]
    for seed in (3, 6, 8):  # With these seeds, forecasts on the lines of the single kernel favour a trend.
        noise = np.random.default_rng(seed).uniform(0.75, 1.25, (1, len(grid), 5))
        assert fit(grid, truth[:, None] * noise).posterior.trend is None


def test_lines_along_the_parameters_are_enough():
    """Points lie on one line along each parameter. The trend found on a line holds for all values of the
    other parameter.
    """
    rows = np.flatnonzero((GRID[:, 0] == X[5]) | (GRID[:, 1] == 10))
    values, _ = wandering_in_one_of_two()
    trend = fit(GRID[rows], values[:, rows]).posterior.trend
    assert np.abs(trend.slope[:, 1, 1]).max() > 0.01
    np.testing.assert_allclose(trend.slope[:, 1, 0], 0, atol=1e-12)


def test_zeros_and_single_values_raise_no_error():
    values = measured(bending(6), noise=0.002)
    values[0] = 0
    values[1, -1] = np.nan
    values[2, 1:] = np.nan
    models = fit(LINE, values)
    assert np.isfinite(models.predict(NEXT)).all()


@pytest.mark.parametrize("together", [True, False])
def test_a_precisely_known_law_is_followed_where_its_smaller_values_would_mislead(together):
    """Up to p = 16, the values do not show the growing term. Forecasts of p = 32 from them are too small."""
    p = 2.0 ** np.arange(6)
    values = measured(np.tile(1 / p + 0.0005 * p, (24, 1)), noise=0.005, repetitions=5)
    campaigns = [values] if together else [values[:1], values[1:2], values[2:3]]
    for ahead, largest_error in ((64.0, 0.03), (512.0, 0.05)):
        truth = 1 / ahead + 0.0005 * ahead
        for campaign in campaigns:
            models = fit(p[:, None], campaign)
            low, high = models.prediction_interval([[ahead]])
            assert np.median(abs(models.predict([[ahead]]) / truth - 1)) < largest_error
            assert np.mean((low <= truth) & (truth <= high)) > 0.7
