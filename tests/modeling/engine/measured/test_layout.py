"""Lines of points along a parameter, found again by loops over dictionaries."""

from collections import defaultdict

import numpy as np
import pytest

from modeling.engine.measured.layout import axes, largest_point, patterns


def lines_of(points, parameter, measured):
    """Return line → value of the parameter → index of the point, for the measured points of a kernel. Lines
    are in ascending order of the other parameters.
    """
    found = defaultdict(dict)
    for number in np.lexsort(np.delete(points, parameter, axis=1).T[::-1]):
        if measured[number]:
            found[tuple(np.delete(points[number], parameter))][points[number, parameter]] = number
    return list(found.values())


def averaged(points, parameter, y, measured):
    """Return value of the parameter → average over the longest lines that have the values of the first one,
    and the number of these lines.
    """
    lines = lines_of(points, parameter, measured)
    longest = [line for line in lines if len(line) == max(map(len, lines))]
    used = [line for line in longest if line.keys() == longest[0].keys()]
    return {x: np.mean([y[line[x]] for line in used]) for x in used[0]}, len(used)


@pytest.fixture
def scattered():
    """Return points of three parameters, values (P, K), and a mask of measured values."""
    rng = np.random.default_rng(1)
    points = np.array([(a, b, c) for a in (1.0, 2, 4, 8) for b in (3.0, 5, 7) for c in (10.0, 20)])
    points = points[rng.permutation(len(points))[:20]]
    w = (rng.random((len(points), 30)) < 0.8).astype(float)
    return points, rng.uniform(1, 2, w.shape) * w, w


@pytest.mark.parametrize("parameter", range(3))
def test_kernels_are_averaged_over_their_longest_lines(scattered, parameter):
    points, y, w = scattered
    axis = axes(points)[parameter]
    values, there = axis.average(y, w)
    several = 0
    for kernel in range(y.shape[1]):
        expected, count = averaged(points, parameter, y[:, kernel], w[:, kernel] > 0)
        found = {x: values[place, kernel] for place, x in enumerate(axis.x) if there[place, kernel]}
        assert found == pytest.approx(expected)
        assert axis.lines_averaged(w)[kernel] == count
        assert axis.value_counts(w)[kernel] == len(expected)
        several += count > 1
    assert several > 5


def test_points_on_a_single_line_are_only_sorted():
    points = np.array([[4.0], [1], [2]])
    values, there = axes(points)[0].average(np.array([[40.0], [10], [20]]), np.ones((3, 1)))
    assert values.tolist() == [[10], [20], [40]]
    assert (there == 1).all()


def test_the_largest_point_has_the_largest_product_of_all_parameters(scattered):
    points, _, w = scattered
    found = largest_point(points, w)
    for kernel in range(w.shape[1]):
        products = {number: points[number].prod() for number in np.flatnonzero(w[:, kernel])}
        assert products[found[kernel]] == max(products.values())
    assert largest_point(np.array([[1.0, 100], [20, 20], [4, 60]]), np.ones((3, 1))) == [1]


def test_kernels_are_grouped_by_the_points_at_which_they_were_measured():
    there = np.array([[1, 0, 1, 0, 1], [1, 1, 1, 0, 1], [0, 1, 0, 0, 0]], dtype=bool)
    found = {tuple(mask): kernels.tolist() for mask, kernels in patterns(there)}
    assert found == {(True, True, False): [0, 2, 4], (False, True, True): [1]}
    assert [kernels.tolist() for _, kernels in patterns(there[:2, :1])] == [[0]]
    assert list(patterns(there[:, :0])) == []
