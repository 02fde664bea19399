"""The words of the planner: goals, and the outcome of a plan."""

import math

from perfweb.portal.text import formatting

GOALS = (
    ("interval", "narrow the interval at the target"),
    ("rivals", "tell rival laws apart"),
    ("change", "settle a change, or confirm a fix"),
    ("first", "make a first model"),
    ("profile", "cover what functions depend on"),
)
"""Goals by their name in addresses."""

_ABOUT = {
    "interval": "Runs that narrow the interval at the target, for the fewest core hours.",
    "rivals": "Runs at which the two most probable laws of a kernel differ most, per core hour.",
    "change": "Runs of this version that settle whether it differs from the one before at the target.",
    "first": "A line of values for each parameter, and the cheapest points off them.",
    "profile": "The smallest design by which every function shows how it grows with its parameters.",
}

VERDICTS = {
    "reached": "The goal is reached: the interval at the target is as narrow as this plan was to make it.",
    "complete": "All runs have arrived.",
    "pointless": "Going on is pointless: no further run is expected to be worth its cost.",
    "open": "Runs are still missing.",
}


def goal_title(goal: str) -> str:
    """Return a goal in words."""
    return dict(GOALS).get(goal, goal)


def goal_about(goal: str) -> str:
    """Return the content of a plan for a goal."""
    return _ABOUT.get(goal, "")


SMALL_SPREAD = 1.5
"""Factor to either side up to which an interval reads better in percent."""


def spread(width: float) -> str:
    """Return how far an interval reaches, given the factor to either end: ± 12 %, a factor of 2.3 to either
    side."""
    if not math.isfinite(width):
        return "not known"
    if width < SMALL_SPREAD:
        return f"± {formatting.number(100 * (width - 1), 2)} %"
    return f"a factor of {formatting.number(width)} to either side"
