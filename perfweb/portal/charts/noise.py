"""Draws the noise levels of a campaign's kernels."""

from collections.abc import Sequence
from statistics import median

import numpy as np

from perfweb.portal.charts.figures import Figure
from perfweb.portal.text import formatting

EDGES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Lower ends of the classes, as fractions; the last class has no upper end."""


def noise_counts(levels: Sequence[float]) -> list[int]:
    """Return how many noise levels lie in each class; a level on an edge belongs to the class above."""
    counts: list[int] = np.histogram(levels, [*EDGES, np.inf])[0].tolist()
    return counts


def noise_figure(levels: Sequence[float]) -> Figure:
    """Return bars over classes of noise, each labelled with its number of kernels."""
    counts = noise_counts(levels)
    labels = [_label(at) for at in range(len(EDGES))]
    middle = formatting.percent(median(levels))
    return Figure(
        name="Noise of the kernels",
        caption=f"Half of the kernels have a noise level below {middle}. The noise level is the largest "
        "minus the smallest deviation of repetitions from their point's mean.",
        data=[
            {
                "type": "bar",
                "x": labels,
                "y": counts,
                "marker": {"color": "--series-1"},
                "text": [f"{count:,}" if count else "" for count in counts],
                "textposition": "outside",
                "cliponaxis": False,
                "hovertext": [
                    f"{count:,} kernels with noise of {label}"
                    for count, label in zip(counts, labels, strict=True)
                ],
                "hovertemplate": "%{hovertext}<extra></extra>",
            }
        ],
        layout={
            "bargap": 0.15,
            "margin": {"l": 12, "r": 12, "t": 24, "b": 40},
            "xaxis": {"type": "category", "title": {"text": "noise level"}, "fixedrange": True},
            "yaxis": {"visible": False, "fixedrange": True},
            # the labels of all bars do not fit next to each other on a phone
            "meta": {"narrow": {"xaxis": {"tickvals": labels[::2], "ticktext": labels[::2], "tickangle": 0}}},
        },
        columns=["noise level", "kernels"],
        rows=[[label, f"{count:,}"] for label, count in zip(labels, counts, strict=True)],
        height=220,
    )


def _label(at: int) -> str:
    low = f"{EDGES[at]:.0%}".removesuffix("%")
    if at + 1 == len(EDGES):
        return f"> {low} %"
    return f"{low}–{EDGES[at + 1]:.0%}".removesuffix("%") + " %"
