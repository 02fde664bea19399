"""The bound that the benchmark prints beside deduced designs: no design may be below it."""

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.benchmarks.ideal_designs import least_variance, variance

POINTS = np.array([1.0, 2.0, 3.0, 4.0])
LINE = np.stack([np.ones(4), POINTS], axis=1)[None]
AHEAD = np.array([[1.0, 8.0]])
COSTS = POINTS**2


def elfving(price: np.ndarray) -> float:
    """Return the least variance at the target of designs of price 1, by Elfving's theorem (1952).

    It is the square of the least price-weighted sum of coefficients by which rows form the target.
    """
    root = np.sqrt(price)
    rows = np.hstack([LINE[0].T, -LINE[0].T])
    found = linprog(np.tile(root, 2), A_eq=rows, b_eq=AHEAD[0], bounds=(0, None))
    return float(found.fun) ** 2


@pytest.mark.parametrize(("limit", "price"), [((10.0, 1e9), COSTS / 10), ((1e9, 30.0), np.full(4, 1 / 30))])
def test_with_one_limit_it_is_the_least_variance(limit: tuple[float, float], price: np.ndarray) -> None:
    bound = least_variance(LINE, AHEAD, COSTS, limit)
    assert 0.98 * elfving(price) < bound < 1.0001 * elfving(price)


def test_with_two_limits_designs_come_close_and_none_is_below() -> None:
    """All designs in steps of an eighth of the runs, for two functions."""
    rows = np.stack([LINE[0], np.stack([np.ones(4), np.sqrt(POINTS)], axis=1) / POINTS[:, None]])
    aim = np.array([[1.0, 8.0], [1.0, np.sqrt(8.0)]])
    limits = 120.0, 20.0
    bound = least_variance(rows, aim, COSTS, limits)
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 9)] * 4), axis=-1).reshape(-1, 4)
    found = []
    for design in grid[(grid > 0).sum(axis=1) >= 2]:
        runs = design / max(design @ COSTS / limits[0], design.sum() / limits[1])
        found.append(variance(rows, aim, runs)[0])
    assert bound <= min(found) < 1.05 * bound
