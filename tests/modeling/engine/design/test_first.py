"""A first plan, before anything was measured."""

import numpy as np
import pytest

from modeling.engine import plan_next, synthetic_grid
from modeling.engine.design.first import REPETITIONS, spread
from modeling.engine.design.plans import Plan, hours_told
from perfweb.portal.text import formatting

PROCESSES = tuple(2.0**power for power in range(1, 13))
SIZES = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0)
GRID = synthetic_grid([PROCESSES, SIZES])


def cost(points: np.ndarray) -> np.ndarray:
    return np.asarray(points[:, 0] * points[:, 1] / 1000)


def planned(budget: float | None, repetitions: int = REPETITIONS) -> Plan:
    points, values = np.empty((0, 2)), np.empty((1, 0, 1))
    return plan_next(
        points, values, GRID, cost, goal="first", budget=budget, names=("p", "n"), repetitions=repetitions
    )


@pytest.mark.parametrize("budget", [3.0, 10.0, 50.0, 300.0])
def test_lines_reach_as_far_as_the_budget_allows(budget: float) -> None:
    plan = planned(budget)
    assert plan.cost is not None
    assert plan.cost <= budget
    assert set(plan.repetitions) == {REPETITIONS}
    lines = [[*PROCESSES], [*SIZES]]
    ends = [
        lines[axis].index(plan.points[:, axis].max(initial=0, where=plan.points[:, 1 - axis] == least)) + 1
        for axis, least in enumerate((10.0, 2.0))
    ]
    for axis in (0, 1):
        further = list(ends)
        further[axis] += 1
        if further[axis] <= len(lines[axis]):
            assert slowly(lines, further) > budget


def slowly(lines: list[list[float]], ends: list[int]) -> float:
    """Return the core hours of a plan whose lines have these ends, from a list of its points."""
    points = {(p, 10.0) for p in spread(lines[0], ends[0])} | {(2.0, n) for n in spread(lines[1], ends[1])}
    return REPETITIONS * float(cost(np.array([*points, (4.0, 20.0)])).sum())


def test_without_a_budget_the_cheapest_values_are_proposed() -> None:
    plan = planned(None)
    assert plan.points.max(axis=0).tolist() == [32, 50]
    assert any("its cheapest values" in reason for reason in plan.reasons)


def test_single_runs_are_repeated_at_the_cheapest_points() -> None:
    plan = planned(1.3)
    assert sorted(plan.repetitions)[-2:] == [3, 3]
    assert sorted(plan.repetitions)[0] == 1
    assert any("instead of 3 times" in reason for reason in plan.reasons)


def test_without_a_budget_few_runs_are_proposed() -> None:
    nothing = np.empty((0, 2)), np.empty((1, 0, 1))
    plan = plan_next(*nothing, GRID, cost, goal="first", runs=12, names=("p", "n"))
    assert plan.repetitions.tolist() == [3] + [1] * 9


def test_sentences_name_the_limit_that_shortens_a_line() -> None:
    """A plan of one run spoke of a line from 2 to 2, of a budget, and of a point that it does not have."""
    told = [" ".join(limited(runs).reasons) for runs in (1, 3, 40)]
    assert "The line of p stays at 2 of 4,096, because the limit on the runs ends it there." in told[0]
    assert "only one run is planned" in told[0]
    assert "The line of p reaches from 2 to 4 of 4,096, because the limit on the runs" in told[1]
    assert ["One point off the lines" in some for some in told] == [False, False, True]


def limited(runs: int) -> Plan:
    nothing = np.empty((0, 2)), np.empty((1, 0, 1))
    return plan_next(*nothing, GRID, cost, goal="first", runs=runs, names=("p", "n"))


def test_the_requested_number_of_repetitions_is_proposed() -> None:
    assert set(planned(100.0, repetitions=2).repetitions) == {2}


def test_parameters_with_too_few_values_for_a_law_are_named() -> None:
    candidates = np.array([[p, n] for p in (2.0, 4.0, 8.0) for n in (10.0, 20.0)])
    plan = plan_next(
        np.empty((0, 2)), np.empty((1, 0, 1)), candidates, np.ones(6), goal="first", names=("p", "n")
    )
    assert sum("fewer than 3 values" in reason for reason in plan.reasons) == 1
    assert any(reason.startswith("n: ") for reason in plan.reasons)


def test_proposed_values_include_both_ends() -> None:
    assert spread(PROCESSES, 12) == [2, 16, 128, 512, 4096]
    assert spread(PROCESSES, 3) == [2, 4, 8]


@pytest.mark.parametrize(
    "hours", [24.13, 5910.4, 0.0213, 8.8e-5, 1.26e6, 999_999.0, 0.00099996, 3.07e-4, 3.0]
)
def test_core_hours_are_written_as_on_pages(hours: float) -> None:
    assert hours_told(hours) == formatting.number(hours)


def test_a_plan_that_gives_no_law_yet_says_what_is_missing() -> None:
    """A budget for a single run was spent without a word on what it is good for."""
    line, nothing = synthetic_grid([(4.0, 8.0, 16.0, 32.0, 64.0)]), (np.empty((0, 1)), np.empty((1, 0, 1)))
    small = plan_next(*nothing, line, line[:, 0], goal="first", names=["p"], budget=5.0)
    told = "p: fewer than 3 values, so these runs give no law yet. One run at each missing value would take "
    assert f"{told}24 core hours more." in small.reasons
    enough = plan_next(*nothing, line, line[:, 0], goal="first", names=["p"], budget=100.0)
    assert "no law yet" not in " ".join(enough.reasons)


def test_a_budget_below_the_next_run_does_not_reach_the_goal() -> None:
    line = synthetic_grid([(4.0, 8.0, 16.0, 32.0, 64.0)])
    values = np.ones((1, 2, 1))
    plan = plan_next(line[:2], values, line, line[:, 0], goal="first", names=["p"], budget=10.0)
    assert (plan.runs, plan.reached) == (0, False)
