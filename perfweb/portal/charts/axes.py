"""Axes whose ticks mean something: the values that were measured, and quantities with their unit."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from perfweb.portal import formatting

CLOSEST = 0.045
"""Least distance of two ticks, as a part of the axis: closer, and their labels touch."""


def coordinate_axis(
    title: str, values: Iterable[float], extra: Iterable[float], ends: tuple[float, float], *, log: bool
) -> dict[str, Any]:
    """A parameter's axis with ticks at measured `values`, and at `extra` ones where there is room."""
    low, high = place(ends[0], log), place(ends[1], log)
    margin = 0.04 * ((high - low) or 1.0)
    chosen: list[float] = []
    for value in [*extra, *sorted(values, reverse=True)]:
        at = place(value, log)
        if all(abs(at - place(other, log)) > CLOSEST * (high - low) for other in chosen):
            chosen.append(value)
    chosen.sort()
    return {
        "type": "log" if log else "linear",
        "title": {"text": title},
        "tickvals": chosen,
        "ticktext": [formatting.coordinate(value) for value in chosen],
        "range": [low - margin, high + margin],
        "showgrid": False,
        "ticks": "outside",
    }


def quantity_axis(ends: tuple[float, float], unit: str, *, log: bool) -> dict[str, Any]:
    """A metric's axis; every tick is a quantity with its unit."""
    low, high = (place(end, log) for end in ends)
    margin = 0.06 * ((high - low) or 1.0)
    low, high = low - margin, high + margin
    ticks = _log_ticks(low, high) if log else _linear_ticks(low, high)
    return {
        "type": "log" if log else "linear",
        "tickvals": ticks,
        "ticktext": [formatting.quantity(value, unit) for value in ticks],
        "range": [low, high],
    }


def place(value: float, log: bool) -> float:
    """Where a value lies on an axis, in the axis's own coordinate."""
    return math.log10(value) if log else value


def between(low: float, high: float) -> list[float]:
    """A power of two halfway between two values that are far apart, for an axis that would be bare there."""
    if high <= 16 * low:
        return []
    return [2.0 ** round((math.log2(low) + math.log2(high)) / 2)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten; over less than two decades also twice and five times of them."""
    steps: Sequence[float] = (1.0,) if high - low > 2.2 else (1.0, 2.0, 5.0)
    stride = max(1, math.ceil((high - low) / 8))
    decades = range(math.floor(low), math.ceil(high) + 1, stride)
    found = [float(f"{step}e{decade}") for decade in decades for step in steps]
    return [value for value in found if low <= math.log10(value) <= high]


def _linear_ticks(low: float, high: float) -> list[float]:
    """About five round values."""
    rough = (high - low) / 5
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * magnitude for factor in (1, 2, 5, 10) if factor * magnitude >= rough)
    first = math.ceil(low / step)
    return [round(first * step + at * step, 12) for at in range(int((high - first * step) / step) + 1)]
