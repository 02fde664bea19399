"""Change points, compared with an enumeration of all cuts, and series that have no change point."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.segmented import breaks
from modeling.engine.modelers.segmented.breaks import find_breaks
from modeling.engine.modelers.segmented.range_laws import SEGMENT_CLASSES, Ranges, one_term

X = 4 * 2.0 ** np.arange(9)


def runs(truth, width, seed=0, kernels=40):
    """Return the mean of five repetitions of the same truth, (X, kernels), and the variance of each mean."""
    factors = np.random.default_rng(seed).uniform(1 - width / 2, 1 + width / 2, (len(truth), kernels, 5))
    return truth[:, None] * factors.mean(axis=2), np.full(kernels, width**2 / 12 / 5)


def broken(found):
    """Return the share of kernels with several segments."""
    return (found.probability[0] < 0.5).mean()


def test_sums_over_cuts_equal_those_of_an_enumeration():
    table = np.full((10, 10, len(breaks.DEVIATIONS), 3), -np.inf)
    for begin, end in combinations(range(10), 2):
        if end - begin >= breaks.SHORTEST_SEGMENT:
            table[begin, end] = np.random.default_rng(begin * 10 + end).normal(0, 2, table.shape[2:])
    sums = breaks._sums(table, np.logaddexp)
    for number in range(3):
        ways = [
            sum(table[begin, end] for begin, end in zip((0, *cuts), (*cuts, 9), strict=True))
            for cuts in combinations(range(1, 9), number)
        ]
        np.testing.assert_allclose(sums[number, 9], np.logaddexp.reduce(ways))


def test_probabilities_equal_those_of_an_enumeration():
    whole, left, right = (
        np.array(log_evidence, dtype=float)
        for log_evidence in ([3, 1, 0, 0, 0, 0], [2, 1, 1, 0, 0, 0], [0, 0, 0, 0, 2, 4])
    )
    table = np.full((7, 7, len(breaks.DEVIATIONS), 1), -np.inf)
    table[0, 6, :, 0], table[0, 3, :, 0], table[3, 6, :, 0] = whole, left, right
    found = breaks._cut(table, breaks._log_sizes(np.array([0.01])))
    prior = breaks.DEVIATIONS**-breaks.DEVIATION_POWER
    prior /= prior.sum()
    one = 2 * (prior * np.exp(whole)).sum()
    same_size = (prior * np.exp(left + right)).sum()
    own_sizes = (prior * np.exp(left)).sum() * (prior * np.exp(right)).sum()
    two = breaks.BREAK_PRIOR * (same_size + own_sizes)
    np.testing.assert_allclose(found.probability[:, 0], np.array([one, two]) / (one + two))
    assert found.starts[1, :, 0].tolist() == [0, 3]


def test_errors_equal_those_of_least_squares():
    ranges = Ranges(np.arange(9), 4)
    basis = Basis(X[:, None])
    y = np.random.default_rng(3).uniform(1, 2, (len(X), 5)) * (3 + X[:, None])
    fit = one_term(basis, SEGMENT_CLASSES, ranges).fit(y)
    for n, (begin, end) in enumerate(zip(*ranges.bounds, strict=True)):
        part = slice(begin, end)
        for k in range(5):
            term = X[part]  # The term of the class (1, 0).
            columns = np.column_stack([np.ones(end - begin), term]) / y[part, k, None]
            least = np.linalg.lstsq(columns, np.ones(end - begin), rcond=None)[1][0]
            assert np.isclose(fit.misfit[n, :, k], least, rtol=1e-6).any()


@pytest.mark.parametrize("width", [0.02, 0.3, 0.75])
@pytest.mark.parametrize(
    "law",
    [
        np.full(9, 7.0),
        0.3 * X**1.5,
        5 + 0.01 * X * np.log2(X),
        100 / X + 1.5 * np.log2(X),
        3 * np.log2(X) + 0.01 * X**1.25,
        100 - 380 / X,
        100 - 180 / X**0.5,
    ],
)
def test_a_single_law_has_no_break(law, width):
    assert broken(find_breaks(X, *runs(law, width))) <= 0.025


def test_a_series_that_fluctuates_everywhere_has_no_break():
    wiggles = np.exp(np.random.default_rng(1).normal(0, 0.05, (9, 300)))
    found = find_breaks(X, (3 + X)[:, None] * wiggles, np.full(300, 1e-5))
    assert broken(found) <= 0.03


@pytest.mark.parametrize(
    "truth",
    [
        (2 + X) * np.where(X < 100, 1.0, 2.0),
        (2 + X) * np.where(X < 100, 1.0, 0.5),
        np.where(X < 100, 0.02 * X, 1.4 + 0.3 * np.log2(X)),
        np.where(X < 100, 5.0, 12 * (X / 128) ** 2),
    ],
)
def test_steps_and_switches_are_found_at_the_right_value(truth):
    found = find_breaks(X, *runs(truth, 0.05))
    assert broken(found) == 1
    assert (found.probability.argmax(axis=0) == 1).all()
    assert (X[found.starts[1, 1]] == 128).mean() > 0.7


def test_a_straight_line_after_values_that_scatter_is_found():
    x = 2.0 ** np.arange(16)
    scattered = np.exp(np.random.default_rng(2).normal(0, 0.5, (8, 40)))
    line = np.repeat((50 + 0.2 * x[8:])[:, None], 40, axis=1)
    found = find_breaks(x, np.concatenate([7 * scattered, line]), np.zeros(40))
    last = np.array([found.best_starts(kernel)[-1:] for kernel in range(40)])
    assert last.shape == (40, 1)
    assert (last == 8).mean() >= 0.9


def test_three_segments_are_found():
    truth = np.where(X < 32, 1 + X, np.where(X < 256, 400 + 0.2 * X, 40.0))
    found = find_breaks(X, *runs(truth, 0.05))
    assert (found.probability.argmax(axis=0) == 2).all()
    assert (found.starts[2, :, :].T == [0, 3, 6]).all()


def test_without_repetitions_fewer_breaks_are_found_and_none_invented():
    smooth, step = 2 + X, (2 + X) * np.where(X < 100, 1.0, 3.0)
    once = [find_breaks(X, runs(truth, 0.1)[0], np.zeros(40)) for truth in (smooth, step)]
    assert broken(once[0]) == 0
    assert broken(once[1]) == 1


def test_a_segment_has_three_values():
    x = X[:6]
    found = find_breaks(x, *runs(np.where(x < 30, 1.0, 2.0), 0.05))
    assert found.probability.shape == (2, 40)
    assert (found.starts[1, 1] == 3).all()
    late = find_breaks(X, *runs(np.where(X[-1] <= X, 2.0, 1.0), 0.05))
    assert broken(late) == 0


def test_series_are_judged_independently():
    y, variance = runs((2 + X) * np.where(X < 100, 1.0, 2.0), 0.1)
    y[:, ::2] = runs(2 + X, 0.1, seed=1)[0][:, ::2]
    together = find_breaks(X, y, variance)
    alone = [find_breaks(X, y[:, k : k + 1], variance[k : k + 1]).probability[:, 0] for k in range(4)]
    np.testing.assert_allclose(together.probability[:, :4].T, alone, atol=1e-9)


def test_a_break_among_many_values_is_located_exactly():
    rng, x = np.random.default_rng(4), np.arange(1.0, 401)
    cuts = np.array([101, 120, 235, 299])
    truth = (3 + x)[:, None] * np.where(x[:, None] <= cuts, 1, 2)
    found = find_breaks(x, truth * rng.normal(1, 0.01, truth.shape), np.full(4, 1e-4))
    assert (found.probability.argmax(axis=0) == 1).all()
    assert found.starts[1, 1].tolist() == cuts.tolist()


@pytest.mark.parametrize("count", [150, 1000])
def test_many_values_take_little_memory(count):
    x = np.arange(1.0, count + 1)
    broken_law = np.where(x <= count / 2, 3 + x, 40 + 2 * x)
    y = np.stack([3 + x, broken_law], axis=1)
    tracemalloc.start()
    found = find_breaks(x, y, np.full(2, 1e-4))
    room = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.probability[0].round(2).tolist() == [1, 0]
    assert found.probability[:, 1].argmax() == 1
    assert x[found.starts[1, 1, 1]] == count // 2 + 1
    assert room < 150 * 2**20


@pytest.mark.parametrize("count", [1000, 10_000])
def test_a_break_among_thousands_of_values_is_located_exactly(count):
    x = np.arange(1.0, count + 1)
    at = count * 3 // 7
    y = (5 + x) * np.where(np.arange(count) < at, 1, 1.5)
    y *= np.random.default_rng(0).normal(1, 0.03, count)
    found = find_breaks(x, y[:, None], np.zeros(1))
    assert found.probability[:, 0].argmax() == 1
    assert abs(found.best_starts(0)[0] - at) <= 2
