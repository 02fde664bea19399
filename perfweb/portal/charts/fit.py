"""The kernel's main chart: runs, medians, law with its interval, extrapolation, target; residuals below."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from modeling.selectors.curves import Curve, Estimate, PointValues
from perfweb.portal import formatting
from perfweb.portal.charts.axes import between, coordinate_axis, place, quantity_axis
from perfweb.portal.figures import Figure

SENTENCE = "%{text}<extra></extra>"
RESIDUALS = [0.0, 0.2]
MAIN = [0.27, 1.0]


@dataclass(frozen=True)
class Line:
    """A law to draw along the axis, with the name written at its end."""

    name: str
    curve: Curve


@dataclass(frozen=True)
class Goal:
    """The target on this axis: where, and what is predicted there."""

    x: float
    estimate: Estimate


@dataclass(frozen=True)
class Scene:
    """What the chart shows; `fixed`: where other parameters stand, `low` and `high`: the measured range."""

    parameter: str
    title: str
    unit: str
    metric: str
    fixed: str
    low: float
    high: float
    points: Sequence[PointValues]
    axis: int
    law: Curve | None
    others: Sequence[Line] = ()
    goal: Goal | None = None
    log_x: bool = True
    log_y: bool = True

    def x(self, point: PointValues) -> float:
        """Where a measured point lies."""
        return point.point[self.axis]

    @property
    def reach(self) -> float:
        """The end of the axis."""
        ends = [line.curve.x[-1] for line in self.others]
        return max(
            [self.high, *ends, *(self.law.x[-1:] if self.law else ()), *([self.goal.x] if self.goal else [])]
        )


def fit_figure(scene: Scene) -> Figure:
    """Measurements and law along one parameter."""
    values = [value for value in _values(scene) if value > 0 or not scene.log_y]
    ends = (min(values, default=1.0), max(values, default=1.0))
    extra = [scene.goal.x] if scene.goal else []
    extra += between(scene.high, scene.reach)
    measured = sorted({scene.x(point) for point in scene.points} | {scene.low, scene.high})
    span = (min(scene.low, scene.reach), scene.reach)
    return Figure(
        name=f"{scene.metric} along {scene.parameter}",
        caption=_caption(scene),
        data=[*_law(scene), *_others(scene), *_measured(scene), *_goal(scene), *_residuals(scene)],
        layout={
            "xaxis": coordinate_axis(scene.title, measured, extra, span, log=scene.log_x) | {"anchor": "y2"},
            "yaxis": quantity_axis(ends, scene.unit, log=scene.log_y) | {"domain": MAIN},
            "yaxis2": {"domain": RESIDUALS, "ticksuffix": " %", "nticks": 5, "zeroline": True,
                       "zerolinecolor": "--control-line", "rangemode": "tozero"},
            "shapes": _beyond(scene),
            "annotations": _notes(scene),
            "hoverdistance": 24,
        },
        columns=[scene.title, "runs", "median", "law", "residual"],
        rows=[_row(scene, point) for point in scene.points] + _goal_row(scene),
        height=560,
    )  # fmt: skip


def _values(scene: Scene) -> list[float]:
    """All that must be in sight."""
    runs = [value for point in scene.points for value in point.repetitions]
    laws = [each.predicted for line in _curves(scene) for each in line.estimates]
    goal = scene.goal.estimate if scene.goal else None
    ends = [end for end in (goal.predicted, goal.upper, goal.lower) if end is not None] if goal else []
    # An interval that reaches towards zero would stretch a logarithmic axis over empty decades.
    least = min(runs + laws, default=0.0) / 10
    return runs + laws + [end for end in ends if not scene.log_y or end > least]


def _curves(scene: Scene) -> list[Curve]:
    return ([scene.law] if scene.law else []) + [line.curve for line in scene.others]


def _law(scene: Scene) -> list[dict[str, Any]]:
    """The band, the law where it was measured, and dashed beyond."""
    if scene.law is None:
        return []
    x, found = scene.law.x, scene.law.estimates
    edge = {"x": x, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    line = {
        "mode": "lines",
        "line": {"color": "--series-1", "width": 2.5},
        "hovertemplate": SENTENCE,
    }
    texts = [_sentence(scene, at, each) for at, each in zip(x, found, strict=True)]
    inside = [at for at, value in enumerate(x) if value <= scene.high * (1 + 1e-9)]
    outside = range(inside[-1] if inside else 0, len(x))
    return [
        edge | {"y": [_floor(scene, each.lower) for each in found]},
        edge | {"y": [each.upper for each in found], "fill": "tonexty", "fillcolor": "--band"},
        line | _part(x, found, texts, inside),
        line | _part(x, found, texts, outside) | {"line": line["line"] | {"dash": "dash"}},
    ]  # fmt: skip


def _part(
    x: Sequence[float], found: Sequence[Estimate], texts: list[str], at: Sequence[int]
) -> dict[str, Any]:
    return {
        "x": [x[i] for i in at],
        "y": [found[i].predicted for i in at],
        "text": [texts[i] for i in at],
    }


def _floor(scene: Scene, value: float | None) -> float | None:
    """A logarithmic axis has no place for zero; what lies below the axis may lie anywhere below."""
    if value is None or value > 0 or not scene.log_y:
        return value
    return min((run for point in scene.points for run in point.repetitions if run > 0), default=1.0) / 1e6


def _others(scene: Scene) -> list[dict[str, Any]]:
    return [
        {
            "x": line.curve.x,
            "y": [each.predicted for each in line.curve.estimates],
            "mode": "lines",
            "line": {"color": "--muted", "width": 1.5, "dash": "dot"},
            "text": [f"{line.name}: {formatting.quantity(each.predicted, scene.unit)} at "
                     f"{scene.parameter} = {formatting.coordinate(float(f'{at:.3g}'))}"
                     for at, each in zip(line.curve.x, line.curve.estimates, strict=True)],
            "hovertemplate": SENTENCE,
        }
        for line in scene.others
    ]  # fmt: skip


def _measured(scene: Scene) -> list[dict[str, Any]]:
    """Every run as a faint dot, medians as squares."""
    runs = [
        (scene.x(point), value, number)
        for point in scene.points
        for number, value in enumerate(point.repetitions, 1)
    ]
    known = [point for point in scene.points if point.median is not None]
    return [
        {
            "x": [x for x, _, _ in runs],
            "y": [value for _, value, _ in runs],
            "mode": "markers",
            "marker": {"color": "--series-1", "size": 6, "opacity": 0.35},
            "text": [
                f"run {number} at {_at(scene, x)}: {formatting.quantity(value, scene.unit)}"
                for x, value, number in runs
            ],
            "hovertemplate": SENTENCE,
        },
        {
            "x": [scene.x(point) for point in known],
            "y": [point.median for point in known],
            "mode": "markers",
            "marker": {"color": "--series-1", "symbol": "square", "size": 8},
            "text": [
                f"median of {len(point.repetitions)} runs at {_at(scene, scene.x(point))}: "
                f"{formatting.quantity(point.median, scene.unit)}"
                for point in known
            ],
            "hovertemplate": SENTENCE,
        },
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
            "text": [_sentence(scene, scene.goal.x, found)],
            "hovertemplate": SENTENCE,
            **bar,
        }
    ]


def _residuals(scene: Scene) -> list[dict[str, Any]]:
    """Every run's deviation from the law, on the same axis."""
    found = [
        (scene.x(point), 100 * deviation)
        for point in scene.points
        for value in point.repetitions
        if (deviation := point.deviation(value)) is not None
    ]
    return [
        {
            "x": [x for x, _ in found],
            "y": [value for _, value in found],
            "yaxis": "y2",
            "mode": "markers",
            "marker": {"color": "--series-1", "size": 6, "opacity": 0.4},
            "text": [f"{formatting.number(abs(value), 2)} % {'above' if value > 0 else 'below'} the law "
                     f"at {_at(scene, x)}" for x, value in found],
            "hovertemplate": SENTENCE,
        }
    ]  # fmt: skip


def _beyond(scene: Scene) -> list[dict[str, Any]]:
    """Shading that deepens with every fourfold step away from what was measured."""
    shapes, start = [], scene.high
    end = scene.reach * (1.2 if scene.log_x else 1.04)
    while start < scene.reach and len(shapes) < 8:
        shapes.append({
            "type": "rect", "xref": "x", "yref": "paper", "x0": start, "x1": end, "y0": MAIN[0], "y1": 1,
            "fillcolor": "--extrapolated", "line": {"width": 0}, "layer": "below",
        })  # fmt: skip
        start *= 4
    return shapes


def _notes(scene: Scene) -> list[dict[str, Any]]:
    """Labels that stand where a legend would have to be looked up."""
    quiet = {"showarrow": False, "font": {"color": "--muted", "size": 12}}
    notes = [quiet | {"text": "Residuals of every run", "xref": "paper", "yref": "paper", "x": 0, "y": 0.235,
                      "xanchor": "left", "yanchor": "bottom"}]  # fmt: skip
    if scene.reach > scene.high:
        edge = place(scene.high, scene.log_x)
        notes.append(quiet | {"text": "extrapolated", "x": edge, "yref": "paper", "y": 1,
                              "xanchor": "left", "yanchor": "top", "xshift": 6})  # fmt: skip
    for line in scene.others:
        at = (2 * len(line.curve.x)) // 3
        y = line.curve.estimates[at].predicted
        if y > 0 or not scene.log_y:
            here = {"x": place(line.curve.x[at], scene.log_x), "y": place(y, scene.log_y)}
            notes.append(quiet | here | {"text": line.name, "xanchor": "left", "yanchor": "top"})
    return notes + _goal_notes(scene)


def _goal_notes(scene: Scene) -> list[dict[str, Any]]:
    if scene.goal is None or (scene.log_y and scene.goal.estimate.predicted <= 0):
        return []
    found = scene.goal.estimate
    at = {"x": place(scene.goal.x, scene.log_x), "y": place(found.predicted, scene.log_y), "showarrow": False,
          "xanchor": "right", "xshift": -10}  # fmt: skip
    ends = formatting.interval(found.lower, found.upper, scene.unit, found.predicted)
    value = formatting.quantity(found.predicted, scene.unit)
    notes = [at | {"text": value, "font": {"weight": 700, "size": 14}, "yanchor": "bottom", "yshift": 6}]
    if ends != formatting.MISSING:
        small = {"color": "--muted", "size": 12}
        notes.append(at | {"text": f"95 %: {ends}", "font": small, "yanchor": "top", "yshift": 8})
    return notes


def _at(scene: Scene, x: float) -> str:
    here = f"{scene.parameter} = {formatting.coordinate(float(f'{x:.4g}') if x not in _exact(scene) else x)}"
    return f"{here}, {scene.fixed}" if scene.fixed else here


def _exact(scene: Scene) -> set[float]:
    return {scene.x(point) for point in scene.points} | ({scene.goal.x} if scene.goal else set())


def _sentence(scene: Scene, x: float, found: Estimate) -> str:
    text = f"at {_at(scene, x)} the law gives {formatting.quantity(found.predicted, scene.unit)}"
    ends = formatting.interval(found.lower, found.upper, scene.unit, found.predicted)
    text += f" ({ends})" if ends != formatting.MISSING else ""
    return text + (
        f",<br>{formatting.ratio(x / scene.high)} beyond what was measured" if x > scene.high else ""
    )


def _caption(scene: Scene) -> str:
    where = f" at {scene.fixed}" if scene.fixed else ""
    text = f"Measured {scene.metric} along {scene.parameter}{where}: each dot is one run, squares are medians"
    if scene.law is None:
        return f"{text}. There is no law."
    text += ", the line is the law and the band the 95 % interval of the law"
    return f"{text}; shaded: extrapolated." if scene.reach > scene.high else f"{text}."


def _row(scene: Scene, point: PointValues) -> list[str]:
    return [
        formatting.coordinate(scene.x(point)),
        f"{len(point.repetitions)}",
        formatting.quantity(point.median, scene.unit),
        formatting.quantity(point.law, scene.unit),
        formatting.signed_percent(point.residual),
    ]


def _goal_row(scene: Scene) -> list[list[str]]:
    if scene.goal is None:
        return []
    value = formatting.quantity(scene.goal.estimate.predicted, scene.unit)
    return [
        [
            f"{formatting.coordinate(scene.goal.x)} (target)",
            "0",
            formatting.MISSING,
            value,
            formatting.MISSING,
        ]
    ]
