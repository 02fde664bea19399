"""The points near the largest values, which show how a kernel continues beyond them."""

import numpy as np

from modeling.engine.measured.near_points import (
    FEWEST_POINTS,
    LARGEST_VALUES,
    MOST_VALUES,
    NEAR_FACTOR,
    near_points,
    representative_points,
)


def selected(values, measured=None):
    points = np.asarray(values, dtype=float)[:, None]
    there = np.ones(len(points), dtype=bool) if measured is None else np.asarray(measured)
    return points[near_points(points, there), 0].tolist()


def test_the_points_with_the_largest_values_are_used():
    assert selected(2.0 ** np.arange(20)) == (2.0 ** np.arange(20)[-LARGEST_VALUES:]).tolist()
    assert selected([16.0, 4, 64]) == [16.0, 4, 64]  # If there are few points, all of them are used.


def test_only_measured_points_count():
    x = 2.0 ** np.arange(20)
    assert selected(x, x < 5000) == x[x < 5000][-LARGEST_VALUES:].tolist()


def test_if_values_are_close_some_within_a_factor_are_used():
    x = np.arange(1.0, 1001)
    near = selected(x)
    assert LARGEST_VALUES < len(near) <= MOST_VALUES
    assert min(near) >= x.max() / NEAR_FACTOR
    assert max(near) == x.max()
    gaps = np.diff(np.log(near))
    assert gaps.max() < 3 * gaps.min()  # The values have about equal distances on a logarithmic axis.


def test_grids_are_told_by_the_largest_values_of_each_parameter():
    grid = np.array([[p, n] for p in 2.0 ** np.arange(12) for n in 2.0 ** np.arange(12)])
    near = grid[near_points(grid, np.ones(len(grid), dtype=bool))]
    assert len(near) >= FEWEST_POINTS
    for axis in near.T:
        # 7 values of each parameter give 49 points, fewer than FEWEST_POINTS. An eighth value gives enough.
        assert len(set(axis)) == 8
    assert [2.0**11, 2.0**11] in near.tolist()


def test_a_few_points_represent_all():
    x = 2.0 ** np.arange(60)[:, None]
    some = representative_points(x, np.ones(60, dtype=bool), 20)
    assert len(some) == 20
    assert some[0] == 0
    assert some[-LARGEST_VALUES:].tolist() == list(range(60 - LARGEST_VALUES, 60))
    assert np.diff(some).max() <= 6
    every = representative_points(x, np.ones(60, dtype=bool), 100)
    assert every.tolist() == list(range(60))
    few = representative_points(x, np.ones(60, dtype=bool), 4)
    assert few.tolist() == [56, 57, 58, 59]


def test_the_choice_does_not_depend_on_the_order():
    grid = np.array(
        [[p, n, k] for p in 2.0 ** np.arange(5) for n in 2.0 ** np.arange(5) for k in (1, 2, 3, 4, 5)]
    )
    order = np.random.default_rng(0).permutation(len(grid))
    there = np.ones(len(grid), dtype=bool)
    one, other = grid[representative_points(grid, there, 27)], grid[order]
    other = other[representative_points(other, there, 27)]
    assert sorted(one.tolist()) == sorted(other.tolist())
    assert one.min(axis=0).tolist() == [4.0, 4.0, 3.0]  # The three largest values of each parameter.
