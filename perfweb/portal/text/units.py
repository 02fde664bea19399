"""The multiples of a metric's unit in which values are easiest to read."""

import math
from functools import lru_cache
from typing import NamedTuple

from ingest.formats.campaign.units import PREFIXES, bytes_in, seconds_in

FLOPS = "FLOP/s"
"""A unit of rates that is shown with prefixes, like the units of data."""

COUNTS = frozenset(
    ("", "#", "count", "counts", "visits", "calls", "events", "instructions", "cycles", "FLOP")
)
"""Units of numbers of things; files of profilers mostly give counts no unit at all."""

YEAR = 365.25 * 86400.0
"""Seconds in a year."""


class Multiple(NamedTuple):
    """A multiple of a metric's unit: how many of the metric's units it is, and its name."""

    factor: float
    name: str


class _Step(NamedTuple):
    """A readable unit: its size in the base unit, and the size of a value from which it is used."""

    size: float
    name: str
    least: float


_TIMES = (
    _Step(YEAR, "years", 2 * YEAR), _Step(86400.0, "d", 172800.0), _Step(3600.0, "h", 3600.0),
    _Step(60.0, "min", 600.0), _Step(1.0, "s", 1.0),
    _Step(1e-3, "ms", 1e-3), _Step(1e-6, "µs", 1e-6), _Step(1e-9, "ns", 0.0),
)  # fmt: skip

_MILLION = 1e6
"""Counts below this are written with all their digits, so they have no prefix such as k."""


@lru_cache(maxsize=256)
def _scale(unit: str) -> tuple[float, tuple[_Step, ...]]:
    """Return the size of a unit in its base unit, and the readable units, largest first.

    Only times, bytes, counts, and bytes or FLOP per second have readable units. Bytes have powers of 1000:
    2,048 KiB are 2.10 MB.
    """
    if seconds := seconds_in(unit):
        return seconds, _TIMES
    if (plain := unit.strip()) in COUNTS:
        large = [_Step(factor, f"{sign} {plain}".rstrip(), factor) for factor, sign in PREFIXES]
        return 1.0, (*(step for step in large if step.size >= _MILLION), _Step(1.0, plain, 0.0))
    plain, base = _prefixed(unit)
    if not plain:
        return 1.0, ()
    return base, tuple(
        _Step(factor, f"{sign}{plain}", factor if factor > 1 else 0.0) for factor, sign in PREFIXES
    )


def multiple(value: float | None, unit: str) -> Multiple:
    """Return the multiple of `unit` in which a value is easiest to read; the unit itself if it has none."""
    size = abs(value) if value is not None and math.isfinite(value) else 0.0
    base, steps = _scale(unit)
    for step in steps if size else ():
        if size * base >= step.least:
            return Multiple(step.size / base, step.name)
    return Multiple(1.0, unit)


@lru_cache(maxsize=256)
def multiples(unit: str) -> tuple[Multiple, ...]:
    """Return the multiples of `unit` in which laws are written, largest first.

    Of times these are seconds and their decimal parts, and the metric's own unit: coefficients in other units
    than the file's differ from the file's only by powers of ten.
    """
    base, steps = _scale(unit)
    used = (step for step in steps if steps is not _TIMES or step.size in (base, 1.0) or step.size < 1)
    return tuple(Multiple(step.size / base, step.name) for step in used) or (Multiple(1.0, unit),)


def _prefixed(unit: str) -> tuple[str, float]:
    """Return the plain form of a unit that is shown with prefixes, and its size: KiB/s is 1,024 B/s.

    The form is empty for any other unit, such as Mb, which may be megabits.
    """
    amount, per = (unit.strip()[:-2], "/s") if unit.strip().endswith("/s") else (unit.strip(), "")
    size = bytes_in(amount)
    if size and (size == 1 or amount.endswith("B")):
        return f"B{per}", size
    return (FLOPS, 1.0) if unit.strip().lower() == FLOPS.lower() else ("", 1.0)


def base_units(unit: str) -> float:
    """Return the seconds or bytes in a unit, also of a rate such as KiB/s; 1 for any other unit."""
    return _scale(unit)[0]


def is_decimal(factor: float) -> bool:
    """Return whether a factor is a power of ten."""
    return math.isclose(math.log10(factor) % 1, 0, abs_tol=1e-9) or math.isclose(math.log10(factor) % 1, 1)
