"""Decide whether a plan is worth its core hours, find a plan that is, and explain what limits the interval.

Runs far from the target distinguish laws. Only runs near the target show deviations from laws there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.design.beliefs import Beliefs, beliefs_of
from modeling.engine.design.choosing import Choice, Question, chosen
from modeling.engine.design.plans import hours_told
from modeling.engine.design.rivalry import Rivalry
from modeling.engine.results.models import Models
from modeling.engine.validation import FloatArray

NOTICEABLE = 0.2
"""Smallest share by which a plan must reduce the half width to be worth its jobs, or the probability that the
more probable one of two rivals is wrong. In 40 simulated campaigns, 10 % of the plans were refused
with this value, none with half, and 28 % with twice this value (`tests/benchmarks/planner_constants.py`).
"""

POWERS = (1.0, 0.5, 0.0)
"""Powers of the cost by which `cheapest_help` divides gains: 1 means gain per core hour, 0 gain per run."""

NO_NOISE = 1e-6
"""Variance of imagined runs without noise, as a share of that of a real run."""

NEARER = (0.5, 1.0)
"""Positions of runs between candidates and target, as shares of the log distance."""


@dataclass(frozen=True)
class Nearer:
    """A run at a point (m,) that leaves the share `left` of the half width, for `cost` core hours."""

    point: FloatArray
    cost: float
    left: float
    is_target: bool


@dataclass(frozen=True)
class Bound:
    """What limits an interval.

    Attributes:
        left: share of its half width that would remain after runs without noise at all candidates.
        deviations: share of the remaining variance that is due to deviations from the laws.
    """

    left: float
    deviations: float


@dataclass(frozen=True)
class Allowance:
    """The limits of a plan.

    Attributes:
        names: names of the parameters.
        core_hours: largest number of core hours.
        runs: largest number of runs.
        price: returns the core hours of a run at a point (m,) that is no candidate, or infinity.
    """

    names: Sequence[str]
    core_hours: float
    runs: int
    price: Callable[[FloatArray], float]


def helps(before: float, after: float) -> bool:
    """Return whether a decrease of the open variance narrows the interval noticeably."""
    return after <= (1 - NOTICEABLE) ** 2 * before


def hardly_decides(rivalry: Rivalry, choice: Choice) -> list[str]:
    """Say that runs hardly help to decide between rivals, if the right law remains nearly as uncertain."""
    now, then = (rivalry.certainty(gathered) for gathered in (0.0, sum(choice.gains)))
    if not choice.runs or 1 - then <= (1 - NOTICEABLE) * (1 - now):
        return []
    runs = f"{len(choice.runs)} run{'' if len(choice.runs) == 1 else 's'}"
    return [
        f"The right law has a probability of {100 * now:.3g} %. With {runs} and {hours_told(choice.cost)} "
        f"core hours it is expected to have {100 * then:.3g} %."
    ]


def cheapest_help(question: Question, budget: float, runs: int) -> Choice | None:
    """Return the cheapest choice by any of `POWERS` that narrows the interval noticeably, or None.

    It counts as reached only if it also reaches the goal of the question.
    """
    if question.state is None:
        return None
    enough = (1 - NOTICEABLE) ** 2 * question.state.open()
    asked = replace(question, enough=max(enough, question.enough))
    found = [chosen(asked, budget, runs, power) for power in POWERS]
    helpful = [
        choice if choice.left <= question.enough else replace(choice, stopped="runs")
        for choice in found
        if choice.reached and choice.runs
    ]
    return min(helpful, key=lambda choice: choice.cost, default=None)


def bound_of(beliefs: Beliefs, noise: FloatArray) -> Bound:
    """Return what would remain of the interval at the target after runs without noise at all candidates."""
    after, none = beliefs, NO_NOISE * noise
    start = beliefs.open()
    for _ in range(len(beliefs.candidates)):
        gains = after.gains(none)
        best = int(np.argmax(gains))
        if not gains[best] > 1e-4 * start:
            break
        after = after.after(best, none)
    own = float(beliefs.weight @ beliefs.field.own[:, -1] ** 2)
    least = np.finfo(float).tiny
    left = max(after.open(), 0.0)
    return Bound(float(np.sqrt(left / max(start, least))), min(own / max(left, least), 1.0))


def nearer_run(models: Models, beliefs: Beliefs, noise: FloatArray, allowance: Allowance) -> Nearer | None:
    """Return the cheapest allowed run beyond the candidates that narrows the interval noticeably, or None."""
    offered = beliefs.candidates
    largest = offered.max(axis=0)
    whole = (offered == np.round(offered)).all(axis=0)
    found = []
    for share in NEARER:
        towards = largest * (beliefs.target / largest) ** share
        point = np.where(
            beliefs.target > largest, np.where(whole, np.round(towards), towards), beliefs.target
        )
        price = allowance.price(point)
        if not np.isfinite(price) or price > allowance.core_hours:
            continue
        alone = beliefs_of(models, point[None], beliefs.target)
        left = alone.after(0, noise).open()
        if helps(alone.open(), left):
            share_left = float(np.sqrt(max(left, 0.0) / alone.open()))
            found.append(Nearer(point, price, share_left, bool((point == beliefs.target).all())))
    return min(found, key=lambda run: run.cost, default=None)


def bounded(bound: Bound) -> str:
    """Say what limits an interval."""
    left = f"{100 * bound.left:.0f} % of the interval's width"
    if helps(1.0, bound.left**2):
        return f"Noise limits the interval: without noise, runs at all allowed points would leave {left}."
    what = (
        "the kernels' deviations from their laws at the target"
        if bound.deviations > 0.5
        else "forms of growth that the allowed points cannot distinguish"
    )
    return f"Runs at all allowed points, even without noise, would leave {left}, because of {what}."


def instead(nearer: Nearer | None, dearer: Choice | None, names: Sequence[str]) -> list[str]:
    """Say what would help noticeably: a run nearer to the target, or a larger budget."""
    told = []
    if dearer is not None:
        told.append(
            f"To remove a fifth of the width, {len(dearer.runs)} runs would need {hours_told(dearer.cost)} "
            "core hours, which is more than the budget."
        )
    if nearer is not None:
        where = ", ".join(
            f"{name} = {_number(value)}" for name, value in zip(names, nearer.point, strict=True)
        )
        place = "at the target itself, " if nearer.is_target else "nearer to the target, at "
        told.append(
            f"One run {place}{where}, would remove {100 * (1 - nearer.left):.0f} % of "
            f"the width for {hours_told(nearer.cost)} core hours."
        )
    return told or ["No single allowed run nearer to the target would remove a fifth of the width either."]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
