"""Limits on the points that may be measured: values of parameters, memory and time."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.design.plans import Plan, PlanError
from modeling.engine.validation import BoolArray, FloatArray


@dataclass(frozen=True)
class Limits:
    """The limits of a machine or a queue.

    Attributes:
        least: parameter → its smallest value.
        most: parameter → its largest value, such as the processes of a partition.
        allowed: parameter → the only values it may take.
        memory: returns the memory of a run at each of some points (N, m), in any unit.
        memory_most: limit on the memory of a run, in the same unit.
        hours: returns the hours that a run takes at each of some points (N, m).
        hours_most: limit on these hours, such as the time limit of a queue.
    """

    least: Mapping[str, float] = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)
    allowed: Mapping[str, Collection[float]] = field(default_factory=dict)
    memory: Callable[[FloatArray], ArrayLike] | None = None
    memory_most: float = np.inf
    hours: Callable[[FloatArray], ArrayLike] | None = None
    hours_most: float = np.inf


def within(candidates: FloatArray, names: Sequence[str], limits: Limits) -> BoolArray:
    """Return which of the candidates (C, m) are within the limits, (C,).

    Raises:
        PlanError: the limits contradict each other, name an unknown parameter, or exclude all candidates. The
            error has a plan of the one candidate that violates the fewest limits.
    """
    _check(names, limits)
    broken = _broken(candidates, names, limits)
    allowed = ~np.any(list(broken.values()), axis=0) if broken else np.ones(len(candidates), bool)
    if allowed.any():
        return np.asarray(allowed)
    counts = np.sum(list(broken.values()), axis=0)
    nearest = candidates[int(np.argmin(counts))]
    which = [name for name, found in broken.items() if found[int(np.argmin(counts))]]
    raise PlanError(
        f"limits: found no point among {len(candidates)} that keeps them all; the nearest one breaks that on "
        f"{', '.join(which)}",
        single(nearest, names, "the nearest point that can be measured"),
    )


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


def _check(names: Sequence[str], limits: Limits) -> None:
    for name in {*limits.least, *limits.most, *limits.allowed}:
        if name not in names:
            raise PlanError(f"limits: found the parameter {name}, expected some of {', '.join(names)}")
    for name, least in limits.least.items():
        if least > limits.most.get(name, np.inf):
            raise PlanError(
                f"limits: found at least {least:g} and at most {limits.most[name]:g} for {name}, which "
                "contradict each other"
            )


def _broken(candidates: FloatArray, names: Sequence[str], limits: Limits) -> dict[str, BoolArray]:
    """Return the candidates that violate each limit, (C,), by the name of the limit."""
    place = {name: at for at, name in enumerate(names)}
    broken: dict[str, BoolArray] = {}
    for name, least in limits.least.items():
        broken[f"the smallest {name}"] = candidates[:, place[name]] < least
    for name, most in limits.most.items():
        broken[f"the largest {name}"] = candidates[:, place[name]] > most
    for name, allowed in limits.allowed.items():
        broken[f"the values of {name}"] = ~np.isin(candidates[:, place[name]], list(allowed))
    if limits.memory is not None:
        broken["the memory"] = np.asarray(limits.memory(candidates), float) > limits.memory_most
    if limits.hours is not None:
        broken["the hours of a run"] = np.asarray(limits.hours(candidates), float) > limits.hours_most
    return broken
