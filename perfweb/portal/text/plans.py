"""The words of the planner: goals, and the outcome of a plan."""

GOALS = (
    ("interval", "narrow the interval at the target"),
    ("rivals", "tell rival laws apart"),
    ("change", "settle whether the version before was faster"),
    ("first", "make a first model"),
    ("profile", "cover what functions depend on"),
)
"""Goals by their name in addresses."""

_ABOUT = {
    "interval": "Runs expected to halve the interval of the total at the target, for the fewest core hours.",
    "rivals": "Runs at which the two most probable laws of a kernel differ most, per core hour.",
    "change": "Runs of this version that settle whether it differs from the one before at the target.",
    "first": "A line of values for each parameter, and the cheapest points off them.",
    "profile": "The smallest design by which every function shows how it grows with its parameters.",
}

VERDICTS = {
    "reached": "The goal is reached: the interval at the target is as narrow as this plan was to make it.",
    "complete": "All runs have arrived.",
    "pointless": "Going on is pointless: no run is expected to tell anything worth its cost any more.",
    "open": "Runs are still missing.",
}


def goal_title(goal: str) -> str:
    """Return a goal in words."""
    return dict(GOALS).get(goal, goal)


def goal_about(goal: str) -> str:
    """Return the content of a plan for a goal."""
    return _ABOUT.get(goal, "")
