"""Designs that continue what was measured: which runs are not repeated, and how much the laws that the first
runs showed save.
"""

import numpy as np
import pytest

from modeling.engine import Plan, full_factorial, plan_minimal
from modeling.engine.design.deduced.learned import Measured
from tests.benchmarks.deduced_designs import Application, Errors, in_two_steps, judged

PROFILE = {"sweep": {"n"}, "halo": {"p"}, "reduce": {"m"}, "setup": set()}
FUNCTIONS = ("sweep", "halo", "reduce", "setup")
VALUES = {"p": (4, 8, 16, 32, 64), "n": (10, 20, 40, 80, 160), "m": (100, 200, 400, 800, 1600)}
TARGET = np.array([256.0, 640.0, 6400.0])
NOISE = 0.02


def times(points: np.ndarray) -> np.ndarray:
    p, n, m = points[:, :3].T
    return np.stack([0.2 + 1e-3 * n**2, 0.5 + 0.05 * p, 0.1 + 0.02 * np.sqrt(m), np.full(len(points), 2.0)])


def cost(points: np.ndarray) -> np.ndarray:
    return np.asarray(points[:, 0] * times(points).sum(axis=0) / 3600)


def run(plan: Plan, seed: int = 1) -> Measured:
    random = np.random.default_rng(seed)
    shape = (len(FUNCTIONS), len(plan), int(plan.repetitions.max()))
    values = times(plan.points)[:, :, None] * np.exp(random.normal(0, NOISE, shape))
    made = np.arange(shape[2]) < plan.repetitions[:, None]
    return Measured(plan.points, np.where(made, values, np.nan), FUNCTIONS)


def uncertainty(*plans: Plan) -> float:
    """Return the standard deviation of the total at the target, if only the coefficients of the true laws are
    unknown.
    """
    points = np.vstack([plan.points for plan in plans])
    runs = np.concatenate([plan.repetitions for plan in plans])
    total = 0.0
    for at, law in ((1, lambda x: x**2), (0, lambda x: x), (2, np.sqrt)):
        regressors = np.column_stack([np.ones(len(points)), law(points[:, at])])
        here = times(points)[{1: 0, 0: 1, 2: 2}[at]]
        rows = regressors / here[:, None]
        aim = np.array([1.0, law(TARGET[at])])
        total += float(aim @ np.linalg.solve((rows * runs[:, None]).T @ rows, aim))
    return float(np.sqrt(total)) * NOISE / float(times(TARGET[None]).sum())


@pytest.fixture(scope="module")
def first() -> Plan:
    return plan_minimal(PROFILE, VALUES, cost=cost, repetitions=3)


def test_runs_that_were_made_are_not_repeated(first: Plan) -> None:
    part = Plan(first.points[:4], np.array([3, 3, 1, 3]), first.costs[:4], (), ())
    rest = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=3, measured=run(part))
    assert rest.points.tolist() == first.points[[2, 4]].tolist()
    assert rest.repetitions.tolist() == [2, 3]
    assert "10 of the 15 runs of the smallest design were already made." in rest.reasons
    whole = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=3, measured=run(first))
    assert whole.reached
    assert not len(whole)


def test_laws_that_were_found_save_core_hours(first: Plan) -> None:
    """The core hours that are left tell more if they are spent by the laws that the first runs showed."""
    assert first.cost is not None
    spend, runs = 4 * first.cost, 400
    guessed = plan_minimal(
        PROFILE, VALUES, cost=cost, repetitions=3, spend=first.cost + spend, runs=first.runs + runs,
        target=TARGET.tolist(),
    )  # fmt: skip
    learned = plan_minimal(
        PROFILE, VALUES, cost=cost, repetitions=3, spend=spend, runs=runs, target=TARGET.tolist(),
        measured=run(first),
    )  # fmt: skip
    assert learned.cost is not None
    assert learned.cost <= spend
    assert learned.runs <= runs
    assert uncertainty(first, learned) < 0.8 * uncertainty(guessed)
    assert any("by the laws that the measurements so far have shown" in each for each in learned.reasons)


def test_kernels_without_data_do_not_matter(first: Plan) -> None:
    measured = run(first)
    more = np.concatenate([measured.values, np.full_like(measured.values[:1], np.nan)])
    with_empty = Measured(measured.points, more, (*FUNCTIONS, "unknown"))
    assert first.cost is not None
    plans = [
        plan_minimal(
            PROFILE, VALUES, cost=cost, repetitions=3, spend=first.cost, target=TARGET.tolist(), measured=made
        )
        for made in (measured, with_empty)
    ]  # fmt: skip
    assert plans[0].points.tolist() == plans[1].points.tolist()


def test_too_few_values_show_no_laws(first: Plan) -> None:
    part = Plan(first.points[:2], first.repetitions[:2], first.costs[:2], (), ())
    assert first.cost is not None
    plan = plan_minimal(PROFILE, VALUES, cost=cost, repetitions=3, spend=5 * first.cost, measured=run(part))
    assert "in the mean over laws from a square root to a cube" in plan.reasons[-1]
    assert all(len(np.unique(column)) >= 3 for column in plan.points.T)


def test_measurements_with_another_main_loop_do_not_count(first: Plan) -> None:
    """A measurement with 100 iterations of the main loop is no measurement of the design with 5."""
    measured = run(first)
    profile = {name: found | {"iters"} for name, found in PROFILE.items()}
    values = {**VALUES, "iters": (5, 100)}
    for iterations, runs in ((5, 0), (100, 5)):
        points = np.column_stack([measured.points, np.full(len(first), float(iterations))])
        made = Measured(points, measured.values, FUNCTIONS)
        assert plan_minimal(profile, values, linear={"iters"}, cost=cost, measured=made).runs == runs


def two_steps_judged(parameters: int, kind: str) -> tuple[Errors, Plan]:
    """Return the errors of two steps for one program with 20 % of noise, and the full design."""
    random, noise = np.random.default_rng(5), (0.2, 0.0)
    program = Application(parameters, kind, random)
    full = full_factorial(program.series, cost=program.cost)
    made = in_two_steps(program, full, full.runs, noise, random)
    return judged(program, made, full, noise, random), full


def test_two_steps_with_many_runs_come_close_to_the_full_design() -> None:
    """For 5 % of the core hours, the total of a program of four parameters is nearly as certain as after the
    full design, if only the laws' coefficients are unknown. When no point counted as more than 33 runs, its
    standard deviation was 1.4 times as large.
    """
    errors, _ = two_steps_judged(4, "additive")
    assert errors.cost <= 0.05
    assert errors.told < 1.1


def test_two_steps_are_planned_if_all_parameters_act_together() -> None:
    """The full design's 125 points are more than the runs of the first step."""
    errors, full = two_steps_judged(3, "fully")
    assert errors.cost <= 0.05
    assert errors.runs <= full.runs
    assert errors.told < 1.1
