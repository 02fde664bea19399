"""Plans that hardly narrow the interval say so, and name what would narrow it."""

from dataclasses import replace

import numpy as np
import pytest

from modeling.engine import plan_next
from modeling.engine.design.beliefs import beliefs_of
from modeling.engine.design.limits import Limits
from modeling.engine.design.worth import NOTICEABLE, Nearer, bound_of, instead
from modeling.engine.fitting import fit
from modeling.engine.laws.synthetic import grid

POINTS = np.array([[4.0], [8.0], [16.0], [32.0], [64.0]])
OFFERED = np.array([[4.0], [8.0], [16.0], [32.0], [64.0], [128.0]])
ASK = {"target": [8192.0], "names": ["p"]}


def deviating(level: float = 0.08) -> np.ndarray:
    """Return a kernel (1, 5, 3) with little noise that deviates from its law at every point."""
    rng = np.random.default_rng(3)
    law = (2 + 0.3 * POINTS[:, 0]) * np.exp(rng.normal(0, level, 5))
    return np.asarray(law[None, :, None] * np.exp(rng.normal(0, 0.002, (1, 5, 3))))


def cost(points: np.ndarray) -> np.ndarray:
    return np.asarray(points[:, 0] * (2 + 0.3 * points[:, 0]) / 3600)


def narrowed(plan) -> float:  # type: ignore[no-untyped-def]
    return float(1 - np.log(plan.expected.width_after) / np.log(plan.expected.width_before))


def test_a_plan_that_hardly_helps_names_what_would_help() -> None:
    plan = plan_next(POINTS, deviating(), OFFERED[:-1], cost, **ASK)  # type: ignore[arg-type]
    assert plan.hardly
    assert narrowed(plan) < NOTICEABLE
    told = " ".join(plan.reasons)
    assert "even without noise" in told
    assert "One run nearer to the target, at p = " in told
    assert "core hours" in told
    assert "other points are needed" not in told  # The bound has said so already.


def test_a_plan_that_helps_has_no_warning() -> None:
    rng = np.random.default_rng(0)
    noisy = (2 + 0.3 * POINTS[:, 0])[None, :, None] * np.exp(rng.normal(0, 0.1, (1, 5, 2)))
    plan = plan_next(POINTS, noisy, OFFERED, cost, target=[256.0], names=["p"])
    assert not plan.hardly
    assert narrowed(plan) >= NOTICEABLE
    assert not any("worth" in reason for reason in plan.reasons)


def test_the_cheapest_help_does_not_promise_the_goal() -> None:
    """Plans that remove only a fifth of the width said that half of it was expected to go."""
    rng = np.random.default_rng(0)
    noisy = (2 + 0.3 * POINTS[:, 0])[None, :, None] * np.exp(rng.normal(0, 0.03, (1, 5, 2)))
    plan = plan_next(POINTS, noisy, OFFERED[:-1], cost, target=[256.0], names=["p"], runs=5)
    assert NOTICEABLE <= narrowed(plan) < 0.25
    assert not any("expected to be reached" in reason for reason in plan.reasons)
    assert "Look at the results of these runs before planning any more." in plan.reasons


def test_noise_is_named_as_a_limit() -> None:
    rng = np.random.default_rng(0)
    noisy = (2 + 0.3 * POINTS[:, 0])[None, :, None] * np.exp(rng.normal(0, 0.2, (1, 5, 2)))
    budget = 1.5 * float(cost(OFFERED)[0])
    plan = plan_next(POINTS, noisy, OFFERED, cost, target=[256.0], names=["p"], budget=budget)
    assert plan.hardly
    assert "Noise limits the interval" in " ".join(plan.reasons)
    assert "more than the budget" in " ".join(plan.reasons)


def test_runs_outside_of_the_limits_are_not_named() -> None:
    limits = Limits(most={"p": 200})
    plan = plan_next(POINTS, deviating(), OFFERED[:-1], cost, limits=limits, **ASK)  # type: ignore[arg-type]
    assert "No single allowed run nearer to the target" in " ".join(plan.reasons)


def test_the_bound_equals_that_of_very_many_runs() -> None:
    """The bound equals conditioning on all candidates at once, without noise."""
    models = fit(POINTS, deviating())
    beliefs = beliefs_of(models, OFFERED, np.array([256.0]))
    count = len(OFFERED)
    columns = np.stack([beliefs.field.covariance(at)[0] for at in range(count + 1)], axis=1)
    known, across = columns[:count, :count], columns[:count, count]
    left = columns[count, count] - across @ np.linalg.solve(known + 1e-12 * np.eye(count), across)
    share = np.sqrt(left / columns[count, count])
    assert bound_of(beliefs, np.array([0.01])).left == pytest.approx(share, abs=0.01)


def test_a_wanted_width_is_respected_with_earlier_laws() -> None:
    rng = np.random.default_rng(1)
    before = (POINTS, (2 + 0.3 * POINTS[:, 0])[None, :, None] * np.exp(rng.normal(0, 0.01, (1, 5, 3))))
    none, nothing = np.empty((0, 1)), np.empty((1, 0, 1))
    plans = [
        plan_next(none, nothing, OFFERED, cost, target=[256.0], before=before, enough=wanted)
        for wanted in (0.5, 0.12)
    ]
    wide, narrow = (plan.expected.width_after if plan.expected else np.inf for plan in plans)
    assert plans[0].runs < plans[1].runs
    assert narrow <= 1.12 < wide <= 1.5


def test_the_grid_is_not_needed_beyond_the_target() -> None:
    plan = plan_next(POINTS, deviating(), grid([(4, 8, 16, 32, 64)]), np.ones(5), target=[8192.0])
    # No cost is given for points beyond the grid.
    assert "No single allowed run nearer" in " ".join(plan.reasons)


def test_a_run_at_the_target_itself_is_called_that() -> None:
    there = Nearer(np.array([256.0]), cost=2.5, left=0.3, is_target=True)
    assert "One run at the target itself, p = 256, would remove 70 %" in instead(there, None, ["p"])[0]
    between = replace(there, is_target=False)
    assert "One run nearer to the target, at p = 256, would" in instead(between, None, ["p"])[0]
