"""Write the reasons of a first plan: how far its lines reach, what it lacks, and why."""

from collections.abc import Sequence

import numpy as np

from modeling.engine.design.plans import hours_told, value_told
from modeling.engine.validation import FloatArray, IntArray

LINE = 5
"""Number of points of a line. With fewer, Extra-P finds no model."""

FEWEST = 3
"""Fewest values of a parameter with which the evidence modeler finds laws."""


def repetitions_told(each: IntArray, wanted: int, runs: int) -> list[str]:
    """Say why points are run less often than wanted, if they are. `each` (N,) are the runs at each point."""
    if each.min() >= wanted:
        return []
    often = "once" if each.min() == 1 else f"{each.min()} times"
    limited = len(each) * (each.min() + 1) > runs
    most = f"at most {runs} runs are" if runs > 1 else "only one run is"
    why = f"{most} planned" if limited else "the budget does not allow for more"
    told = [f"Each point is run {often} instead of {wanted} times, because {why}."]
    if each.max() > each.min():
        told.append("The cheapest points are run more often, to show how much runs differ.")
    return told


def ends_told(
    candidates: FloatArray, points: FloatArray, names: Sequence[str], budget: float, left_out: int
) -> list[str]:
    """Say how far the lines of a first plan reach, and why not further. `left_out` is the number of their
    points that limits exclude.
    """
    told = []
    if np.isfinite(budget):
        why = f", because the budget of {hours_told(budget)} core hours ends there."
    elif left_out:
        why = ", because the limit on the runs ends it there."
    else:
        why = ": its cheapest values. With a budget it would reach farther."
    for name, offered, used in zip(names, candidates.T, points.T, strict=True):
        if len(np.unique(offered)) < 2 or not len(used):
            continue
        least, most, last = used.min(), used.max(), offered.max()
        reach = f"reaches from {value_told(least)} to" if least < most else "stays at"
        end = ", its largest value." if most == last else f" of {value_told(last)}{why}"
        told.append(f"The line of {name} {reach} {value_told(most)}{end}")
    return told


def lines_told(
    candidates: FloatArray, measured: FloatArray, points: FloatArray, names: Sequence[str]
) -> list[str]:
    """Say why lines come first, and what points off the lines are for."""
    offered, known = values_of(candidates), values_of(measured) if len(measured) else np.zeros(len(names))
    short = [name for name, one, other in zip(names, offered, known, strict=True) if one >= FEWEST > other]
    told = []
    together = np.vstack([points, measured])
    if short and len(measured) and (values_of(together) >= np.minimum(offered, FEWEST)).all():
        told.append(
            f"{', '.join(short)}: fewer than {FEWEST} values were measured, too few for a law. Lines of "
            "values come first."
        )
    if len(names) > 1 and ((together != together.min(axis=0)).sum(axis=1) > 1).any():
        told.append(
            "One point off the lines for each pair of parameters shows whether effects add up or multiply."
        )
    return told


def values_missing(points: FloatArray, names: Sequence[str]) -> list[str]:
    """Name the parameters that have too few values for a law."""
    short = [name for name, count in zip(names, values_of(points), strict=True) if count < FEWEST]
    if not short:
        return []
    return [
        f"{', '.join(short)}: growth is not found from fewer than {FEWEST} values; allow {LINE}, unless the "
        "program never runs with others."
    ]


def laws_missing(
    candidates: FloatArray, points: FloatArray, costs: FloatArray, names: Sequence[str]
) -> list[str]:
    """Say which parameters have too few values for a law at the measured and planned `points`, although there
    are candidates, and what one run at each missing value of their lines takes.
    """
    few = (values_of(points) < FEWEST) & (values_of(candidates) >= FEWEST)
    if not few.any():
        return []
    base = points[int(np.argmin(np.log(points).sum(axis=1)))]
    missing = 0.0
    for axis in np.flatnonzero(few).tolist():
        line = (np.delete(candidates, axis, 1) == np.delete(base, axis)).all(axis=1)
        new = line & ~np.isin(candidates[:, axis], points[:, axis])
        missing += float(np.sort(costs[new])[: FEWEST - len(np.unique(points[:, axis]))].sum())
    told = f"{', '.join(np.array(names)[few])}: fewer than {FEWEST} values, so these runs give no law yet."
    cost = f" One run at each missing value would take {hours_told(missing)} core hours more."
    return [told + cost if missing else told]


def points_missing(count: int, budget: float) -> list[str]:
    """Say how many points of the lines are left out, and by which limit."""
    if not count:
        return []
    limit = f"the budget of {hours_told(budget)} core hours" if np.isfinite(budget) else "the number of runs"
    what, them = (
        ("1 point of the lines is", "it") if count == 1 else (f"{count} points of the lines are", "them")
    )
    return [f"{what} left out: {limit} does not allow for {them}."]


def values_of(points: FloatArray) -> IntArray:
    """Return the number of values of each of m parameters, (m,)."""
    return np.array([len(np.unique(column)) for column in points.T], dtype=np.int_)
