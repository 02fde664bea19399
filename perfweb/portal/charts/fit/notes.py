"""Labels and shading of the kernel's main chart, which replace a legend."""

from math import log
from typing import Any

from modeling.selectors.kernel.curves import Curve
from perfweb.portal.charts.axes import place
from perfweb.portal.charts.fit.scene import GREY, LAW, Goal, Line, Scene
from perfweb.portal.text import formatting

MAIN = [0.27, 1.0]
"""The part of the height for the law; the residuals lie below."""
_QUIET: dict[str, Any] = {"showarrow": False, "xanchor": "left", "font": {"color": "--muted", "size": 12}}
_TOP: dict[str, Any] = {"yref": "paper", "y": 1, "yanchor": "top"}
_BOTTOM: dict[str, Any] = {"yref": "paper", "y": MAIN[0], "yanchor": "bottom"}
_PAPER: dict[str, Any] = {"bgcolor": "--surface", "borderpad": 0}
SWATCH = 14
"""Width in pixels of the square in a line's colour next to its name."""
_FACTOR = 4
_MARKS = 4
"""The extrapolated range has at most this many marks, at powers of this factor beyond the measured range."""
LABEL = 0.3
"""Share of the axis's width that the label at the target takes."""


def factors_beyond(scene: Scene) -> list[int]:
    """Return the factors beyond the measured range at which the extrapolated range has a mark."""
    distance = scene.reach / scene.high * (1 + 1e-9)
    if distance < _FACTOR:
        return []
    powers = int(log(distance, _FACTOR))
    return [_FACTOR**power for power in range(1, powers + 1)][:: -(-powers // _MARKS)]


def lines(scene: Scene) -> list[dict[str, Any]]:
    """Return the vertical lines: at each value where another law begins, and at each factor beyond."""
    law = {"color": "--muted", "width": 1.5, "dash": "dashdot"}
    places = [(at, law) for at in scene.breaks]
    mark = {"color": "--control-line", "width": 1, "dash": "dot"}
    places += [(scene.high * factor, mark) for factor in factors_beyond(scene)]
    return [
        {
            "type": "line", "xref": "x", "yref": "paper", "x0": at, "x1": at, "y0": MAIN[0], "y1": 1,
            "line": line, "layer": "below",
        }
        for at, line in places
    ]  # fmt: skip


def _factors(scene: Scene) -> list[dict[str, Any]]:
    """Return the labels below the lines at the factors beyond the measured range."""
    foot = {"yref": "paper", "y": MAIN[0], "yanchor": "top", "xanchor": "center"}
    return [
        _QUIET | foot | {"text": formatting.ratio(factor), "x": place(scene.high * factor, scene.log_x)}
        for factor in factors_beyond(scene)
    ]


def _names_of_breaks(scene: Scene) -> list[dict[str, Any]]:
    """Return the label above the first line at a break; labels above further lines would not fit."""
    top = {"yref": "paper", "y": 1, "yanchor": "bottom", "xanchor": "center"}
    return [
        _QUIET | top | {"text": "the law changes", "x": place(at, scene.log_x)} for at in scene.breaks[:1]
    ]


def notes(scene: Scene, top: float) -> list[dict[str, Any]]:
    """Return all labels that fit; `top` is the upper end of the axis of values."""
    found = notes_on_a_phone(scene, top) + _names_of_breaks(scene)
    if scene.reach > scene.high:
        edge = place(scene.high, scene.log_x)
        free = _BOTTOM if _is_lower_corner_free(scene) else _TOP
        found.append(_QUIET | free | {"text": "extrapolated", "x": edge, "xshift": 6})
    return found + [
        note for at, line in enumerate(scene.others) for note in _name(scene, line, 0.66 - 0.2 * at)
    ]


def _rises(curve: Curve) -> bool:
    """Return whether a curve ends higher than it begins, so that the corner below its end is free."""
    return curve.estimates[-1].predicted >= curve.estimates[0].predicted


def _is_lower_corner_free(scene: Scene) -> bool:
    """Return whether the lower corner of the extrapolated range is free; otherwise the upper one is.

    Another line, with its name, takes the corner on the side of the prediction on which it ends.
    """
    if scene.law is None:
        return False
    ends = ((line.curve.x[-1], line.curve.estimates[-1].predicted) for line in scene.others)
    above = [_is_above(scene, x, y) for x, y in ends]
    return any(above) or (not above and _rises(scene.law))


def notes_on_a_phone(scene: Scene, top: float) -> list[dict[str, Any]]:
    """Return the labels that a reader on a phone needs."""
    place_ = {"xref": "paper", "yref": "paper", "x": 0, "y": 0.235, "yanchor": "bottom"}
    # The prediction may pass through points that the law misses: then the residuals seem to contradict it.
    of_what = " of the law" if any(line.name == LAW for line in scene.others) else ""
    below = _QUIET | place_ | {"text": f"Residuals{of_what}"}
    return [below, *_factors(scene), *_at_the_target(scene, top)]


def _name(scene: Scene, line: Line, part: float) -> list[dict[str, Any]]:
    """Return the label with a law's name, at `part` of the axis, on the side away from the prediction."""
    x = line.curve.x
    goal = place(x[0], scene.log_x) + part * (place(x[-1], scene.log_x) - place(x[0], scene.log_x))
    at = min(range(len(x)), key=lambda index: abs(place(x[index], scene.log_x) - goal))
    y = line.curve.estimates[at].predicted
    if scene.log_y and y <= 0:
        return []
    above = _is_above(scene, x[at], y)
    # Above a rising line, and below a falling one, the free side is on the left.
    free = "right" if above == _rises(line.curve) else "left"
    aside = {"xanchor": free, "yanchor": "bottom" if above else "top"}
    here = _QUIET | {"x": place(x[at], scene.log_x), "y": place(y, scene.log_y)} | aside
    name = here | {"text": line.name, **_PAPER}
    if line.colour == GREY:
        return [name]
    towards = -1 if free == "right" else 1
    square = {"text": "■", "font": {"color": line.colour, "size": 14}, **_PAPER}
    return [here | square, name | {"xshift": towards * SWATCH}]


def _is_above(scene: Scene, x: float, y: float) -> bool:
    if scene.law is None:
        return False
    places = scene.law.x
    nearest = min(range(len(places)), key=lambda at: abs(places[at] - x))
    return y > scene.law.estimates[nearest].predicted


def _at_the_target(scene: Scene, top: float) -> list[dict[str, Any]]:
    """Return the label with prediction and interval, left of the target and above the law's band."""
    if scene.goal is None or (scene.log_y and scene.goal.estimate.predicted <= 0):
        return []
    found = scene.goal.estimate
    at = {
        "x": place(scene.goal.x, scene.log_x), "y": min(_above(scene, scene.goal), top),
        "showarrow": False, "xanchor": "right", "yanchor": "bottom", "xshift": 8, **_PAPER,
    }  # fmt: skip
    value = formatting.quantity(found.predicted, scene.unit)
    ends = formatting.interval(found.lower, found.upper, scene.unit, found.predicted)
    bold = {"weight": 700, "size": 14}
    if ends == formatting.MISSING:
        return [at | {"text": value, "font": bold, "yshift": 4}]
    small = {"color": "--muted", "size": 12}
    return [
        at | {"text": value, "font": bold, "yshift": 20},
        at | {"text": f"95 %: {ends}", "font": small, "yshift": 4},
    ]


def _above(scene: Scene, goal: Goal) -> float:
    """Return the highest value drawn where the label at the target is; the label lies above this value."""
    right = place(goal.x, scene.log_x)
    left = right - LABEL * (place(scene.reach, scene.log_x) - place(scene.low, scene.log_x))
    lines = [line for line in (scene.law, *(other.curve for other in scene.others)) if line]
    below = [
        each
        for line in lines
        for x, each in zip(line.x, line.estimates, strict=True)
        if left <= place(x, scene.log_x) <= right
    ]
    heights = [max(each.predicted, each.upper or each.predicted) for each in (*below, goal.estimate)]
    return place(max(heights), scene.log_y)
