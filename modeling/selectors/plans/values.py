"""The values of a parameter that may be measured: from a text, to fill a range, or to continue a series."""

import math
import re
from collections.abc import Sequence

from modeling.selectors.plans.fields import float_or_nan
from modeling.targets import FARTHEST, FARTHEST_TOLD, NEAREST

MOST_VALUES = 60
"""Limit on the values of one parameter."""

DIGITS = 6
"""Significant digits of computed values, so that 0.6 does not become 0.6000000000000001."""

DOUBLED = 16.0
"""Ranges with at least this ratio of ends are filled by doubling, others in equal steps."""

STEPS = 8
"""Limit on the values of a range that is filled in equal steps."""

FEW = 6
"""Limit on the values that a message lists."""

FEWEST_STEPS = 5
"""Number of values that a law needs. If round steps give fewer, the steps are not round."""

RANGE = re.compile(r"\s*([0-9][0-9.e+]*?)\s*(?:\.\.+|…|–|\bto\b)\s*([0-9][0-9.e+]*)\s*")
"""A range of values: 2..4096, 2…4096, 2–4096 or 2 to 4096."""

TINY = 1e-9
"""Tolerance for rounding errors of logarithms and quotients."""


def next_value(series: Sequence[float]) -> float | None:
    """Return the value that continues an ascending series; a whole number if all values are."""
    if len(series) < 2:
        return series[-1] * 2 if series else None
    step = series[-1] - series[-2]
    equal = len(series) > 2 and math.isclose(step, series[-2] - series[-3])
    following = series[-1] + step if equal else series[-1] * (series[-1] / series[-2])
    whole = all(value == round(value) for value in series)
    return float(round(following)) if whole else float(f"{following:.{DIGITS}g}")


def values_read(
    name: str, text: str, default: Sequence[float], most: int, problems: list[str]
) -> tuple[float, ...]:
    """Parse numbers, or a range to fill with up to `most` values. After an error, the default is used."""
    usual = tuple(sorted(set(default)))[:MOST_VALUES]
    if not text.strip():
        return usual
    if (ends := RANGE.fullmatch(text)) is not None:
        return _range(name, ends.groups(), most, problems) or usual
    words = text.replace(",", " ").split()
    found = sorted({value for word in words if NEAREST <= (value := float_or_nan(word)) <= FARTHEST})
    if wrong := [word for word in words if not NEAREST <= float_or_nan(word) <= FARTHEST]:
        bound = f" up to {FARTHEST_TOLD}" if any(float_or_nan(word) > FARTHEST for word in wrong) else ""
        problems.append(
            f"Found “{' '.join(wrong)[:60]}” for {name}, expected positive numbers{bound} such as 4, 8, 16, "
            f"or a range such as 4..64{'; planned with ' + _listed(usual) if usual else ''}."
        )
        return usual or tuple(found[:MOST_VALUES])
    if len(found) > MOST_VALUES:
        problems.append(f"Found {len(found)} values of {name}, expected {MOST_VALUES} at most.")
        return usual or tuple(found[:MOST_VALUES])
    return tuple(found)


def _listed(values: Sequence[float]) -> str:
    """Return values as text; of many, only the ends: 4, 8, 16, … 1,024."""
    told = [f"{value:,.12g}" for value in values]
    return ", ".join(told if len(told) <= FEW else [*told[: FEW - 2], f"… {told[-1]}"])


def _range(name: str, ends: Sequence[str], most: int, problems: list[str]) -> tuple[float, ...]:
    """Return the values that fill a range; empty if its ends are no positive numbers."""
    first, last = map(float_or_nan, ends)
    if not (NEAREST <= first <= FARTHEST and NEAREST <= last <= FARTHEST):
        problems.append(f"Found “{'..'.join(ends)[:60]}” for {name}, expected a range such as 4..64.")
        return ()
    if first > last:
        problems.append(
            f"Found the range {first:.12g}..{last:.12g} for {name}; planned for {last:.12g}..{first:.12g}."
        )
        first, last = last, first
    return range_values(first, last, most)


def range_values(first: float, last: float, most: int = MOST_VALUES) -> tuple[float, ...]:
    """Return up to `most` values from `first` to `last`.

    Long ranges are filled by doubling. Short ones have equal steps of 1, 2 or 5 times a power of ten. The
    values are whole numbers if both ends are.
    """
    if first == last:
        return (first,)
    if last / first >= DOUBLED:
        count = math.floor(math.log2(last / first) + TINY) + 1
        doubled = tuple(first * 2.0**power for power in range(count))
        return doubled if count <= most else thinned(doubled, most)
    whole = first == round(first) and last == round(last)
    step = _step((last - first) / (min(STEPS, most) - 1 + TINY))
    step = max(step, 1.0) if whole else step
    count = math.floor((last - first) / step + TINY) + 1
    if count < min(most, FEWEST_STEPS) and not (whole and step == 1):
        step, count = (last - first) / (most - 1), most
    digits = (float(f"{first + number * step:.{DIGITS}g}") for number in range(count))
    return tuple(sorted({float(round(value)) if whole else value for value in digits}))


def _step(least: float) -> float:
    """Return the smallest 1, 2 or 5 times a power of ten that is not below `least`."""
    tens = 10.0 ** math.floor(math.log10(least))
    return next(tens * digit for digit in (1, 2, 5, 10) if tens * digit >= least * (1 - TINY))


def thinned(series: tuple[float, ...], count: int = 5) -> tuple[float, ...]:
    """Return up to `count` of the values, evenly spread, with both ends."""
    places = {round(at * (len(series) - 1) / (count - 1)) for at in range(count)}
    return tuple(series[at] for at in sorted(places))
