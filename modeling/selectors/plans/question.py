"""The question that a plan answers, parsed from the query of an address."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from modeling.engine.design import following, goals
from modeling.engine.design.deduced import filling, minimal
from modeling.engine.design.first import REPETITIONS as FIRST_REPETITIONS
from modeling.selectors.plans.fields import (
    count_read,
    formulas_read,
    id_read,
    iterations_read,
    number_read,
    numbers_of,
    powers_of_time,
    share_read,
    words_of,
)
from modeling.selectors.plans.values import MOST_VALUES, TINY, thinned, values_read

PROFILE = "profile"
"""The goal: the smallest design for the parameters that functions depend on."""

GOALS = (*goals.GOALS, PROFILE)
"""Goals of a plan."""

MOST_CANDIDATES = filling.CANDIDATES
"""Limit on the combinations of values, the candidates."""

LONGEST_TEXT = 2000
"""Limit on the characters of a field. 60 values with 17 digits and commas take 1,140."""

MOST_DEDUCED_RUNS = 3125
"""Limit on the runs of a deduced design: five repetitions of 5 × 5 × 5 × 5 points."""

MOST_PARAMETERS = 8
"""Limit on the parameters of an application that was not measured yet."""

MOST_REPETITIONS = 20
"""Limit on the repetitions at each point of a first plan."""

SECONDS = 60.0
"""Assumed seconds of one run, if no measurement can predict them."""


@dataclass(frozen=True)
class Question:
    """A question about what to measure.

    Attributes:
        goal: one of `GOALS`.
        values: parameter → the values that may be measured, ascending.
        budget: limit on core hours; None: no limit.
        runs: limit on all runs of the plan; None: as usual for the goal.
        seconds: seconds of one run, if no measurement can predict them.
        processes: largest number of processes of a run; None: any.
        hours: longest time of a run; None: any.
        within: wanted half width of the interval, as a share; None: half of the present one.
        memory: largest memory of a run in GB; None: any.
        memory_each: GB of a process; None: taken from a metric of memory.
        overhead: core hours that each job costs in addition to its run.
        wait: hours that a job waits in the queue.
        kernel: id of the kernel that the question is about; None: the whole program.
        fresh: whether the question is about an unmeasured version.
        linear: parameters that count the iterations of the main loop.
        iterations: seconds of the main loop's iterations in one run; may be empty.
        dependent: parameter → powers of the parameters from which it is computed.
        known: parameter → its value in the run that takes `seconds`; by default the smallest.
        grows: parameter → power with which the time of a run grows, if the user gave it.
        repetitions: runs at each point of a first plan; None: as usual.
    """

    goal: str
    values: tuple[tuple[str, tuple[float, ...]], ...]
    budget: float | None = None
    runs: int | None = None
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
    iterations: tuple[float, ...] = ()
    dependent: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    known: tuple[tuple[str, float], ...] = ()
    grows: tuple[tuple[str, float], ...] = ()
    repetitions: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the parameters."""
        return tuple(name for name, _ in self.values)

    def candidates(self) -> NDArray[np.float64]:
        """Return all combinations of the values, (points, parameters)."""
        return np.array(list(product(*(series for _, series in self.values))), dtype=np.float64)


def question_read(
    query: Mapping[str, str], offered: Mapping[str, Sequence[float]], *, default_goal: str
) -> tuple[Question, list[str]]:
    """Return the question in a query, and the query's errors. Invalid parts get their defaults."""
    problems: list[str] = []
    query = _short_texts(query, problems)
    goal = query.get("goal") or default_goal
    if goal not in GOALS:
        problems.append(f"Found the goal “{goal[:40]}”, expected one of {', '.join(GOALS)}.")
        goal = default_goal
    most = int(MOST_CANDIDATES ** (1 / len(offered)) + TINY) if offered else MOST_VALUES
    values = tuple(
        (name, values_read(name, query.get(f"values.{name}", ""), series, most, problems))
        for name, series in offered.items()
    )
    count = math.prod(len(series) for _, series in values)
    if count > MOST_CANDIDATES:
        problems.append(f"Found {count:,} combinations of values, expected {MOST_CANDIDATES:,} at most.")
        values = tuple((name, thinned(series)) for name, series in values)
    if unknown := [name for name in named_values(query) if name not in offered]:
        problems.append(
            f"Found values of {', '.join(unknown)[:60]}, expected those of {', '.join(offered) or 'none'}."
        )
    linear = tuple(words_of(query.get("linear", "")))
    if strange := [name for name in linear if name not in offered]:
        problems.append(
            f"Found {', '.join(strange)[:60]} for linear, which is none of the known parameters "
            f"({', '.join(offered) or 'none'}); planned as if it counted the iterations of a main loop "
            "and never varied."
        )
    question = Question(
        goal=goal,
        values=values,
        budget=number_read("budget", query, problems),
        runs=count_read("runs", most_runs(goal), query, problems),
        seconds=number_read("seconds", query, problems) or SECONDS,
        processes=number_read("processes", query, problems),
        hours=number_read("hours", query, problems),
        within=share_read("within", query, problems),
        memory=number_read("memory", query, problems),
        memory_each=number_read("memory_each", query, problems),
        overhead=number_read("overhead", query, problems),
        wait=number_read("wait", query, problems),
        kernel=id_read("kernel", query, problems),
        fresh=query.get("fresh", "") not in {"", "0", "false"},
        linear=linear,
        iterations=iterations_read(query.get("iterations", ""), linear, problems),
        dependent=formulas_read(query.get("dependent", ""), list(offered), problems),
        known=tuple(numbers_of("known", offered, query, problems)),
        grows=tuple(powers_of_time(offered, query, problems)),
        repetitions=count_read("repetitions", MOST_REPETITIONS, query, problems),
    )
    return question, problems


def most_runs(goal: str) -> int:
    """Return the limit on the runs that a user may ask for."""
    return MOST_DEDUCED_RUNS if goal == PROFILE else following.MOST_RUNS


def usual_runs(question: Question) -> int | None:
    """Return the default limit on the runs of a plan; None for deduced designs without a budget."""
    if question.goal != PROFILE:
        return following.MOST_RUNS
    return filling.RUNS if question.budget is not None else None


def usual_repetitions(goal: str) -> int:
    """Return the default number of runs at each point of a first plan."""
    return minimal.REPETITIONS if goal == PROFILE else FIRST_REPETITIONS


def _short_texts(query: Mapping[str, str], problems: list[str]) -> dict[str, str]:
    """Return the fields of a query that are not too long."""
    long = [name for name, text in query.items() if len(text) > LONGEST_TEXT]
    if long:
        problems.append(
            f"Left out {', '.join(long)[:60]}: expected {LONGEST_TEXT:,} characters at most for each field."
        )
    return {name: text for name, text in query.items() if name not in long}


def within_asked(query: Mapping[str, str]) -> float | None:
    """Return the query's wanted half width of the interval as a share; None if empty."""
    return share_read("within", query, [])


def named_values(query: Mapping[str, str]) -> list[str]:
    """Return the parameters that a query names by fields such as values.NAME."""
    names = (key.removeprefix("values.").strip() for key in query if key.startswith("values."))
    return list(dict.fromkeys(filter(None, names)))
