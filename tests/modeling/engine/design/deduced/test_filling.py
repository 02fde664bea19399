"""Designs that are extended by further runs: how much information these runs add, and what they cost."""

from itertools import product

import numpy as np
import pytest

from modeling.engine import PlanError, plan_minimal
from modeling.engine.design.deduced.guessed import guessed_laws
from modeling.engine.design.deduced.information import Laws, Wanted, variance_of

PROFILE = {"sweep": {"p"}, "halo": {"p", "n"}, "reduce": {"m"}, "setup": set()}
VALUES = {"p": (4, 8, 16, 32, 64), "n": (10, 20, 30, 40, 50), "m": (100, 200, 400, 800, 1600)}


def cost(points: np.ndarray) -> np.ndarray:
    return np.asarray(points[:, 0] * (1 + points[:, 0] / 4 + points[:, 1] + points[:, 2] / 100) / 3600)


def variance(plan: object, target: tuple[float, ...]) -> float:
    """Return the variance of the total at the target under the plausible laws."""
    candidates = np.array(list(product(*VALUES.values())), float)
    place = {tuple(point): at for at, point in enumerate(candidates.tolist())}
    runs = np.zeros(len(candidates))
    for point, count in zip(plan.points.tolist(), plan.repetitions, strict=True):  # type: ignore[attr-defined]
        runs[place[tuple(point)]] = count
    wanted = Wanted({(0,): 1, (0, 1): 1, (2,): 1}, np.array(target), 1.0, 1)
    return variance_of(list(guessed_laws(candidates, wanted)), runs)[0]


TARGET = (128.0, 100.0, 3200.0)


def test_the_budget_is_used_and_more_information_gained() -> None:
    """The smallest design takes a small part of the allowance, so the plan contains it."""
    least = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=1)
    assert least.cost is not None
    spend = 5 * least.cost
    plan = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=1, spend=spend, runs=120)
    assert plan.cost is not None
    assert least.cost < plan.cost <= spend
    assert plan.runs <= 120
    assert plan.points[: len(least)].tolist() == least.points.tolist()
    assert (plan.repetitions[: len(least)] >= least.repetitions).all()
    assert variance(plan, TARGET) < 0.6 * variance(least, TARGET)
    assert "further runs are made where they reveal most about the target" in plan.reasons[-1]


def test_a_budget_below_the_smallest_design_may_give_more_information() -> None:
    least = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=1)
    assert least.cost is not None
    spend = 0.9 * least.cost
    plan = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=1, spend=spend)
    assert plan.cost is not None
    assert 0.95 * spend < plan.cost <= spend
    assert plan.runs <= 100
    assert all(len(np.unique(column)) == 5 for column in plan.points.T)
    assert variance(plan, TARGET) < 0.8 * variance(least, TARGET)
    assert "The smallest design would take" in plan.reasons[-2]


def test_exchanging_a_single_run_gains_little_information() -> None:
    """No exchange of one added run for another run of at most the same cost lowers the variance by more than
    7 %.
    """
    least = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=1)
    assert least.cost is not None
    plan = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=1, spend=1.5 * least.cost)
    candidates = np.array(list(product(*VALUES.values())), float)
    place = {tuple(point): at for at, point in enumerate(candidates.tolist())}
    at = [place[tuple(point)] for point in plan.points.tolist()]
    runs, prices = np.zeros(len(candidates)), cost(candidates)
    runs[at] = plan.repetitions
    laws: list[Laws] = list(
        guessed_laws(
            candidates, Wanted({(0,): 1, (0, 1): 1, (2,): 1}, np.array([128.0, 100.0, 3200.0]), 1.0, 1)
        )
    )
    found = variance_of(laws, runs)[0]
    exchanged = []
    for out in np.flatnonzero(runs):
        for one in np.flatnonzero(prices <= prices[out]):
            other = runs.copy()
            other[out] -= 1
            other[one] += 1
            exchanged.append(variance_of(laws, other)[0])
    assert min(exchanged) > 0.93 * found


def test_information_is_that_of_linear_regression_on_shared_deviations() -> None:
    """The information equals that of a regression with the covariance of all runs, in which runs at the same
    point of the law share a deviation.
    """
    candidates = np.array(list(product(*VALUES.values())), float)
    laws = next(guessed_laws(candidates, Wanted({(0,): 1}, np.array([128.0, 100.0, 3200.0]), 1.0, 1)))
    runs = np.zeros(len(candidates))
    runs[[0, 30, 60, 90, 120, 121]] = [3, 2, 1, 1, 1, 2]
    which = np.repeat(np.arange(len(runs)), runs.astype(int))
    levels = candidates[which, 0]
    covariance = np.eye(len(which)) + 0.3 * (levels[:, None] == levels)
    expected = 0.0
    for law, aim in zip(laws.rows, laws.aim, strict=True):
        rows = law[laws.points[which]]
        information = rows.T @ np.linalg.solve(covariance, rows) + 1e-6 * np.eye(rows.shape[1])
        expected += aim @ np.linalg.solve(information, aim)
    assert laws.variance(runs)[0] == pytest.approx(expected, rel=1e-6)


def test_a_budget_below_the_smallest_design_is_refused_with_its_cost() -> None:
    with pytest.raises(PlanError, match="the smallest design takes") as caught:
        plan_minimal(PROFILE, VALUES, cost=cost, spend=1e-6)
    assert caught.value.nearest is not None
    assert caught.value.nearest.points.tolist() == plan_minimal(PROFILE, VALUES).points.tolist()


def test_parameters_that_do_not_vary_stay_constant() -> None:
    profile = {**PROFILE, "loop": {"iters"}}
    values = {**VALUES, "iters": (5, 10)}
    least = plan_minimal(profile, values, linear={"iters"}, cost=cost)
    assert least.cost is not None
    plan = plan_minimal(
        profile, values, linear={"iters"}, cost=cost, spend=3 * least.cost,
        target=(256, 100, 3200, 5),
    )  # fmt: skip
    assert plan.runs > least.runs
    assert set(plan.points[:, 3]) == {5}


def test_further_runs_stay_within_the_limits() -> None:
    least = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=1)
    assert least.cost is not None
    free = {tuple(point) for point in least.points.tolist()}

    def allowed(points: np.ndarray) -> np.ndarray:
        own = np.array([tuple(point) in free for point in points.tolist()])
        return np.asarray(own | (points[:, 0] <= 8))

    plan = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=1, spend=5 * least.cost, allowed=allowed)
    assert plan.runs > least.runs
    assert allowed(plan.points).all()


def test_a_budget_for_one_run_at_each_point_is_used_for_these() -> None:
    values = {"p": range(1, 100), "n": range(1, 100)}  # too many combinations to choose runs freely
    least = plan_minimal({"f": {"p"}, "g": {"n"}}, values, cost=lambda points: points[:, 0])
    assert least.cost is not None
    plan = plan_minimal(
        {"f": {"p"}, "g": {"n"}}, values, cost=lambda points: points[:, 0], spend=least.cost / 2
    )
    assert plan.repetitions.tolist() == [1] * 99
    assert "so each point is run once" in plan.reasons[-1]


CROSSED = {"solve": {"p", "n", "m"}}
"""All parameters act together, so the smallest design has all 125 combinations."""


def test_with_a_budget_fewer_runs_than_the_smallest_design_are_chosen_for_what_they_tell() -> None:
    least = plan_minimal(CROSSED, VALUES, cost=cost, repetitions=1)
    assert least.cost is not None
    spend = 0.3 * least.cost
    plan = plan_minimal(CROSSED, VALUES, cost=cost, spend=spend, runs=100)
    assert plan.runs <= 100
    assert plan.cost is not None
    assert 0.9 * spend < plan.cost <= spend
    assert all(len(np.unique(column)) == 5 for column in plan.points.T)
    told = " ".join(plan.reasons)
    assert "So the smallest design has all 125 combinations. The smallest design would take 125 runs" in told
    assert "but only 100 are allowed, so all runs are chosen" in told


def test_fewer_runs_than_lines_of_all_parameters_are_refused() -> None:
    least = plan_minimal(CROSSED, VALUES, cost=cost, repetitions=1)
    for runs in (12, 100):
        spend = least.cost if runs == 12 else None
        with pytest.raises(PlanError, match=f"at most {runs}, but the smallest design has 125") as caught:
            plan_minimal(CROSSED, VALUES, cost=cost, spend=spend, runs=runs)
        assert caught.value.nearest is not None
        assert caught.value.nearest.points.tolist() == least.points.tolist()


def test_a_plan_says_when_the_limit_on_runs_leaves_core_hours() -> None:
    least = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=1)
    assert least.cost is not None
    few, many = (
        plan_minimal(PROFILE, VALUES, cost=cost, spend=share * least.cost, runs=40) for share in (100, 1)
    )
    assert few.runs == 40
    assert few.reasons[-1].startswith("These 40 runs use only")
    assert "Allow more runs" not in " ".join(many.reasons)
