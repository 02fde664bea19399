"""Sparklines and histograms as inline SVG, without style attributes, which the pages' policy forbids."""

import math
from collections.abc import Sequence
from functools import lru_cache
from html import escape

import numpy as np
from django.utils.safestring import SafeString

from perfweb.portal.text import formatting

Values = Sequence[float | None]

PAD = 3.0

AXIS = 16
"""Height in pixels of a histogram's axis with the values at its ends."""

LEAST_RANGE = 0.3

BAND = 3.0
"""Largest height of a band, as a multiple of the largest value; higher bands would flatten the line."""


def sparkline(
    values: Values,
    label: str,
    *,
    lower: Values = (),
    upper: Values = (),
    marks: Sequence[tuple[int, str]] = (),
    width: int = 96,
    height: int = 24,
    log: bool = True,
) -> SafeString:
    """Return a line through `values` with a dot at the last one, and gaps where a value is missing.

    `lower` and `upper` shade a band, which is cut far off the line. `marks` are dots: pairs of an index and
    "worse" or "better". Screen readers read `label`. `log`: use logarithms if all values are positive.
    """
    values = _finite(values)
    line = [value for value in values if value is not None]
    log = log and min(line, default=1.0) > 0
    if lower:
        most = BAND * max(map(abs, line), default=math.inf)
        least = min(line, default=0.0) / BAND if log else -most
        lower, upper = (
            [None if value is None else max(least, min(value, most)) for value in ends]
            for ends in (lower, upper)
        )
    if log:
        values, lower, upper = map(_logarithms, (values, lower, upper))
        line = [value for value in values if value is not None]
    known = line + [value for value in (*lower, *upper) if value is not None and math.isfinite(value)]
    if not known:
        return SafeString("")
    ends = _range(known, math.log1p(LEAST_RANGE)) if log else _range(known)
    place = _Frame(len(values), *ends, width, height)
    lines = [_line(run) for run in _runs(place.of_all(values))]
    last = next((index for index in reversed(range(len(values))) if values[index] is not None), None)
    dots = [(last, "last")] if last is not None and last not in dict(marks) else []
    shapes = [_band(place, lower, upper), *lines, *(_dot(place, values, *mark) for mark in [*dots, *marks])]
    return _svg(shapes, label, width, height)


def histogram(
    values: Values,
    label: str,
    *,
    bins: int = 24,
    mark: float | None = None,
    width: int = 160,
    height: int = 32,
) -> SafeString:
    """Return a histogram of fractions, with the smallest and the largest value below its ends.

    `mark` draws a line, such as at the median. `height` is the bars' height.
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    if not known:
        return SafeString("")
    low, high = min(known), max(known)
    span = (high - low) or 1.0
    counts = np.histogram(known, bins, (low, low + span))[0].tolist()
    step, most = width / bins, max(counts)
    bars = [
        _bar(position * step, step - 1, count / most * (height - 1), height)
        for position, count in enumerate(counts)
        if count
    ]
    if mark is not None:
        x = f"{(mark - low) / span * width:.1f}"
        bars.append(f'<line class="histogram-mark" x1="{x}" x2="{x}" y1="0" y2="{height}"/>')
    return _svg([*bars, *_ends(low, high, width, height)], label, width, height + AXIS)


def _ends(low: float, high: float, width: int, height: int) -> list[str]:
    written = [(0, "start", low)] if low == high else [(0, "start", low), (width, "end", high)]
    return [
        f'<line class="histogram-axis" x1="0" x2="{width}" y1="{height}" y2="{height}"/>',
        *(
            f'<text class="histogram-end" x="{x}" y="{height + AXIS - 2}" text-anchor="{anchor}">'
            f"{escape(formatting.percent(value))}</text>"
            for x, anchor, value in written
        ),
    ]


def _range(known: Sequence[float], least: float | None = None) -> tuple[float, float]:
    """Return the ends of the vertical axis, at least `least` apart, by default a share of the largest."""
    low, high = min(known), max(known)
    least = LEAST_RANGE * max(abs(low), abs(high)) if least is None else least
    missing = max(least - (high - low), 0.0)
    return low - missing / 2, high + missing / 2


def _finite(values: Values) -> Values:
    return [value if value is not None and math.isfinite(value) else None for value in values]


def _logarithms(values: Values) -> Values:
    return [None if value is None else math.log(value) for value in values]


class _Frame:
    def __init__(self, count: int, low: float, high: float, width: int, height: int) -> None:
        self.across = _across(count, width - 2 * PAD)
        self.low, self.scale = low, (height - 2 * PAD) / ((high - low) or math.inf)
        # A constant line is drawn at half of the height; at the bottom it would look like zero.
        self.bottom = PAD + (1.0 if high > low else 0.5) * (height - 2 * PAD)

    def __call__(self, index: int, value: float) -> str:
        """Return the coordinates of a value: "12.3,4.5"."""
        return f"{self.across[index]},{self.down(value):.1f}"

    def down(self, value: float) -> float:
        """Return the distance from the upper edge."""
        return self.bottom - (value - self.low) * self.scale

    def of_all(self, values: Values) -> list[str | None]:
        """Return the coordinates of all values; None where one is missing."""
        low, scale, bottom = self.low, self.scale, self.bottom
        # A page has thousands of values, for which calls of `down` would take half of the time.
        return [
            None if value is None else f"{x},{bottom - (value - low) * scale:.1f}"
            for x, value in zip(self.across, values, strict=True)
        ]


@lru_cache(maxsize=256)
def _across(count: int, width: float) -> tuple[str, ...]:
    """Return the distances of `count` values from the left edge."""
    steps = max(count - 1, 1)
    return tuple(f"{PAD + (at / steps if count > 1 else 1.0) * width:.1f}" for at in range(count))


def _runs(coordinates: Sequence[str | None]) -> list[list[str]]:
    """Return stretches of neighbouring values without a gap."""
    runs: list[list[str]] = [[]]
    for point in coordinates:
        if point is not None:
            runs[-1].append(point)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if len(run) > 1]


# The shapes contain only our own words and formatted numbers, so nothing of them has to be escaped.


def _line(points: Sequence[str]) -> str:
    return f'<polyline class="spark-line" points="{" ".join(points)}"/>'


def _band(place: _Frame, lower: Values, upper: Values) -> str:
    both = [
        (index, low, high)
        for index, (low, high) in enumerate(zip(lower, upper, strict=True))
        if low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    ]
    if len(both) < 2:
        return ""
    outline = [place(index, high) for index, _, high in both] + [
        place(index, low) for index, low, _ in reversed(both)
    ]
    return f'<polygon class="spark-band" points="{" ".join(outline)}"/>'


def _dot(place: _Frame, values: Values, index: int, kind: str) -> str:
    value = values[index]
    if value is None:
        return ""
    return f'<circle class="spark-{kind}" cx="{place.across[index]}" cy="{place.down(value):.1f}" r="2.5"/>'


def _bar(x: float, width: float, size: float, height: int) -> str:
    return (
        f'<rect class="histogram-bar" x="{x:.1f}" y="{height - size:.1f}" width="{width:.1f}" '
        f'height="{size:.1f}"/>'
    )


def _svg(shapes: Sequence[str], label: str, width: int, height: int) -> SafeString:
    name = escape(label)
    return SafeString(
        f'<svg class="spark" role="img" aria-label="{name}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><title>{name}</title>{"".join(shapes)}</svg>'
    )
