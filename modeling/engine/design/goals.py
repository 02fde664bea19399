"""What a plan of further runs is for: the question that each goal asks, and when it is answered."""

import numpy as np

from modeling.engine.design.beliefs import Beliefs, beliefs_of
from modeling.engine.design.earlier import Earlier
from modeling.engine.design.kernels import Data
from modeling.engine.design.reasons import Difference
from modeling.engine.design.rivalry import Rivalry, rivalry_of

GOALS = ("interval", "rivals", "change", "first")

SHARE_LEFT = 0.5
"""Default share of the half width at the target that may remain, for the goal "interval"."""

STRONG_LOG_ODDS = 3.0
"""Logarithm of the odds with which rivals are distinguished: 20 to 1 (Kass, Raftery 1995)."""

LEAST_KERNEL_SHARE = 0.01
"""Kernels below this share of the total at the target are left out, if rival laws are to be distinguished."""

SETTLED_DEVIATIONS = 2.0
"""Number of standard deviations with which the difference of two versions is settled."""

LEAST_DIFFERENCE = 0.02
"""Differences between two versions below this share of the prediction do not matter."""

NORMAL_QUANTILE = 1.96
"""Standard deviations from the middle of a normal distribution to either end of its 95 % interval."""


def open_question(
    goal: str,
    data: Data,
    beliefs: Beliefs,
    *,
    difference: Difference | None,
    wanted: float | None,
) -> tuple[Beliefs | Rivalry | None, float]:
    """Return the open question, and the value of `State.open` at which the goal is reached. `difference` is
    that of two versions, if the goal is to settle it.
    """
    if goal == "rivals":
        weight = np.where(beliefs.weight < LEAST_KERNEL_SHARE**2, 0.0, beliefs.weight * beliefs.aim[:, -1])
        odds = STRONG_LOG_ODDS if wanted is None else wanted
        return rivalry_of(data.models, beliefs.candidates, weight, odds), 0.0
    if difference is not None:
        return beliefs, difference.enough
    return beliefs, (SHARE_LEFT if wanted is None else wanted) ** 2 * beliefs.open()


def share_wanted(enough: float | None, beliefs: Beliefs) -> float | None:
    """Return the half width that `enough` asks for, as a share of the present one; None if undefined."""
    if enough is None or beliefs.open() <= 0:
        return None
    return float(np.log1p(enough) / (NORMAL_QUANTILE * np.sqrt(beliefs.open())))


def difference_of(beliefs: Beliefs, earlier: Earlier) -> Difference:
    """Return the difference between the totals of this version and of the one before at the target. Both must
    have the same kernels.
    """
    old = beliefs_of(earlier.models, earlier.points[:1], beliefs.target)
    totals = [np.log(np.exp(each.mean).sum()) for each in (beliefs, old)]
    allowed = max(abs(totals[0] - totals[1]), LEAST_DIFFERENCE) / SETTLED_DEVIATIONS
    return Difference(float(totals[0] - totals[1]), beliefs.open(), old.open(), allowed**2)
