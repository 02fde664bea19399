"""The ratios of kernels whose law changed, far beyond the measured values."""

import numpy as np
import pytest

from modeling.engine import Changes, compare

CHANGED, KERNELS = 6, 30
SEEDS = range(5)


def compared(x: np.ndarray, before: np.ndarray, after: np.ndarray, seed: int) -> Changes:
    """Compare kernels with a law `before` and `after`, and others that did not change.

    The target is 8 times the largest value. Repetitions scatter by 2 %, kernels drift by 1 %.
    """
    rng = np.random.default_rng(seed)
    laws = [np.ones(len(x)), 1 + x / x[-1], 1 + np.log2(x + 1), 1 + 10 / x]
    others = [laws[rng.integers(len(laws))] for _ in range(KERNELS - CHANGED)]
    scales = rng.uniform(0.5, 2, (KERNELS, 1))
    old, new = (scales * np.array([one] * CHANGED + others) for one in (before, after))

    def measured(values: np.ndarray) -> np.ndarray:
        drift = 0.01 * rng.standard_normal((KERNELS, 1)) + 0.005 * rng.standard_normal(values.shape)
        return (values * np.exp(drift))[:, :, None] * np.exp(0.02 * rng.standard_normal((*values.shape, 5)))

    points = x[:, None]
    return compare((points, measured(old)), (points, measured(new)), target=points[-1:] * 8)


def test_the_minimum_of_strong_scaling_may_move() -> None:
    x = 2.0 ** np.arange(3, 12)
    truth = 4.0  # c of 1 + 500 / p + c * p grows from 0.01 to 0.04
    found = [compared(x, 1 + 500 / x + 0.01 * x, 1 + 500 / x + 0.04 * x, seed) for seed in SEEDS]
    ratio = np.concatenate([each.ratio[:CHANGED] for each in found])
    lower, upper = np.concatenate([each.ratio_interval[:CHANGED] for each in found]).T
    assert np.median(np.abs(np.log(ratio / truth))) < 0.2
    assert ((lower <= truth) & (truth <= upper)).mean() > 0.9


@pytest.mark.parametrize(("old", "new"), [(1.37, 1.6), (0.4, 0.58)])
def test_powers_between_those_of_laws_may_change(old: float, new: float) -> None:
    x = 4.0 * np.arange(1, 11)
    truth = (1 + (8 * x[-1]) ** new) / (1 + (8 * x[-1]) ** old)
    found = [compared(x, 1 + x**old, 1 + x**new, seed) for seed in SEEDS]
    lower, upper = np.concatenate([each.ratio_interval[:CHANGED] for each in found]).T
    assert ((lower <= truth) & (truth <= upper)).mean() > 0.75
