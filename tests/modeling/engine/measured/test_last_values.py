"""The last two values along each parameter, beside a search through all pairs of points."""

from itertools import product

import numpy as np
import pytest

from modeling.engine.measured.last_values import LEAST_STEP, NONE, LastValues


def by_search(points, there, parameter):
    """(last, before) of one kernel: of all pairs on a line, the largest first."""
    others = np.delete(points, parameter, axis=1)
    x = points[:, parameter]
    pairs = [
        (x[last], np.log(others[last]).sum(), x[before], last, before)
        for last, before in product(np.flatnonzero(there), repeat=2)
        if (others[last] == others[before]).all() and x[before] <= x[last] / LEAST_STEP * (1 + 1e-12)
    ]
    return max(pairs)[3:] if pairs else (NONE, NONE)


@pytest.mark.parametrize("parameters", [1, 2, 3])
def test_it_is_what_a_search_through_all_pairs_finds(parameters):
    rng = np.random.default_rng(parameters)
    values = ([1, 2, 3, 4, 4.5, 100], [10, 11, 30, 90], [1, 5, 7])[:parameters]
    points = np.array(list(product(*values)), dtype=float)
    points = points[rng.permutation(len(points))]
    there = rng.random((60, len(points))) < rng.choice([0.15, 0.5, 1.0], (60, 1))
    found = LastValues.of(points, there)
    for kernel, parameter in product(range(60), range(parameters)):
        expected = by_search(points, there[kernel], parameter)
        assert (found.last[kernel, parameter], found.before[kernel, parameter]) == expected


def test_slopes_are_those_of_power_laws():
    points = np.array(
        list(
            product([2.0, 4, 8], [10.0, 100]),
        ),
        dtype=float,
    )
    values = np.array([points[:, 0] ** 0.5 * points[:, 1] ** 2, 7 / points[:, 0]])
    found = LastValues.of(points, np.ones((2, 6), dtype=bool))
    np.testing.assert_allclose(found.slopes(points, values), [[0.5, 2], [-1, 0]], atol=1e-12)


def test_one_value_of_a_parameter_has_no_slope():
    points = np.array([[1.0, 5], [2, 5], [4, 5]])
    slopes = LastValues.of(points, np.ones((1, 3), dtype=bool)).slopes(points, np.ones((1, 3)))
    assert slopes[0, 0] == 0
    assert np.isnan(slopes[0, 1])


def test_values_closer_than_noise_tells_are_passed_over():
    points = np.array([[10.0], [20], [21]])
    found = LastValues.of(points, np.ones((1, 3), dtype=bool))
    assert points[found.before[0, 0], 0] == 10
