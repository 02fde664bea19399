"""Sentences on how far a prediction can be trusted, and why the formula's value differs from it."""

from collections.abc import Sequence
from math import log, log1p

import numpy as np

from modeling.selectors.kernel.curves import PointValues
from perfweb.portal.kernel.fit import Fit
from perfweb.portal.text import formatting

GOES_ON = 2.0
"""A point explains a prediction's deviation from the law up to this multiple of the point's own deviation."""

EVEN = "uniform"
"""Family of noise whose law is the middle between two bounds; the median may lie far from it."""
HALF = 0.5


def hidden(falling: Sequence[str], points: int, needed: int) -> str:
    """Return a warning that a growing part of the cost may be hidden; empty if the law does not fall.

    `needed` is the number of points that laws with two terms of a parameter need.
    """
    if not falling:
        return ""
    names = " or ".join(falling)
    few = (
        f" Laws with both parts need at least {needed} points; this kernel has {points}."
        if points < needed
        else ""
    )
    part = f"A small part that grows with {names}, such as communication,"
    return f"{part} may be hidden under the falling part.{few}"


def difference(fit: Fit) -> str:
    """Return why the prediction at the target is not the formula's value; empty if they agree."""
    found, judged, target = fit.prediction, fit.judged, fit.state.target
    law = judged.apart(found and found.predicted) if judged else None
    if found is None or target is None or law is None:
        return ""
    value, given = (formatting.quantity(each, fit.focus.unit) for each in (found.predicted, law))
    if explains(fit.trend - 1, found.predicted, law):
        return (
            f"The formula gives {given}. In this campaign the growth between the last two values forecast "
            f"the largest values better than the laws. It is {'faster' if fit.trend > 1 else 'slower'} than "
            f"the formula, so {value} is predicted."
        )
    if not fit.deviates and _lies_evenly(fit, law):
        return (
            f"The formula is fitted to the medians and gives {given}. Runs lie evenly between two bounds, "
            f"and the middle between these bounds is predicted: {value}."
        )
    if not fit.deviates:
        return f"The formula gives {given}; as the median over all laws {value} is predicted."
    near = _nearest(fit.points, target)
    residual = near.residual if near else None
    if residual is None or not explains(residual, found.predicted, law):
        return (
            f"The formula gives {given}; as the median over all laws and their deviations {value} is "
            "predicted."
        )
    return (
        f"The formula gives {given}; the measured point nearest to the target lies {_off(residual)} the "
        f"formula, so {value} is predicted."
    )


def explains(residual: float, predicted: float, law: float) -> bool:
    """Return whether a point with this residual explains a prediction.

    Both must lie on the same side of the law, the prediction at most `GOES_ON` times as far, in logarithms.
    """
    if residual <= -1 or not residual or law <= 0 or predicted <= 0:
        return False
    return 0 < log(predicted / law) / log1p(residual) <= GOES_ON


def _lies_evenly(fit: Fit, law: float) -> bool:
    """Return whether runs most probably lie evenly between two bounds, with the formula's value inside."""
    kinds = fit.weighed.noise if fit.weighed else ()
    run = fit.intervals[1] if fit.intervals else None
    within = run is not None and (run.lower or 0.0) <= law <= (run.upper or 0.0)
    return within and any(kind.name == EVEN and kind.probability > HALF for kind in kinds)


def _off(residual: float) -> str:
    """Return how far a value is off the law: "12 % above", "a factor of 5.4 above"."""
    if residual > 1:
        return f"a factor of {formatting.number(1 + residual, 2)} above"
    return f"{formatting.percent(abs(residual))} {'above' if residual > 0 else 'below'}"


def _nearest(points: Sequence[PointValues], target: Sequence[float]) -> PointValues | None:
    """Return the measured point nearest to a target, in logarithms."""
    measured = [point for point in points if point.median is not None]
    return min(
        measured,
        key=lambda point: float(np.abs(np.log(np.array(point.point) / np.array(target))).sum()),
        default=None,
    )
