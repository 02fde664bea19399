"""Deviations predicted at new points, compared with the formula for conditional normal distributions and with
plain loops.
"""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, t

from modeling.engine import fit
from modeling.engine.deviations.deviation import MOST_FREEDOM, NO_PROCESS, Deviation, join_deviations, nothing
from modeling.engine.deviations.known import STEP_OF_NUGGET, STEP_OF_SIZE, STEP_SIZE
from modeling.engine.deviations.processes import COUNTED_NUGGETS, processes
from modeling.engine.joining import in_turn

LOGS = np.log([4.0, 8, 16, 32, 64, 256])[:, None]
AT = np.log([[2.0], [16.0], [23.0], [100.0], [256.0], [2000.0]])


def number(m=1, **wanted):
    """Return the number of the process whose length, size and nugget are nearest to the given ones."""
    among = processes(m)
    length = np.array([*(kind.length for kind in among.kinds), 0])[among.kind]
    found = {"length": length, "size": among.size, "nugget": among.nugget}
    distance = np.where(among.kind >= 0, 0.0, np.inf)
    with np.errstate(divide="ignore"):
        for name, value in wanted.items():
            distance = distance + np.abs(np.log(found[name] / value))
    return int(distance.argmin())


def deviation(process, residual, logs=LOGS, error=0.0, draws=1):
    """Return the deviation of a kernel whose law is 1 everywhere."""
    errors = np.broadcast_to(error, (1, len(logs)))
    return Deviation(logs[None], np.asarray(residual, float)[None], errors, np.full((1, draws), process))


def factors(known, at=AT):
    ((kernels, points),) = known.groups()
    laws = np.zeros((1, known.process.shape[1], len(points)))
    return np.log(known.factors(kernels, points, laws, at)[0])


def width(draws, freedom=MOST_FREEDOM):
    """Return the scale (Q,) of Student's distribution, estimated from the quartiles of draws (S, Q)."""
    return np.subtract(*np.quantile(draws, [0.75, 0.25], axis=0)) / (2 * t(freedom).ppf(0.75))


def with_step(spread, at, process, logs=LOGS):
    """Return the scale together with the step of a process that is allowed beyond the measured range."""
    among = processes(logs.shape[1])
    spare = max(len(np.unique(x)) for x in logs.T) - 2
    by_nugget = STEP_OF_NUGGET * among.nugget[process] / spare
    step = min(STEP_SIZE, np.hypot(STEP_OF_SIZE * among.size[process], by_nugget))
    beyond = np.maximum(np.maximum(at - logs.max(axis=0), logs.min(axis=0) - at), 0).sum(axis=1)
    scaled = np.sqrt(3) * beyond / 0.5
    return np.sqrt(spread**2 + step**2 * (1 - ((1 + scaled) * np.exp(-scaled)) ** 2))


def conditional(process, residual, at, logs=LOGS, error=0.0):
    """Return the mean and standard deviation at other points from the conditional normal distribution."""
    among = processes(logs.shape[1])
    every = np.concatenate([logs, at])
    kind = among.kinds[among.kind[process]]
    covariance = among.size[process] ** 2 * kind.covariance(every, every)
    own = among.nugget[process] ** 2
    n = len(logs)
    # Repetitions show the deviation of a single point. Its correlation ends well before the next point.
    if np.any(error):
        apart = np.linalg.norm(every[:, None] - every, axis=2)
        near = np.sqrt(3) * apart / (0.3 * apart[:n, :n][apart[:n, :n] > 0].min())
        covariance, own = covariance + own * (1 + near) * np.exp(-near), np.square(error)
    inverse = np.linalg.inv(covariance[:n, :n] + own * np.eye(n))
    mean = covariance[n:, :n] @ inverse @ residual
    left = covariance[n:, n:] - covariance[n:, :n] @ inverse @ covariance[:n, n:]
    return mean, np.sqrt(np.maximum(np.diag(left), 0))


KINDS = [
    {"length": 50.0, "size": 0.08},
    {"length": 50.0, "size": 0.01, "nugget": 0.1},
    {"length": 1.5, "size": 0.2},
    {"length": 15.0, "size": 0.5, "nugget": 0.005},
]
RESIDUAL = np.array([0.0, 0.1, 0.05, -0.1, -0.2, 0.3])
UNEQUAL = np.array([0.002, 0.002, 0.004, 0.25, 0.125, 0.002])
"""Standard errors of points with different numbers of repetitions."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [0.0, 0.125, UNEQUAL], ids=["once", "equal", "unequal"])
def test_draws_spread_as_the_conditional_distribution_does(kind, error):
    process = number(**kind)
    found = factors(deviation(process, RESIDUAL, error=error, draws=400))
    mean, spread = conditional(process, RESIDUAL, AT, error=error)
    np.testing.assert_allclose(found.mean(axis=0), mean, atol=1e-9)
    np.testing.assert_allclose(width(found), with_step(spread, AT, process), rtol=0.02, atol=1e-7)
    shape = t(MOST_FREEDOM).ppf([0.025, 0.975]) * with_step(spread, AT, process)[:, None]
    np.testing.assert_allclose(
        np.quantile(found, [0.025, 0.975], axis=0).T, mean[:, None] + shape, rtol=0.05, atol=1e-2
    )


@pytest.mark.parametrize(("values", "freedom"), [(3, 2), (4, 2), (5, 3), (6, 4)])
def test_the_fewer_values_the_more_often_deviations_are_large(values, freedom):
    process = number(length=50.0, size=0.08)
    found = factors(deviation(process, RESIDUAL[:values], LOGS[:values], draws=400), np.log([[1e4]]))
    low, middle, high = np.quantile(found[:, 0], [0.25, 0.5, 0.975])
    assert (high - middle) / (middle - low) == pytest.approx(
        t(freedom).ppf(0.975) / t(freedom).ppf(0.75), rel=0.1
    )


def test_a_kernel_near_its_law_has_a_smaller_step():
    """Beyond 12 flat values with errors of 0.5 %, intervals stay narrow."""
    values = 1 + 0.005 * np.random.default_rng(1).uniform(-1, 1, 12)
    models = fit(2.0 ** np.arange(12)[:, None], values[None, :, None])
    low, high = models.interval([[2.0**13]])
    assert 1.01 < (high / low).item() < 1.05


def test_two_parameters_give_the_conditional_distribution_too():
    grid = np.log(np.array([(p, n) for p in (2.0, 4, 8, 16) for n in (10.0, 20, 40)]))
    residual = np.random.default_rng(0).normal(0, 0.1, 12)
    at = np.log([[4.0, 30.0], [64.0, 80.0]])
    among = processes(2)
    for process in range(len(among.kind[among.kind < 0]), len(among), 17):
        found = factors(deviation(process, residual, grid, draws=200), at)
        mean, spread = conditional(process, residual, at, grid)
        np.testing.assert_allclose(found.mean(axis=0), mean, atol=1e-9)
        np.testing.assert_allclose(
            width(found, 2), with_step(spread, at, process, grid), rtol=0.05, atol=1e-7
        )


@pytest.mark.parametrize("error", [0.0, 0.02])
def test_points_predicted_together_equal_points_predicted_alone(error):
    rng = np.random.default_rng(2)
    grid = np.log(np.array([(p, n) for p in (2.0, 4, 8, 16, 32, 64) for n in (10.0, 20, 40, 80, 160)]))
    known = deviation(number(2, length=1.0), rng.normal(0, 0.1, 30), grid, error=error, draws=5)
    at = np.log(rng.uniform([1, 5], [150, 400], (40, 2)))
    alone = np.concatenate([factors(known, one[None]) for one in at], axis=1)
    np.testing.assert_allclose(factors(known, at), alone, rtol=1e-9, atol=1e-12)


def test_predictions_of_simulated_processes_have_the_right_errors():
    """Within the measured range, errors divided by their predicted standard deviations have mean 0 and
    standard deviation 1.
    """
    process = number(length=5.0, size=0.2, nugget=0.015)
    among, at = processes(1), np.log([[23.0], [140.0]])
    every = np.concatenate([LOGS, at])
    covariance = among.size[process] ** 2 * among.kinds[among.kind[process]].covariance(every, every)
    covariance[:6, :6] += among.nugget[process] ** 2 * np.eye(6)
    courses = multivariate_normal(np.zeros(8), covariance).rvs(500, random_state=0)
    scores = []
    for course in courses:
        found = factors(deviation(process, course[:6], draws=64), at)
        scores.append((course[6:] - found.mean(axis=0)) / width(found))
    np.testing.assert_allclose(np.mean(scores, axis=0), 0, atol=0.15)
    np.testing.assert_allclose(np.std(scores, axis=0), 1, atol=0.1)


@pytest.mark.parametrize("kind", KINDS[2:])
def test_the_deviation_passes_through_exact_points(kind):
    process = number(**{**kind, "nugget": 0.0015})
    found = factors(deviation(process, RESIDUAL, draws=50), LOGS)
    np.testing.assert_allclose(found.mean(axis=0), RESIDUAL, atol=0.003)
    assert found.std(axis=0).max() < 0.003


def test_the_deviation_passes_through_points_with_many_repetitions():
    process = number(length=50.0, size=0.01, nugget=0.1)
    once, often = (
        factors(deviation(process, RESIDUAL, error=error, draws=50), LOGS) for error in (0.0, 0.002)
    )
    np.testing.assert_allclose(often.mean(axis=0), RESIDUAL, atol=0.002)
    # Without repetitions, predictions do not follow deviations that may be noise.
    assert np.abs(once.mean(axis=0) - RESIDUAL).max() > 0.1
    between = factors(deviation(process, RESIDUAL, error=0.002, draws=400), np.log([[91.0]]))
    # Between points, the width is the nugget: a new point deviates on its own.
    assert width(between) == pytest.approx(0.1, rel=0.1)


def test_far_from_the_points_only_the_law_remains():
    process = number(length=1.5, size=0.08)
    found = factors(deviation(process, RESIDUAL, draws=400), np.log([[1e9]]))
    assert found.mean() == pytest.approx(0, abs=1e-3)
    assert width(found) == pytest.approx(np.hypot(0.08, 0.06), rel=0.02)


def test_counted_quantities_have_no_steps():
    process = int(np.flatnonzero((processes(1).nugget == min(COUNTED_NUGGETS)) & (processes(1).kind < 0))[0])
    found = factors(deviation(process, np.zeros(6), draws=50), np.log([[1e6]]))
    assert width(found) < 1e-4


def test_uncertain_points_have_less_influence():
    process = number(length=5.0, size=0.08, nugget=0.0015)
    pulled = [
        factors(deviation(process, np.full(6, 0.2), error=error, draws=50)).mean(axis=0)[2]
        for error in (0.0, 0.0625, 0.25)
    ]
    assert pulled[0] > pulled[1] > pulled[2] > 0


def test_predictions_follow_precise_points_and_not_their_uncertain_neighbours():
    process = number(length=5.0, size=0.08, nugget=0.0015)
    residual = np.array([0.0, 0.0, 0.3, 0.0, 0.0, 0.0])
    off = [
        np.abs(factors(deviation(process, residual, error=error, draws=50), LOGS).mean(axis=0))
        for error in (np.full(6, 0.03), np.where(residual > 0, 0.3, 0.003))
    ]
    assert off[0][2] > 0.05
    assert off[1].max() < 0.01


def test_a_draw_without_a_process_is_its_law():
    known = deviation(number(length=50.0, size=0.2), RESIDUAL, draws=4)
    known.process[0, 1:] = NO_PROCESS
    found = factors(known)
    assert not found[1:].any()
    assert found[0].any()


def test_groups_have_the_same_points():
    walk = number(length=50.0)
    values, logs = np.zeros((5, 6)), np.tile(LOGS, (5, 1, 1))
    for short in (1, 3):
        values[short, 4:], logs[short, 4:] = np.nan, np.nan
    process = np.full((5, 3), walk)
    process[4] = NO_PROCESS
    errors = np.zeros((5, 6))
    errors[2] = 0.5
    known = Deviation(logs, values, errors, process)
    groups = sorted((kernels.tolist(), len(points)) for kernels, points in known.groups())
    assert groups == [([0, 2], 6), ([1, 3], 4)]


def test_each_kernel_of_a_group_has_its_own_error_and_processes(monkeypatch):
    own = [
        deviation(number(length=5.0, size=0.08, nugget=0.0015), RESIDUAL, draws=8, error=0.25),
        deviation(number(length=50.0, size=0.2), -RESIDUAL, draws=8),
        deviation(number(length=5.0, size=0.08, nugget=0.0015), RESIDUAL, draws=8),
    ]
    own[0].process[0, :3] = NO_PROCESS
    joined = join_deviations(own, in_turn([1, 1, 1]))
    laws = np.zeros((3, 8, 6))
    ((kernels, points),) = joined.groups()
    found = joined.factors(kernels, points, laws, AT)
    for alone, among in zip(own, found, strict=True):
        np.testing.assert_allclose(np.log(among), factors(alone), atol=1e-12)
    monkeypatch.setattr("modeling.engine.deviations.deviation.NUMBERS_AT_ONCE", 2 * 8 * 6)
    assert [kernels.tolist() for kernels, _ in joined.groups()] == [[0, 1], [2]]


@pytest.mark.parametrize("count", [9, 14])
def test_draws_of_a_kernel_do_not_depend_on_other_kernels(count):
    """Padding for kernels with more points does not change the predictions of a kernel, nor do the other
    kernels.
    """
    rng = np.random.default_rng(1)
    own = deviation(number(length=50.0), rng.normal(size=6), draws=32)
    many = np.log(2.0 ** np.arange(count))[:, None]
    other = deviation(number(length=5.0), rng.normal(size=count), many, error=0.5, draws=32)
    joined = join_deviations([other, own, None], in_turn([1, 1, 2]))
    assert joined.points.shape == (4, count, 1)
    for kernels, points in joined.groups():
        alone = own if kernels[0] == 1 else other
        laws = np.zeros((1, 32, len(points)))
        found = joined.factors(kernels, points, laws, AT)
        np.testing.assert_array_equal(found, alone.factors(np.array([0]), points, laws, AT))
    assert not list(joined.part(np.array([2, 3])).groups())


def test_draws_of_different_kernels_are_independent():
    """Draws with the same number are independent between kernels. Otherwise the draws of totals would spread
    too far.
    """
    walk = number(length=50.0, size=0.2)
    rng = np.random.default_rng(3)
    draws = [factors(deviation(walk, rng.normal(0, 0.1, 6), draws=128), AT[-1:])[:, 0] for _ in range(40)]
    centred = np.array(draws) - np.mean(draws, axis=1, keepdims=True)
    total, apart = centred.sum(axis=0).std(), np.sqrt((centred.std(axis=1) ** 2).sum())
    assert total < 1.5 * apart


def test_without_data_there_is_no_deviation():
    assert join_deviations([None, None], in_turn([1, 2])) is None
    assert not list(nothing(3, 5, 2, 8).groups())
