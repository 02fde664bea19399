"""The last two values on each line, compared with a search through all points."""

from itertools import product

import numpy as np
import pytest

from modeling.engine.measured.last_values import LEAST_STEP, NONE, LastValues


def by_search(points, there, parameter, on_line):
    """Search all points of one kernel and return the numbers (last, before) of the last two values on a line.

    `last` is the largest value of the line. `before` is the largest one that is smaller by a factor of at
    least `LEAST_STEP`.
    """
    others, x = np.delete(points, parameter, axis=1), points[:, parameter]
    on_line = np.flatnonzero(there & (others == others[on_line]).all(axis=1))
    if not len(on_line):
        return NONE, NONE
    last = on_line[np.argmax(x[on_line])]
    before = [point for point in on_line if x[point] <= x[last] / LEAST_STEP * (1 + 1e-12)]
    return (last, max(before, key=lambda point: x[point])) if before else (NONE, NONE)


@pytest.mark.parametrize("parameters", [1, 2, 3])
def test_the_result_equals_a_search_through_all_points(parameters):
    rng = np.random.default_rng(parameters)
    values = ([1, 2, 3, 4, 4.5, 100], [10, 11, 30, 90], [1, 5, 7])[:parameters]
    points = np.array(list(product(*values)), dtype=float)
    points = points[rng.permutation(len(points))]
    there = rng.random((60, len(points))) < rng.choice([0.15, 0.5, 1.0], (60, 1))
    found = LastValues.of(points, there)
    lines = [len(points) // len(of_one) for of_one in values]
    np.testing.assert_array_equal(found.parameter, np.repeat(np.arange(parameters), lines))
    for kernel, line in product(range(60), range(sum(lines))):
        expected = by_search(points, there[kernel], found.parameter[line], found.any_point[line])
        assert (found.last[kernel, line], found.before[kernel, line]) == expected
        assert found.known[kernel, line] == (expected[0] != NONE)


def test_each_line_occurs_once():
    points = np.array(list(product([1.0, 2, 3], [10.0, 20])))
    found = LastValues.of(points, np.ones((1, 6), dtype=bool))
    others = {
        (int(along), points[any_point, 1 - along])
        for along, any_point in zip(found.parameter, found.any_point, strict=True)
    }
    assert others == {(0, 10.0), (0, 20.0), (1, 1.0), (1, 2.0), (1, 3.0)}
    second = found.along(np.array([1]))
    np.testing.assert_array_equal(second.last, found.last[:, 2:])
    np.testing.assert_array_equal(second.parameter, [1, 1, 1])


def test_slopes_are_those_of_power_laws():
    points = np.array(list(product([2.0, 4, 8], [10.0, 100])))
    values = np.array([points[:, 0] ** 0.5 * points[:, 1] ** 2, 7 / points[:, 0]])
    found = LastValues.of(points, np.ones((2, 6), dtype=bool))
    expected = [[0.5, 0.5, 2, 2, 2], [-1, -1, 0, 0, 0]]
    np.testing.assert_allclose(found.slopes(values), expected, atol=1e-12)


def test_errors_of_slopes_are_those_of_both_values_by_their_distance():
    points = np.array([[2.0], [4], [8]])
    found = LastValues.of(points, np.ones((1, 3), dtype=bool))
    error = found.slope_errors(np.array([[9.0, 0.03, 0.04]]))
    np.testing.assert_allclose(error, [[0.05 / np.log(2)]])


def test_a_single_value_has_no_slope():
    points = np.array([[1.0, 5], [2, 5], [4, 5]])
    found = LastValues.of(points, np.ones((1, 3), dtype=bool))
    slopes = found.slopes(np.ones((1, 3)))
    assert slopes[0, 0] == 0
    assert np.isnan(slopes[0, 1:]).all()
    assert np.isnan(found.slope_errors(np.ones((1, 3)))[0, 1:]).all()


def test_values_that_are_too_close_are_skipped():
    points = np.array([[10.0], [20], [21]])
    found = LastValues.of(points, np.ones((1, 3), dtype=bool))
    assert points[found.before[0, 0], 0] == 10
