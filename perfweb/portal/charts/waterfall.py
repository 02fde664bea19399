"""Draws the difference between two versions' totals, kernel by kernel."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ingest.models import Metric
from modeling.selectors.versions.waterfall import Waterfall
from perfweb.portal.charts.axes import TITLE, amount_axis, on_a_phone, quantity_axis
from perfweb.portal.charts.figures import Figure
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated, short, short_apart

WORSE, BETTER, QUIET = "--series-2", "--series-3", "--series-rest"

NAME_LETTERS, NAME_LETTERS_ON_A_PHONE = 40, 16
"""Limit on the characters of a kernel's name next to its bar; hovering and the table show the whole name."""

WIDE = 0.2
"""Decreases longer than this share of the axis contain their text, if there is no room on their left."""

ROOM = 0.4
"""Share of the axis that a text needs on a phone. Left of a bar that ends nearer to the names, it would cover
them; inside of a short bar, Plotly shrinks it until nobody can read it.
"""

SLIM = 0.25
"""If all steps together are at most this share of the larger total, the axis does not begin at zero."""

KEPT = 0.4
"""Length of the shorter total's bar on an axis that does not begin at zero, as a multiple of all steps
together.
"""

NARROWEST = 160.0
"""Width in pixels of the bars on a phone, next to the names and the differences."""


def waterfall_figure(steps: Waterfall, before: str, after: str, metric: Metric) -> Figure:
    """Return a bar per kernel that starts where the one above it ends, in a colour for worse or better.

    Unchanged kernels and the totals are grey.
    """
    bars = _bars(steps, before, after)
    names = [bar.name for bar in bars]
    texts = [_text(bar, metric.unit) for bar in bars]
    starts = _starts(bars)
    reached = [start + bar.value for start, bar in zip(starts, bars, strict=True)]
    begin = _begin(reached)
    high = max(reached)
    axis = (
        quantity_axis((begin, high), metric.unit, log=False)
        if begin
        else amount_axis(reached, (), metric.unit)
    )
    data: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "y": names,
        "x": [bar.value for bar in bars],
        "base": starts,
        "marker": {"color": [_colour(bar, metric) for bar in bars]},
        "text": texts,
        "textposition": _places(bars, [(end - begin) / ((high - begin) or 1.0) for end in reached]),
        "cliponaxis": False,
        "hovertext": [
            f"{isolated(short(name.strip(), 300))}: {text}" for name, text in zip(names, texts, strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    title = {"title": {"text": short(metric.name, TITLE)}}
    across = title | axis
    return Figure(
        name=f"Difference in {metric.name} by kernel",
        caption=_caption(steps, before, after, metric, begin),
        data=[data],
        layout={
            "xaxis": across,
            "yaxis": {"autorange": "reversed", "type": "category"} | _ticks(names, NAME_LETTERS),
            "margin": {"l": 160, "r": 80},
            "shapes": [_connector(at, end) for at, end in enumerate(reached[:-1])],
            # On a phone the names take only the width that they need.
            "meta": {
                "narrow": {
                    "margin": {"l": 8, "r": 64},
                    "xaxis": on_a_phone(across, NARROWEST),
                    "yaxis": _ticks(names, NAME_LETTERS_ON_A_PHONE),
                }
            },
        },
        columns=["", "difference"],
        rows=[[name, text] for name, text in zip(names, texts, strict=True)],
        height=max(220, 90 + 30 * len(bars)),
    )


@dataclass(frozen=True)
class _Bar:
    """A bar for a total, or for the contribution of a kernel; `changed`: by more than noise."""

    name: str
    value: float
    is_total: bool
    changed: bool


def _caption(steps: Waterfall, before: str, after: str, metric: Metric, begin: float) -> str:
    text = f"Predicted {metric.name} at the target from {before} to {after}, the largest differences first."
    if steps.common is not None:
        count = formatting.coordinate(steps.common)
        text += f" The first and the last bar are sums of the {count} kernels in the total of both versions."
    if steps.unchanged:
        text += " Grey: differences that are not certain changes."
    if begin:
        text += " The axis does not begin at 0, so that the steps are visible."
    return text


def _bars(steps: Waterfall, before: str, after: str) -> list[_Bar]:
    """Return the bars from top to bottom. Bars with equal names are distinguished by a space."""
    bars = [_Bar(before, steps.before, True, False)]
    bars += [_Bar(step.name, step.difference, False, step.changed) for step in steps.steps]
    if steps.others:
        changed = any(step.changed for step in steps.steps)
        bars.append(_Bar(_others(steps.others, "other"), steps.rest, False, changed))
    if steps.unchanged:
        bars.append(_Bar(f"{formatting.coordinate(steps.unchanged)} unchanged", steps.noise, False, False))
    bars.append(_Bar(after, steps.after, True, False))
    taken: Counter[str] = Counter()
    for at, bar in enumerate(bars):
        bars[at] = replace(bar, name=bar.name + " " * taken[bar.name])
        taken[bar.name] += 1
    return bars


def _others(count: int, word: str) -> str:
    return f"{formatting.coordinate(count)} {word}{'' if count == 1 else 's'}"


def _starts(bars: Sequence[_Bar]) -> list[float]:
    """Return where each bar begins: totals at zero, steps where the bar above them ends."""
    starts, reached = [], 0.0
    for bar in bars:
        starts.append(0.0 if bar.is_total else reached)
        reached = starts[-1] + bar.value
    return starts


def _begin(reached: Sequence[float]) -> float:
    """Return where the axis begins: at zero, or closer to the steps if these are small."""
    low, high = min(reached), max(reached)
    height = high - low
    return low - KEPT * height if 0 < height < SLIM * high else 0.0


def _colour(bar: _Bar, metric: Metric) -> str:
    if bar.is_total or not bar.changed:
        return QUIET
    return WORSE if (bar.value > 0) == metric.lower_is_better else BETTER


def _connector(at: int, end: float) -> dict[str, Any]:
    """Return a thin line from the end of one bar to the beginning of the next."""
    ends = {"x0": end, "x1": end, "y0": at, "y1": at + 1}
    return {"type": "line", "layer": "below", "line": {"color": "--control-line", "width": 1}} | ends


def _places(bars: Sequence[_Bar], ends: Sequence[float]) -> list[str]:
    """Return for each bar whether its text is inside of it or next to it; `ends` are shares of the axis."""
    lengths = [before - end for before, end in pairwise([0.0, *ends])]
    return [
        "inside" if not bar.is_total and length > WIDE and end < ROOM else "outside"
        for bar, length, end in zip(bars, lengths, ends, strict=True)
    ]


def _ticks(names: Sequence[str], most: int) -> dict[str, Any]:
    """Return the names next to the bars, shortened to `most` characters."""
    return {"tickvals": names, "ticktext": short_apart(names, most)}


def _text(bar: _Bar, unit: str) -> str:
    return (formatting.quantity if bar.is_total else formatting.signed_quantity)(bar.value, unit)
