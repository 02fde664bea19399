"""Draws the values of a changed kernel in both versions."""

from collections.abc import Sequence
from typing import Any

from ingest.models import Metric
from modeling.selectors.alerts.explained import ComparedPoint
from perfweb.portal.charts.axes import coordinate_axis, on_a_phone, place, quantity_axis
from perfweb.portal.charts.figures import Figure
from perfweb.portal.charts.plotly_text import HOVER_TEXT
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated, short

LABEL = 14
"""Number of characters of a version's label that fit at the end of its line."""

MAIN, RATIOS = [0.38, 1.0], [0.0, 0.24]
"""The parts of the height for the medians and for their ratios."""

NEAR = 0.08
"""Labels of lines that end nearer to each other than this share of the axis would touch."""

TOUCHING = 0.22
"""Labels of ticks nearer to each other than this share of the axis of ratios would touch."""

WIDE = 8.0
"""The axis of ratios is logarithmic if the largest is at least this multiple of the smallest."""


def change_figure(
    points: Sequence[ComparedPoint],
    parameters: Sequence[str],
    versions: tuple[str, str],
    metric: Metric,
    *,
    shared: bool = False,
) -> Figure | None:
    """Return both versions' medians along one parameter, and their ratios below; None if no parameter varies.

    The axis shows the parameter with the most values; others have the values of the largest point.
    `shared`: ratios exclude a factor that all kernels share.
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
    up = quantity_axis((min(values), max(values)), metric.unit, log=log)
    ratios = [(at, point.ratio) for at, point in zip(x, line, strict=True) if point.ratio is not None]
    known = [1.0, *(ratio for _, ratio in ratios)]
    below = quantity_axis((min(known), max(known)), "", log=0 < min(known) < max(known) / WIDE)
    return Figure(
        name=f"{metric.name} in both versions",
        caption=f"Medians of the measured {metric.name} along {isolated(name)}{fixed} in {versions[0]} "
        f"(dotted) and {versions[1]}. Below: after / before at each point"
        f"{', without the factor that most kernels share' if shared else ''}.",
        data=[
            _line(versions[0], x, [point.before for point in line], before=True, unit=metric.unit, name=name),
            _line(versions[1], x, [point.after for point in line], before=False, unit=metric.unit, name=name),
            _ratios(ratios, name),
        ],
        layout={
            "xaxis": across | {"anchor": "y2"},
            "yaxis": up | {"domain": MAIN},
            "yaxis2": _few_ticks(below) | {"domain": RATIOS},
            "shapes": [_unchanged()],
            "annotations": [*_labels(versions, line[-1], x[-1], up, log_x=x[0] > 0), _TITLE],
            "margin": {"r": 24 + 8 * LABEL},
            "meta": {"narrow": {"annotations": [_TITLE], "margin": {"r": 20}, "xaxis": on_a_phone(across)}},
        },
        columns=[name, *versions, "after / before"],
        rows=[
            [
                formatting.coordinate(at),
                formatting.quantity(point.before, metric.unit),
                formatting.quantity(point.after, metric.unit),
                formatting.ratio(point.ratio),
            ]
            for at, point in zip(x, line, strict=True)
        ],
        height=360,
    )


_TITLE = {
    "text": "after / before", "xref": "paper", "yref": "paper", "x": 0, "y": RATIOS[1] + 0.02,
    "xanchor": "left", "yanchor": "bottom", "showarrow": False, "font": {"color": "--muted", "size": 12},
}  # fmt: skip


def _few_ticks(axis: dict[str, Any]) -> dict[str, Any]:
    """Return an axis with only those ticks whose labels do not touch in the low part for ratios."""
    low, high = axis["range"]
    chosen: list[tuple[float, str]] = []
    for value, text in zip(axis["tickvals"], axis["ticktext"], strict=True):
        at = place(value, axis["type"] == "log")
        if not chosen or at - place(chosen[-1][0], axis["type"] == "log") >= TOUCHING * (high - low):
            chosen.append((value, text))
    return axis | {"tickvals": [value for value, _ in chosen], "ticktext": [text for _, text in chosen]}


def _labels(
    versions: tuple[str, str], last: ComparedPoint, x: float, axis: dict[str, Any], *, log_x: bool
) -> list[dict[str, Any]]:
    """Return both versions' labels at the ends of their lines, moved apart where they would touch."""
    before, after = (place(value, axis["type"] == "log") for value in (last.before, last.after))
    low, high = axis["range"]
    apart = 8 if abs(after - before) < NEAR * (high - low) else 0
    sides = ((versions[0], before, "--muted", -1), (versions[1], after, "--ink", 1))
    return [
        {
            "x": place(x, log_x), "y": y, "text": short(label, LABEL), "xanchor": "left", "xshift": 10,
            "yshift": apart * sign * (1 if after >= before else -1), "showarrow": False,
            "font": {"color": colour},
        }
        for label, y, colour, sign in sides
    ]  # fmt: skip


def _ratios(ratios: Sequence[tuple[float, float]], name: str) -> dict[str, Any]:
    """Return after / before at each point, below the medians."""
    return {
        "x": [at for at, _ in ratios],
        "y": [ratio for _, ratio in ratios],
        "yaxis": "y2",
        "mode": "markers",
        "marker": {"color": "--series-1", "size": 7},
        "text": [
            f"after / before at {isolated(name)} = {formatting.coordinate(at)}: {formatting.ratio(ratio)}"
            for at, ratio in ratios
        ],
        "hovertemplate": HOVER_TEXT,
    }


def _unchanged() -> dict[str, Any]:
    """Return the line on which the ratios of an unchanged kernel lie."""
    line = {"color": "--control-line", "width": 1}
    return {"type": "line", "xref": "paper", "yref": "y2", "x0": 0, "x1": 1, "y0": 1, "y1": 1, "line": line}


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
