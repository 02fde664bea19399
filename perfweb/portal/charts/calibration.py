"""Draws the share of measured values inside forecast intervals, by distance from the data."""

from collections.abc import Sequence

from modeling.engine import Calibration
from perfweb.portal.charts.figures import Figure
from perfweb.portal.text import formatting

Groups = Sequence[tuple[float, Calibration]]
"""For each group of forecasts, the distance at which it begins, and the calibration of its forecasts."""

ASKED = 95


def calibration_figure(groups: Groups) -> Figure:
    """Return a figure with a bar for each group of distances, next to the nominal share."""
    labels = distance_labels(groups)
    shares = [100 * calibration.inside for _, calibration in groups]
    return Figure(
        name="Values inside of their 95 % intervals",
        caption="Share of the measured values that lie inside their predicted interval. The line is at "
        f"{ASKED} %, where correct intervals would be.",
        data=[
            {
                "type": "bar",
                "x": labels,
                "y": shares,
                "marker": {"color": "--series-1"},
                "text": [f"{formatting.percent(each.inside)} of {each.count:,}" for _, each in groups],
                # Beside a short bar: in a bar of 0 % there is no room.
                "textposition": "auto",
                "hovertext": [
                    f"{label}: {formatting.percent(each.inside)} of {each.count:,} values"
                    for label, (_, each) in zip(labels, groups, strict=True)
                ],
                "hovertemplate": "%{hovertext}<extra></extra>",
            },
        ],
        layout={
            "showlegend": False,
            "shapes": [_nominal()],
            "margin": {"l": 44, "r": 12, "t": 12, "b": 44},
            "xaxis": {"type": "category", "title": {"text": "beyond the data"}, "fixedrange": True},
            "yaxis": {"range": [0, 105], "ticksuffix": " %", "fixedrange": True},
        },
        columns=["beyond the data", "values", "inside", "median error", "intervals should be"],
        rows=[_row(label, each) for label, (_, each) in zip(labels, groups, strict=True)],
        height=220,
    )


def _nominal() -> dict[str, object]:
    """Return the line at the nominal share. A shape crosses the chart even if it has a single bar."""
    line = {"color": "--worse", "dash": "dash", "width": 2}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": ASKED, "y1": ASKED, "line": line}


def distance_labels(groups: Groups) -> list[str]:
    """Return the distances of each group as multiples of the measured range: 4× – 8×."""
    limits = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
    return [_label(begin, next((limit for limit in limits if limit > begin), None)) for begin, _ in groups]


def _label(begin: float, end: float | None) -> str:
    if not begin:
        return "inside"
    return f"{begin:.0f}× – {end:.0f}×" if end else f"from {begin:.0f}×"


def _row(label: str, each: Calibration) -> list[str]:
    return [
        label,
        f"{each.count:,}",
        formatting.percent(each.inside),
        formatting.percent(each.error),
        widening_words(each),
    ]


def widening_words(each: Calibration) -> str:
    """Return by how much intervals should have been wider, in words."""
    if each.widening > 1:
        return f"{formatting.ratio(each.widening)} as wide"
    return "as they are" if each.enough else "too few values to tell"
