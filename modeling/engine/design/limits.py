"""Limits on the points that may be measured: values of parameters, memory and time."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.design.plans import Plan, PlanError, hours_told, value_told
from modeling.engine.validation import BoolArray, FloatArray

MEMORY, HOURS = "the limit on memory", "the limit on the hours of a run"
"""Names of limits in messages."""


@dataclass(frozen=True)
class Limits:
    """The limits of a machine or a queue.

    Attributes:
        least: parameter → its smallest value.
        most: parameter → its largest value.
        allowed: parameter → the only values it may take.
        memory: returns the memory of a run at each of N points of m parameters (N, m), in any unit.
        memory_most: limit on the memory of a run, in the same unit.
        hours: returns the hours that a run takes at each of N points (N, m).
        hours_most: limit on these hours, such as the time limit of a queue.
    """

    least: Mapping[str, float] = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)
    allowed: Mapping[str, Collection[float]] = field(default_factory=dict)
    memory: Callable[[FloatArray], ArrayLike] | None = None
    memory_most: float = np.inf
    hours: Callable[[FloatArray], ArrayLike] | None = None
    hours_most: float = np.inf


def within(
    candidates: FloatArray, names: Sequence[str], limits: Limits, costs: FloatArray | None = None
) -> BoolArray:
    """Return which of C candidates with m parameters (C, m) are within the limits, (C,). `costs` are the core
    hours of a run at each candidate, (C,).

    Raises:
        PlanError: the limits contradict each other, name an unknown parameter, or exclude all candidates. The
            error has a plan of the candidate that breaks the fewest limits.
    """
    known = _known(limits, names)
    excess = _excess(candidates, names, known)
    allowed = _kept(excess, len(candidates))
    problem = _problem(limits, names)
    if not problem and allowed.any():
        return allowed
    over = np.stack([*excess.values(), np.zeros(len(candidates))])
    nearest = int(np.lexsort([over.max(axis=0), (over > 1).sum(axis=0)])[0])
    price = np.nan if costs is None else float(costs[nearest])
    plan = single(candidates[nearest], names, "the point that comes nearest to the limits", price)
    if problem:
        raise PlanError(problem, plan)
    broken = [_broken(limit, float(found[nearest])) for limit, found in excess.items() if found[nearest] > 1]
    where = ", ".join(
        f"{name} = {value_told(value)}" for name, value in zip(names, candidates[nearest], strict=True)
    )
    raise PlanError(
        f"limits: found no point among {len(candidates)} that keeps them all; the nearest one, {where}, "
        f"breaks {' and '.join(broken)}",
        plan,
    )


def _broken(limit: str, factor: float) -> str:
    """Return the name of a broken limit, with the factor if the point itself does not show it."""
    return f"{limit} by a factor of {hours_told(factor)}" if limit in (MEMORY, HOURS) else limit


def keeps(points: FloatArray, names: Sequence[str], limits: Limits) -> BoolArray:
    """Return which of N points with m parameters (N, m) are within the limits, (N,)."""
    return _kept(_excess(points, names, limits), len(points))


def single(point: FloatArray, names: Sequence[str], why: str, cost: float = np.nan) -> Plan:
    """Return a plan of one run."""
    return Plan(
        points=point[None],
        repetitions=np.ones(1, int),
        costs=np.array([cost]),
        reasons=(why,),
        buys=(why,),
        parameters=tuple(names),
    )


def _problem(limits: Limits, names: Sequence[str]) -> str:
    """Return why no point can keep the limits, or an empty string."""
    for name in {*limits.least, *limits.most, *limits.allowed}:
        if name not in names:
            return f"limits: found the parameter {name}, expected some of {', '.join(names)}"
    for name, least in limits.least.items():
        if least > limits.most.get(name, np.inf):
            most = value_told(limits.most[name])
            return (
                f"limits: found at least {value_told(least)} and at most {most} for {name}, which contradict "
                "each other"
            )
    return ""


def _known(limits: Limits, names: Sequence[str]) -> Limits:
    """Return the limits without those on unknown parameters."""
    return replace(
        limits,
        least={name: value for name, value in limits.least.items() if name in names},
        most={name: value for name, value in limits.most.items() if name in names},
        allowed={name: values for name, values in limits.allowed.items() if name in names},
    )


def _kept(excess: Mapping[str, FloatArray], count: int) -> BoolArray:
    return np.asarray(np.all([~(found > 1) for found in excess.values()] or [np.ones(count, bool)], axis=0))


def _excess(points: FloatArray, names: Sequence[str], limits: Limits) -> dict[str, FloatArray]:
    """Return the factors by which points exceed each limit. Keys are the limits' names in messages."""
    columns = dict(zip(names, points.T, strict=True))
    excess: dict[str, FloatArray] = {}
    for name, least in limits.least.items():
        excess[f"the limit of at least {value_told(least)} for {name}"] = least / columns[name]
    for name, most in limits.most.items():
        excess[f"the limit of at most {value_told(most)} for {name}"] = columns[name] / most
    for name, allowed in limits.allowed.items():
        ratios = columns[name][:, None] / np.array(list(allowed), dtype=np.float64)
        excess[f"the allowed values of {name}"] = np.maximum(ratios, 1 / ratios).min(axis=1, initial=np.inf)
    if limits.memory is not None:
        found = np.asarray(limits.memory(points), float)
        excess[MEMORY] = found / limits.memory_most
    if limits.hours is not None:
        found = np.asarray(limits.hours(points), float)
        excess[HOURS] = found / limits.hours_most
    return excess
