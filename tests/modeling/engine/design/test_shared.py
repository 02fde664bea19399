"""The error that runs of the same job add to a prediction agrees with simulated jobs."""

from typing import Any

import numpy as np
import pytest

from modeling.engine import fit, plan_next
from modeling.engine.design.kernels import shared_at_target
from modeling.engine.design.scatter import Scatter
from modeling.engine.design.shared import Runs, shared_deviation, shared_errors

POINTS = np.array([[4.0], [8.0], [16.0], [32.0], [64.0]])
TARGET = np.array([256.0])
JOBS = np.array([[0, 0, 1], [0, 1, 1], [2, 2, 2], [3, 4, 4], [5, 5, -1]])
LAW = 2 + 0.3 * POINTS[:, 0]


def values(job: float, within: float, seed: int = 0, repeats: int = 1) -> np.ndarray:
    """Runs of a law, (repeats, P, R), in jobs that differ."""
    rng = np.random.default_rng(seed)
    of_jobs = rng.normal(0, job, (repeats, 6))[:, np.maximum(JOBS, 0)]
    of_jobs = np.where(JOBS >= 0, of_jobs, rng.normal(0, job, (repeats, *JOBS.shape)))
    return LAW[:, None] * np.exp(of_jobs + rng.normal(0, within, (repeats, *JOBS.shape)))


def test_shared_errors_agree_with_simulated_jobs() -> None:
    """The same law is fitted to many campaigns with and without jobs, by least squares."""
    measured = values(0.0, 1e-4)
    models = fit(POINTS, measured)
    variance = np.array([0.05**2])
    split = Scatter(run=variance * 1.01, within=variance * 0.01, groups={"job": variance})
    errors = shared_errors(models, Runs(POINTS, measured, {"job": JOBS}), split, TARGET[None])

    def spread(noise: np.ndarray) -> float:
        rows = np.stack([np.ones(5), POINTS[:, 0]], axis=1) / LAW[:, None]
        logs = np.log(noise / LAW[:, None]).reshape(len(noise), -1)
        found = np.linalg.lstsq(np.repeat(rows, 3, axis=0), logs.T, rcond=None)[0]
        return float((np.array([1.0, 256.0]) @ found / (2 + 0.3 * 256)).var())

    together = spread(values(0.05, 0.005, repeats=20_000))
    apart = spread(values(0.0, np.hypot(0.05, 0.005), repeats=20_000))
    assert shared_deviation(errors[:, :, 0], np.ones(1)) ** 2 == pytest.approx(together - apart, rel=0.1)


def test_equal_jobs_add_little_error() -> None:
    models = fit(POINTS, values(0.0, 0.05))
    found = [
        shared_at_target(POINTS, values(0.0, 0.05, seed), models, {"job": JOBS}, TARGET) for seed in range(20)
    ]
    assert found.count((0.0, ())) >= 12
    assert max(deviation for deviation, _ in found) < 0.05


def test_errors_of_kernels_in_the_same_job_are_correlated() -> None:
    measured = np.repeat(values(0.05, 0.001), 2, axis=0) * np.array([1.0, 3.0])[:, None, None]
    models = fit(POINTS, measured)
    one = shared_at_target(POINTS, measured[:1], models.part(np.array([0])), {"job": JOBS}, TARGET)
    both = shared_at_target(POINTS, measured, models, {"job": JOBS}, TARGET)
    assert one[1] == both[1] == ("job",)
    assert both[0] == pytest.approx(one[0], rel=0.2)


def test_a_plan_considers_what_jobs_share() -> None:
    """Ten runs in each of two jobs contain less information than twenty independent runs."""
    rng = np.random.default_rng(1)
    jobs = np.repeat([0, 1, 2], 6)[None].repeat(5, axis=0)
    measured = LAW[None, :, None] * np.exp([[[-0.05] * 6 + [0.0] * 6 + [0.05] * 6]])
    measured = measured * np.exp(rng.normal(0, 0.003, measured.shape))
    ask: dict[str, Any] = {"target": TARGET, "names": ["p"]}
    known = plan_next(POINTS, measured, POINTS, POINTS[:, 0], groups={"job": jobs}, **ask)
    unknown = plan_next(POINTS, measured, POINTS, POINTS[:, 0], **ask)
    assert known.expected is not None
    assert unknown.expected is not None
    assert known.expected.width_before > 1 + 1.5 * (unknown.expected.width_before - 1)
    assert known.expected.width_after < known.expected.width_before
