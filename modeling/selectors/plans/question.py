"""The question of a plan, parsed from the query of an address."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from modeling.engine.design import following
from modeling.engine.design.deduced import filling, minimal
from modeling.engine.design.first import REPETITIONS as FIRST_REPETITIONS

PROFILE = "profile"
"""The goal of the smallest design for the parameters that functions depend on."""

GOALS = (*following.GOALS, PROFILE)
"""Goals of a plan."""

MOST_CANDIDATES = filling.CANDIDATES
"""Limit on the combinations of values."""

MOST_VALUES = 60
"""Limit on the values of one parameter."""

LONGEST_TEXT = 2000
"""Limit on the characters of a field of a question. 60 values with 17 digits and commas take 1,140."""

MOST_DEDUCED_RUNS = 1000
"""Limit on the runs of a deduced design that a user may ask for. A full factorial design of five values of
three parameters has 625.
"""

LONGEST_ID = 19
"""Number of digits that no id reaches."""

DIGITS = 6
"""Significant digits of a value that continues a series of fractions, so that 0.6 does not become
0.6000000000000001.
"""

MOST_PARAMETERS = 8
"""Limit on the parameters of an application that was not measured yet."""

MOST_REPETITIONS = 20
"""Limit on the repetitions at each point of a first plan."""

DOUBLED = 16.0
"""Smallest ratio of the ends of a range that is filled by doubling, which then gives the five values that
a law needs. A shorter range is filled in equal steps.
"""

STEPS = 8
"""Limit on the values of a range that is filled in equal steps. More values would only be closer together."""

FEWEST_STEPS = 5
"""Number of values that a law needs. A range with fewer round values gets values that are not round."""

STEEPEST = 10.0
"""Limit on the power of a parameter with which the time of a run is said to grow."""

RANGE = re.compile(r"\s*([0-9][0-9.e+]*?)\s*(?:\.\.+|…|–|\bto\b)\s*([0-9][0-9.e+]*)\s*")
"""A range of values: 2..4096, 2…4096, 2–4096 or 2 to 4096."""

TINY = 1e-9
"""Allowance for rounding errors of logarithms and quotients."""

SECONDS = 60.0
"""Assumed seconds of one run, if no measurement can predict them."""


@dataclass(frozen=True)
class Question:
    """A question about what to measure.

    Attributes:
        goal: one of `GOALS`.
        values: parameter → the values that may be measured, ascending.
        budget: limit on core hours; None: no limit.
        runs: limit on the runs of the plan, with all repetitions; None: as many as usual for the goal.
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
        known: parameter → its value in the run that takes `seconds`; if missing, its smallest value.
        grows: parameter → the power of it with which the time of a run grows, as far as the user said it.
        repetitions: runs at each point of a first plan; None: as many as usual.
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
    dependent: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    known: tuple[tuple[str, float], ...] = ()
    grows: tuple[tuple[str, float], ...] = ()
    repetitions: int | None = None

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
    query = _short_texts(query, problems)
    goal = query.get("goal") or default_goal
    if goal not in GOALS:
        problems.append(f"Found the goal “{goal[:40]}”, expected one of {', '.join(GOALS)}.")
        goal = default_goal
    most = int(MOST_CANDIDATES ** (1 / len(offered)) + TINY) if offered else MOST_VALUES
    values = tuple(
        (name, _values(name, query.get(f"values.{name}", ""), series, most, problems))
        for name, series in offered.items()
    )
    count = math.prod(len(series) for _, series in values)
    if count > MOST_CANDIDATES:
        problems.append(f"Found {count:,} combinations of values, expected {MOST_CANDIDATES:,} at most.")
        values = tuple((name, _thinned(series)) for name, series in values)
    if unknown := [name for name in named_values(query) if name not in offered]:
        problems.append(
            f"Found values of {', '.join(unknown)[:60]}, expected those of {', '.join(offered) or 'none'}."
        )
    linear = tuple(_words(query.get("linear", "")))
    question = Question(
        goal=goal,
        values=values,
        budget=_number("budget", query, problems),
        runs=_count("runs", most_runs(goal), query, problems),
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
        linear=linear,
        dependent=_dependent(query.get("dependent", ""), list(offered), problems),
        known=tuple(_numbers("known", offered, query, problems)),
        grows=tuple(_powers_of_time(offered, query, problems)),
        repetitions=_count("repetitions", MOST_REPETITIONS, query, problems),
    )
    return question, problems


def most_runs(goal: str) -> int:
    """Return the limit on the runs that a user may ask for."""
    return MOST_DEDUCED_RUNS if goal == PROFILE else following.MOST_RUNS


def usual_runs(goal: str) -> int:
    """Return the limit on the runs of a plan if the user gives none."""
    return filling.RUNS if goal == PROFILE else following.MOST_RUNS


def usual_repetitions(goal: str) -> int:
    """Return the runs at each point of a first plan if the user gives no number."""
    return minimal.REPETITIONS if goal == PROFILE else FIRST_REPETITIONS


def _short_texts(query: Mapping[str, str], problems: list[str]) -> dict[str, str]:
    """Return the fields of a query, without those that are too long."""
    long = [name for name, text in query.items() if len(text) > LONGEST_TEXT]
    if long:
        problems.append(
            f"Left out {', '.join(long)[:60]}: expected {LONGEST_TEXT:,} characters at most for each field."
        )
    return {name: text for name, text in query.items() if name not in long}


def within_asked(query: Mapping[str, str]) -> float | None:
    """Return the half width of the interval that a query wants, as a share; None if it wants none."""
    return _share("within", query, [])


def named_values(query: Mapping[str, str]) -> list[str]:
    """Return the parameters that a query names by values.NAME, in its order."""
    names = (key.removeprefix("values.").strip() for key in query if key.startswith("values."))
    return list(dict.fromkeys(filter(None, names)))


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


def _values(
    name: str, text: str, default: Sequence[float], most: int, problems: list[str]
) -> tuple[float, ...]:
    """Parse numbers with commas or blanks between them, or a range, which gets up to `most` values.

    Invalid numbers are left out if there is no default.
    """
    usual = tuple(sorted(set(default)))[:MOST_VALUES]
    if not text.strip():
        return usual
    if (ends := RANGE.fullmatch(text)) is not None:
        return _range(name, ends.groups(), most, problems) or usual
    words = text.replace(",", " ").split()
    found = sorted({value for word in words if 0 < (value := _float(word)) < math.inf})
    if wrong := [word for word in words if not 0 < _float(word) < math.inf]:
        problems.append(
            f"Found “{' '.join(wrong)[:60]}” for {name}, expected positive numbers such as 4, 8, 16, or a "
            "range such as 4..64."
        )
        return usual or tuple(found[:MOST_VALUES])
    if len(found) > MOST_VALUES:
        problems.append(f"Found {len(found)} values of {name}, expected {MOST_VALUES} at most.")
        return usual or tuple(found[:MOST_VALUES])
    return tuple(found)


def _range(name: str, ends: Sequence[str], most: int, problems: list[str]) -> tuple[float, ...]:
    """Return the values of a range, or nothing if its ends are no positive numbers."""
    first, last = map(_float, ends)
    if not (0 < first < math.inf and 0 < last < math.inf):
        problems.append(f"Found “{'..'.join(ends)[:60]}” for {name}, expected a range such as 4..64.")
        return ()
    if first > last:
        problems.append(f"Found the range {first:g}..{last:g} for {name}; planned for {last:g}..{first:g}.")
        first, last = last, first
    return range_values(first, last, most)


def range_values(first: float, last: float, most: int = MOST_VALUES) -> tuple[float, ...]:
    """Return up to `most` values from `first` to `last`.

    Long ranges are filled by doubling, and short ones in equal steps of 1, 2 or 5 times a power of ten.
    The values are whole numbers if both ends are.
    """
    if first == last:
        return (first,)
    if last / first >= DOUBLED:
        count = math.floor(math.log2(last / first) + TINY) + 1
        doubled = tuple(first * 2.0**power for power in range(count))
        return doubled if count <= most else _thinned(doubled, most)
    whole = first == round(first) and last == round(last)
    step = _step((last - first) / (min(STEPS, most) - 1 + TINY))
    step = max(step, 1.0) if whole else step
    count = math.floor((last - first) / step + TINY) + 1
    if count < min(most, FEWEST_STEPS) and not (whole and step == 1):
        step, count = (last - first) / (most - 1), most
    digits = (float(f"{first + number * step:.{DIGITS}g}") for number in range(count))
    return tuple(sorted({float(round(value)) if whole else value for value in digits}))


def _step(least: float) -> float:
    """Return the smallest number of the form 1, 2 or 5 times a power of ten that is not below `least`."""
    tens = 10.0 ** math.floor(math.log10(least))
    return next(tens * digit for digit in (1, 2, 5, 10) if tens * digit >= least * (1 - TINY))


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _numbers(
    kind: str, names: Iterable[str], query: Mapping[str, str], problems: list[str]
) -> Iterator[tuple[str, float]]:
    """Yield the positive numbers of parameters, such as known.p=64."""
    for name in names:
        if (value := _number(f"{kind}.{name}", query, problems)) is not None:
            yield name, value


def _powers_of_time(
    names: Iterable[str], query: Mapping[str, str], problems: list[str]
) -> Iterator[tuple[str, float]]:
    """Yield the powers of parameters with which the time of a run grows, such as grows.n=3."""
    for name in names:
        if text := query.get(f"grows.{name}", "").strip():
            value = _float(text.replace("−", "-"))
            if abs(value) <= STEEPEST:
                yield name, value
            else:
                problems.append(
                    f"Found “{text[:40]}” for grows.{name}, expected a power such as -1, 0.5 or 3."
                )


def _count(name: str, most: int, query: Mapping[str, str], problems: list[str]) -> int | None:
    """Return a whole number from 1 to `most`; None if there is none. Larger numbers are reported and become
    `most`.
    """
    count = _number(name, query, problems)
    if count is None or (count == round(count) and count <= most):
        return None if count is None else int(count)
    problems.append(f"Found {count:g} for {name}, expected a whole number from 1 to {most:,}.")
    return max(1, min(int(count), most))


def _thinned(series: tuple[float, ...], count: int = 5) -> tuple[float, ...]:
    """Return a few of the values, including both ends."""
    places = {round(at * (len(series) - 1) / (count - 1)) for at in range(count)}
    return tuple(series[at] for at in sorted(places))


def _number(name: str, query: Mapping[str, str], problems: list[str]) -> float | None:
    text = query.get(name, "").strip()
    if not text:
        return None
    value = _float(text)
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


def _dependent(
    text: str, known: Sequence[str], problems: list[str]
) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """Parse formulas such as spacing = vol / cubes; area = n * n. Their right sides are products and
    quotients of `known` parameters.
    """
    found = []
    for part in text.split(";"):
        if not part.strip():
            continue
        name, equals, formula = part.partition("=")
        powers = _powers(formula)
        if not equals or not name.strip() or not powers:
            problems.append(f"Found “{part.strip()[:60]}”, expected something such as spacing = vol / cubes.")
            continue
        if strange := [source for source in powers if source not in known or source == name.strip()]:
            problems.append(
                f"Found {', '.join(strange)[:60]} in “{part.strip()[:60]}”, expected other parameters: "
                f"{', '.join(one for one in known if one != name.strip())}."
            )
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
