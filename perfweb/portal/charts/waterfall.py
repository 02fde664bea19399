"""From one version's total to the other's, kernel by kernel."""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ingest.models import Metric
from modeling.selectors.versions.comparison import Waterfall
from perfweb.portal.charts.axes import TITLE, amount_axis, on_a_phone
from perfweb.portal.charts.figures import Figure
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated, short

WORSE, BETTER = "--series-2", "--series-3"

NAME_LETTERS, NAME_LETTERS_ON_A_PHONE = 40, 16
"""Letters of a kernel's name that there is room for beside its bar; hovering and the table have all of it."""

WIDE = 0.2
"""Share of the largest total from which a bar has room for its own difference. Beside a bar that leads down
it would stand over the kernel's name."""

NARROWEST = 160.0
"""Pixels that the bars have on a phone, beside the names and the differences."""


def waterfall_figure(steps: Waterfall, before: str, after: str, metric: Metric) -> Figure:
    """A bar per kernel that starts where the one above it ends; its colour tells worse from better."""
    bars = _bars(steps, before, after)
    names = [name for name, _, _ in bars]
    texts = [_text(value, measure, metric.unit) for _, value, measure in bars]
    data: dict[str, Any] = {
        "type": "waterfall",
        "orientation": "h",
        "y": names,
        "x": [value for _, value, _ in bars],
        "measure": [measure for _, _, measure in bars],
        "text": texts,
        "textposition": _places(bars),
        "cliponaxis": False,
        "hovertext": [
            f"{isolated(short(name.strip(), 300))}: {text}" for name, text in zip(names, texts, strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "increasing": {"marker": {"color": WORSE if metric.lower_is_better else BETTER}},
        "decreasing": {"marker": {"color": BETTER if metric.lower_is_better else WORSE}},
        "totals": {"marker": {"color": "--series-rest"}},
        "connector": {"line": {"color": "--control-line", "width": 1}},
    }
    reached = accumulate([steps.before, *(value for _, value, measure in bars if measure == "relative")])
    title = {"title": {"text": short(metric.name, TITLE)}}
    across = title | amount_axis([*reached, steps.after], (), metric.unit)
    return Figure(
        name=f"Difference in {metric.name} by kernel",
        caption=f"Predicted {metric.name} at the target from {before} to {after}, the largest steps first.",
        data=[data],
        layout={
            "xaxis": across,
            "yaxis": {"autorange": "reversed", "type": "category"} | _ticks(names, NAME_LETTERS),
            "margin": {"l": 160, "r": 80},
            # On a phone the names take the room that they need, and no more.
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
        height=420,
    )


def _bars(steps: Waterfall, before: str, after: str) -> list[tuple[str, float, str]]:
    """Name, value and Plotly's measure of each bar. Two bars of one name are told apart by a space."""
    bars = [(before, steps.before, "absolute")]
    bars += [(step.name, step.difference, "relative") for step in steps.steps]
    if steps.others:
        bars.append((f"{steps.others} others", steps.rest, "relative"))
    bars.append((after, steps.after, "total"))
    taken: Counter[str] = Counter()
    for at, (name, value, measure) in enumerate(bars):
        bars[at] = (name + " " * taken[name], value, measure)
        taken[name] += 1
    return bars


def _places(bars: Sequence[tuple[str, float, str]]) -> list[str]:
    """Where the difference of each bar stands."""
    largest = max(abs(value) for _, value, _ in bars)
    return [
        "inside" if measure == "relative" and value < -WIDE * largest else "outside"
        for _, value, measure in bars
    ]


def _ticks(names: Sequence[str], most: int) -> dict[str, Any]:
    """The names beside the bars, each as far as there is room for so many letters."""
    return {"tickvals": names, "ticktext": [short(name, most) for name in names]}


def _text(value: float, measure: str, unit: str) -> str:
    return (formatting.signed_quantity if measure == "relative" else formatting.quantity)(value, unit)
