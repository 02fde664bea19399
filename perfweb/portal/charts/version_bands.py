"""Draws the 95 % band of a line over versions; the band may extend beyond the axis."""

from collections.abc import Sequence
from typing import Any

from perfweb.portal.charts.axes import place

Values = Sequence[float | None]


def band(labels: Sequence[str], lower: Values, upper: Values, axis: dict[str, Any]) -> list[dict[str, Any]]:
    """Return both edges as traces with the area between them filled, cut at the ends of the axis."""
    low, high = _ends(axis)
    edge = {"x": labels, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    cut = [[end if end is None else min(max(end, low), high) for end in ends] for ends in (lower, upper)]
    return [edge | {"y": cut[0]}, edge | {"y": cut[1], "fill": "tonexty", "fillcolor": "--band"}]


def arrows(lower: Values, upper: Values, axis: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an arrow at each version whose interval exceeds the axis."""
    low, high = _ends(axis)
    above = [(at, high, "↑") for at, end in enumerate(upper) if end is not None and end > high]
    below = [(at, low, "↓") for at, end in enumerate(lower) if end is not None and end < low]
    log = axis["type"] == "log"
    return [
        {"x": at, "y": place(end, log), "text": sign, "showarrow": False, "font": {"color": "--muted"}}
        for at, end, sign in above + below
    ]


def _ends(axis: dict[str, Any]) -> tuple[float, float]:
    """Return the values of the metric at both ends of the axis."""
    low, high = axis["range"]
    return (10.0**low, 10.0**high) if axis["type"] == "log" else (low, high)
