"""Draws parallel efficiency by number of processes: median, 95 % interval, and measured values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from modeling.selectors.kernel.curves import Curve
from modeling.selectors.kernel.curves import Estimate as Point
from perfweb.portal.charts.axes import coordinate_axis, on_a_phone, value_at
from perfweb.portal.charts.figures import Figure
from perfweb.portal.charts.hatching import hatched
from perfweb.portal.charts.plotly_text import HOVER_TEXT
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated

TICKS = 25
"""Percent between two ticks, if all ticks fit."""

MOST_TICKS = 8
"""Limit on the ticks of an axis; an efficiency may be several times 100 %."""

MARGIN = 1.08
"""Ratio of the axis's end to the largest efficiency, which leaves room for the line's width."""


@dataclass(frozen=True)
class EfficiencyLine:
    """Efficiencies by number of processes, as fractions.

    `kind` is "strong" or "weak". `measured` are pairs of a process count and an efficiency that was measured.
    Beyond `high` processes the efficiency is extrapolated.
    """

    kind: str
    parameter: str
    title: str
    base: float
    high: float
    target: float
    curve: Curve
    measured: Sequence[tuple[float, float]]
    threshold: float


def efficiency_figure(line: EfficiencyLine, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Figure:
    """Return the chart of an efficiency, with a table of `columns` and `rows`."""
    ends = line.curve.x[0], line.curve.x[-1]
    known = sorted({x for x, _ in line.measured} | {line.high, line.base})
    across = coordinate_axis(line.title, known, [line.target], ends, log=True)
    up = _percent_axis(line)
    right = value_at(across["range"][1], log=True)
    beyond = [hatched((line.high, right), up["range"])] if ends_beyond(line) else []
    return Figure(
        name=f"{line.kind.capitalize()} scaling efficiency along {line.parameter}",
        caption=_caption(line),
        data=[*beyond, *_band(line), *_line(line), *_marks(line)],
        layout={
            "xaxis": across,
            "yaxis": up,
            "shapes": _levels(line),
            "meta": {"narrow": {"xaxis": on_a_phone(across)}},
            "hoverdistance": 24,
        },
        columns=columns,
        rows=rows,
        height=260,
    )


def _caption(line: EfficiencyLine) -> str:
    name = isolated(line.parameter)
    beyond = f"; dashed beyond {name} = {formatting.coordinate(line.high)}" if ends_beyond(line) else ""
    marks = ", squares are measured medians" if line.measured else ""
    return (
        f"{line.kind.capitalize()}-scaling efficiency relative to {name} = "
        f"{formatting.coordinate(line.base)}: the median over all laws with its 95 % interval{marks}{beyond}"
        f"; dotted at 100 % and {formatting.percent(line.threshold)}."
    )


def ends_beyond(line: EfficiencyLine) -> bool:
    """Return whether a part of the line is extrapolated."""
    return line.curve.x[-1] > line.high * (1 + 1e-9)


def _band(line: EfficiencyLine) -> list[dict[str, Any]]:
    estimates = line.curve.estimates
    if any(each.lower is None or each.upper is None for each in estimates):
        return []
    edge: dict[str, Any] = {
        "x": list(line.curve.x), "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip",
    }  # fmt: skip
    lower = [_percent(each.lower) for each in estimates]
    upper = [_percent(each.upper) for each in estimates]
    return [edge | {"y": lower}, edge | {"y": upper, "fill": "tonexty", "fillcolor": "--band"}]


def _line(line: EfficiencyLine) -> list[dict[str, Any]]:
    x = line.curve.x
    inside = [at for at, value in enumerate(x) if value <= line.high * (1 + 1e-9)]
    outside = list(range(inside[-1] if inside else 0, len(x)))
    parts = [_part(line, inside, {}), _part(line, outside, {"dash": "dash"})]
    return [part for part, at in zip(parts, (inside, outside), strict=True) if len(at) > 1]


def _part(line: EfficiencyLine, at: Sequence[int], dash: dict[str, str]) -> dict[str, Any]:
    estimates = [line.curve.estimates[index] for index in at]
    return {
        "x": [line.curve.x[index] for index in at],
        "y": [_percent(each.predicted) for each in estimates],
        "mode": "lines",
        "line": {"color": "--series-1", "width": 2.5, **dash},
        "text": [_text(line, line.curve.x[index], line.curve.estimates[index]) for index in at],
        "hovertemplate": HOVER_TEXT,
    }


def _text(line: EfficiencyLine, x: float, found: Point) -> str:
    ends = formatting.percents(found.lower, found.upper)
    beyond = ", extrapolated" if x > line.high * (1 + 1e-9) else ""
    value = f"{formatting.percent(found.predicted)}{f' ({ends})' if ends else ''}"
    return f"{value} at {isolated(line.parameter)} = {formatting.number(x)}{beyond}"


def _marks(line: EfficiencyLine) -> list[dict[str, Any]]:
    name = isolated(line.parameter)
    measured = {
        "x": [x for x, _ in line.measured],
        "y": [_percent(value) for _, value in line.measured],
        "mode": "markers",
        "marker": {"symbol": "square", "size": 8, "color": "--series-1"},
        "text": [
            f"measured: {formatting.percent(value)} at {name} = {formatting.coordinate(x)}"
            for x, value in line.measured
        ],
        "hovertemplate": HOVER_TEXT,
    }
    at = min(range(len(line.curve.x)), key=lambda index: abs(line.curve.x[index] - line.target))
    goal = _part(line, [at], {}) | {
        "mode": "markers",
        "marker": {"size": 11, "color": "--series-2"},
    }
    return [measured, goal] if line.measured else [goal]


def _percent_axis(line: EfficiencyLine) -> dict[str, Any]:
    """Return an axis from zero to the largest efficiency, but at least to 100 %; intervals may exceed it."""
    found = [each.predicted for each in line.curve.estimates] + [value for _, value in line.measured]
    top = MARGIN * max(100.0, *(100 * value for value in found))
    step = next(TICKS * 2**power for power in range(64) if top / (TICKS * 2**power) < MOST_TICKS)
    ticks = [step * number for number in range(int(top / step) + 1)]
    return {
        "range": [0, top],
        "tickvals": ticks,
        "ticktext": [f"{formatting.number(tick)} %" for tick in ticks],
    }


def _levels(line: EfficiencyLine) -> list[dict[str, Any]]:
    return [
        {
            "type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y", "y0": level, "y1": level,
            "line": {"color": colour, "width": 1.5, "dash": "dot"},
        }
        for level, colour in ((100, "--muted"), (100 * line.threshold, "--worse"))
    ]  # fmt: skip


def _percent(fraction: float | None) -> float | None:
    return None if fraction is None else round(100 * fraction, 4)
