"""How far an extrapolation can be trusted, in words."""

from collections.abc import Sequence

import numpy as np

from ingest.models import Campaign
from modeling.selectors.curves import Estimate
from perfweb.portal import formatting

FEW_STEPS = 8.0
"""Times the largest measured value up to which it is common practice to extrapolate."""

FAR = 64.0
FEW = 2.0
"""Factors below it need a digit more."""

BARELY = 1.01
"""Factors below it are said in percent."""

USEFUL, ROUGH = 1.5, 3.0
"""Ratios of an interval's ends up to which a prediction is good for plans, and for orders of magnitude."""


def reliance(
    campaign: Campaign, target: Sequence[float], found: Estimate | None, *, over_all_laws: bool
) -> str:
    """What the distance of a target and the width of its interval mean together.

    `over_all_laws`: the interval knows of rival laws; else it holds given the form of the law.
    """
    beyond = _beyond(campaign, target)
    return f"{_width(found, beyond, over_all_laws=over_all_laws)} {_distance(beyond)}"


def hidden(falling: Sequence[str], points: int, needed: int) -> str:
    """What may be overlooked beyond the data along parameters with which a law falls; "" where it does not.

    `needed` are the points that laws with two terms of a parameter take.
    """
    if not falling:
        return ""
    names = " or ".join(falling)
    few = f" Laws with both take {needed} points to be weighed; here are {points}." if points < needed else ""
    return f" Beneath what falls, a part that grows with {names} may still hide, such as communication.{few}"


def _beyond(campaign: Campaign, target: Sequence[float]) -> float:
    """How many times outside of what was measured the target lies, in the parameter where that is most."""
    points, goal = np.array(campaign.points), np.array(target)
    return float(max((goal / points.max(axis=0)).max(), (points.min(axis=0) / goal).max()))


def _width(found: Estimate | None, beyond: float, *, over_all_laws: bool) -> str:
    if found is None or found.lower is None or found.upper is None:
        return "No interval can be told for the target."
    given = "" if over_all_laws else ", given that the form of the law is right"
    if found.upper <= 0:
        return "It was 0 wherever it was measured."
    if found.lower <= 0:
        return f"The interval reaches down to nothing{given}: the target is bounded rather than predicted."
    factor = found.upper / found.lower
    apart = f"The interval's ends are {_apart(factor)} apart"
    if beyond > FEW_STEPS:
        return f"{apart}{given}{' and' if given else ', if'} all goes on as measured."
    return f"{apart}{given}: {_use(factor)}."


def _apart(factor: float) -> str:
    if factor < BARELY:
        return "less than 1 %"
    return f"a factor of {formatting.number(factor, 3 if factor < FEW else 2)}"


def _use(factor: float) -> str:
    """What an interval that wide is good for."""
    if factor <= USEFUL:
        return "good enough to plan with"
    return "an estimate" if factor <= ROUGH else "an order of magnitude; measure farther out"


def _distance(beyond: float) -> str:
    if beyond <= 1:
        return "The target lies within what was measured."
    if beyond <= FEW_STEPS:
        return "The target is near what was measured, as extrapolations go."
    unknown = "Nothing in the data speaks of what may begin out there: another network level, a full cache."
    if beyond <= FAR:
        return f"But the target is far from what was measured. {unknown}"
    return f"But the target is very far from what was measured: a warning rather than a forecast. {unknown}"
