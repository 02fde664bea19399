"""Strong and weak scaling, derived from laws in which one parameter is the number of processes.

These are the speed-up S(p) = T(p₀)/T(p), its efficiency E(p) = S(p)·p₀/p, the weak efficiency T(p₀)/T(p) for
work that grows with the processes, and the isoefficiency function: the growth of the problem size that keeps
E constant (Grama, Gupta and Kumar 1993). Each quantity is computed for every draw of the posterior, so it has
an interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.questions.estimates import Estimate, doublings, estimate, first_below, in_parts, least
from modeling.engine.results.models import Models
from modeling.engine.validation import BoolArray, FloatArray, as_floats, check_evaluation_points

HALF_EFFICIENCY = 0.5
"""Default efficiency at the limits. At a lower efficiency, more than half of the core hours are wasted."""

LARGEST_NEAR_ONE = 2.0
"""The law is extrapolated down to one process if the smallest measured number of processes is at most this.
"""

REACH_MULTIPLE = 64.0
"""Default of the largest value at which limits are searched for, as a multiple of the largest measured value.
"""


@dataclass(frozen=True)
class Scaling:
    """How K kernels scale with the number of processes.

    Under strong scaling the total work is constant, and under weak scaling the work of each process is.
    Limits and `fastest` are process counts. They are infinite if they lie beyond `reach`.
    """

    processes: FloatArray  # (Q,)
    base: float  # p₀, see `base_count`
    reach: float
    threshold: float
    divides: BoolArray  # (K,) whether the time at least halves over the measured counts
    speed_up: Estimate  # (K, Q) T(p₀) / T(p)
    strong_efficiency: Estimate  # (K, Q) T(p₀)·p₀ / (T(p)·p)
    weak_efficiency: Estimate  # (K, Q) T(p₀) / T(p) if the sizes of the whole program grow like p
    core_hours: Estimate  # (K, Q) T(p)·p
    strong_limit: Estimate  # (K,) where the strong efficiency falls below the threshold
    weak_limit: Estimate  # (K,) where the weak efficiency falls below the threshold
    fastest: Estimate  # (K,) with the least time; more processes do not reduce it


@dataclass(frozen=True)
class Isoefficiency:
    """The smallest size with which K kernels keep an efficiency on p processes.

    The size is infinite if no size up to `reach` keeps the efficiency, and `smallest` if every size does.
    """

    processes: FloatArray  # (Q,)
    efficiency: float
    smallest: float
    reach: float
    size: Estimate  # (K, Q)


def scaling(
    models: Models,
    at: ArrayLike,
    processes: ArrayLike,
    *,
    parameter: int = 0,
    total_sizes: Sequence[int] = (),
    threshold: float = HALF_EFFICIENCY,
    reach: float | None = None,
    seconds: float = 1.0,
) -> Scaling:
    """Derive how kernels scale.

    Args:
        models: models of times.
        at: (m,) configuration; all parameters but the processes keep their values.
        processes: (Q,) numbers of processes at which efficiencies are computed.
        parameter: index of the parameter that counts processes.
        total_sizes: indices of the parameters that measure the whole program's work. Under weak scaling they
            grow like p from their value on p₀ processes, while sizes per process stay constant.
        threshold: efficiency at the limits.
        reach: largest number of processes at which limits are searched for.
        seconds: the number of seconds in one unit of the measured times.

    Raises:
        ValueError: a parameter's index that the models lack, a point of another shape, or a number of
            processes, threshold or reach out of range.
    """
    _check_parameters(models, (parameter, *total_sizes))
    _check_efficiency(threshold)
    here = check_evaluation_points(at, len(models.upper))[0]
    counts, base = _check_counts(processes), base_count(models, parameter)
    grid = doublings(base, _check_reach(reach, base, models.upper[parameter]))
    path = np.concatenate([[base], counts, grid])
    asked, rest = slice(1, 1 + len(counts)), slice(1 + len(counts), None)
    held_work, grown_work = (_along(here, path, parameter, sizes) for sizes in ((), total_sizes))

    def answers(some: Models) -> list[Estimate]:
        held = some.draws(held_work)
        grown = some.draws(grown_work) if total_sizes else held
        with np.errstate(divide="ignore", invalid="ignore"):
            speed_up, weak = held[:, :, :1] / held, grown[:, :, :1] / grown
        strong, hours = speed_up * base / path, held * path * seconds / 3600
        of_counts = [quantity[:, :, asked] for quantity in (speed_up, strong, weak, hours)]
        limits = [first_below(grid, quantity[:, :, rest], threshold) for quantity in (strong, weak)]
        return [estimate(draws) for draws in (*of_counts, *limits, least(grid, held[:, :, rest]))]

    estimates = in_parts(models, len(path), answers)
    divides = _falls_by_half(models, here, parameter)
    return Scaling(counts, base, float(grid[-1]), threshold, divides, *estimates)


def isoefficiency(
    models: Models,
    at: ArrayLike,
    processes: ArrayLike,
    *,
    size: int,
    parameter: int = 0,
    efficiency: float = HALF_EFFICIENCY,
    reach: float | None = None,
) -> Isoefficiency:
    """Derive how the problem has to grow to keep an efficiency.

    Args:
        models, at, processes, parameter: as in `scaling`.
        size: index of the parameter that grows; it measures the whole program's work.
        efficiency: the efficiency of strong scaling to keep, for the same problem on p₀ and on p processes.
        reach: largest size that is considered.

    Raises:
        ValueError: as in `scaling`.
    """
    _check_parameters(models, (parameter, size))
    _check_efficiency(efficiency)
    here = check_evaluation_points(at, len(models.upper))[0]
    counts, base = _check_counts(processes), base_count(models, parameter)
    smallest = float(models.lower[size])
    sizes = doublings(smallest, _check_reach(reach, smallest, models.upper[size]))
    path = np.concatenate([[base], counts])
    grid = np.repeat(_along(here, path, parameter), len(sizes), axis=0)
    grid[:, size] = np.tile(sizes, len(path))

    def answers(some: Models) -> list[Estimate]:
        draws = some.draws(grid)
        cost = draws.reshape(*draws.shape[:2], len(path), len(sizes)) * path[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            waste = cost[:, :, 1:] / cost[:, :, :1]
        return [estimate(first_below(sizes, waste, 1 / efficiency))]

    (found,) = in_parts(models, len(grid), answers)
    return Isoefficiency(counts, efficiency, smallest, float(sizes[-1]), found)


def base_count(models: Models, parameter: int = 0) -> float:
    """Return the number of processes p₀ that speed-up refers to.

    It is one process if the smallest measured number is near one. Otherwise it is the smallest measured
    number, because nothing is known about far fewer processes than measured.
    """
    smallest = float(models.lower[parameter])
    return 1.0 if smallest <= LARGEST_NEAR_ONE else smallest


def _falls_by_half(models: Models, at: FloatArray, parameter: int) -> BoolArray:
    measured = np.array([models.lower[parameter], models.upper[parameter]])
    fewest, most = models.predict(_along(at, measured, parameter)).T
    return np.asarray(most < fewest / 2)


def _along(at: FloatArray, counts: FloatArray, parameter: int, total_sizes: Sequence[int] = ()) -> FloatArray:
    """Return points (Q, m) with these numbers of processes. Total sizes grow in proportion to the processes
    from the first point on.
    """
    points = np.repeat(at[None], len(counts), axis=0)
    points[:, parameter] = counts
    points[:, list(total_sizes)] *= (counts / counts[0])[:, None]
    return points


def _check_counts(processes: ArrayLike) -> FloatArray:
    """Return the numbers of processes as an array (Q,), and refuse numbers that are not positive."""
    counts = as_floats(processes, "processes")
    if counts.ndim != 1 or not (np.isfinite(counts) & (counts > 0)).all():
        raise ValueError(f"processes: found {processes!r}, expected a list of positive counts")
    return counts


def _check_parameters(models: Models, parameters: Sequence[int]) -> None:
    """Refuse indices of parameters that the models lack, or that are given twice."""
    m = len(models.upper)
    if not set(parameters) <= set(range(m)) or len(set(parameters)) < len(parameters):
        raise ValueError(
            f"parameters: found numbers {list(parameters)}, expected different ones in 0..{m - 1}"
        )


def _check_efficiency(efficiency: float) -> None:
    if not 0 < efficiency < 1:
        raise ValueError(f"efficiency: found {efficiency}, expected a share between 0 and 1")


def _check_reach(reach: float | None, first: float, measured: float) -> float:
    """Return the largest value at which limits are searched for."""
    limit = REACH_MULTIPLE * measured if reach is None else reach
    if not np.isfinite(limit) or limit <= first:
        raise ValueError(f"reach: found {limit}, expected a number above {first:g}, where the search begins")
    return float(limit)
