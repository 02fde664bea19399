"""The figure of the kernel's main chart, with its caption and its table."""

import math
from bisect import bisect_right
from collections.abc import Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString

from modeling.selectors.kernel.curves import Curve, Ends, PointValues
from perfweb.portal.charts.axes import (
    apart,
    coordinate_axis,
    on_a_phone,
    percent_axis,
    quantity_axis,
)
from perfweb.portal.charts.figures import Figure
from perfweb.portal.charts.fit.notes import MAIN, factors_beyond, lines, notes, notes_on_a_phone
from perfweb.portal.charts.fit.scene import LAW, Scene
from perfweb.portal.charts.fit.traces import traces
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated

RESIDUALS = [0.0, 0.2]


def fit_figure(scene: Scene) -> Figure:
    """Return the figure of measurements and law along one parameter."""
    values = [value for value in _values(scene) if value > 0 or not scene.log_y]
    ends = apart(min(values, default=1.0), max(values, default=1.0))
    extra = [scene.goal.x] if scene.goal else []
    measured = sorted({scene.x(point) for point in scene.points} | {scene.low, scene.high})
    span = (min(measured[0], scene.reach), scene.reach)
    across = coordinate_axis(scene.title, measured, extra, span, log=scene.log_x)
    up = quantity_axis(ends, scene.unit, log=scene.log_y)
    top = up["range"][1]
    return Figure(
        name=f"{scene.metric} along {scene.parameter}",
        caption=_caption(scene),
        data=traces(scene, across["range"], up["range"]),
        layout={
            "xaxis": across | {"anchor": "y2"},
            "yaxis": up | {"domain": MAIN},
            "yaxis2": percent_axis(_deviations(scene)) | {
                "domain": RESIDUALS, "zeroline": True, "zerolinecolor": "--control-line",
            },
            "shapes": lines(scene),
            "annotations": notes(scene, top),
            "margin": {"t": 44},
            "meta": {"narrow": {"annotations": notes_on_a_phone(scene, top), "xaxis": on_a_phone(across)}},
            "hoverdistance": 24,
        },
        columns=[
            scene.title, *(["segment"] if scene.breaks else []),
            "runs", "median", "law", "95 % of the law", "95 % of a new run", "residual",
        ],
        rows=[_row(scene, point) for point in scene.points] + _goal_row(scene),
        height=560,
    )  # fmt: skip


def _values(scene: Scene) -> list[float]:
    """Return all values that must be visible; of intervals only the part that keeps the values readable."""
    runs = [value for point in scene.points for value in point.repetitions]
    laws = [each.predicted for line in _curves(scene) for each in line.estimates]
    found = scene.goal.estimate if scene.goal else None
    shown = [*runs, *laws, *([found.predicted] if found else [])]
    low, high = min(shown, default=0.0), max(shown, default=1.0)
    least, most = (low / 10, high * 100) if scene.log_y else (0.0, high * 3)
    ends = [found.lower, found.upper] if found else []
    ends += [end for each in scene.runs for end in (each.lower, each.upper)]
    return shown + [min(max(end, least), most) for end in ends if end is not None]


def _deviations(scene: Scene) -> list[float]:
    most = scene.farthest_residual
    return [min(max(deviation, -most), most) for _, deviation in scene.residuals]


def _curves(scene: Scene) -> list[Curve]:
    return ([scene.law] if scene.law else []) + [line.curve for line in scene.others]


BETWEEN = " Between measured points the band is wider: the kernel may deviate from its law there unseen."

HOLLOW = " Hollow marks are values that the law leaves out, because they lie far off all others."
ZEROS = " Open triangles at the lower edge are runs of 0."
AT_THE_EDGE = " Residuals beyond the axis are triangles at its edge."


def _caption(scene: Scene) -> SafeString:
    where = f" at {scene.fixed}" if scene.fixed else ""
    name = isolated(scene.parameter)
    text = f"Measured {scene.metric} along {name}{where}: each dot is one run, squares are medians"
    if scene.law is None:
        return format_html("{}. There is no law.", text)
    changes = " and ".join(formatting.number(at, 2) for at in scene.breaks)
    return format_html(
        "{}, the line is the prediction{}{}.{}{}{}{}{}{}{}",
        text,
        ", the thin dotted one the law alone" if any(line.name == LAW for line in scene.others) else "",
        f", whose law changes at {name} ≈ {changes}" if changes else "",
        BETWEEN if scene.bulges else "",
        HOLLOW if scene.left_out else "",
        ZEROS if scene.off_scale else "",
        AT_THE_EDGE if math.isfinite(scene.farthest_residual) else "",
        _key("law", "95 % interval of the law"),
        _key("runs", "95 % interval of a new run") if scene.runs else "",
        _key("beyond", _extrapolated(scene)) if scene.reach > scene.high else "",
    )


def _extrapolated(scene: Scene) -> str:
    if not factors_beyond(scene):
        return "extrapolated"
    start = f"{isolated(scene.parameter)} = {formatting.coordinate(scene.high)}"
    return f"extrapolated, with marks at multiples of {start}"


def _key(kind: str, words: str) -> SafeString:
    return format_html(' <span class="key key-{}"></span>{}.', kind, words)


def _row(scene: Scene, point: PointValues) -> list[str]:
    return [
        formatting.coordinate(scene.x(point)),
        *_segment(scene, scene.x(point)),
        f"{len(point.repetitions)}",
        formatting.quantity(point.median, scene.unit),
        formatting.quantity(point.law, scene.unit),
        *_intervals(scene, scene.intervals.get(scene.x(point), ()), point.law),
        formatting.signed_percent(point.residual),
    ]


def _goal_row(scene: Scene) -> list[list[str]]:
    if scene.goal is None:
        return []
    value = formatting.quantity(scene.goal.estimate.predicted, scene.unit)
    return [
        [
            f"{formatting.coordinate(scene.goal.x)} (target)",
            *_segment(scene, scene.goal.x),
            "0",
            formatting.MISSING,
            f"{value} (prediction)",
            *_intervals(scene, scene.goal.intervals, scene.goal.estimate.predicted),
            formatting.MISSING,
        ]
    ]


def _segment(scene: Scene, x: float) -> list[str]:
    """Return the number of the segment's law at this value: "2 of 3"; empty if there is only one law."""
    number = bisect_right(scene.breaks, x) + 1
    return [f"{number} of {len(scene.breaks) + 1}"] if scene.breaks else []


def _intervals(scene: Scene, found: Sequence[Ends], like: float | None) -> list[str]:
    ends = [formatting.interval(each.lower, each.upper, scene.unit, like) for each in found]
    return ends or [formatting.MISSING] * 2
