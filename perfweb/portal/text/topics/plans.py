"""The words of the planner: goals, and the outcome of a plan."""

import math
from collections.abc import Sequence

from modeling.engine import NoiseSource
from perfweb.portal.text import formatting

GOALS = (
    ("interval", "narrow the interval at the target"),
    ("rivals", "tell rival laws apart"),
    ("change", "settle a change, or confirm a fix"),
    ("first", "make a first model"),
    ("profile", "cover what functions depend on"),
)
"""Names of goals in addresses, and words on pages."""

_ABOUT = {
    "interval": "These runs narrow the interval at the target for few core hours.",
    "rivals": "At these runs the two most probable laws of a kernel differ most for their core hours.",
    "change": "These runs of this version show whether it differs from the version before at the target.",
    "first": "These runs are a line of values for each parameter, and the cheapest points off these lines.",
    "profile": "These are the fewest points at which every function shows how it grows with its parameters.",
}

_WITH_BUDGET = {
    "profile": "For this budget, these runs reveal most about the target, given what functions depend on.",
}

VERDICTS = {
    "reached": "The goal is reached: the interval at the target is as narrow as this plan promised.",
    "complete": "Ask again to see what these runs have shown, and whether more are worth their cost.",
    "pointless": "You can stop here: no further run is expected to be worth its cost.",
    "open": "",
}
"""Sentences on the progress of a plan, where the number of runs does not say all."""


REACHED = {
    "rivals": "The goal is reached: one of the rival laws is far more probable than the others.",
    "change": "The goal is reached: it is settled whether this version differs from the one before.",
}
"""Sentences for reached goals, except for that of a narrow interval."""

NOT_NEEDED = "The missing runs are not needed any more."


def verdict_told(verdict: str, goal: str, *, complete: bool) -> str:
    """Return the sentence for the progress of a plan with this goal, whose runs may all have arrived."""
    if verdict != "reached":
        return VERDICTS[verdict]
    told = REACHED.get(goal, VERDICTS["reached"])
    return told if complete else f"{told} {NOT_NEEDED}"


def goal_title(goal: str) -> str:
    """Return the words for a goal of a plan."""
    return dict(GOALS).get(goal, goal)


def goal_about(goal: str, *, budget: bool) -> str:
    """Return a sentence on the purpose of plans for a goal, with or without a budget."""
    return _WITH_BUDGET.get(goal, _ABOUT.get(goal, "")) if budget else _ABOUT.get(goal, "")


_APART = {
    "repetition": "from repetition to repetition",
    "job": "from job to job",
    "node": "from node to node",
    "day": "from day to day",
    "campaign": "from campaign to campaign",
}


def source_name(source: NoiseSource) -> str:
    """Return the words for a source of noise, such as "from job to job"."""
    return _APART[source.kind]


def source_note(source: NoiseSource) -> str:
    """Return how a part of the noise was found: the compared groups, and other noise that it includes."""
    if not source.groups:
        return "repetitions within one group of all other kinds"
    compared = f"{source.groups} {source.kind}s compared"
    if not source.also:
        return compared
    also = " and ".join(source.also)
    return f"{compared}; each had another {also}, so this part contains both"


def noise_sentence(sources: Sequence[NoiseSource]) -> str:
    """Return a sentence: Runs at the same point differ by 6 % from job to job and by 1 % from …"""
    parts = [f"by {100 * source.deviation:.2g} % {source_name(source)}" for source in sources]
    *first, last = parts
    return f"Runs at the same point differ {', '.join(first)}{' and ' if first else ''}{last}."


SMALL_SPREAD = 1.5
"""Intervals with at most this factor to either side are written in percent."""


def spread(width: float) -> str:
    """Return an interval's width, given the factor to either end: ± 12 %, a factor of 2.3 to either side."""
    if not math.isfinite(width):
        return "not known"
    if width < SMALL_SPREAD:
        return f"± {formatting.number(100 * (width - 1), 2)} %"
    return f"a factor of {formatting.number(width)} to either side"
