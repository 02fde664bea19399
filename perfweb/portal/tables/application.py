"""The kernels of a version that cost most at the target."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.models import Metric
from modeling.selectors.metrics import adds_up
from modeling.selectors.overview import KernelLine
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.charts.svg.pictures import sparkline
from perfweb.portal.text import formatting
from perfweb.portal.text.markup import law, quantity, verdict


@dataclass(frozen=True)
class Body:
    """What all rows need; `course` says what the small pictures show, empty: there are none."""

    parameters: Sequence[str]
    metric: Metric
    links: KernelLinks
    course: str
    has_predecessor: bool


_ROW = (
    '<tr><th scope="row" class="kernel-cell"><a href="{}" title="{}">{}</a></th><td>{}</td>'
    '{}<td class="number">{}</td>'
    '<td class="number muted">{}</td><td class="number">{}</td><td>{}</td></tr>'
)


def application_body(body: Body, lines: Sequence[KernelLine]) -> SafeString:
    """One row a kernel."""
    return format_html_join("\n", _ROW, (_cells(body, line) for line in lines))


def _cells(body: Body, line: KernelLine) -> tuple[str, ...]:
    amount = line.amount
    return (
        body.links.of(line.kernel.pk),
        line.kernel.path,
        line.kernel.name,
        _law(body, line),
        _weight(body, line),
        quantity(amount.predicted, body.metric.unit),
        formatting.interval(amount.lower, amount.upper, body.metric.unit, amount.predicted),
        sparkline(line.course, body.course, marks=line.marks) if body.course else "",
        _since(body, line),
    )


def _weight(body: Body, line: KernelLine) -> SafeString:
    """The kernel's shares of the program's total; of a metric without totals what was measured."""
    if not adds_up(body.metric):
        measured = quantity(line.model.largest, body.metric.unit)
        return format_html('<td class="number">{}</td>', measured)
    shares = map(formatting.percent, (line.share_largest, line.share_target))
    return format_html('<td class="number">{}</td><td class="number strong">{}</td>', *shares)


def _law(body: Body, line: KernelLine) -> SafeString:
    if line.model.constant is not None:
        return law(line.model, body.parameters)
    points = line.model.points_used
    plural = "" if points == 1 else "s"
    return format_html('<span class="muted">not identifiable from {} point{}</span>', points, plural)


def _since(body: Body, line: KernelLine) -> str:
    if line.verdict:
        return verdict(line.verdict, body.metric, line.ratio)
    return SafeString('<span class="muted">new</span>') if body.has_predecessor else ""
