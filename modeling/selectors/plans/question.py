"""The question of a plan, parsed from the query of an address."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

GOALS = ("interval", "rivals", "change", "first", "profile")
"""Goals of a plan. The goal "profile" is the smallest design for the parameters that functions depend on."""

MOST_CANDIDATES = 4096
"""Limit on the combinations of values; with 4,096 a proposal takes a few seconds."""

MOST_VALUES = 60
"""Limit on the values of one parameter."""

MOST_RUNS = 40
"""Default limit on the repetitions that one plan proposes."""

LONGEST_ID = 19
"""Number of digits that no id reaches."""

DIGITS = 6
"""Significant digits of a value that continues a series of fractions. They give 0.6, and not
0.6000000000000001.
"""

SECONDS = 60.0
"""Assumed seconds of one run, if no measurement can predict them."""


@dataclass(frozen=True)
class Question:
    """A question about what to measure.

    Attributes:
        goal: one of `GOALS`.
        values: parameter → the values that may be measured, ascending.
        budget: limit on core hours; None: no limit.
        runs: limit on the repetitions of the plan.
        seconds: seconds of one run, if no measurement can predict them.
        processes: largest number of processes of a run; None: any.
        hours: longest time of a run, as a queue allows; None: any.
        within: half width of the interval that is wanted, as a share; None: half of what it is now.
        memory: largest memory of a run in GB; None: any.
        memory_each: GB of a process; None: taken from a metric of memory.
        overhead: core hours that each job costs on top of its run; None: nothing.
        wait: hours that a job waits in the queue; None: none.
        kernel: id of the kernel that the question is about; None: the whole program.
        fresh: whether the question is about a version that was not measured at all yet.
        linear: parameters that repeat the whole main loop.
        dependent: parameter → those it is computed from, with their powers.
    """

    goal: str
    values: tuple[tuple[str, tuple[float, ...]], ...]
    budget: float | None = None
    runs: int = MOST_RUNS
    seconds: float = SECONDS
    processes: float | None = None
    hours: float | None = None
    within: float | None = None
    memory: float | None = None
    memory_each: float | None = None
    overhead: float | None = None
    wait: float | None = None
    fresh: bool = False
    kernel: int | None = None
    linear: tuple[str, ...] = ()
    dependent: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the parameters."""
        return tuple(name for name, _ in self.values)

    def candidates(self) -> NDArray[np.float64]:
        """Return all combinations of the values, (C, m)."""
        return np.array(list(product(*(series for _, series in self.values))), dtype=np.float64)


def question_read(
    query: Mapping[str, str], offered: Mapping[str, Sequence[float]], *, default_goal: str
) -> tuple[Question, list[str]]:
    """Parse the question of a query, and list its errors as sentences. Invalid parts get their defaults.

    `offered` has the values of each parameter that the query does not name.
    """
    problems: list[str] = []
    goal = query.get("goal") or default_goal
    if goal not in GOALS:
        problems.append(f"Found the goal “{goal[:40]}”, expected one of {', '.join(GOALS)}.")
        goal = default_goal
    values = tuple(
        (name, _values(name, query.get(f"values.{name}", ""), series, problems))
        for name, series in offered.items()
    )
    count = math.prod(len(series) for _, series in values)
    if count > MOST_CANDIDATES:
        problems.append(f"Found {count:,} combinations of values, expected {MOST_CANDIDATES:,} at most.")
        values = tuple((name, _thinned(series)) for name, series in values)
    question = Question(
        goal=goal,
        values=values,
        budget=_number("budget", query, problems),
        runs=int(min(_number("runs", query, problems) or MOST_RUNS, MOST_RUNS)),
        seconds=_number("seconds", query, problems) or SECONDS,
        processes=_number("processes", query, problems),
        hours=_number("hours", query, problems),
        within=_share("within", query, problems),
        memory=_number("memory", query, problems),
        memory_each=_number("memory_each", query, problems),
        overhead=_number("overhead", query, problems),
        wait=_number("wait", query, problems),
        kernel=_id("kernel", query, problems),
        fresh=query.get("fresh", "") not in {"", "0", "false"},
        linear=tuple(_words(query.get("linear", ""))),
        dependent=_dependent(query.get("dependent", ""), problems),
    )
    return question, problems


def next_value(series: Sequence[float]) -> float | None:
    """Return the value that continues a rising series by its last factor, or by its last step if the steps
    are equal.

    The value is a whole number if all values of the series are, because nobody runs 142.5 processes.
    """
    if len(series) < 2:
        return series[-1] * 2 if series else None
    step = series[-1] - series[-2]
    equal = len(series) > 2 and math.isclose(step, series[-2] - series[-3])
    following = series[-1] + step if equal else series[-1] * (series[-1] / series[-2])
    whole = all(value == round(value) for value in series)
    return float(round(following)) if whole else float(f"{following:.{DIGITS}g}")


def _values(name: str, text: str, default: Sequence[float], problems: list[str]) -> tuple[float, ...]:
    """Parse numbers with commas or blanks between them."""
    if not text.strip():
        return tuple(sorted(set(default)))[:MOST_VALUES]
    try:
        found = sorted({float(part) for part in text.replace(",", " ").split()})
    except ValueError:
        found = []
    if not found or not all(0 < value < math.inf for value in found) or len(found) > MOST_VALUES:
        problems.append(
            f"Found “{text[:60]}” for {name}, expected up to {MOST_VALUES} positive numbers such as 4, 8, 16."
        )
        return tuple(sorted(set(default)))[:MOST_VALUES]
    return tuple(found)


def _thinned(series: tuple[float, ...], count: int = 5) -> tuple[float, ...]:
    """Return a few of the values, including both ends."""
    places = {round(at * (len(series) - 1) / (count - 1)) for at in range(count)}
    return tuple(series[at] for at in sorted(places))


def _number(name: str, query: Mapping[str, str], problems: list[str]) -> float | None:
    text = query.get(name, "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        problems.append(f"Found “{text[:40]}” for {name}, expected a number above 0.")
        return None
    return value


def _id(name: str, query: Mapping[str, str], problems: list[str]) -> int | None:
    text = query.get(name, "").strip()
    if text and not (text.isascii() and text.isdecimal() and len(text) < LONGEST_ID):
        problems.append(f"Found “{text[:40]}” for {name}, expected a number.")
        return None
    return int(text) if text else None


def _share(name: str, query: Mapping[str, str], problems: list[str]) -> float | None:
    """Parse a percentage, and return it as a share."""
    percent = _number(name, query, problems)
    return None if percent is None else percent / 100


def _words(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _dependent(text: str, problems: list[str]) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """Parse formulas such as spacing = vol / cubes; area = n * n."""
    found = []
    for part in text.split(";"):
        if not part.strip():
            continue
        name, equals, formula = part.partition("=")
        powers = _powers(formula)
        if not equals or not name.strip() or not powers:
            problems.append(f"Found “{part.strip()[:60]}”, expected something such as spacing = vol / cubes.")
            continue
        found.append((name.strip(), tuple(powers.items())))
    return tuple(found)


def _powers(formula: str) -> dict[str, float]:
    """Return the parameters of a product or quotient with their powers, or nothing if the text is neither."""
    powers: dict[str, float] = {}
    sign = 1.0
    for word in formula.replace("*", " * ").replace("·", " * ").replace("/", " / ").split():
        if word in "*/":
            sign = 1.0 if word == "*" else -1.0
        else:
            powers[word] = powers.get(word, 0.0) + sign
            sign = 1.0
    return powers
