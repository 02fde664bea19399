"""The traces of the kernel's main chart."""

from collections.abc import Mapping, Sequence
from typing import Any

from modeling.selectors.kernel.curves import Curve, Estimate
from perfweb.portal.charts.axes import value_at
from perfweb.portal.charts.fit.scene import GREY, Scene, at_text, law_text
from perfweb.portal.charts.hatching import hatched
from perfweb.portal.charts.plotly_text import HOVER_TEXT
from perfweb.portal.text import formatting


def traces(scene: Scene, across: Sequence[float], up: Sequence[float]) -> list[dict[str, Any]]:
    """Return all traces of the chart, the lowest layer first; `across` and `up` are the axes' ranges."""
    right = value_at(across[1], scene.log_x)
    bottom, top = (value_at(end, scene.log_y) for end in up)
    # Plotly hides a mark if an error of rounding puts it below the axis.
    lowest = value_at(up[0] + 1e-3 * (up[1] - up[0]), scene.log_y)
    return [
        *_beyond(scene, right, (bottom, top)),
        *_runs(scene),
        *_law(scene),
        *_others(scene),
        *_measured(scene),
        *_zeros(scene, lowest),
        *_goal(scene),
        *_residuals(scene),
    ]


def _beyond(scene: Scene, right: float, ends: tuple[float, float]) -> list[dict[str, Any]]:
    """Return the hatching of the extrapolated range."""
    return [hatched((scene.high, right), ends)] if scene.reach > scene.high else []


def _runs(scene: Scene) -> list[dict[str, Any]]:
    edge = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    fill = {"fill": "tonexty", "fillcolor": "--band-runs"}
    found = []
    for piece in scene.pieces([each.x for each in scene.runs]):
        ends = [scene.runs[at] for at in piece]
        x = {"x": [each.x for each in ends]}
        found += [
            edge | x | {"y": [_floor(scene, each.lower) for each in ends]},
            edge | x | {"y": [each.upper for each in ends]} | fill,
        ]
    return found


def _law(scene: Scene) -> list[dict[str, Any]]:
    if scene.law is None:
        return []
    return [trace for piece in scene.pieces(scene.law.x) for trace in _piece(scene, scene.law, piece)]


def _piece(scene: Scene, law: Curve, piece: Sequence[int]) -> list[dict[str, Any]]:
    """Return a part of the law without a break; the last part extends beyond the measured range."""
    x, found = law.x, law.estimates
    edge = {"x": [x[at] for at in piece], "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    ink = {"color": "--series-1", "width": 2.5}
    line = {"mode": "lines", "line": ink, "hovertemplate": HOVER_TEXT}
    texts = [law_text(scene, at, each) for at, each in zip(x, found, strict=True)]
    inside = [at for at in piece if x[at] <= scene.high * (1 + 1e-9)]
    outside = [at for at in piece if at >= (inside[-1] if inside else piece[0])]
    dashed = line | _part(x, found, texts, outside) | {"line": ink | {"dash": "dash"}}
    return [
        edge | {"y": [_floor(scene, found[at].lower) for at in piece]},
        edge | {"y": [found[at].upper for at in piece], "fill": "tonexty", "fillcolor": "--band"},
        line | _part(x, found, texts, inside),
        *([dashed] if len(outside) > 1 else []),
    ]


def _part(
    x: Sequence[float], found: Sequence[Estimate], texts: list[str], at: Sequence[int]
) -> dict[str, Any]:
    return {
        "x": [x[i] for i in at],
        "y": [found[i].predicted for i in at],
        "text": [texts[i] for i in at],
    }


def _floor(scene: Scene, value: float | None) -> float | None:
    """Return the value, or a value below the axis in place of zero, which a logarithmic axis lacks."""
    if value is None or value > 0 or not scene.log_y:
        return value
    return min((run for point in scene.points for run in point.repetitions if run > 0), default=1.0) / 1e6


def _others(scene: Scene) -> list[dict[str, Any]]:
    return [
        {
            "x": line.curve.x,
            "y": [each.predicted for each in line.curve.estimates],
            "mode": "lines",
            "line": {"color": line.colour, "width": 1.5 if line.colour == GREY else 2, "dash": "dot"},
            "text": [f"{line.name}: {formatting.quantity(each.predicted, scene.unit)} at "
                     f"{scene.parameter} = {formatting.coordinate(float(f'{at:.3g}'))}"
                     for at, each in zip(line.curve.x, line.curve.estimates, strict=True)],
            "hovertemplate": HOVER_TEXT,
        }
        for line in scene.others
    ]  # fmt: skip


def _measured(scene: Scene) -> list[dict[str, Any]]:
    runs = [
        (scene.x(point), value, number)
        for point in scene.points
        for number, value in enumerate(point.repetitions, 1)
        if value > 0 or not scene.log_y
    ]
    known = [
        point for point in scene.points if point.median is not None and (point.median > 0 or not scene.log_y)
    ]
    hollow = [scene.x(point) in scene.left_out for point in known]
    return [
        {
            "x": [x for x, _, _ in runs],
            "y": [value for _, value, _ in runs],
            "mode": "markers",
            "marker": {"color": "--series-1", "size": 6, "opacity": 0.5},
            "text": [
                f"run {number} at {at_text(scene, x)}: {formatting.quantity(value, scene.unit)}"
                for x, value, number in runs
            ],
            "hovertemplate": HOVER_TEXT,
        },
        {
            "x": [scene.x(point) for point in known],
            "y": [point.median for point in known],
            "mode": "markers",
            "marker": {
                "color": "--series-1",
                "symbol": ["square-open" if left_out else "square" for left_out in hollow]
                if any(hollow)
                else "square",
                "size": 8,
            },
            "text": [
                f"median of {len(point.repetitions)} runs at {at_text(scene, scene.x(point))}: "
                f"{formatting.quantity(point.median, scene.unit)}"
                f"{', left out by the law' if left_out else ''}"
                for point, left_out in zip(known, hollow, strict=True)
            ],
            "hovertemplate": HOVER_TEXT,
        },
    ]


def _zeros(scene: Scene, lowest: float) -> list[dict[str, Any]]:
    """Return the runs of 0 on a logarithmic axis: triangles at its lower edge."""
    if not scene.off_scale:
        return []
    zero = formatting.quantity(0.0, scene.unit)
    return [
        {
            "x": [x for x, _ in scene.off_scale],
            "y": [lowest] * len(scene.off_scale),
            "mode": "markers",
            "cliponaxis": False,
            "marker": {"color": "--series-1", "symbol": "triangle-down-open", "size": 9},
            "text": [f"run {number} at {at_text(scene, x)}: {zero}" for x, number in scene.off_scale],
            "hovertemplate": HOVER_TEXT,
        }
    ]


def _goal(scene: Scene) -> list[dict[str, Any]]:
    if scene.goal is None:
        return []
    found = scene.goal.estimate
    bar = {}
    if found.lower is not None and found.upper is not None:
        bar = {
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [found.upper - found.predicted],
                "arrayminus": [found.predicted - (_floor(scene, found.lower) or 0.0)],
                "color": "--series-2",
                "thickness": 2,
                "width": 0,
            }
        }
    return [
        {
            "x": [scene.goal.x],
            "y": [found.predicted],
            "mode": "markers",
            "marker": {"color": "--series-2", "size": 10},
            "text": [law_text(scene, scene.goal.x, found)],
            "hovertemplate": HOVER_TEXT,
            **bar,
        }
    ]


def _residuals(scene: Scene) -> list[dict[str, Any]]:
    """Return every repetition's deviation from the law; those beyond the axis are triangles at its edge."""
    most = scene.farthest_residual
    near = [(x, value) for x, value in scene.residuals if abs(value) <= most]
    far = [(x, value) for x, value in scene.residuals if abs(value) > most]
    edge = {"symbol": ["triangle-up" if value > 0 else "triangle-down" for _, value in far], "size": 8}
    beyond = _residual_marks(scene, far, edge) | {"y": [most if value > 0 else -most for _, value in far]}
    return [_residual_marks(scene, near, {"size": 6, "opacity": 0.5}), *([beyond] if far else [])]


def _residual_marks(
    scene: Scene, residuals: Sequence[tuple[float, float]], marker: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "x": [x for x, _ in residuals],
        "y": [value for _, value in residuals],
        "yaxis": "y2",
        "mode": "markers",
        "marker": {"color": "--series-1", **marker},
        "text": [f"{formatting.number(abs(value), 2)} % {'above' if value > 0 else 'below'} the law "
                 f"at {at_text(scene, x)}" for x, value in residuals],
        "hovertemplate": HOVER_TEXT,
    }  # fmt: skip
