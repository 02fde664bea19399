"""Parse the fields of a question in an address. Errors are appended to a list of problems."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ingest.fields.ids import id_parse
from modeling.targets import FARTHEST, FARTHEST_TOLD

STEEPEST = 10.0
"""Limit on the powers with which a run's time grows, as users give them."""


def float_or_nan(text: str) -> float:
    """Return a text as a number, or NaN."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def numbers_of(
    kind: str, names: Iterable[str], query: Mapping[str, str], problems: list[str]
) -> Iterator[tuple[str, float]]:
    """Yield parameters with their positive numbers from fields such as known.p=64 (`kind` is "known")."""
    for name in names:
        if (value := number_read(f"{kind}.{name}", query, problems)) is not None:
            yield name, value


def powers_of_time(
    names: Iterable[str], query: Mapping[str, str], problems: list[str]
) -> Iterator[tuple[str, float]]:
    """Yield parameters with their powers of a run's time, from fields such as grows.n=3."""
    for name in names:
        if text := query.get(f"grows.{name}", "").strip():
            value = float_or_nan(text.replace("−", "-"))
            if abs(value) <= STEEPEST:
                yield name, value
            else:
                problems.append(
                    f"Found “{text[:40]}” for grows.{name}, expected a power such as -1, 0.5 or 3; planned "
                    "as if it were not known."
                )


def count_read(name: str, most: int, query: Mapping[str, str], problems: list[str]) -> int | None:
    """Parse a whole number from 1 to `most`; None if empty. Other numbers become the nearest such one."""
    count = number_read(name, query, problems)
    if count is None or (count == round(count) and count <= most):
        return None if count is None else int(count)
    nearest = max(1, min(int(count), most))
    problems.append(
        f"Found {count:,.15g} for {name}, expected a whole number from 1 to {most:,}; planned with "
        f"{nearest:,}."
    )
    return nearest


def number_read(name: str, query: Mapping[str, str], problems: list[str]) -> float | None:
    """Parse a number above 0, up to `FARTHEST`; None if the field is empty or has another text."""
    text = query.get(name, "").strip()
    if not text:
        return None
    value = float_or_nan(text)
    if not 0 < value <= FARTHEST:
        bound = f", up to {FARTHEST_TOLD}" if value > FARTHEST else ""
        problems.append(
            f"Found “{text[:40]}” for {name}, expected a number above 0{bound}; planned as if it were empty."
        )
        return None
    return value


def id_read(name: str, query: Mapping[str, str], problems: list[str]) -> int | None:
    """Parse the id of a row; None if the field is empty."""
    text = query.get(name, "").strip()
    number = id_parse(text)
    if text and number is None:
        problems.append(f"Found “{text[:40]}” for {name}, expected a number.")
    return number


def share_read(name: str, query: Mapping[str, str], problems: list[str]) -> float | None:
    """Parse a percentage, and return it as a share."""
    percent = number_read(name, query, problems)
    return None if percent is None else percent / 100


def words_of(text: str) -> list[str]:
    """Return words that are separated by commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def iterations_read(text: str, linear: Sequence[str], problems: list[str]) -> tuple[float, ...]:
    """Parse the seconds of iterations, with commas or blanks between them."""
    words = text.replace(",", " ").split()
    found = tuple(float_or_nan(word) for word in words)
    if not words:
        return ()
    if len(found) < 2 or not all(0 < value < math.inf for value in found):
        problems.append(
            f"Found “{text.strip()[:60]}” for iterations, expected the seconds of two or more iterations, "
            "such as 0.98, 1.01, 1.02."
        )
        return ()
    if not linear:
        problems.append(
            "The seconds of iterations have no effect: name the parameter that counts iterations."
        )
    return found


def formulas_read(
    text: str, known: Sequence[str], problems: list[str]
) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """Parse formulas such as spacing = vol / cubes; area = n * n, of `known` parameters."""
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
    """Return the powers of parameters in a product or quotient; empty for another text."""
    powers: dict[str, float] = {}
    sign = 1.0
    for word in formula.replace("*", " * ").replace("·", " * ").replace("/", " / ").split():
        if word in "*/":
            sign = 1.0 if word == "*" else -1.0
        else:
            powers[word] = powers.get(word, 0.0) + sign
            sign = 1.0
    return powers
