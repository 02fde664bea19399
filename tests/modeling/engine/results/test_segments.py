"""Laws by segments: which kernels have them, which segment answers, and that segments stay with their
kernels.
"""

import numpy as np
import pytest

from modeling.engine import fit, holdout_error
from modeling.engine.laws.synthetic import grid
from modeling.engine.modelers.evidence.modeler import Evidence
from modeling.engine.modelers.segmented.modeler import SegmentedEvidence, find_segments
from modeling.engine.results.models import OK, SEGMENTED, join
from tests.modeling.engine.cases import noisy

X = 4 * 2.0 ** np.arange(10)
LONG = X[:, None]
SWITCH = np.where(X < 100, 0.02 * X, 1.4 + 0.3 * np.log2(X))
SMOOTH = 3 + 0.5 * X
LATER = 5 * np.log2(X) * np.where(X < 500, 1, 3)


@pytest.fixture(scope="module")
def values():
    return np.concatenate(
        [noisy(truth, 0.05, seed=k) for k, truth in enumerate([SMOOTH, SWITCH, LATER, SWITCH])]
    )


@pytest.fixture(scope="module")
def models(values):
    return fit(LONG, values)


def test_a_switch_is_modelled_by_segments(models):
    assert models.status.tolist() == [OK, SEGMENTED, SEGMENTED, SEGMENTED]
    segments = models.segments
    assert segments.kernel.tolist() == [1, 2, 3]
    assert segments.last.tolist() == [64, 256, 64]
    assert segments.following.tolist() == [128, 512, 128]
    assert (segments.probability > 0.95).all()
    assert segments.models.expressions("p")[0].endswith("·p")


def test_formulas_contain_the_law_of_every_segment(models):
    text, latex, python = (write("p") for write in (models.expressions, models.latex, models.python))
    assert "·p for p < 90.5; " in text[1]
    assert text[1].endswith("·log2(p) from there on")
    assert latex[1].startswith(r"\begin{cases} ")
    assert r"p < 90.5 \\ " in latex[1]
    for p in X:
        assert eval(python[1], {"p": p, "log2": np.log2}) == pytest.approx(np.interp(p, X, SWITCH), rel=0.05)
    assert "for" not in text[0]


def test_every_point_is_predicted_by_its_segment(models):
    truth = np.stack([SMOOTH, SWITCH, LATER, SWITCH])
    np.testing.assert_allclose(models.predict(LONG), truth, rtol=0.05)
    between = np.array([[65.0], [89.0], [92.0], [127.0]])
    law = 1.4 + 0.3 * np.log2(between[:, 0])
    np.testing.assert_allclose(models.predict(between)[1, :2], 0.02 * between[:2, 0], rtol=0.05)
    np.testing.assert_allclose(models.predict(between)[1, 2:], law[2:], rtol=0.05)
    lower, upper = models.interval(LONG)
    inside = (lower <= truth) & (truth <= upper)
    assert inside.mean() > 0.85
    runs = models.prediction_interval(LONG)
    assert ((runs[0] <= lower) & (upper <= runs[1])).all()


def test_a_quarter_of_the_draws_gives_nearly_the_same_predictions(models):
    fewer, at = models.with_fewer_draws(4), np.concatenate([LONG, 4 * LONG[-1:]])
    assert fewer.draws(at).shape[1] == models.draws(at).shape[1] // 4
    np.testing.assert_allclose(fewer.predict(at), models.predict(at), rtol=0.03)


def test_beyond_the_data_the_last_law_is_used(models):
    far = np.array([[8192.0]])
    assert models.predict(far)[1, 0] == pytest.approx(1.4 + 0.3 * 13, rel=0.1)


@pytest.mark.parametrize("truth", [SWITCH, np.where(X < 100, 100, 170), np.where(X < 100, 50, 100 + X)])
def test_beyond_the_data_the_law_may_change_again(truth):
    """The interval at twice the largest value is wider than the noise, which is 5 %."""
    campaigns = [fit(LONG, noisy(truth, 0.05, seed=kernel)) for kernel in range(4)]
    assert all(models.status[0] == SEGMENTED for models in campaigns)
    widths = [np.subtract(*np.log(models.prediction_interval(2 * LONG[-1:]))) for models in campaigns]
    assert np.exp(np.mean(np.abs(widths))) > 1.12


def test_models_for_predictions_predict_what_whole_models_do(values):
    modeler, at = SegmentedEvidence(LONG), np.concatenate([LONG, 4 * LONG[-1:]])
    common = modeler(values).common
    whole, fast = modeler(values, common), modeler.predicting(values, common)
    assert fast.segments.kernel.tolist() == [1, 2, 3]
    np.testing.assert_allclose(fast.draws(at), whole.draws(at), rtol=1e-9)
    np.testing.assert_allclose(fast.prediction_interval(at), whole.prediction_interval(at), rtol=1e-9)
    np.testing.assert_allclose(fast.posterior.level, whole.posterior.level, rtol=1e-9)
    single = modeler.predicting(values[:1], common)
    assert single.segments is None
    np.testing.assert_allclose(single.predict(at), whole.predict(at)[:1], rtol=1e-9)


def test_a_single_law_would_miss_the_points(values, models):
    single = Evidence(LONG)(values)
    assert models.smape[1] < single.smape[1] / 3
    assert models.r_squared[1] > single.r_squared[1]
    assert models.points_used.tolist() == [10] * 4


def test_the_held_out_point_is_predicted_by_the_last_law(values):
    error = holdout_error(LONG, values)
    assert (error[[0, 1, 3]] < 0.06).all()
    # Without its largest value, the last segment has only two values, which are too few for a segment.
    assert error[2] > 0.2


def test_segments_stay_with_their_kernels(models):
    some = models.part(np.array([3, 0, 2]))
    assert some.segments.kernel.tolist() == [0, 2]
    assert some.segments.following.tolist() == [128, 512]
    np.testing.assert_array_equal(some.predict(LONG), models.predict(LONG)[[3, 0, 2]])
    assert models.part(np.array([0])).segments is None
    both = join([some, models.part(np.array([0])), models])
    np.testing.assert_array_equal(both.predict(LONG)[[0, 1, 2, 4, 5, 6, 7]][3:], models.predict(LONG))
    assert sorted(both.segments.kernel.tolist()) == [0, 2, 5, 6, 7]


def test_results_of_several_calls_are_joined(monkeypatch, values, models):
    monkeypatch.setattr(Evidence, "kernels_at_once", 2)
    parts = fit(LONG, values)
    assert parts.segments.kernel.tolist() == models.segments.kernel.tolist()
    assert parts.status.tolist() == models.status.tolist()


def test_a_switch_along_one_of_two_parameters():
    points = grid([X[:7], [10, 20, 30, 40, 50]])
    p, n = points.T
    values = np.concatenate([noisy(truth, 0.05) for truth in (n * np.where(p < 30, p, 20 * p**0.5), n * p)])
    models = fit(points, values)
    assert models.status.tolist() == [SEGMENTED, OK]
    assert models.segments.parameter.tolist() == [0]
    assert models.segments.following.tolist() == [32]
    np.testing.assert_allclose(models.predict(points), np.nanmedian(values, axis=2), rtol=0.06)


def test_three_segments():
    truth = np.where(X < 32, 1 + X, np.where(X < 256, 400 + 0.2 * X, 40 + 0 * X))
    models = fit(LONG, noisy(truth, 0.05))
    assert models.segments.number.tolist() == [0, 1]
    assert models.segments.following.tolist() == [32, 256]
    np.testing.assert_allclose(models.predict(LONG), truth[None], rtol=0.05)


def test_missing_points_do_not_hide_a_switch(values):
    holed = values.copy()
    holed[1, 2] = np.nan
    models = fit(LONG, holed)
    assert models.status[1] == SEGMENTED
    assert models.points_used[1] == 9
    np.testing.assert_allclose(models.predict(LONG)[1], SWITCH, rtol=0.06)


def test_five_values_are_too_few_for_segments(values):
    models = fit(LONG[:5], values[:, :5])
    assert models.segments is None


@pytest.mark.parametrize("strange", [0.0, np.nan, 1e-300])
def test_unusual_kernels_have_no_segments(strange, values):
    odd = np.full((2, 10, 5), strange)
    models = fit(LONG, np.concatenate([values, odd]))
    assert models.segments.kernel.tolist() == [1, 2, 3]


def test_frequencies_are_learned_from_segments():
    """The values of cut kernels over their whole range deviate from every law, but their segments do not."""
    x = 2.0 ** np.arange(16)
    rng = np.random.default_rng(5)
    scattered = 7 * np.exp(rng.normal(0, 0.5, (12, 16)))
    values = np.where(x < 256, scattered, (20 + 0.05 * x) * np.exp(rng.normal(0, 0.002, (12, 16))))[..., None]
    models, parts = SegmentedEvidence(x[:, None])(values), find_segments(x[:, None], values)
    kept = [(x >= first) & ~(x >= after) for first, after in zip(parts.first, parts.following, strict=True)]
    segments = np.where(np.array(kept)[..., None], values[parts.kernel], np.nan)
    uncut = np.delete(values, parts.kernel, axis=0)
    learned = Evidence(x[:, None])(np.concatenate([uncut, segments])).common
    np.testing.assert_allclose(models.common.by_process, learned.by_process)
    over_whole = Evidence(x[:, None])(values).common
    assert not np.allclose(models.common.by_process, over_whole.by_process, rtol=0.1)
