"""Draws the values of a changed kernel in both versions."""

from collections.abc import Sequence
from typing import Any

from ingest.models import Metric
from modeling.selectors.alerts.explained import PointValues
from perfweb.portal.charts.axes import coordinate_axis, on_a_phone, place, quantity_axis
from perfweb.portal.charts.figures import Figure
from perfweb.portal.charts.plotly_text import HOVER_TEXT
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated, short

LABEL = 14
"""Number of characters of a version's label that fit at the end of its line."""


def change_figure(
    points: Sequence[PointValues], parameters: Sequence[str], versions: tuple[str, str], metric: Metric
) -> Figure | None:
    """Return both versions' medians along the parameter with most values; None if no parameter varies.

    The other parameters have the values of the largest point.
    """
    if not points:
        return None
    axis = max(range(len(parameters)), key=lambda at: len({point.point[at] for point in points}))
    largest = points[-1].point
    line = [point for point in points if _others(point.point, axis) == _others(largest, axis)]
    if len(line) < 2:
        return None
    x = [point.point[axis] for point in line]
    values = [value for point in line for value in (point.before, point.after)]
    log = min(values) > 0
    name, fixed = parameters[axis], _fixed(parameters, largest, axis)
    across = coordinate_axis(isolated(name), x, (), (x[0], x[-1]), log=x[0] > 0)
    sides = [
        _line(versions[0], x, [point.before for point in line], before=True, unit=metric.unit, name=name),
        _line(versions[1], x, [point.after for point in line], before=False, unit=metric.unit, name=name),
    ]
    ends = zip(versions, (line[-1].before, line[-1].after), ("--muted", "--ink"), strict=True)
    return Figure(
        name=f"{metric.name} in both versions",
        caption=f"Medians of the measured {metric.name} along {isolated(name)}{fixed} in {versions[0]} "
        f"(dotted) and {versions[1]}.",
        data=sides,
        layout={
            "xaxis": across,
            "yaxis": quantity_axis((min(values), max(values)), metric.unit, log=log),
            "annotations": [
                {
                    "x": place(x[-1], x[0] > 0), "y": place(end, log), "text": short(label, LABEL),
                    "xanchor": "left", "xshift": 10, "showarrow": False, "font": {"color": colour},
                }
                for label, end, colour in ends
            ],
            "margin": {"r": 24 + 8 * LABEL},
            "meta": {"narrow": {"annotations": [], "margin": {"r": 20}, "xaxis": on_a_phone(across)}},
        },
        columns=[name, *versions],
        rows=[
            [
                formatting.coordinate(at),
                formatting.quantity(point.before, metric.unit),
                formatting.quantity(point.after, metric.unit),
            ]
            for at, point in zip(x, line, strict=True)
        ],
        height=300,
    )  # fmt: skip


def _others(point: Sequence[float], axis: int) -> list[float]:
    return [*point[:axis], *point[axis + 1 :]]


def _fixed(parameters: Sequence[str], point: Sequence[float], axis: int) -> str:
    """Return the values of the other parameters as part of a sentence; empty if there are none."""
    values = {
        name: value for at, (name, value) in enumerate(zip(parameters, point, strict=True)) if at != axis
    }
    return f" at {formatting.configuration(values)}" if values else ""


def _line(
    version: str, x: Sequence[float], y: Sequence[float], *, before: bool, unit: str, name: str
) -> dict[str, Any]:
    """Return a version's medians: open circles on a dotted line before the change, squares after it."""
    colour = "--muted" if before else "--series-1"
    return {
        "x": list(x),
        "y": list(y),
        "mode": "lines+markers",
        "line": {"color": colour, "width": 1.5 if before else 2.5, "dash": "dot" if before else "solid"},
        "marker": {"color": colour, "symbol": "circle-open" if before else "square", "size": 8},
        "text": [
            f"{version} at {isolated(name)} = {formatting.coordinate(at)}: {formatting.quantity(value, unit)}"
            for at, value in zip(x, y, strict=True)
        ],
        "hovertemplate": HOVER_TEXT,
    }
