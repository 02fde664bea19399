"""Comparisons of campaigns with few kernels, or with one or two points."""

from typing import Any

import numpy as np
import pytest

from modeling.engine import Changes, compare
from modeling.engine.laws.synthetic import grid, measure, random_functions
from tests.modeling.engine.changes.measured_twice import LINE


class TestFewKernels:
    """With few kernels it may be impossible to tell a change of the machine from one of the code."""

    def compared(self, factors: list[float], seed: int) -> Changes:
        """Compare kernels that became slower by these factors; noise of 2 %, seven points, five runs."""
        rng = np.random.default_rng(seed)
        points = grid([(4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)])
        truth = random_functions(len(factors), 1, rng).evaluate(points)
        after = truth * np.array(factors)[:, None]
        old, new = (measure(v, rng, noise=0.02) for v in (truth, after))
        return compare((points, old), (points, new), target=[512.0])

    @pytest.mark.parametrize("factor", [1.5, 1.15])
    @pytest.mark.parametrize(("changed", "kernels"), [(1, 1), (2, 3), (1, 3)])
    def test_a_certain_difference_is_never_called_the_same(
        self, factor: float, changed: int, kernels: int
    ) -> None:
        for seed in range(3):
            changes = self.compared([factor] * changed + [1.0] * (kernels - changed), seed)
            assert (changes.kind[:changed] != "same").all()
            assert (changes.kind[changed:] == "same").all()
            low, high = changes.ratio_interval[:changed].T
            assert (low < factor).all()
            assert (high > factor).all()

    def test_a_difference_of_unknown_cause_has_the_measured_ratio(self) -> None:
        changes = self.compared([1.5, 1.5, 1.0], 0)
        assert changes.kind.tolist() == ["unknown", "unknown", "same"]
        np.testing.assert_allclose(changes.ratio[:2], 1.5, rtol=0.02)
        assert (changes.ratio_interval[:2, 0] > 1.4).all()

    @pytest.mark.parametrize("kernels", [2, 3, 4])
    def test_what_all_kernels_share_is_the_shift(self, kernels: int) -> None:
        changes = self.compared([1.5] * kernels, 0)
        assert changes.kind.tolist() == ["same"] * kernels
        low, high = changes.shift_interval
        assert 1.05 < low < 1.5 < high < 1.6

    @pytest.mark.parametrize("kernels", [1, 2, 3, 6, 100])
    def test_unchanged_kernels_are_the_same(self, kernels: int) -> None:
        kinds = np.concatenate([self.compared([1.0] * kernels, seed).kind for seed in range(10)])
        assert (kinds == "same").all()


class TestFewPoints:
    """At one or two points no law exists, but a kernel can still become slower or faster."""

    POINTS = np.array([[64.0]])

    def runs(self, seed, repetitions, noise=0.02, kernels=12):
        drawn = np.random.default_rng(seed).normal(1.0, noise, (kernels, 1, repetitions))
        return drawn * np.arange(1, kernels + 1)[:, None, None]

    def kinds(self, before, after):
        return compare((self.POINTS, before), (self.POINTS, after), target=[1024.0])

    def test_it_works(self):
        after = self.runs(2, 5)
        after[3] *= 1.5
        changes = self.kinds(self.runs(1, 5), after)
        assert changes.kind.tolist() == ["same"] * 3 + ["factor"] + ["same"] * 8
        assert changes.probability[3] > 0.99
        low, high = changes.ratio_interval[3]
        assert 1.3 < low < 1.5 < high < 1.7
        assert not changes.probabilities[:, 2].any()

    def test_single_values_show_their_noise_by_how_kernels_differ(self):
        before, after = self.runs(1, 1), self.runs(2, 1)
        after[3] *= 1.05
        after[4] *= 3
        changes = self.kinds(before, after)
        assert changes.kind[3] == "same"
        assert changes.kind[4] == "factor"
        low, high = changes.ratio_interval[4]
        assert low < 3 < high

    def test_unchanged_code_is_the_same(self):
        changed = sum(
            (
                self.kinds(self.runs(seed, repetitions), self.runs(seed + 1000, repetitions)).kind != "same"
            ).sum()
            for seed in range(25)
            for repetitions in (1, 2, 5)
        )
        assert changed <= 1  # of 900

    def test_no_point_in_common_tells_nothing(self):
        changes = compare((self.POINTS, self.runs(1, 5)), (self.POINTS * 2, self.runs(2, 5)), target=[1024.0])
        assert (changes.kind == "unknown").all()


@pytest.mark.parametrize(
    "log_ratios", [(-0.47, 0.23, -0.56, 0.19, -0.15, 0.86), (0.1, -0.45, 0.3, -0.2, 0.6, -0.65)]
)
def test_widely_differing_ratios_of_six_kernels_are_no_changes(log_ratios: tuple[float, ...]) -> None:
    """Six kernels cannot tell whether nearly all changed or drift is large. Then none is reported."""
    rng = np.random.default_rng(0)
    truth = np.exp(rng.normal(0, 2, (6, 1)))
    after = truth * np.exp(log_ratios)[:, None]
    before, later = (measure(each, rng, noise=0.05, repetitions=5) for each in (truth, after))
    changes = compare((LINE[:1], before), (LINE[:1], later), target=LINE[0])
    assert np.isin(changes.kind, ("same", "unknown")).all()


def test_some_factors_are_found_among_few_kernels_under_a_drift_of_10_percent() -> None:
    """Six of 60 kernels became slower by half. An observer who knows that all factors are
    equal finds 74 % with one false report of 1,000.
    """
    told, changed = [], np.arange(60) < 6
    for seed in range(6):
        rng = np.random.default_rng(seed)
        truth = np.exp(rng.normal(0, 2, (60, 1)))
        after = truth * np.exp(rng.normal(0, 0.1, truth.shape)) * np.where(changed, 1.5, 1.0)[:, None]
        before, later = (measure(each, rng, noise=0.05, repetitions=5) for each in (truth, after))
        told.append(compare((LINE[:1], before), (LINE[:1], later), target=LINE[0]).kind == "factor")
    assert np.mean(told, axis=0)[changed].mean() > 0.45
    assert np.mean(told, axis=0)[~changed].mean() < 0.005


@pytest.mark.parametrize("seed", [0, 3])
def test_another_compiler_may_change_most_kernels(seed: int) -> None:
    """The campaigns have a single point. The 10 unchanged kernels are recognised only because their ratios
    agree. Between -O0 and -O2 with gcc, log ratios have a spread of 0.65. With 0.5, a drift of 30 % explains
    the ratios as well as changes in three of eight cases.
    """
    rng = np.random.default_rng(seed)
    truth = random_functions(50, 1, rng).evaluate(LINE[:1])
    changed = rng.permutation(50) < 40
    factor = np.where(changed, np.exp(rng.normal(0, 0.65, 50)), 1.0)
    after = truth * factor[:, None] * np.exp(rng.normal(0, 0.05, truth.shape))
    noise: dict[str, Any] = {"noise": 0.2, "repetitions": 10}
    first = LINE[:1]
    changes = compare(
        (first, measure(truth, rng, **noise)), (first, measure(after, rng, **noise)), target=LINE[0]
    )
    own = np.log(factor) - np.log(changes.shift)
    assert (changes.kind[np.abs(own) > 0.3] == "factor").mean() > 0.9
    assert (changes.kind[~changed] == "same").all()


def test_a_compiler_that_changed_every_kernel_by_another_amount_is_no_drift() -> None:
    """No kernel shows the size of drift. So large a drift is improbable, and most kernels are reported."""
    told = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth = rng.uniform(1, 100, (74, 1))
        after = truth * np.exp(rng.normal(-1, 0.65, truth.shape))
        before, later = (measure(each, rng, noise=0.2, repetitions=10) for each in (truth, after))
        told.append((compare((LINE[:1], before), (LINE[:1], later), target=LINE[0]).kind == "factor").sum())
    assert min(told) >= 40
