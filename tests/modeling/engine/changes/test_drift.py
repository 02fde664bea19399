"""Comparisons do not mistake drift, contention or a busy machine for changes of the code."""

from typing import Any

import numpy as np
import pytest

from modeling.engine import compare
from modeling.engine.laws.synthetic import measure, random_functions
from modeling.engine.validation import FloatArray
from tests.modeling.engine.changes.measured_twice import LINE, compared


def test_a_drift_of_the_whole_campaign_is_no_change() -> None:
    rng = np.random.default_rng(4)
    truth = random_functions(300, 1, rng).evaluate(LINE)
    changes = compared(LINE, truth, 1.06 * truth, rng)
    assert (changes.kind == "same").mean() > 0.99


class TestDrift:
    """The comparison learns the size of drift that no code change caused."""

    def moved(
        self, rng: np.random.Generator, kernels: int, sizes: tuple[float, float, float], heavy: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Return true values and factors of drift.

        The drift has one factor for the campaign, one for each kernel, and one for each point of each kernel.
        """
        truth = random_functions(kernels, 1, rng).evaluate(LINE)

        def drawn(*shape: int) -> FloatArray:
            return rng.standard_t(3, shape) / np.sqrt(3) if heavy else rng.standard_normal(shape)

        campaign, kernel, point = sizes
        return truth, np.exp(
            campaign * rng.choice([-1, 1]) + kernel * drawn(kernels, 1) + point * drawn(*truth.shape)
        )

    @pytest.mark.parametrize(
        "sizes", [(0.2, 0.01, 0.01), (0.1, 0.04, 0.04), (0.6, 0.1, 0.05), (0.0, 0.0, 0.0)]
    )
    @pytest.mark.parametrize("repetitions", [1, 5])
    def test_is_no_change(self, sizes: tuple[float, float, float], repetitions: int) -> None:
        rng = np.random.default_rng(20)
        truth, drift = self.moved(rng, 1000, sizes)
        old, new = (measure(v, rng, noise=0.05, repetitions=repetitions) for v in (truth, truth * drift))
        changes = compare((LINE, old), (LINE, new), target=[128.0])
        assert np.mean(changes.kind != "same") <= 0.001
        low, high = changes.ratio_interval.T
        assert 0.93 <= ((low < 1) & (high > 1)).mean() <= 0.985

    def test_of_the_campaign_is_told_once(self) -> None:
        rng = np.random.default_rng(21)
        truth, drift = self.moved(rng, 50, (0.0, 0.01, 0.01))
        after = 1.2 * truth * drift
        after[7] *= 1.15
        after[8] *= (LINE[:, 0] / 4) ** 0.5
        old, new = (measure(v, rng, noise=0.05) for v in (truth, after))
        changes = compare((LINE, old), (LINE, new), target=[128.0])
        assert changes.kind.tolist() == ["same"] * 7 + ["factor", "law"] + ["same"] * 41
        assert changes.shift == pytest.approx(1.2, rel=0.01)
        low, high = changes.shift_interval
        assert low < 1.2 < high < 1.02 * low
        assert changes.ratio[7] == pytest.approx(1.15, rel=0.06)

    def test_with_heavy_tails_is_no_change_of_some_kernels(self) -> None:
        rng = np.random.default_rng(22)
        truth, drift = self.moved(rng, 2000, (0.03, 0.02, 0.02), heavy=True)
        old, new = (measure(v, rng, noise=0.05) for v in (truth, truth * drift))
        assert np.mean(compare((LINE, old), (LINE, new), target=[128.0]).kind != "same") <= 0.001

    def test_of_few_kernels_is_no_change(self) -> None:
        alarms = 0
        for seed in range(40):
            rng = np.random.default_rng(seed)
            truth, drift = self.moved(rng, 6, (0.15, 0.01, 0.01))
            old, new = (measure(v, rng, noise=0.05) for v in (truth, truth * drift))
            alarms += np.sum(compare((LINE, old), (LINE, new), target=[128.0]).kind != "same")
        assert alarms <= 1

    def test_of_single_points_is_no_change_of_all_laws(self) -> None:
        rng = np.random.default_rng(23)
        truth, drift = self.moved(rng, 300, (0.03, 0.01, 0.01))
        after = truth * drift * np.array([1.0, 1.0, 1.1, 1.0, 1.2])
        after[0] *= 1.3
        old, new = (measure(v, rng, noise=0.05) for v in (truth, after))
        changes = compare((LINE, old), (LINE, new), target=[128.0])
        assert changes.kind.tolist() == ["factor"] + ["same"] * 299

    def test_one_odd_point_is_no_other_law(self) -> None:
        rng = np.random.default_rng(24)
        truth, drift = self.moved(rng, 300, (0.03, 0.01, 0.01))
        drift[:30, 2] *= 1.4
        old, new = (measure(v, rng, noise=0.05) for v in (truth, truth * drift))
        assert (compare((LINE, old), (LINE, new), target=[128.0]).kind == "same").all()

    def test_belongs_to_the_interval_of_a_changed_laws_ratio(self) -> None:
        rng = np.random.default_rng(25)
        x, target = LINE[:, 0] / 4, 64.0
        truth, drift = self.moved(rng, 400, (0.1, 0.02, 0.02))
        after = truth.copy()
        share, power = rng.uniform(0.2, 0.9, (100, 1)), rng.choice([0.5, 1, 1.5], (100, 1))
        truth[:100], after[:100] = 1 - share + share * x**power, 1 - share + share * x ** (power + 0.25)
        old, new = (measure(v, rng, noise=0.05) for v in (truth, after * drift))
        changes = compare((LINE, old), (LINE, new), target=[4 * target])
        ratio = (1 - share + share * target ** (power + 0.25)) / (1 - share + share * target**power)
        low, high = changes.ratio_interval[:100].T
        assert np.mean((low < ratio[:, 0]) & (ratio[:, 0] < high)) >= 0.9
        assert np.mean(changes.kind[:100] == "law") >= 0.9


def test_kernels_that_contention_left_unchanged_are_not_reported() -> None:
    """Other jobs slow down most kernels during the second campaign, at some points more than at others.

    The remaining kernels are not reported as changed.
    """
    rng = np.random.default_rng(0)
    truth = random_functions(50, 1, rng).evaluate(LINE)
    slowed = rng.permutation(50) < 40
    after = np.where(slowed[:, None], truth * [1.3, 1.6, 1.3, 1.2, 1.7], truth)
    after *= np.exp(rng.normal(0, 0.02, truth.shape))
    noise: dict[str, Any] = {"noise": 0.05, "repetitions": 5}
    changes = compare(
        (LINE, measure(truth, rng, **noise)), (LINE, measure(after, rng, **noise)), target=4 * LINE[-1]
    )
    assert changes.kind.tolist() == ["same"] * 50
    lower, upper = changes.ratio_interval[~slowed].T
    assert ((lower < 1) & (upper > 1)).mean() >= 0.8


def busy(truth: FloatArray, rng: np.random.Generator, repetitions: int = 10) -> FloatArray:
    """Return repetitions on a busy machine: most are slowed a little, and a few are slowed much."""
    shape = (*truth.shape, repetitions)
    return truth[:, :, None] * (1 + 0.3 * rng.exponential(size=shape) * rng.lognormal(0, 0.7, shape))


def test_kernels_on_a_busy_machine_are_compared_by_their_fastest_runs() -> None:
    """The campaigns have one size, as in a comparison of two compilers. The middles of ten repetitions
    scatter by a tenth.
    """
    rng = np.random.default_rng(1)
    truth = random_functions(60, 1, rng).evaluate(LINE[:1])
    factor = np.where(np.arange(60) < 20, rng.choice([0.75, 1.33], 60), 1.0)
    before, after = busy(truth, rng), busy(truth * factor[:, None], rng)
    changes = compare((LINE[:1], before), (LINE[:1], after), target=LINE[0])
    assert (changes.kind[:20] == "factor").mean() >= 0.9
    assert (changes.kind[20:] == "same").all()
    assert changes.shift == pytest.approx(1, abs=0.02)


def test_unchanged_kernels_on_a_busy_machine_raise_no_alarm() -> None:
    rng = np.random.default_rng(2)
    truth = random_functions(2000, 1, rng).evaluate(LINE)
    before, after = busy(truth, rng, 5), busy(1.2 * truth, rng, 5)
    for points in (1, 5):
        sides = ((LINE[:points], each[:, :points]) for each in (before, after))
        changes = compare(*sides, target=LINE[0])
        assert np.mean(changes.kind != "same") <= 0.001
        low, high = changes.ratio_interval.T
        assert ((low < 1) & (high > 1)).mean() >= 0.93


def test_drift_at_a_single_point_is_not_mistaken_for_many_small_factors() -> None:
    """A tenth of the kernels became slower by 30 %, and drift is larger than noise."""
    told = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        values = rng.uniform(1, 100, (600, 1)), np.exp(rng.normal(0, 0.06, (600, 1)))
        after = values[0] * values[1] * np.where(np.arange(600)[:, None] < 60, 1.3, 1)
        before, later = (measure(each, rng, noise=0.05, repetitions=5) for each in (values[0], after))
        told.append(compare((LINE[:1], before), (LINE[:1], later), target=[64.0]).kind != "same")
    assert np.mean([each[:60] for each in told]) > 0.9
    assert np.mean([each[60:] for each in told]) < 0.008


def test_kernels_that_a_shift_of_most_others_did_not_affect_raise_no_alarm() -> None:
    """Of 200 kernels, 120 became slower by 30 %; the machine is 2 % slower for all of them."""
    rng = np.random.default_rng(4)
    truth = random_functions(200, 1, rng).evaluate(LINE)
    slower = (
        1.02 * truth * np.where(np.arange(200)[:, None] < 120, 1.3, 1) * np.exp(rng.normal(0, 0.01, (200, 1)))
    )
    before, after = (measure(each, rng, noise=0.05, repetitions=5) for each in (truth, slower))
    changes = compare((LINE, before), (LINE, after), target=[256.0])
    assert changes.shift == pytest.approx(1.02 * 1.3, rel=0.02)
    assert np.mean(changes.kind != "same") < 0.02


@pytest.mark.parametrize("kernels", [20, 74, 444])
def test_a_large_drift_at_a_single_point_is_no_change(kernels: int) -> None:
    """On a busy machine, kernels may drift by 30 % although their repetitions scatter by 5 % only."""
    alarms = 0
    for seed in range(2):
        rng = np.random.default_rng(seed)
        truth = np.exp(rng.normal(0, 2, (kernels, 1)))
        after = truth * np.exp(rng.normal(0, 0.3, truth.shape))
        before, later = (measure(each, rng, noise=0.17, repetitions=5) for each in (truth, after))
        alarms += int(
            np.isin(compare((LINE[:1], before), (LINE[:1], later), target=[64.0]).kind, "factor").sum()
        )
    assert alarms == 0


def test_few_kernels_that_became_much_slower_are_found_at_a_single_point() -> None:
    """Six of 60 kernels became slower by half under a drift of 6 %. The certainty of such a change is not
    bounded by the probability that drift has heavy tails.
    """
    rng = np.random.default_rng(0)
    truth, drift = rng.uniform(1, 100, (60, 1)), np.exp(rng.normal(0, 0.06, (60, 1)))
    after = truth * drift * np.where(np.arange(60)[:, None] < 6, 1.5, 1)
    before, later = (measure(each, rng, noise=0.05, repetitions=5) for each in (truth, after))
    changes = compare((LINE[:1], before), (LINE[:1], later), target=[64.0])
    assert changes.kind.tolist() == ["factor"] * 6 + ["same"] * 54


def test_changes_of_few_kernels_under_drift_are_found_at_a_single_point() -> None:
    """Six of 60 kernels became slower by half under a drift of 10 %, which the kernels hardly tell."""
    told = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        truth, drift = rng.uniform(1, 100, (60, 1)), np.exp(rng.normal(0, 0.1, (60, 1)))
        after = truth * drift * np.where(np.arange(60)[:, None] < 6, 1.5, 1)
        before, later = (measure(each, rng, noise=0.05, repetitions=5) for each in (truth, after))
        told.append(compare((LINE[:1], before), (LINE[:1], later), target=[64.0]).kind == "factor")
    assert np.mean([each[:6] for each in told]) > 0.55
    assert np.mean([each[6:] for each in told]) < 0.005
