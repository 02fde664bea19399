"""Write the sentences of a plan: the purpose of its runs, the expected effect, and assumptions."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from modeling.engine.design.choosing import Choice, Question
from modeling.engine.design.earlier import EXPONENT, FACTOR, Carried
from modeling.engine.design.plans import Expected
from modeling.engine.design.rivalry import Rivalry
from modeling.engine.design.scatter import UNKNOWN_NOISE, Scatter, typical
from modeling.engine.design.worth import helps
from modeling.engine.validation import FloatArray

EARLIER_LAWS = (
    "This version was measured at too few values for laws of its own, or not yet. The laws of the version "
    f"before are used, with {100 * FACTOR:.0f} % of uncertainty for each kernel's level and {EXPONENT:g} for "
    "each exponent."
)

ALLOW_NEARER = "Allow values that lie nearer to the target."

MEASURE_BEFORE = "Further runs of this version would hardly help: measure the version before instead."

NOTHING_EARLIER = (
    "There is no earlier version of these kernels to compare with. The question is instead how to narrow the "
    "interval at the target."
)

MOST_SHOWN = 0.95
"""If the parts of the noise together have less than this share of its deviation, a sentence says so."""

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
    """Say by which share the runs at one candidate reduce `State.open`.

    Runs may yield more evidence between rivals than they need; shares are then those of all their evidence.
    """
    share = gained(choice, at)
    rivals = isinstance(question.state, Rivalry)
    what = "of the evidence between the rivals" if rivals else "of the variance at the target"
    start = max(question.state.open(), sum(choice.gains)) if question.state is not None else 1.0
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

    @property
    def hopeless(self) -> bool:
        """Return whether the version before is so uncertain that runs of this version hardly matter."""
        return not self.enough and not helps(self.new + self.old, self.old)


def difference_told(difference: Difference) -> str:
    """Say how far the difference between two versions is settled, and which version limits it."""
    deviation, old, allowed = (
        100 * np.expm1(np.sqrt(variance))
        for variance in (difference.new + difference.old, difference.old, difference.allowed)
    )
    told = (
        f"At the target this version takes {np.exp(difference.mean):#.3g} times as much as the one before, "
        f"with a standard deviation of {deviation:.2g} %; the difference is settled once this is at most "
        f"{allowed:.2g} %"
    )
    if difference.enough > 0:
        return f"{told}."
    contributes = f"{told}, but the version before alone contributes {old:.2g} %"
    return f"{contributes}." if difference.hopeless else f"{contributes}: measure that version further, too."


def rivals_told(rivalry: Rivalry, kernel: str, names: Sequence[str], *, alone: bool) -> str:
    """Say which two laws are distinguished, and how probable the more probable one is. `alone` says whether
    the question is about this kernel only.
    """
    one, other = (_growth(exponents, names) for exponents in rivalry.exponents.tolist())
    certain = f"{100 * rivalry.certainty(0.0):.3g} %"
    if rivalry.missing > 0:
        return (
            f"The rivals are two laws{f' of {kernel}' if kernel else ''}: growth {one}, and growth {other}. "
            f"If one of them is right, it is the first one with a probability of {certain}."
        )
    others = "" if alone else " The laws of all other kernels that matter at the target are told apart, too."
    return (
        f"The rival laws are told apart: {kernel or 'the kernel'} grows {one} with a probability of "
        f"{certain}, rather than {other}.{others}"
    )


def _growth(exponents: Sequence[float], names: Sequence[str]) -> str:
    """Return powers as text: like p·n^(3/2), or like n/p; "slower than any power" without any."""
    powers = [
        (name, Fraction(power).limit_denominator(12)) for name, power in zip(names, exponents, strict=True)
    ]
    above = "·".join(_power(name, power) for name, power in powers if power > 0)
    below = "/".join(["", *(_power(name, -power) for name, power in powers if power < 0)])
    return f"like {above or '1'}{below}" if above or below else "slower than any power"


def _power(name: str, power: Fraction) -> str:
    if power == 1:
        return name
    return f"{name}^{power}" if power.denominator == 1 else f"{name}^({power})"


def open_rivals(choice: Choice, expected: Expected | None) -> list[str]:
    """Say how probable the right one of two rival laws will be, if the runs do not decide."""
    if expected is None or not np.isfinite(expected.certainty_after) or choice.reached or not choice.runs:
        return []
    before, after = (f"{100 * each:.3g} %" for each in (expected.certainty_before, expected.certainty_after))
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
            "No kernel that matters at the target has two probable laws of different growth, so there is "
            "nothing to distinguish."
        )
    elif choice.reached:
        if choice.runs:
            told.append("With these runs the goal is expected to be reached.")
        elif not isinstance(question.state, Rivalry):
            told.append("The goal is reached.")
    elif choice.stopped == "budget":
        told.append("The budget ends before the goal is reached.")
    elif choice.stopped == "pointless":
        told += [] if hardly else [_pointless(question, choice)]
    else:
        told.append("Look at the results of these runs before planning any more.")
    if choice.runs:
        told.append(_noise(split))
    if choice.runs and differing:
        told.append(_differing(differing, split))
    elif choice.runs and not split.known:
        told.append(
            "The runs so far cannot show whether jobs differ, so every repetition is planned as a separate "
            "job."
        )
    return told


def _pointless(question: Question, choice: Choice) -> str:
    if choice.runs:
        return "Further runs at the allowed points would hardly help; other points are needed."
    share = f"{100 * choice.passed_over:.0f} %"
    if isinstance(question.state, Rivalry):
        what = f"yield {share} of the evidence between the rivals. Allow values that are farther apart."
    else:
        what = f"remove {share} of the variance at the target. {ALLOW_NEARER}"
    return f"All runs at the allowed points together would {what}"


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
    told = f"A run scatters by {_percent(split.run)}: {', '.join(parts)}."
    shown = np.sqrt(sum(source.deviation**2 for source in sources))
    rest = shown < MOST_SHOWN * (typical(split.run) or 0.0)
    return f"{told} So few groups do not show where the rest comes from." if rest else told


def _percent(variances: FloatArray) -> str:
    return f"{100 * (typical(variances) or 0.0):.2g} %"
