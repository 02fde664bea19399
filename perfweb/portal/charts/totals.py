"""Draws the program's predicted total over its versions."""

from ingest.models import Metric
from modeling.selectors.run.snapshot import Amount
from modeling.selectors.versions.totals import Course
from perfweb.portal.charts.axes import TITLE_UPRIGHT, amount_axis
from perfweb.portal.charts.figures import Figure
from perfweb.portal.charts.version_bands import arrows, band
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import short


def totals_figure(course: Course, metric: Metric, target: str, *, log: bool = True) -> Figure:
    """Return a line with its 95 % band, and one mark per version."""
    labels = [version.label for version in course.versions]
    rows = [_row(label, total, metric.unit) for label, total in zip(labels, course.totals, strict=True)]
    axis = amount_axis(course.predicted, [*course.lower, *course.upper], metric.unit, log=log)
    line = {
        "x": labels,
        "y": course.predicted,
        "mode": "lines+markers",
        "line": {"color": "--series-1", "width": 2},
        "marker": {"color": "--series-1", "size": 7},
        "text": [f"{label}: {predicted} ({interval})" for label, predicted, interval in rows],
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
    }
    return Figure(
        name="Predicted total over the versions",
        caption=f"Predicted {metric.name} of the whole program at {target}; the band is its 95 % interval.",
        data=[*band(labels, course.lower, course.upper, axis), line],
        layout={
            "xaxis": {"type": "category", "title": {"text": "version"}},
            "yaxis": {"title": {"text": short(metric.name, TITLE_UPRIGHT)}} | axis,
            "annotations": arrows(course.lower, course.upper, axis),
        },
        columns=["version", "predicted", "95 % interval"],
        rows=rows,
        height=260,
    )


def _row(label: str, total: Amount | None, unit: str) -> list[str]:
    if total is None:
        return [label, formatting.MISSING, formatting.MISSING]
    return [
        label,
        formatting.quantity(total.predicted, unit),
        formatting.interval(total.lower, total.upper, unit, total.predicted),
    ]
