"""A plan: the points to measure, how often, what that costs, and why."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.validation import FloatArray, IntArray

Cost = Callable[[FloatArray], ArrayLike]
"""Gives the core hours of one run at each of some points (N, m)."""


@dataclass(frozen=True)
class Expected:
    """How wide the interval at the target is now, and how wide it is expected to be after the plan.

    Widths are factors from an interval's middle to either end in the sense of logarithms: 1.1 means 10 % up,
    and as much down. `certainty` is the probability that the most probable of the goal's rivals is the right
    one; NaN where the goal has no rivals.
    """

    width_before: float
    width_after: float
    certainty_before: float = np.nan
    certainty_after: float = np.nan


@dataclass(frozen=True)
class Plan:
    """N points to measure.

    Attributes:
        points: (N, m), in the order of the parameters.
        repetitions: (N,) runs at each point.
        costs: (N,) core hours of all runs at each point; NaN where no cost is known.
        reasons: what was deduced, each with its reason; why points are there, and why others are not.
        buys: (N,) what each point's runs are for.
        expected: what the plan is expected to change at the target; None where nothing was measured yet.
        left: (N,) half width of the interval at the target after the runs at this point and all points before
            it, as a share of its width now (both as logarithms); empty where nothing was measured yet.
        reached: whether the goal is reached without another run.
        separate_jobs: whether each repetition must be a job of its own, since jobs differ among each other by
            more than runs within a job, or nobody knows that they do not.

    """

    points: FloatArray
    repetitions: IntArray
    costs: FloatArray
    reasons: tuple[str, ...]
    buys: tuple[str, ...]
    expected: Expected | None = None
    left: tuple[float, ...] = ()
    reached: bool = False
    separate_jobs: bool = False
    parameters: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.points)

    @property
    def cost(self) -> float | None:
        """Core hours of the whole plan; None where no cost is known."""
        total = float(self.costs.sum())
        return None if np.isnan(total) else total

    @property
    def runs(self) -> int:
        """Number of runs of the program, with all repetitions."""
        return int(self.repetitions.sum())


class PlanError(ValueError):
    """No plan answers what was asked for: what is wrong, and the nearest plan that can be carried out.

    `nearest` is None where there is none.
    """

    def __init__(self, message: str, nearest: Plan | None = None) -> None:
        super().__init__(message)
        self.nearest = nearest


def costs_of(points: FloatArray, cost: Cost | ArrayLike | None) -> FloatArray:
    """Core hours of one run at each of the points (N, m), NaN without a `cost`.

    Raises:
        ValueError: costs of another number, or ones that are not positive and finite.
    """
    if cost is None:
        return np.full(len(points), np.nan)
    found = np.asarray(cost(points) if callable(cost) else cost, dtype=np.float64).ravel()
    if found.shape != (len(points),):
        raise ValueError(f"cost: found {found.size} numbers, expected one for each of {len(points)} points")
    if not (np.isfinite(found) & (found > 0)).all():
        raise ValueError("cost: found a cost that is not positive and finite, expected core hours of one run")
    return found
