"""A plan: the points to measure, with repetitions, costs and reasons."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import floor, isclose, log10

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.validation import FloatArray, IntArray

Cost = Callable[[FloatArray], ArrayLike]
"""Returns the core hours of one run at each of N points with m parameters (N, m)."""


@dataclass(frozen=True)
class Expected:
    """Present width of the interval at the target, and its expected width after the plan.

    A width is the factor between the middle of an interval and either end. `certainty` is the probability
    that the more probable of two rival laws is right; NaN without rivals.
    """

    width_before: float
    width_after: float
    certainty_before: float = np.nan
    certainty_after: float = np.nan


@dataclass(frozen=True)
class NoiseSource:
    """A part of the noise: differences between groups of one kind, such as jobs.

    Attributes:
        kind: "repetition", "job", "node", "day" or "campaign".
        deviation: standard deviation of the logarithm, the median over the kernels.
        groups: number of groups that were compared; 0 for the kind "repetition".
        also: coarser kinds that group the runs in the same way.
    """

    kind: str
    deviation: float
    groups: int = 0
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """A plan of N points of m parameters.

    Attributes:
        points: (N, m).
        repetitions: (N,) runs at each point.
        costs: (N,) core hours of all runs at each point; NaN where no cost is known.
        reasons: sentences that explain the choice of points.
        buys: purpose of the runs at each point.
        expected: expected change at the target; None if nothing was measured yet.
        left: share of the half width that is expected to remain after the runs up to each point; empty if
            nothing was measured yet.
        reached: whether the goal is reached without another run.
        noise: sources of a run's noise, the largest first; empty if unknown.
        hardly: whether the plan narrows the interval at the target, or helps to decide between rivals, by too
            little to be worth its cost.
        separate_jobs: whether each repetition must be a job of its own, because jobs may differ.
        parameters: names of the parameters.
    """

    points: FloatArray
    repetitions: IntArray
    costs: FloatArray
    reasons: tuple[str, ...]
    buys: tuple[str, ...]
    expected: Expected | None = None
    left: tuple[float, ...] = ()
    reached: bool = False
    noise: tuple[NoiseSource, ...] = ()
    hardly: bool = False
    separate_jobs: bool = False
    parameters: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.points)

    @property
    def cost(self) -> float | None:
        """Return the core hours of the whole plan; None if no cost is known."""
        total = float(self.costs.sum())
        return None if np.isnan(total) else total

    @property
    def runs(self) -> int:
        """Return the number of runs, including all repetitions."""
        return int(self.repetitions.sum())


class PlanError(ValueError):
    """No plan fulfils the request. `nearest` is the plan that comes closest, or None."""

    def __init__(self, message: str, nearest: Plan | None = None) -> None:
        super().__init__(message)
        self.nearest = nearest


def costs_of(points: FloatArray, cost: Cost | ArrayLike | None) -> FloatArray:
    """Return the core hours of one run at each of N points (N, m), as (N,); NaN without a `cost`.

    Raises:
        ValueError: another number of costs, or costs that are not positive and finite.
    """
    if cost is None:
        return np.full(len(points), np.nan)
    found = np.asarray(cost(points) if callable(cost) else cost, dtype=np.float64).ravel()
    if found.shape != (len(points),):
        raise ValueError(f"cost: found {found.size} numbers, expected one for each of {len(points)} points")
    if not (np.isfinite(found) & (found > 0)).all():
        raise ValueError("cost: found a cost that is not positive and finite, expected core hours of one run")
    return found


def hours_told(hours: float) -> str:
    """Return core hours as text with three significant digits: 24.1, 5,910, 8.80·10⁻⁵."""
    rounded = float(f"{hours:.2e}")
    power = floor(log10(rounded)) if rounded else 0
    plain = -3 <= power < 6
    text = f"{rounded:,.{max(2 - power, 0)}f}" if plain else f"{rounded / 10.0**power:.2f}"
    if isclose(rounded, hours, rel_tol=1e-9) and "." in text:
        text = text.rstrip("0").rstrip(".")
    return text if plain else f"{text}·10{str(power).translate(_RAISED)}".removeprefix("1·")


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def value_told(value: float) -> str:
    """Return a parameter's value as text: 2,592,000 or 0.5."""
    return f"{value:,.12g}"
