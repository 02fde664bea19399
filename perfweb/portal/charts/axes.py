"""Axes with useful ticks: at measured values, and quantities with their unit."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import short
from perfweb.portal.text.units import base_units, multiple

CLOSEST = 0.045
"""Smallest distance of two ticks, as a share of the axis. The labels of closer ticks would touch."""

PHONE = 250.0
"""Width in pixels of a chart on a phone, between its margins."""

TITLE, TITLE_ON_A_PHONE, TITLE_UPRIGHT = 56, 36, 32
"""Limits on the characters of an axis's title: on a wide screen, on a phone, upright on a phone."""

LETTER, GAP = 7.5, 8.0
"""Width of a character of a tick's label, and smallest gap between two labels, in pixels."""

BEYOND = 3.0
"""Largest factor by which an interval may extend the axis beyond the values, to keep these readable."""

ENOUGH = 3
"""Smallest number of ticks of a logarithmic axis. Between two ticks alone, values cannot be estimated."""

GAP_FACTOR = 4.0
"""Largest ratio of two neighbouring ticks of a logarithmic axis without a further tick between them."""

LEAST_RATIO = 1.1
"""Smallest ratio of the ends of an axis of measured values. On a shorter one, equal values with rounding
errors seem to scatter, and all ticks have the same label.
"""

LEAST_FACTOR = 2.0
"""Smallest ratio of the ends of a logarithmic axis: a difference of two percent should not fill a chart."""

READABLE = 4.0
"""Largest deviation shown to scale, as a multiple of the deviation that 4 of 5 values do not exceed."""

MOST = 0.8
"""Share of values on which `READABLE` is based; the others may be far off."""

LEAST_PERCENT = 1.0
"""Smallest height of an axis of deviations, in percent, so that rounding errors stay invisible."""


def coordinate_axis(
    title: str, values: Iterable[float], extra: Iterable[float], ends: tuple[float, float], *, log: bool
) -> dict[str, Any]:
    """Return a parameter's axis with ticks at measured `values`, and at those `extra` values that fit.

    On a logarithmic axis, a wide gap between two ticks gets a further one, because readers cannot estimate a
    value halfway between 64 and 1,024.
    """
    low, high = place(ends[0], log), place(ends[1], log)
    margin = 0.04 * ((high - low) or 1.0)
    chosen: list[float] = []
    for value in [*extra, *sorted(values, reverse=True)]:
        at = place(value, log)
        if all(abs(at - place(other, log)) > CLOSEST * (high - low) for other in chosen):
            chosen.append(value)
    chosen.sort()
    if log:
        chosen = sorted([*chosen, *halfway(chosen, 2 * CLOSEST * (high - low))])
    return {
        "type": "log" if log else "linear",
        "title": {"text": short(title, TITLE)},
        "tickvals": chosen,
        "ticktext": [formatting.coordinate(value) for value in chosen],
        "range": [low - margin, high + margin],
        "showgrid": False,
        "ticks": "outside",
    }


def on_a_phone(axis: dict[str, Any], width: float = PHONE) -> dict[str, Any]:
    """Return the changes of an axis on a phone: only ticks whose labels fit, and a shorter title."""
    found = fitting_ticks(axis, width)
    title = axis.get("title", {}).get("text", "")
    shorter = short(title, TITLE_ON_A_PHONE)
    return found if shorter == title else found | {"title": {"text": shorter}}


def fitting_ticks(axis: dict[str, Any], width: float) -> dict[str, Any]:
    """Return the ticks whose labels fit on an axis of `width` pixels: both ends, then the largest others."""
    low, high = axis["range"]
    pixels = width / (high - low)
    ticks = [
        (place(value, axis["type"] == "log") * pixels, value, text)
        for value, text in zip(axis["tickvals"], axis["ticktext"], strict=True)
    ]
    chosen: list[tuple[float, float, str]] = []
    for tick in [*ticks[-1:], *ticks[:1], *reversed(ticks[1:-1])]:
        if all(abs(tick[0] - other[0]) >= _room(tick[2], other[2]) for other in chosen):
            chosen.append(tick)
    chosen.sort()
    values, texts = [value for _, value, _ in chosen], [text for _, _, text in chosen]
    return {"tickvals": values, "ticktext": texts, "tickangle": 0}


def _room(left: str, right: str) -> float:
    """Return the pixels between the middles of two labels that do not touch."""
    return (len(left) + len(right)) / 2 * LETTER + GAP


def apart(low: float, high: float) -> tuple[float, float]:
    """Return the ends of an axis of measured values, moved apart to `LEAST_RATIO` if both are positive."""
    if low <= 0 or high >= LEAST_RATIO * low:
        return low, high
    missing = math.sqrt(LEAST_RATIO * low / high)
    return low / missing, high * missing


def quantity_axis(ends: tuple[float, float], unit: str, *, log: bool) -> dict[str, Any]:
    """Return a metric's axis; every tick is a quantity with its unit."""
    low, high = (place(end, log) for end in ends)
    margin = 0.06 * ((high - low) or 1.0)
    low, high = low - margin, high + margin
    factor, name = multiple(ends[1], unit)
    if log and (ticks := _log_ticks(low, high, unit)):
        texts = [formatting.quantity(value, unit) for value in ticks]
    else:
        span = (10.0**low, 10.0**high) if log else (low, high)
        steps = _linear_ticks(span[0] / factor, span[1] / factor)
        ticks = [step * factor for step in steps]
        texts = [f"{formatting.number(step, 4)} {name}".rstrip() for step in steps]
    return {"type": "log" if log else "linear", "tickvals": ticks, "ticktext": texts, "range": [low, high]}


def amount_axis(
    values: Iterable[float | None], ends: Iterable[float | None], unit: str, *, log: bool = False
) -> dict[str, Any]:
    """Return an axis for `values`, extended towards the interval's `ends` as far as `values` stay readable.

    A linear axis contains zero. A logarithmic axis is used only if all values are positive.
    """
    known = [value for value in values if value is not None]
    if log and known and min(known) > 0:
        return _log_amount_axis(known, ends, unit)
    least, most = min(known, default=0.0), max(known, default=0.0)
    bars = [min(end, BEYOND * most) for end in ends if end is not None]
    low, high = min(least, 0.0), max(most, *bars, 0.0)
    axis = quantity_axis((low, high if high > low else 1.0), unit, log=False)
    return axis | {"range": [low and axis["range"][0], axis["range"][1]]}


def _log_amount_axis(known: Sequence[float], ends: Iterable[float | None], unit: str) -> dict[str, Any]:
    low, high = min(known), max(known)
    bars = [min(max(end, low / BEYOND), high * BEYOND) for end in ends if end is not None]
    low, high = min([low, *bars]), max([high, *bars])
    missing = math.sqrt(max(LEAST_FACTOR * low / high, 1.0))
    return quantity_axis((low / missing, high * missing), unit, log=True)


def percent_axis(values: Sequence[float]) -> dict[str, Any]:
    """Return an axis of deviations in percent around zero."""
    low, high = min([0.0, *values]), max([0.0, *values])
    margin = max(0.08 * (high - low), (LEAST_PERCENT - (high - low)) / 2)
    ticks = _linear_ticks(low - margin, high + margin)
    texts = [f"{formatting.number(value)} %" for value in ticks]
    return {"tickvals": ticks, "ticktext": texts, "range": [low - margin, high + margin]}


def readable(values: Sequence[float]) -> float:
    """Return the limit up to which an axis shows deviations to scale; infinite if it can show all."""
    sizes = sorted(abs(value) for value in values)
    if not sizes:
        return math.inf
    limit = READABLE * max(sizes[int(MOST * (len(sizes) - 1))], LEAST_PERCENT / 2)
    return math.inf if sizes[-1] <= limit else max(size for size in sizes if size <= limit)


def place(value: float, log: bool) -> float:
    """Return the position of a value on an axis: on a logarithmic one, its logarithm."""
    return math.log10(value) if log else value


def value_at(position: float, log: bool) -> float:
    """Return the value at a position on an axis, see `place`."""
    return 10.0**position if log else position


def halfway(ticks: Sequence[float], room: float = 0.0) -> list[float]:
    """Return a power of two about halfway in each gap wider than `GAP_FACTOR` and than `room`, in decades."""
    return [
        2.0 ** round((math.log2(low) + math.log2(high)) / 2)
        for low, high in pairwise(ticks)
        if high > GAP_FACTOR * low and math.log10(high / low) > room
    ]


def _log_ticks(low: float, high: float, unit: str) -> list[float]:
    """Return powers of ten in the usual unit, on a short axis also multiples, until they are enough."""
    ticks = (_multiples(low, high, unit, steps) for steps in _STEPS)
    return next((found for found in ticks if len(found) >= ENOUGH), [])


def _multiples(low: float, high: float, unit: str, steps: Sequence[float]) -> list[float]:
    """Return these multiples of the powers of ten between two logarithms."""
    stride = max(1, math.ceil((high - low) / 8))
    found = [
        value
        for base in _bases(unit)
        for decade in range(
            math.floor(low - math.log10(base)), math.ceil(high - math.log10(base)) + 1, stride
        )
        for step in steps
        if _base(value := base * float(f"{step}e{decade}"), unit) == base
    ]
    return sorted(value for value in found if low <= math.log10(value) <= high)


_STEPS = ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0))

_BASES = (1.0, 60.0, 3600.0, 86400.0)
"""Base units of the powers of ten: seconds and bytes, minutes, hours, days."""


def _bases(unit: str) -> tuple[float, ...]:
    """Return the base units as multiples of the metric's unit, which may be milliseconds or MiB."""
    return tuple(base / base_units(unit) for base in _BASES)


def _base(value: float, unit: str) -> float:
    factor, _ = multiple(value, unit)
    bases = _bases(unit)
    return factor if factor in bases else bases[0]


def _linear_ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / 5
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * magnitude for factor in (1, 2, 5, 10) if factor * magnitude >= rough)
    first = math.ceil(low / step)
    return [float(f"{(first + at) * step:.12g}") for at in range(math.floor(high / step) - first + 1)]
