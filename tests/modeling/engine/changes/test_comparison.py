"""Comparing two campaigns: verdicts, ratios, statistical power and false alarms."""

import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

from modeling.engine import compare, compare_common
from modeling.engine.changes import change_evidence, covariances, pair, repetitions, verdict_threshold
from modeling.engine.changes.law_ratio import RESTATED, restated
from modeling.engine.changes.located import located
from modeling.engine.changes.locations import Location
from modeling.engine.laws.synthetic import SERIES, grid, measure, random_functions
from modeling.engine.validation import FloatArray
from tests.modeling.engine.changes.measured_twice import LINE, PLANE, compared


@pytest.mark.parametrize(("points", "how"), [(LINE, {}), (LINE, {"repetitions": 1}), (PLANE, {"noise": 0.2})])
def test_unchanged_code_raises_no_alarm(points: FloatArray, how: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    truth = random_functions(4000, points.shape[1], rng).evaluate(points)
    changes = compared(points, truth, truth, rng, **how)
    assert np.mean(changes.kind != "same") <= 0.001


@pytest.mark.parametrize("series", SERIES)
def test_a_shift_of_an_exponent_by_a_quarter_is_found(series: tuple[float, ...]) -> None:
    """The new term takes 20 % of the time at the smallest point, and nine kernels in ten are unchanged."""
    rng = np.random.default_rng(2)
    points = grid([series])
    truth = random_functions(2000, 1, rng).evaluate(points)
    after = truth.copy()
    x, i = points[:, 0] / points[0, 0], rng.choice([0.25, 0.5, 1, 1.5, 2], (200, 1))
    truth[:200], after[:200] = 0.8 + 0.2 * x**i, 0.8 + 0.2 * x ** (i + 0.25)
    changes = compared(points, truth, after, rng)
    assert np.mean(changes.kind[:200] == "law") >= 0.95
    assert np.mean(changes.kind[200:] != "same") <= 0.001
    assert np.median(changes.ratio[:200]) > 1.1


def test_intervals_of_ratios_hold_for_powers_that_no_plain_law_has() -> None:
    """A hundred of 500 kernels follow a power of each of two parameters, another one in each version."""
    rng = np.random.default_rng(7)
    truth = random_functions(500, 2, rng).evaluate(PLANE)
    target = 4 * PLANE[-1]
    points = np.vstack([PLANE, target])
    changed = [5 * np.prod((points / points[0]) ** rng.uniform(0.1, 1.6, (100, 1, 2)), axis=2) for _ in "12"]
    before, after = truth.copy(), truth.copy()
    before[:100], after[:100] = (values[:, :-1] for values in changed)
    low, high = compared(PLANE, before, after, rng, noise=0.02).ratio_interval[:100].T
    ratio = changed[1][:, -1] / changed[0][:, -1]
    assert np.mean((low <= ratio) & (ratio <= high)) >= 0.9


def test_a_rewritten_program_of_which_every_kernel_has_another_law_is_compared() -> None:
    rng = np.random.default_rng(5)
    before, after = (random_functions(600, 1, rng).evaluate(LINE) for _ in range(2))
    changes = compared(LINE, before, after, rng)
    assert np.mean(changes.kind == "law") > 0.95
    assert np.isfinite(changes.probability).all()


def test_a_constant_factor_is_distinguished_from_another_law() -> None:
    """There are several campaigns, because intervals of one campaign share its shift and err together."""
    inside = []
    for seed in range(3, 7):
        rng = np.random.default_rng(seed)
        truth = random_functions(500, 1, rng).evaluate(LINE)
        after = truth.copy()
        after[:100] *= 1.3
        after[100:200] /= 1.3
        changes = compared(LINE, truth, after, rng)
        assert np.mean(changes.kind[:200] == "factor") >= 0.98
        assert (changes.kind[200:] != "same").mean() <= 0.02
        np.testing.assert_allclose(np.median(changes.ratio[:100]), 1.3, rtol=0.08)
        low, high = changes.ratio_interval[:200].T
        inside.append((low[:100] < 1.3) & (high[:100] > 1.3))
        assert (low < high).all()
    assert np.mean(inside) >= 0.9


def test_the_ratio_of_changed_laws_is_the_laws_at_the_target() -> None:
    x = LINE[:, 0]
    before = np.tile(5 + 2 * x, (20, 1))[:, :, None]
    after = before.copy()
    after[0, :, 0] = 5 + 2 * x * np.log2(x)
    changes = compare((LINE, before), (LINE, after), target=[1024.0])
    assert changes.kind.tolist() == ["law"] + ["same"] * 19
    np.testing.assert_allclose(changes.ratio[0], (5 + 2 * 1024 * 10) / (5 + 2 * 1024), rtol=1e-3)
    np.testing.assert_allclose(changes.ratio[1:], 1.0, atol=1e-4)
    assert changes.probability[0] > 0.999


def test_few_of_the_reported_changes_are_false() -> None:
    rng = np.random.default_rng(26)
    truth = random_functions(4000, 1, rng).evaluate(LINE)
    after = truth * np.where(np.arange(4000) < 400, rng.uniform(1.02, 1.3, 4000), 1.0)[:, None]
    changed = compared(LINE, truth, after, rng).kind != "same"
    assert changed[:400].mean() > 0.5
    assert changed[400:].sum() <= 2 * verdict_threshold.FALSE_DISCOVERIES * changed.sum()


@pytest.mark.parametrize("repetitions", [1, 2, 5])
def test_restated_values_have_the_variance_of_repetitions_and_scatter(repetitions: int) -> None:
    rng = np.random.default_rng(27)
    values = np.full((2, 6, repetitions), 3.0)
    values[0] *= rng.lognormal(0, 0.01, (6, repetitions))
    values[:, 5] = np.nan
    point = located(values, Location())
    logs = np.log(restated(values, np.array([0.0, 0.02]), Location()))
    assert logs.shape == (2, 6, RESTATED)
    assert np.isnan(logs[:, 5]).all()
    np.testing.assert_allclose(logs[:, :5].mean(axis=2), np.log(point.location[:, :5]))
    variance = logs[:, :5].var(axis=2, ddof=1) / RESTATED
    np.testing.assert_allclose(variance[0], point.noise[0, :5], atol=1e-15)
    np.testing.assert_allclose(variance[1], 0.02)


def test_one_bad_run_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    truth = random_functions(50, 1, rng).evaluate(LINE)
    old, new = measure(truth, rng, noise=0.05), measure(truth, rng, noise=0.05)
    new[:, 2, 1] *= 20
    assert (compare((LINE, old), (LINE, new), target=[128.0]).kind == "same").all()


def test_verdicts_do_not_depend_on_units_or_order() -> None:
    rng = np.random.default_rng(6)
    truth = random_functions(60, 2, rng).evaluate(PLANE)
    after = truth.copy()
    after[:5] *= 2
    old, new = measure(truth, rng, noise=0.05), measure(after, rng, noise=0.05)
    plain = compare((PLANE, old), (PLANE, new), target=PLANE[-1])
    kernels, points = rng.permutation(60), rng.permutation(len(PLANE))
    moved = compare(
        (PLANE, 1e-9 * old[kernels]), (PLANE[points], 1e-9 * new[kernels][:, points]), target=PLANE[-1]
    )
    assert moved.kind.tolist() == plain.kind[kernels].tolist()
    np.testing.assert_allclose(moved.probability, plain.probability[kernels], rtol=1e-6, atol=1e-9)


def test_only_common_points_are_compared() -> None:
    rng = np.random.default_rng(7)
    truth = random_functions(20, 1, rng).evaluate(LINE)
    old, new = measure(truth, rng, noise=0.02), measure(truth, rng, noise=0.02)
    shifted = LINE.copy()
    shifted[0] = 5.0
    assert (compare((LINE, old), (shifted, new), target=[64.0]).kind == "same").all()
    shifted[:3, 0] = 5.0, 9.0, 17.0
    few = compare((LINE, old), (shifted, new), target=[64.0])
    assert (few.kind == "same").all()
    assert not few.probabilities[:, 2].any()
    none = compare((LINE, old), (LINE + 0.5, new), target=[64.0])
    assert (none.kind == "unknown").all()
    assert np.isnan(none.probability).all()


def test_hostile_kernels_do_not_harm_the_others() -> None:
    rng = np.random.default_rng(8)
    truth = random_functions(30, 1, rng).evaluate(LINE)
    old, new = measure(truth, rng, noise=0.05), measure(truth, rng, noise=0.05)
    old[0], new[1], new[2, 1:3] = np.nan, np.nan, np.nan
    old[3] = new[3] = 0.0
    old[4], new[5], new[6] = 0.0, 0.0, -new[6]
    old[7], new[7] = 1e-100, 1e100
    changes = compare((LINE, old), (LINE, new), target=[64.0])
    assert changes.kind[:7].tolist() == [
        "unknown",
        "unknown",
        "same",
        "same",
        "unknown",
        "unknown",
        "unknown",
    ]
    assert changes.kind[7] in ("factor", "law")
    assert (changes.kind[8:] == "same").all()


@pytest.mark.parametrize(
    ("before", "after", "target", "message"),
    [
        ((LINE, np.ones((2, 5, 1))), (LINE, np.ones((3, 5, 1))), [1.0], "after: found 3 kernels"),
        ((LINE, np.ones((2, 5, 1))), (PLANE, np.ones((2, 25, 1))), [1.0], "and 2 parameters"),
        ((LINE, np.ones((2, 4, 1))), (LINE, np.ones((2, 5, 1))), [1.0], "before values"),
        ((LINE, np.ones((2, 5, 1))), (-LINE, np.ones((2, 5, 1))), [1.0], "after points"),
        ((LINE, np.ones((2, 5, 1))), (LINE, np.ones((2, 5, 1))), [1.0, 2.0], "found 2 parameters"),
        ((LINE, np.ones((2, 5, 1))), (LINE, np.ones((2, 5, 1))), [0.0], "positive"),
    ],
)
def test_invalid_input_is_refused(before: Any, after: Any, target: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare(before, after, target=target)


@pytest.mark.parametrize("shift", [1.0, 1.3])
def test_thousands_of_repetitions_take_little_time_and_memory(shift: float) -> None:
    rng = np.random.default_rng(3)
    before, after = ((3 + LINE[:, 0])[None, :, None] * rng.lognormal(0, 0.1, (20, 5, 3500)) for _ in range(2))
    tracemalloc.start()
    begin = time.process_time()
    changes = compare((LINE, before), (LINE, shift * after), target=[256.0])
    seconds, room = time.process_time() - begin, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (changes.kind == "same").all()
    assert changes.shift == pytest.approx(shift, rel=0.01)
    assert room < 100 * 2**20
    assert seconds < 1


def test_what_is_zero_before_and_after_stays_the_same_while_all_else_doubles() -> None:
    rng = np.random.default_rng(12)
    truth = random_functions(20, 1, rng).evaluate(LINE)
    truth[0] = 0.0
    changes = compared(LINE, truth, 2 * truth, rng)
    assert changes.kind[0] == "same"
    assert changes.probability[0] == 0
    assert np.isnan(changes.ratio[0])
    assert (changes.kind[1:] == "same").all()
    assert changes.shift == pytest.approx(2, rel=0.1)


class TestPortions:
    """Large campaigns are compared in portions of kernels. The common shift is estimated from all
    portions.
    """

    def measured(self, kernels: int = 60) -> tuple[FloatArray, FloatArray]:
        rng = np.random.default_rng(4)
        truth = random_functions(kernels, 2, rng).evaluate(PLANE)
        after = 1.05 * truth
        after[:6] *= 1.5
        after[6:9] *= (PLANE[:, 0] / PLANE[0, 0]) ** 0.5
        before, after = (measure(each, rng, noise=0.3, repetitions=4) for each in (truth, after))
        before[10:20, :, 2:] = after[15:30, 3] = np.nan
        return before, after

    def test_however_they_are_divided(self) -> None:
        before, after = self.measured()
        whole = compare((PLANE, before), (PLANE, after), target=4 * PLANE[-1])
        assert {*whole.kind.tolist()} == {"same", "factor", "law"}
        parts = [slice(0, 1), slice(1, 7), slice(7, 60)]
        pairs = [((PLANE, before[part]), (PLANE, after[part])) for part in parts]
        common = compare_common(iter(pairs))
        found = [compare(*pair, target=4 * PLANE[-1], common=common) for pair in pairs]
        assert np.concatenate([each.kind for each in found]).tolist() == whole.kind.tolist()
        np.testing.assert_allclose(
            np.concatenate([each.probabilities for each in found]), whole.probabilities, rtol=1e-9
        )
        alone = compare(*pairs[1], target=4 * PLANE[-1])
        assert not np.allclose(alone.probabilities, whole.probabilities[parts[1]], rtol=1e-3)

    def test_few_numbers_at_once_give_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before, after = self.measured(20)
        whole = compare((PLANE, before), (PLANE, after), target=4 * PLANE[-1])
        for module in (covariances, pair, repetitions):
            monkeypatch.setattr(module, "NUMBERS_AT_ONCE", 30)
        monkeypatch.setattr(change_evidence, "RATIOS_AT_ONCE", 7 * len(PLANE))
        small = compare((PLANE, before), (PLANE, after), target=4 * PLANE[-1])
        assert small.kind.tolist() == whole.kind.tolist()
        np.testing.assert_allclose(small.probabilities, whole.probabilities, rtol=1e-9)


@pytest.mark.parametrize(("parameters", "points"), [(8, 3000), (20, 1000)])
def test_many_parameters_and_points_take_little_memory(parameters: int, points: int) -> None:
    rng = np.random.default_rng(5)
    places = np.unique(np.exp2(rng.integers(0, 12, (points, parameters)) / 2), axis=0)
    truth = (1 + np.sqrt(places[:, 0])) * rng.uniform(1, 10, (16, 1))
    before, after = (truth[:, :, None] * rng.uniform(0.95, 1.05, (*truth.shape, 2)) for _ in range(2))
    after[0] *= 1.5
    tracemalloc.start()
    changes = compare((places, before), (places, after), target=np.full(parameters, 64.0))
    room = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert changes.kind.tolist() == ["factor", *["same"] * 15]
    assert room < 100 * 2**20
