"""The next measurement: the choice agrees with dense linear algebra, and invalid questions are refused."""

import time
from typing import Any

import numpy as np
import pytest

from modeling.engine import Limits, PlanError, fit, plan_next, synthetic_grid
from modeling.engine.design.beliefs import alike, beliefs_of, log_draws
from modeling.engine.design.choosing import Question, chosen

VALUES = (4, 8, 16, 32, 64)


def lines(parameters: int) -> np.ndarray:
    """Return the points on lines through the smallest point, one line along each parameter."""
    points = [(4,) * parameters]
    for axis in range(parameters):
        points += [tuple(value if at == axis else 4 for at in range(parameters)) for value in VALUES[1:]]
    return np.array(points, float)


def cost(points: np.ndarray) -> np.ndarray:
    return np.asarray(points.prod(axis=1) / 1000)


def measured(truth: np.ndarray, noise: float = 0.05, repetitions: int = 3, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(
        truth[None, :, None] * rng.uniform(1 - noise / 2, 1 + noise / 2, (1, len(truth), repetitions))
    )


def product(points: np.ndarray) -> np.ndarray:
    return np.asarray(2 + 0.1 * points[:, 0] * points[:, 1])


def test_a_plan_crosses_parameters_that_were_measured_one_at_a_time() -> None:
    points, grid = lines(2), synthetic_grid([VALUES] * 2)
    target = np.array([256.0, 256.0])
    plan = plan_next(points, measured(product(points)), grid, cost, target=target)
    assert (plan.points > 4).all(axis=1).any()
    assert plan.expected is not None
    assert plan.expected.width_after < plan.expected.width_before
    assert plan.cost == pytest.approx(float((cost(plan.points) * plan.repetitions).sum()))
    assert len(plan.buys) == len(plan)
    assert " % of the variance at the target" in plan.buys[0]


def test_the_interval_shrinks_as_expected() -> None:
    """Over several campaigns, intervals after a plan's runs are about as wide as the plan expected."""
    expected, found, before = [], [], []
    grid, target, points = synthetic_grid([VALUES] * 2), np.array([256.0, 256.0]), lines(2)
    for seed in range(6):
        values = measured(product(points), seed=seed)
        plan = plan_next(points, values, grid, cost, target=target)
        assert plan.expected is not None
        more = np.repeat(plan.points, plan.repetitions, axis=0)
        joined = np.vstack([points, plan.points])
        runs = np.full((1, len(joined), max(3, plan.repetitions.max())), np.nan)
        runs[:, : len(points), :3] = values
        for at, count in enumerate(plan.repetitions):
            runs[:, len(points) + at, :count] = measured(product(more), repetitions=int(count), seed=seed)[
                :, at
            ]
        models = fit(*_merged(joined, runs))
        lower, upper = models.interval(target[None], 0.95)
        before.append(np.log(plan.expected.width_before))
        expected.append(np.log(plan.expected.width_after))
        found.append(np.log(upper[0, 0] / lower[0, 0]) / 2)
    assert np.median(found) < 0.6 * np.median(before)
    assert np.median(found) < 3 * np.median(expected)


def _merged(points: np.ndarray, runs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge runs at the same point into repetitions of this point."""
    distinct, which = np.unique(points, axis=0, return_inverse=True)
    groups = [runs[0, which.ravel() == number].ravel() for number in range(len(distinct))]
    groups = [group[~np.isnan(group)] for group in groups]
    merged = np.full((1, len(distinct), max(map(len, groups))), np.nan)
    for number, group in enumerate(groups):
        merged[0, number, : len(group)] = group
    return distinct, merged


def test_expected_gains_equal_dense_conditioning() -> None:
    points, grid = lines(2), synthetic_grid([VALUES] * 2)
    models = fit(points, np.repeat(measured(product(points)), 2, axis=0) * [[[1.0]], [[0.5]]])
    target, noise = np.array([256.0, 256.0]), np.array([0.01, 0.02])
    beliefs = beliefs_of(models, grid, target)
    both = np.vstack([grid, target])
    logs, own = log_draws(models, both)
    for kernel in range(2):
        dense = np.cov(logs[kernel].T)
        dense += own[kernel][:, None] * own[kernel] * np.array([alike(both, point) for point in both])
        after = beliefs
        for candidate in (7, 7, 24):
            gained = dense[-1, candidate] ** 2 / (dense[candidate, candidate] + noise[kernel])
            alone = np.zeros(2)
            alone[kernel] = 1
            assert _weighing(after, alone).gains(noise)[candidate] == pytest.approx(gained, rel=1e-6)
            column = dense[:, candidate].copy()
            dense = dense - np.outer(column, column) / (column[candidate] + noise[kernel])
            after = after.after(candidate, noise)
        assert after.aim[kernel, -1] == pytest.approx(dense[-1, -1], rel=1e-6)


def _weighing(beliefs: Any, weight: np.ndarray) -> Any:
    return type(beliefs)(beliefs.field, beliefs.aim, weight, beliefs.mean)


def test_repetitions_are_spread_over_jobs_that_differ() -> None:
    points, grid = lines(1), synthetic_grid([VALUES])
    rng = np.random.default_rng(1)
    jobs = np.tile([0, 0, 1, 1], (5, 1)) + 2 * np.arange(5)[:, None]
    shared = np.exp(rng.normal(0, 0.1, 10))[jobs]
    truth = 1 + points[:, :1]
    loud = (truth * shared * np.exp(rng.normal(0, 0.001, (5, 4))))[None]
    quiet = (truth * np.exp(rng.normal(0, 0.1, (5, 4))))[None]
    ask = {"target": [256.0], "groups": {"job": jobs}}
    apart = plan_next(points, loud, grid, cost, **ask)  # type: ignore[arg-type]
    assert apart.separate_jobs
    assert "another job" in apart.reasons[-1]
    scatters = next(reason for reason in apart.reasons if reason.startswith("A run scatters"))
    pairs = np.log(loud[0][:, [0, 2]] / loud[0][:, [1, 3]])
    assert f"{100 * np.sqrt((pairs**2 / 2).mean()):.2g} % from repetition to repetition" in scatters
    assert "% from job to job" in scatters
    assert not plan_next(points, quiet, grid, cost, **ask).separate_jobs  # type: ignore[arg-type]
    unknown = plan_next(points, quiet, grid, cost, target=[256.0])
    assert unknown.separate_jobs


@pytest.mark.parametrize("jobs", [2, 40])
def test_parts_of_the_noise_that_few_groups_leave_open_are_mentioned(jobs) -> None:
    """Parts of 3.4, 2.7, 1 and 0.9 % were said to be a scatter of 5.1 %."""
    points, rng = lines(1), np.random.default_rng(1)
    groups = np.tile(np.repeat(np.arange(jobs), 2), (5, 1))
    shared = np.exp(rng.normal(0, 0.1, jobs))[groups]
    values = ((1 + points[:, :1]) * shared * np.exp(rng.normal(0, 0.01, groups.shape)))[None]
    grid = synthetic_grid([VALUES])
    plan = plan_next(points, values, grid, cost, target=[256.0], groups={"job": groups})
    told = next(reason for reason in plan.reasons if reason.startswith("A run scatters"))
    assert ("So few groups do not show where the rest comes from." in told) == (jobs == 2)


def test_rivals_are_distinguished_where_they_differ_most_per_core_hour() -> None:
    points = lines(1)[:4]
    values = measured(3 + 0.2 * points[:, 0], noise=0.07)
    grid = synthetic_grid([(4, 8, 16, 32, 64, 128, 256)])
    plan = plan_next(points, values, grid, cost, goal="rivals")
    assert plan.points.max() > 32
    assert plan.expected is not None
    assert plan.expected.certainty_after > plan.expected.certainty_before
    assert "not expected to decide" not in " ".join(plan.reasons)
    few = plan_next(points, values, grid[:6], cost, goal="rivals", runs=1)
    assert "not expected to decide between the laws" in " ".join(few.reasons)


def test_runs_that_yield_little_evidence_between_rivals_are_hardly_worth_it() -> None:
    """A plan of many cheap runs said that a probability of 89 % rises to 89 %, and recommended them. Who
    allows few runs gets them, because the next ones are decided by their results.
    """
    points = lines(1)
    values = measured(3 + 0.2 * points[:, 0], noise=0.08, repetitions=5, seed=2)
    many, one = (plan_next(points, values, points, cost, goal="rivals", runs=runs) for runs in (40, 1))
    assert many.hardly
    assert one.hardly
    assert (many.runs, one.runs) == (0, 1)
    told = "The right law has a probability of 94.5 %. With 34 runs and "
    assert told in " ".join(many.reasons)
    assert "it is expected to have 95 %." in " ".join(many.reasons)
    assert not many.reached


def test_runs_that_yield_hardly_any_evidence_between_rivals_are_not_planned() -> None:
    points = lines(1)
    values = measured(3 + 0.2 * points[:, 0], noise=0.2)
    plan = plan_next(points, values, points[:2], cost, goal="rivals")
    assert (plan.runs, plan.reached) == (0, False)
    assert "% of the evidence between the rivals. Allow values that are farther apart." in plan.reasons[-1]


def test_rivals_that_are_told_apart_need_no_runs() -> None:
    """19 runs were planned that raised the probability of the right law from 99.2 to 99.3 %."""
    points = lines(1)
    values = measured(3 + 0.2 * points[:, 0], noise=0.06, repetitions=5, seed=1)
    ask: dict[str, Any] = {"goal": "rivals", "names": ["p"], "kernels": ["solve"]}
    plan = plan_next(points, values, points, cost, **ask)
    assert plan.expected is not None
    assert 0.953 < plan.expected.certainty_before < 1
    assert (plan.runs, plan.reached) == (0, True)
    assert plan.reasons[0].startswith(
        "The rival laws are told apart: solve grows like p with a probability of 9"
    )
    surer = plan_next(points, values, points, cost, **ask, wanted=12.0)
    assert surer.reasons[-1] != plan.reasons[-1]
    assert not surer.reached


def test_rivals_of_a_large_kernel_that_are_told_apart_do_not_hide_those_of_another() -> None:
    """The kernel that contributes most to the variance was chosen, even if its law was known."""
    points = lines(1)
    law = 3 + 0.2 * points[:, 0]
    values = np.concatenate(
        [measured(10 * law, noise=0.02, repetitions=5), measured(law, noise=0.3, repetitions=5)]
    )
    ask: dict[str, Any] = {"goal": "rivals", "kernels": ["solve", "halo"]}
    plan = plan_next(points, values, synthetic_grid([(4, 8, 16, 32, 64, 128, 256)]), cost, **ask)
    assert plan.runs
    assert any("two laws of halo" in reason for reason in plan.reasons)
    tiny = np.concatenate([values[:1], values[1:] / 500])
    assert plan_next(points, tiny, points, cost, **ask).reached


def test_two_equal_versions_of_many_kernels_are_equal() -> None:
    """A plan considers the largest kernels only; the version before must then count with the same ones."""
    points = lines(1)
    truth = np.arange(1, 21)[:, None] * (1 + np.sqrt(points[:, 0]))
    runs = [np.concatenate([measured(row, noise=0.01, seed=seed) for row in truth]) for seed in (0, 1)]
    plan = plan_next(points, runs[0], points, cost, goal="change", before=(points, runs[1]))
    told = next(reason for reason in plan.reasons if "as much as the one before" in reason)
    assert float(told.split(" takes ")[1].split()[0]) == pytest.approx(1, rel=0.01)


def test_versions_of_different_kernels_cannot_be_compared() -> None:
    points = lines(1)
    values = measured(1 + np.sqrt(points[:, 0]))
    with pytest.raises(ValueError, match="before: found values of 2 kernels, expected 1 as in values"):
        plan_next(
            points, values, points, cost, goal="change", before=(points, np.concatenate([values, values]))
        )


def test_a_settled_change_needs_no_runs() -> None:
    points, grid = lines(1), synthetic_grid([VALUES])
    before = (points, measured(3 + 0.2 * points[:, 0], noise=0.05))
    slower = plan_next(
        points, measured(6 + 0.4 * points[:, 0], noise=0.05), grid, cost, goal="change", before=before
    )
    assert slower.reached
    assert not len(slower)
    near = plan_next(
        points,
        measured(3.1 + 0.21 * points[:, 0], noise=0.3, seed=3),
        grid,
        cost,
        goal="change",
        before=before,
    )
    assert len(near)
    assert "takes 2.00 times as much as the one before" in slower.reasons[0]
    assert "the difference is settled once this is at most 41 %" in slower.reasons[0]
    assert "takes 1.04 times as much as the one before" in " ".join(near.reasons)


@pytest.mark.parametrize(("noise", "hopeless"), [(0.05, True), (0.5, False)])
def test_a_change_that_the_version_before_leaves_open_needs_runs_of_that_version(noise, hopeless) -> None:
    """Runs of a well-known version were proposed although the other version was the uncertain one."""
    points, grid = lines(1), synthetic_grid([VALUES])
    noisy = (points, measured(3 + 0.2 * points[:, 0], noise=0.5))
    values = measured(3.1 + 0.2 * points[:, 0], noise=noise)
    plan = plan_next(points, values, grid, cost, goal="change", before=noisy)
    told = " ".join(plan.reasons)
    assert "but the version before alone contributes" in told
    assert ("measure that version further, too" in told) != hopeless
    assert ("Further runs of this version would hardly help: measure the version before" in told) == hopeless
    assert (not plan.runs) == hopeless
    assert not plan.reached


def test_without_measurements_lines_and_the_cheapest_crossing_are_proposed() -> None:
    grid = synthetic_grid([VALUES] * 3)
    plan = plan_next(np.empty((0, 3)), np.empty((1, 0, 1)), grid, cost, goal="first")
    assert len(plan) == 13 + 4
    assert plan.points[0].tolist() == [4, 4, 4]
    assert plan.points[13:].tolist() == [[4, 8, 8], [8, 4, 8], [8, 8, 4], [8, 8, 8]]
    small = plan_next(np.empty((0, 3)), np.empty((1, 0, 1)), grid, cost, goal="first", budget=1.0)
    assert small.cost is not None
    assert small.cost <= 1.0
    assert len(small) < len(plan)


def test_a_parameter_with_one_value_gets_its_line_first() -> None:
    points = np.column_stack([VALUES, [4] * 5]).astype(float)
    plan = plan_next(points, measured(product(points)), synthetic_grid([VALUES] * 2), cost, names=("p", "n"))
    assert (plan.points[:4, 0] == 4).all()
    assert "n: fewer than 3 values" in plan.reasons[0]


def test_impossible_limits_and_budgets_are_refused_with_the_nearest_plan() -> None:
    points, grid = lines(2), synthetic_grid([VALUES] * 2)
    values = measured(product(points))
    with pytest.raises(PlanError, match=r"cheapest point takes 0\.016") as caught:
        plan_next(points, values, grid, cost, budget=0.01)
    assert caught.value.nearest is not None
    assert caught.value.nearest.points.tolist() == [[4, 4]]
    contradictory = Limits(least={"x1": 10}, most={"x1": 5})
    with pytest.raises(PlanError, match="at least 10 and at most 5 for x1") as caught:
        plan_next(points, values, grid, cost, limits=contradictory)
    assert caught.value.nearest is not None
    assert caught.value.nearest.points[0, 0] == 4
    with pytest.raises(PlanError, match="x1 = 4, x2 = 4, breaks the allowed values of x1") as caught:
        plan_next(points, values, grid, cost, limits=Limits(allowed={"x1": (5, 6)}))
    assert caught.value.nearest is not None
    with pytest.raises(PlanError, match="parameter nodes, expected some of x1, x2") as caught:
        plan_next(points, values, grid, cost, limits=Limits(most={"nodes": 5}))
    assert caught.value.nearest is not None
    falling = Limits(hours=lambda some: 64 / some[:, 0], hours_most=0.4)
    told = "x1 = 64, x2 = 4, breaks the limit on the hours of a run by a factor of 2.5"
    with pytest.raises(PlanError, match=told) as caught:
        plan_next(points, values, grid, cost, limits=falling)
    assert caught.value.nearest is not None
    assert caught.value.nearest.cost == pytest.approx(0.256)
    memory = Limits(memory=lambda some: some[:, 1] * 2, memory_most=16, most={"x1": 32})
    plan = plan_next(points, values, grid, cost, limits=memory, target=[256.0, 256.0])
    assert (plan.points <= [32, 8]).all()


def test_runs_with_little_information_are_not_proposed() -> None:
    """Each run would remove at most 0.5 % of the uncertainty, and all candidates together 3 %."""

    class Poor:
        def __init__(self, left: float = 1.0) -> None:
            self.left = left

        def open(self) -> float:
            return self.left

        def gains(self, noise: np.ndarray) -> np.ndarray:
            return np.full(3, max(0.005 * (self.left - 0.97) / 0.03, 0.0))

        def after(self, candidate: int, noise: np.ndarray) -> "Poor":
            return Poor(self.left - float(self.gains(noise)[candidate]))

    choice = chosen(Question(np.ones((3, 1)), np.ones(3), np.ones(1), Poor(), 0.25), np.inf, 40)
    assert (choice.runs, choice.stopped, choice.left) == ((), "pointless", 1.0)


def test_final_runs_with_hardly_any_gain_are_left_out() -> None:
    """Two cheap candidates remove 15 % of the uncertainty. Each of five expensive ones removes 0.2 %."""

    class Fading:
        def __init__(self, gains: tuple[float, ...] = (0.1, 0.05, *[0.002] * 5), left: float = 1.0) -> None:
            self.each, self.left = gains, left

        def open(self) -> float:
            return self.left

        def gains(self, noise: np.ndarray) -> np.ndarray:
            return np.array(self.each)

        def after(self, candidate: int, noise: np.ndarray) -> "Fading":
            gains = tuple(0.0 if at == candidate else gain for at, gain in enumerate(self.each))
            return Fading(gains, self.left - self.each[candidate])

    question = Question(np.ones((7, 1)), np.array([1.0] * 2 + [50.0] * 5), np.ones(1), Fading(), 0.25)
    choice = chosen(question, np.inf, 40)
    assert (choice.runs, choice.stopped, choice.cost) == ((0, 1), "pointless", 2.0)
    assert choice.left == pytest.approx(0.85)
    reachable = Question(np.ones((7, 1)), np.ones(7), np.ones(1), Fading(), 0.842)
    assert len(chosen(reachable, np.inf, 40).runs) == 6
    assert chosen(reachable, np.inf, 40).reached


def test_a_cheap_run_comes_before_a_more_informative_expensive_one() -> None:
    class Settling:
        def __init__(self, gains: tuple[float, ...] = (0.2, 0.4)) -> None:
            self.each = gains

        def open(self) -> float:
            return 1.0 if len(set(self.each) - {0.0}) == 2 else 0.7

        def gains(self, noise: np.ndarray) -> np.ndarray:
            return np.array(self.each)

        def after(self, candidate: int, noise: np.ndarray) -> "Settling":
            return Settling(tuple(0.0 if at == candidate else gain for at, gain in enumerate(self.each)))

    question = Question(np.ones((2, 1)), np.array([1.0, 9.0]), np.ones(1), Settling(), 0.01)
    assert chosen(question, np.inf, 2).runs == (0, 1)
    cheaper = Question(np.ones((2, 1)), np.array([1.0, 3.0]), np.ones(1), Settling(), 0.01)
    assert chosen(cheaper, np.inf, 2).runs == (1, 0)


def test_an_unknown_goal_is_refused() -> None:
    with pytest.raises(ValueError, match="goal: found 'fast'"):
        plan_next(lines(1), measured(lines(1)[:, 0]), lines(1), cost, goal="fast")


@pytest.mark.parametrize(("parameters", "seconds"), [(3, 1.0), (4, 3.0)])
def test_a_proposal_is_computed_in_time(parameters: int, seconds: float) -> None:
    points, grid = lines(parameters), synthetic_grid([VALUES] * parameters)
    truth = 3 + points @ np.linspace(0.2, 1, parameters) + 0.01 * points[:, 0] * points[:, 1]
    values = np.concatenate([measured(truth, seed=seed) for seed in range(8)])
    begin = time.process_time()
    plan_next(points, values, grid, cost, target=np.full(parameters, 256.0))
    # The limit is doubled, because other processes slow this one down.
    assert time.process_time() - begin < 2 * seconds
