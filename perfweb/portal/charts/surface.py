"""A law over two parameters as a surface that can be rotated."""

import math
from collections.abc import Sequence
from typing import Any

from modeling.selectors.kernel.curves import Grid
from perfweb.portal.charts.axes import coordinate_axis, quantity_axis
from perfweb.portal.charts.figures import Drawing
from perfweb.portal.charts.plotly_text import HOVER_TEXT
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated, short

Place = tuple[float, float, float]
"""A value of each of the two parameters, and the height there."""

TITLE_IN_SPACE = 24
"""Limit on the characters of a title in three dimensions; Plotly draws longer ones across the ticks."""


def surface_drawing(
    found: Grid, parameters: tuple[str, str], medians: Sequence[Place], target: Place | None, unit: str
) -> Drawing:
    """Return the values of the contour as heights; all three axes are logarithmic.

    `medians` are measured at points whose further parameters have the values of the picture.
    """
    shown = [place for place in medians if place[2] > 0]
    values = [value for row in found.values for value in row if value is not None and value > 0]
    values += [height for _, _, height in shown]
    ends = (min(values, default=1.0), max(values, default=1.0))
    trace = {
        "type": "surface", "x": found.x, "y": found.y, "z": found.values, "showscale": False,
        "colorscale": [[0, "--highlight"], [1, "--series-1"]], "text": grid_texts(found, parameters, unit),
        "surfacecolor": _depths(found), "cmin": math.log10(ends[0]), "cmax": math.log10(ends[1]),
        "hovertemplate": HOVER_TEXT, "contours": {"z": {"highlight": False}},
    }  # fmt: skip
    scene = {
        "xaxis": _axis(parameters[0], [x for x, _, _ in medians], found.x),
        "yaxis": _axis(parameters[1], [y for _, y, _ in medians], found.y),
        "zaxis": quantity_axis(ends, unit, log=True) | {"title": {"text": ""}, "color": "--muted"},
        "camera": {"eye": {"x": -1.5, "y": -1.5, "z": 0.8}, "projection": {"type": "orthographic"}},
        "aspectmode": "manual",
        "aspectratio": {"x": 1.3, "y": 1.3, "z": 0.8},
    }
    marks = [_marks(shown, "measured", parameters, unit, {"color": "--ink", "size": 3.5, "symbol": "square"})]
    if target and target[2] > 0:
        marks.append(_marks([target], "predicted", parameters, unit, {"color": "--series-2", "size": 6}))
    return Drawing([trace, *marks], {"scene": scene, "margin": {"l": 0, "r": 0, "t": 0, "b": 0}})


def _marks(
    places: Sequence[Place], what: str, parameters: tuple[str, str], unit: str, marker: dict[str, Any]
) -> dict[str, Any]:
    x, y, z = ([place[axis] for place in places] for axis in range(3))
    texts = [
        f"{what} {formatting.quantity(height, unit)} at "
        f"{formatting.configuration(dict(zip(parameters, at, strict=True)))}"
        for *at, height in places
    ]
    return {
        "type": "scatter3d", "mode": "markers", "x": x, "y": y, "z": z, "marker": marker, "text": texts,
        "hovertemplate": HOVER_TEXT, "showlegend": False,
    }  # fmt: skip


def _axis(name: str, measured: Sequence[float], span: Sequence[float]) -> dict[str, Any]:
    few = (
        min(measured, default=span[0]),
        max(measured, default=span[-1]),
    )  # seen from the side, all labels would overlap
    axis = coordinate_axis(short(name, TITLE_IN_SPACE), few, [span[-1]], (span[0], span[-1]), log=True)
    return axis | {"color": "--muted", "showgrid": True}


def _depths(found: Grid) -> list[list[float | None]]:
    return [[math.log10(value) if value and value > 0 else None for value in row] for row in found.values]


def grid_texts(found: Grid, parameters: tuple[str, str], unit: str) -> list[list[str]]:
    """Return the text of the hover box for each point of the grid."""
    x, y = ([_place(value) for value in axis] for axis in (found.x, found.y))
    first, second = map(isolated, parameters)
    return [
        [
            f"{formatting.quantity(value, unit)} at {first} = {across}, {second} = {up}"
            for across, value in zip(x, row, strict=True)
        ]
        for up, row in zip(y, found.values, strict=True)
    ]


def _place(value: float) -> str:
    """Return a parameter's value with all digits if it is whole; places between are rounded."""
    whole = round(value)
    return formatting.coordinate(whole) if math.isclose(value, whole) else formatting.number(value)
