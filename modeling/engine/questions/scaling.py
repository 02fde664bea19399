"""Strong and weak scaling, from laws with the number of MPI processes p as a parameter.

T(p) is the time on p processes, compared with p₀ processes. The speed-up is S(p) = T(p₀)/T(p). The strong
efficiency is E(p) = S(p)·p₀/p. The weak efficiency is T(p₀)/T(p) for work that grows like p. The
isoefficiency function is the problem size at which E(p) has a given value (Grama, Gupta and Kumar 1993). Each
quantity is computed for every draw of the posterior, so it has an interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.questions.estimates import Estimate, doublings, estimate, first_below, in_parts, least
from modeling.engine.results.models import Models
from modeling.engine.validation import BoolArray, FloatArray, as_floats, check_evaluation_points

HALF_EFFICIENCY = 0.5
"""Default efficiency below which a kernel no longer scales: more than half of the core hours are wasted."""

LARGEST_NEAR_ONE = 2.0
"""If the smallest measured number of processes is at most this, p₀ is 1."""

REACH_MULTIPLE = 64.0
"""By default, searches for processes or sizes end at this multiple of the largest measured one."""


@dataclass(frozen=True)
class Scaling:
    """How K kernels scale to Q numbers of processes.

    Strong scaling keeps the total work constant, weak scaling the work of each process. `strong_limit`,
    `weak_limit` and `fastest` are numbers of processes. They are infinite if they lie beyond `reach`.
    """

    processes: FloatArray  # (Q,) numbers p of processes
    base: float  # p₀, see `base_count`
    reach: float  # largest number of processes at which limits were searched for
    threshold: float  # efficiency at the limits
    divides: BoolArray  # (K,) whether time more than halves from the smallest to the largest measured p
    speed_up: Estimate  # (K, Q) T(p₀) / T(p)
    strong_efficiency: Estimate  # (K, Q) T(p₀)·p₀ / (T(p)·p)
    weak_efficiency: Estimate  # (K, Q) T(p₀) / T(p) if the total sizes grow like p
    core_hours: Estimate  # (K, Q) T(p)·p in hours
    strong_limit: Estimate  # (K,) where the strong efficiency falls below the threshold
    weak_limit: Estimate  # (K,) where the weak efficiency falls below the threshold
    fastest: Estimate  # (K,) where the time is least


@dataclass(frozen=True)
class Isoefficiency:
    """The smallest problem sizes with which K kernels have a given efficiency on Q numbers p of processes.

    A size is infinite if no size up to `reach` is large enough, and `smallest` if every size is.
    """

    processes: FloatArray  # (Q,) numbers p of processes
    efficiency: float
    smallest: float  # smallest size that was considered
    reach: float  # largest size that was considered
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
        at: (m,) values of m parameters; the number of processes among them does not matter.
        processes: (Q,) numbers p of processes for which the quantities are computed.
        parameter: index of the number of processes.
        total_sizes: indices of the sizes of the whole problem, which grow like p under weak scaling.
        threshold: efficiency at the limits.
        reach: largest number searched for limits, by default `REACH_MULTIPLE` times the largest measured one.
        seconds: number of seconds in one unit of the measured times.

    Raises:
        ValueError: an index, the shape of `at`, a number of processes, `threshold` or `reach` is wrong.
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
    """Derive the problem size that has a given strong efficiency on more processes.

    Args:
        models, at, processes, parameter: as in `scaling`.
        size: index of the size of the whole problem.
        efficiency: strong efficiency, which compares p with p₀ processes for the same size.
        reach: largest size that is considered, by default `REACH_MULTIPLE` times the largest measured size.

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
    """Return p₀, with which other numbers of processes are compared: 1 or the smallest measured number."""
    smallest = float(models.lower[parameter])
    return 1.0 if smallest <= LARGEST_NEAR_ONE else smallest


def _falls_by_half(models: Models, at: FloatArray, parameter: int) -> BoolArray:
    measured = np.array([models.lower[parameter], models.upper[parameter]])
    fewest, most = models.predict(_along(at, measured, parameter)).T
    return np.asarray(most < fewest / 2)


def _along(at: FloatArray, counts: FloatArray, parameter: int, total_sizes: Sequence[int] = ()) -> FloatArray:
    """Return points with these numbers of processes. The `total_sizes` grow in proportion to them."""
    points = np.repeat(at[None], len(counts), axis=0)
    points[:, parameter] = counts
    points[:, list(total_sizes)] *= (counts / counts[0])[:, None]
    return points


def _check_counts(processes: ArrayLike) -> FloatArray:
    """Return the numbers of processes as an array. Raise ValueError unless all are positive."""
    counts = as_floats(processes, "processes")
    if counts.ndim != 1 or not (np.isfinite(counts) & (counts > 0)).all():
        raise ValueError(f"processes: found {processes!r}, expected a list of positive counts")
    return counts


def _check_parameters(models: Models, parameters: Sequence[int]) -> None:
    """Raise ValueError if an index is out of range, or if it occurs twice."""
    m = len(models.upper)
    if not set(parameters) <= set(range(m)) or len(set(parameters)) < len(parameters):
        raise ValueError(
            f"parameters: found numbers {list(parameters)}, expected different ones in 0..{m - 1}"
        )


def _check_efficiency(efficiency: float) -> None:
    if not 0 < efficiency < 1:
        raise ValueError(f"efficiency: found {efficiency}, expected a share between 0 and 1")


def _check_reach(reach: float | None, first: float, measured: float) -> float:
    """Return `reach` or its default. Raise ValueError unless it is larger than `first`."""
    limit = REACH_MULTIPLE * measured if reach is None else reach
    if not np.isfinite(limit) or limit <= first:
        raise ValueError(f"reach: found {limit}, expected a number above {first:g}, where the search begins")
    return float(limit)
