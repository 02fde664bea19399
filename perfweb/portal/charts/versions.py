"""Draws a kernel's prediction at the target over the versions."""

from collections.abc import Sequence

from ingest.models import Metric
from modeling.selectors.kernel.kernel import KernelVersion
from modeling.verdicts import IMPROVEMENTS, WORSENINGS
from perfweb.portal.charts.axes import TITLE_UPRIGHT, amount_axis, place
from perfweb.portal.charts.figures import Figure
from perfweb.portal.charts.plotly_text import HOVER_TEXT
from perfweb.portal.charts.version_bands import arrows, band
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import short
from perfweb.portal.text.wording import verdict_words

_CHANGED = (*WORSENINGS, *IMPROVEMENTS)


def versions_figure(
    steps: Sequence[KernelVersion], metric: Metric, target: str, *, log: bool = True
) -> Figure:
    """Return a line with its 95 % band, and marks with the names of versions that changed the kernel."""
    labels = [step.standing.label for step in steps]
    lower, upper = [step.lower for step in steps], [step.upper for step in steps]
    axis = amount_axis([step.predicted for step in steps], [*lower, *upper], metric.unit, log=log)
    # Versions are placed by their index, because Plotly would take a label like 1.3 as a number.
    changed = [
        (at, step.predicted, step, verdict_words(step.verdict, metric))
        for at, step in enumerate(steps)
        if step.predicted is not None and step.verdict in _CHANGED
    ]
    return Figure(
        name="Prediction over the versions",
        caption=f"Predicted {metric.name} at {target}, version by version; the band is the 95 % interval.",
        data=[
            *band(labels, lower, upper, axis),
            {
                "x": labels,
                "y": [step.predicted for step in steps],
                "mode": "lines+markers",
                "line": {"color": "--series-1", "width": 2},
                "marker": {"size": 8, "color": [_colour(step) for step in steps]},
                "text": [_sentence(step, metric.unit) for step in steps],
                "hovertemplate": HOVER_TEXT,
            },
        ],
        layout={
            "xaxis": {"type": "category", "title": {"text": "version"}, "range": [-0.4, len(labels) - 0.6]},
            "yaxis": {"title": {"text": short(metric.name, TITLE_UPRIGHT)}} | axis,
            "annotations": [
                {"x": at, "y": place(predicted, axis["type"] == "log"), "text": words,
                 "showarrow": False, "yshift": 18, "bgcolor": "--surface", "borderpad": 0,
                 "font": {"color": _colour(step), "weight": 600}}
                for at, predicted, step, words in changed
            ] + arrows(lower, upper, axis),
        },
        columns=["version", "predicted", "95 % interval"],
        rows=[
            [
                step.standing.label,
                formatting.quantity(step.predicted, metric.unit),
                formatting.interval(step.lower, step.upper, metric.unit, step.predicted),
            ]
            for step in steps
        ],
        height=300,
    )  # fmt: skip


def _colour(step: KernelVersion) -> str:
    if step.verdict in WORSENINGS:
        return "--worse"
    return "--better" if step.verdict in IMPROVEMENTS else "--series-1"


def _sentence(step: KernelVersion, unit: str) -> str:
    text = f"{step.standing.label}: {formatting.quantity(step.predicted, unit)}"
    ends = formatting.interval(step.lower, step.upper, unit, step.predicted)
    return text if ends == formatting.MISSING else f"{text} ({ends})"
