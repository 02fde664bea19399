"""A law over two parameters as contour lines."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from modeling.selectors.kernel.curves import Grid
from perfweb.portal.charts.axes import coordinate_axis, on_a_phone
from perfweb.portal.charts.figures import Figure
from perfweb.portal.charts.plotly_text import HOVER_TEXT
from perfweb.portal.charts.surface import grid_texts
from perfweb.portal.text import formatting

MOST_CONTOURS = 8

TABLE_STEP = 5
"""Step between the grid's rows, and between its columns, in the table."""

Logarithms = list[list[float | None]]


def contour_figure(
    found: Grid,
    parameters: tuple[str, str],
    measured: Sequence[tuple[float, float]],
    target: tuple[float, float] | None,
    *,
    unit: str,
    metric: str,
    fixed: str,
) -> Figure:
    """Return lines of equal value over the first (to the right) and the second parameter (upwards)."""
    values = [value for row in found.values for value in row if value is not None]
    levels = _levels(min(values, default=1.0), max(values, default=1.0))
    labels = [_label(found, level, unit) for level in levels if _crossing(found, level)]
    logarithms = _logarithms(found)
    across = sorted({x for x, _ in measured})
    up = sorted({y for _, y in measured})
    where = f" at {fixed}" if fixed else ""
    axis = _axis(parameters[0], across, found.x, target and target[0])
    return Figure(
        name=f"{metric} over {parameters[0]} and {parameters[1]}",
        caption=f"Predicted {metric} over {parameters[0]} and {parameters[1]}{where}, the same along each "
        "line. Squares are measured points; outside of them values are extrapolated."
        + (" The disc is the target." if target else ""),
        data=[
            _wash(found, logarithms, grid_texts(found, parameters, unit)),
            *_lines(found, logarithms, levels),
            *_marks(measured, target, parameters),
        ],
        layout={
            "xaxis": axis,
            "yaxis": _axis(parameters[1], up, found.y, target and target[1]),
            "margin": {"r": 64, "t": 28},
            "annotations": labels,
            "meta": {"narrow": {"annotations": labels[::3], "xaxis": on_a_phone(axis)}},
        },
        columns=[
            parameters[1],
            *(f"{parameters[0]} = {formatting.coordinate(value)}" for value in _sample(found.x)),
        ],
        rows=_rows(found, unit),
        height=420,
    )  # fmt: skip


def _levels(low: float, high: float) -> list[float]:
    """Return at most `MOST_CONTOURS` round values: 1, 2 or 5 times a power of ten."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        found = [float(f"{step}e{decade}") for decade in decades for step in steps]
        found = [value for value in found if low < value < high]
        if len(found) <= MOST_CONTOURS:
            return found
    return found[:: math.ceil(len(found) / MOST_CONTOURS)]


def _logarithms(found: Grid) -> Logarithms:
    """Return the logarithms of the values, rounded because smaller differences are not visible."""
    return [[None if value is None else round(math.log10(value), 4) for value in row] for row in found.values]


def _wash(found: Grid, logarithms: Logarithms, texts: list[list[str]]) -> dict[str, Any]:
    return {
        "type": "contour", "x": found.x, "y": found.y, "z": logarithms, "showscale": False,
        "colorscale": [[0, "--highlight"], [1, "--series-5"]], "ncontours": 16, "line": {"width": 0},
        "text": texts, "hovertemplate": HOVER_TEXT, "opacity": 0.7,
    }  # fmt: skip


def _lines(found: Grid, logarithms: Logarithms, levels: Sequence[float]) -> list[dict[str, Any]]:
    """Return the traces of the contour lines, one for each first digit of the levels.

    Plotly draws only evenly spaced levels, and the logarithms of levels with the same first digit are evenly
    spaced. A single trace would need stretched values, which dent the lines.
    """
    digits = sorted({f"{level:e}"[0] for level in levels})
    groups = [[math.log10(level) for level in levels if f"{level:e}"[0] == digit] for digit in digits]
    return [
        {
            "type": "contour", "x": found.x, "y": found.y, "z": logarithms, "showscale": False,
            "autocontour": False, "hoverinfo": "skip",
            "contours": {"start": group[0], "end": group[-1], "size": _step(group), "coloring": "none"},
            "line": {"color": "--muted", "width": 1.2},
        }
        for group in groups
    ]  # fmt: skip


def _step(evenly: Sequence[float]) -> float:
    return evenly[1] - evenly[0] if len(evenly) > 1 else 1.0


def _crossing(found: Grid, level: float) -> tuple[float, float] | None:
    """Return where a level's line leaves the picture: at the upper, the right, or else the lower side."""
    if (at := _between(found.values[-1], level)) is not None:
        return found.x[at], found.y[-1]
    if (at := _between([row[-1] for row in found.values], level)) is not None:
        return found.x[-1], found.y[at]
    if (at := _between(found.values[0], level)) is not None:
        return found.x[at], found.y[0]
    return None


def _between(values: Sequence[float | None], level: float) -> int | None:
    """Return the index of the first of two neighbours with the level between them."""
    for at, (one, other) in enumerate(pairwise(values)):
        if one is not None and other is not None and (one - level) * (other - level) <= 0:
            return at
    return None


def _label(found: Grid, level: float, unit: str) -> dict[str, Any]:
    """Return the level's value at the edge of the picture, where no lines cross it."""
    x, y = _crossing(found, level) or (found.x[-1], found.y[-1])
    top, inside = y == found.y[-1], y == found.y[0] and x < found.x[-1]
    if inside:  # below the lower side are the labels of the axis
        at = {"xanchor": "left", "yanchor": "bottom", "xshift": 4, "yshift": 2}
        return _text(x, y, level, unit) | at
    return _text(x, y, level, unit) | {
        "xanchor": "center" if top else "left",
        "yanchor": "bottom" if top else "middle", "xshift": 0 if top else 3, "yshift": 4 if top else 0,
    }  # fmt: skip


def _text(x: float, y: float, level: float, unit: str) -> dict[str, Any]:
    return {
        "x": math.log10(x), "y": math.log10(y), "text": formatting.quantity(level, unit), "showarrow": False,
        "font": {"color": "--muted", "size": 12},
    }  # fmt: skip


def _marks(
    measured: Sequence[tuple[float, float]], target: tuple[float, float] | None, parameters: tuple[str, str]
) -> list[dict[str, Any]]:
    marks = [_mark(measured, "measured", parameters, {"color": "--ink", "size": 7, "symbol": "square"})]
    if target:
        marks.append(_mark([target], "target", parameters, {"color": "--series-2", "size": 12}))
    return marks


def _mark(
    points: Sequence[tuple[float, float]], what: str, parameters: tuple[str, str], marker: dict[str, Any]
) -> dict[str, Any]:
    return {
        "x": [x for x, _ in points],
        "y": [y for _, y in points],
        "mode": "markers",
        "marker": marker,
        "text": [
            f"{what} at {formatting.configuration(dict(zip(parameters, point, strict=True)))}"
            for point in points
        ],
        "hovertemplate": HOVER_TEXT,
    }


def _axis(title: str, measured: Sequence[float], x: Sequence[float], target: float | None) -> dict[str, Any]:
    extra = [target] if target else []
    return coordinate_axis(title, measured, extra, (x[0], x[-1]), log=True)


def _sample(values: Sequence[float]) -> list[float]:
    return [float(f"{values[at]:.3g}") for at in range(0, len(values), TABLE_STEP)]


def _rows(found: Grid, unit: str) -> list[list[str]]:
    return [
        [formatting.coordinate(float(f"{found.y[row]:.3g}"))]
        + [formatting.quantity(found.values[row][at], unit) for at in range(0, len(found.x), TABLE_STEP)]
        for row in range(0, len(found.y), TABLE_STEP)
    ]
