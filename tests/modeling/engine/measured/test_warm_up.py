"""Repetitions whose order matters."""

import numpy as np
import pytest
from scipy import stats

from modeling.engine import warm_up


def repeated(first, *, points=8, repetitions=4, kernels=200, noise=0.05):
    rng = np.random.default_rng(3)
    values = (
        np.exp(rng.normal(0, noise, (kernels, points, repetitions))) * np.geomspace(1, 50, points)[:, None]
    )
    values[:, :, 0] *= first
    return values


def test_a_slow_first_repetition_is_found_with_its_size():
    found = warm_up(repeated(1.2))
    assert found.there.mean() > 0.95
    assert np.median(found.effect) == pytest.approx(0.2, abs=0.02)


def test_repetitions_in_no_order_are_rarely_taken_for_a_warm_up():
    assert warm_up(repeated(1.0, kernels=2000)).there.mean() <= 0.015


def test_the_test_is_that_of_single_kernels_and_leaves_out_what_is_missing():
    values = repeated(1.1, kernels=3)
    values[0, 2] = np.nan
    values[1, :, 2:] = np.nan
    values[2, 4, 1:] = np.nan
    found = warm_up(values)
    assert found.points.tolist() == [7, 8, 7]
    for kernel, of_kernel in enumerate(values):
        ratios = [
            np.log(first) - np.nanmedian(np.log(rest))
            for first, *rest in of_kernel
            if np.isfinite(first) and np.isfinite(rest).any()
        ]
        assert found.effect[kernel] == pytest.approx(np.exp(np.mean(ratios)) - 1)
        assert found.chance[kernel] == pytest.approx(stats.ttest_1samp(ratios, 0).pvalue)


@pytest.mark.parametrize("values", [np.ones((2, 5, 1)), np.zeros((2, 5, 3)), np.full((2, 6, 3), np.nan)])
def test_without_positive_repetitions_nothing_is_found(values):
    assert not warm_up(values).there.any()


def test_a_difference_at_few_points_or_of_little_size_is_not_worth_a_sentence():
    assert not warm_up(repeated(1.3, points=4)).there.any()
    assert not warm_up(repeated(1.01, noise=0.001)).there.any()
