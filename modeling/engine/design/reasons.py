"""Write the sentences of a plan: the purpose of its runs, the expected effect, and assumptions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.design.choosing import Choice, Question
from modeling.engine.design.earlier import EXPONENT, FACTOR, Carried
from modeling.engine.design.plans import Expected
from modeling.engine.design.rivalry import Rivalry
from modeling.engine.design.scatter import UNKNOWN_NOISE, Scatter, typical
from modeling.engine.validation import FloatArray

EARLIER_LAWS = (
    "This version was measured at too few values for laws of its own. The laws of the version before "
    f"are used, with {100 * FACTOR:.0f} % of uncertainty for each kernel's level and {EXPONENT:g} for each "
    "exponent."
)

NOTHING_EARLIER = (
    "There is no earlier version of these kernels to compare with, so the runs narrow the interval at the "
    "target."
)

WHERE = {"day": "on", "node": "on"}
"""Preposition of each kind of group. All other kinds have "in"."""


def contradicted(carried: Carried) -> str:
    """Say why the laws of the earlier version are not used."""
    return (
        "The earlier version's laws are not used: the points of this version deviate from them by "
        f"{np.sqrt(carried.misfit):.1f} standard deviations."
    )


def gained(choice: Choice, at: int) -> float:
    """Return the total gain of the runs at one candidate."""
    return sum(gain for run, gain in zip(choice.runs, choice.gains, strict=True) if run == at)


def bought(question: Question, choice: Choice, at: int) -> str:
    """Say by which share the runs at one candidate reduce `State.open`."""
    share = gained(choice, at)
    rivals = isinstance(question.state, Rivalry)
    what = "of the evidence between the rivals" if rivals else "of the variance at the target"
    start = question.state.open() if question.state is not None else 1.0
    percent = 100 * share / max(start, np.finfo(float).tiny)
    return f"settles {percent:.0f} % {what}" if percent >= 1 else f"settles less than 1 % {what}"


@dataclass(frozen=True)
class Difference:
    """The difference of two versions at the target, as logarithms.

    Attributes:
        mean: logarithm of the ratio of this version to the one before.
        new: variance of this version's prediction.
        old: variance of the prediction of the version before.
        allowed: the largest variance of the difference with which this difference is settled.
    """

    mean: float
    new: float
    old: float
    allowed: float

    @property
    def enough(self) -> float:
        """Return the variance of this version's prediction at which the difference is settled."""
        return max(self.allowed - self.old, 0.0)


def difference_told(difference: Difference) -> str:
    """Say how far the difference between two versions is settled, and which version limits it."""
    deviation, old, allowed = (
        100 * np.expm1(np.sqrt(variance))
        for variance in (difference.new + difference.old, difference.old, difference.allowed)
    )
    told = (
        f"At the target this version takes {np.exp(difference.mean):#.3g} times as much as the one before, "
        f"with a standard deviation of {deviation:.2g} %; the difference counts as settled at {allowed:.2g} %"
    )
    if difference.enough > 0:
        return f"{told}."
    return f"{told}, but the version before alone contributes {old:.2g} %: measure that version further, too."


def open_rivals(choice: Choice, expected: Expected | None) -> list[str]:
    """Say how probable the right one of two rival laws will be, if the runs do not decide."""
    if expected is None or not np.isfinite(expected.certainty_after) or choice.reached or not choice.runs:
        return []
    before, after = (f"{100 * each:.0f} %" for each in (expected.certainty_before, expected.certainty_after))
    change = f"stays at {before}" if before == after else f"rises from {before} to {after}"
    return [
        f"These runs are not expected to decide between the laws: the probability of the right one {change}."
    ]


def outcome(
    question: Question, choice: Choice, differing: Sequence[str], split: Scatter, *, hardly: bool = False
) -> list[str]:
    """Say how close the runs come to the goal, and over which groups repetitions must be distributed.

    If runs are `hardly` worth it, other sentences already say what the allowed points leave of the interval.
    """
    told = []
    if question.state is None:
        told.append(
            "No kernel has two probable laws of different growth, so there is nothing to distinguish."
        )
    elif choice.reached:
        told.append(
            "With these runs the goal is expected to be reached." if choice.runs else "The goal is reached."
        )
    elif choice.stopped == "budget":
        told.append("The budget ends before the goal is reached.")
    elif choice.stopped == "pointless":
        told += [_pointless(choice)] if isinstance(question.state, Rivalry) or not hardly else []
    else:
        told.append("Look at the results of these runs before planning any more.")
    if choice.runs:
        told.append(_noise(split))
    if differing:
        told.append(_differing(differing, split))
    elif not split.known and choice.runs:
        told.append(
            "The runs so far cannot show whether jobs differ, so every repetition is planned as a separate "
            "job."
        )
    return told


def _pointless(choice: Choice) -> str:
    if choice.runs:
        return "Further runs at the allowed points would hardly help; other points are needed."
    return (
        f"All runs at the allowed points together would remove {100 * choice.passed_over:.0f} % of the "
        "variance at the target; other points are needed."
    )


def _differing(differing: Sequence[str], split: Scatter) -> str:
    """Say in which groups repetitions must be measured, and by how much these groups differ."""
    told = [f"{name}s differ by {_percent(split.groups[name])}" for name in differing]
    kinds = " and ".join(f"{WHERE.get(name, 'in')} another {name}" for name in differing)
    within = f"repetitions within a {differing[-1]} by {_percent(split.within)}"
    return f"{', '.join([*told, within]).capitalize()}: measure every repetition {kinds}."


def _noise(split: Scatter) -> str:
    """Say how much runs differ, and the sources of this noise."""
    if typical(split.run) is None:
        return f"No point has two runs, so a noise of {100 * UNKNOWN_NOISE:.0f} % is assumed."
    sources = split.sources()
    if not sources:
        return f"A run scatters by {_percent(split.run)} (standard deviation of the repetitions)."
    parts = [f"{100 * source.deviation:.2g} % from {source.kind} to {source.kind}" for source in sources]
    return f"A run scatters by {_percent(split.run)}: {', '.join(parts)}."


def _percent(variances: FloatArray) -> str:
    return f"{100 * (typical(variances) or 0.0):.2g} %"
