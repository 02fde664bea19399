"""Simulated measurements with which the help explains the mathematics, modelled by the current engine."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from modeling.engine import FloatArray, Models, fit, synthetic_grid, synthetic_measurements
from modeling.selectors.run.weighed import Weighed, weighed

PROCESSES = (4.0, 8.0, 16.0, 32.0, 64.0)
FARTHEST_PROCESSES = 4096.0


@dataclass(frozen=True)
class Example:
    """One simulated kernel and its model; `values` (P, R) are R repetitions at P points of m parameters."""

    points: FloatArray
    values: FloatArray
    models: Models


@lru_cache(maxsize=1)
def rivals() -> tuple[Example, Weighed]:
    """Return a kernel of 2 + 0.35·p^(1/2) seconds under 10 % noise, with the laws that it allows."""
    points = synthetic_grid([PROCESSES])
    values = synthetic_measurements(2 + 0.35 * points.T**0.5, np.random.default_rng(4), noise=0.1)
    models = fit(points, values)
    return Example(points, values[0], models), weighed(models, [FARTHEST_PROCESSES])[0]


@dataclass(frozen=True)
class Shared:
    """Points that deviate together from a known law, by `residuals`, and intervals at `GOAL`."""

    points: FloatArray
    residuals: FloatArray
    truth: float
    evidence: tuple[float, float]
    regression: tuple[float, float]


GOAL = (1024.0, 3.0)
"""Processes and problem size of the target of the example with shared deviations."""


@lru_cache(maxsize=1)
def shared() -> Shared:
    """Return a kernel of 1 + 0.02·p·n seconds; points deviate by some 6 %, repetitions by 1 %."""
    rng = np.random.default_rng(11)
    points = synthetic_grid([(16, 32, 64, 128), (1, 2, 3, 4, 5)])
    deviations = np.repeat([-0.06, 0.05, -0.05, 0.08], 5) + rng.uniform(-0.01, 0.01, len(points))
    values = synthetic_measurements((_law(points) * (1 + deviations))[None], rng, noise=0.01)
    intervals = {
        modeler: [float(end[0, 0]) for end in fit(points, values, modeler=modeler).interval([GOAL])]
        for modeler in ("evidence", "regression")
    }
    return Shared(
        points,
        deviations,
        float(_law(np.array([GOAL]))[0]),
        (intervals["evidence"][0], intervals["evidence"][1]),
        (intervals["regression"][0], intervals["regression"][1]),
    )


def _law(points: FloatArray) -> FloatArray:
    return np.asarray(1 + 0.02 * points.prod(axis=1))
