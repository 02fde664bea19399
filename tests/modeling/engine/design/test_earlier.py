"""Plans for a version that has few measurements start from the laws of an earlier version."""

import numpy as np

from modeling.engine import fit, plan_next, synthetic_grid
from modeling.engine.design.beliefs import alike, log_draws
from modeling.engine.design.earlier import EXPONENT, FACTOR, Earlier, carried_over

VALUES = (4, 8, 16, 32, 64)
NONE = np.empty((0, 1))


def measured(truth: np.ndarray, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(truth[None, :, None] * rng.uniform(0.975, 1.025, (1, len(truth), 3)))


def growing(points: np.ndarray) -> np.ndarray:
    return np.asarray(2 + 0.1 * points[:, 0])


def cost(points: np.ndarray) -> np.ndarray:
    return np.asarray(points[:, 0] * growing(points) / 1000)


BEFORE_POINTS = np.array(VALUES, float)[:, None]
BEFORE = (BEFORE_POINTS, measured(growing(BEFORE_POINTS)))
GRID = synthetic_grid([VALUES])
TARGET = np.array([256.0])


def test_a_new_version_needs_fewer_runs_than_a_first_model() -> None:
    alone = plan_next(NONE, np.empty((1, 0, 1)), GRID, cost, target=TARGET)
    plan = plan_next(NONE, np.empty((1, 0, 1)), GRID, cost, target=TARGET, before=BEFORE)
    assert plan.expected is not None
    assert plan.expected.width_after < plan.expected.width_before
    assert len(plan) < len(alone)
    assert any("version before are used" in reason for reason in plan.reasons)


def test_points_that_contradict_the_earlier_laws_give_a_first_design() -> None:
    points = np.array([[4.0], [64.0]])
    as_before = plan_next(points, measured(growing(points), 1), GRID, cost, target=TARGET, before=BEFORE)
    assert as_before.expected is not None
    slower = np.array([2.4, 30.0])
    plan = plan_next(points, measured(slower, 1), GRID, cost, target=TARGET, before=BEFORE)
    assert plan.expected is None
    assert "earlier version's laws are not used" in plan.reasons[0]


def test_updated_predictions_equal_dense_conditioning() -> None:
    """After three points, means and variances equal those of conditioning the joint normal distribution of
    all points.
    """
    models = fit(*BEFORE)
    points = np.array([[4.0], [16.0], [64.0]])
    noise = np.array([0.01])
    medians = np.array([[2.9, 3.4, 8.0]])
    carried = carried_over(
        Earlier(*BEFORE, models), GRID, TARGET, points=points, medians=medians, noise=noise
    )
    both = np.vstack([GRID, TARGET, points])
    logs, own = log_draws(models, both)
    away = np.log(both[:, 0]) - np.log(BEFORE_POINTS[:, 0]).mean()
    dense = np.cov(logs[0].T) + FACTOR**2 + EXPONENT**2 * np.outer(away, away)
    dense += own[0][:, None] * own[0] * np.array([alike(both, point) for point in both])
    seen = slice(len(GRID) + 1, None)
    gain = dense[:, seen] @ np.linalg.inv(dense[seen, seen] + noise * np.eye(3))
    surprise = np.log(medians[0]) - logs[0].mean(axis=0)[seen]
    mean = logs[0].mean(axis=0) + gain @ surprise
    left = dense - gain @ dense[seen]
    at = len(GRID)
    np.testing.assert_allclose(carried.beliefs.mean[0], mean[at], rtol=1e-9)
    np.testing.assert_allclose(carried.beliefs.aim[0], left[at, : at + 1], rtol=1e-9)


def test_an_earlier_version_without_laws_changes_nothing() -> None:
    one = (np.array([[4.0]]), np.array([[[2.0, 2.1]]]))
    plan = plan_next(NONE, np.empty((1, 0, 1)), GRID, cost, target=TARGET, before=one)
    assert plan.expected is None
