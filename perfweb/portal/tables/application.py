"""The table of a version's most expensive kernels at the target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.models import Metric
from modeling.selectors.application.overview import KernelLine
from modeling.selectors.run.metrics import adds_up
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.charts.svg.pictures import sparkline
from perfweb.portal.text import formatting
from perfweb.portal.text.markup import breakable, law_marked, quantity, verdict


@dataclass(frozen=True)
class ApplicationTable:
    """The data that all rows need; `course` describes the small charts, and is empty if there are none.

    `colours` has the colours of kernels that have one in the chart above the table. If `nested`, values
    contain callees, so kernels also have a share without these. If `measured`, there is a column of values
    at the campaign's largest point.
    """

    parameters: Sequence[str]
    metric: Metric
    links: KernelLinks
    course: str
    has_predecessor: bool
    colours: Mapping[int, str]
    nested: bool
    measured: bool = True


_ROW = (
    '<tr><th scope="row" class="kernel-cell"><a href="{}" title="{}">{}</a></th>'
    '<td class="law-cell" data-label="law">{}</td>'
    '{}<td class="number" data-label="predicted">{}</td>'
    '<td class="number muted" data-label="95 % interval">{}</td>'
    "{}{}</tr>"
)


def application_body(table: ApplicationTable, lines: Sequence[KernelLine]) -> SafeString:
    """Return one row per kernel."""
    return format_html_join("\n", _ROW, (_cells(table, line) for line in lines))


def _cells(table: ApplicationTable, line: KernelLine) -> tuple[str, ...]:
    amount = line.amount
    return (
        table.links.of(line.kernel.pk),
        line.kernel.path,
        _named(table, line),
        _law(table, line),
        _weight(table, line),
        quantity(amount.predicted, table.metric.unit),
        formatting.interval(amount.lower, amount.upper, table.metric.unit, amount.predicted),
        _course(table, line),
        _since(table, line),
    )


def _named(table: ApplicationTable, line: KernelLine) -> SafeString | str:
    """Return the kernel's name after a mark in the kernel's colour in the chart."""
    name = breakable(line.model.name)
    colour = table.colours.get(line.kernel.pk)
    return format_html('<i class="swatch {}"></i>{}', colour, name) if colour else name


def _weight(table: ApplicationTable, line: KernelLine) -> SafeString:
    """Return the kernel's share of the program's total; for a metric without totals the measured value."""
    if not adds_up(table.metric):
        measured = quantity(line.model.largest, table.metric.unit)
        cell = format_html('<td class="number" data-label="measured">{}</td>', measured)
        return cell if table.measured else SafeString("")
    ends = formatting.share_interval(line.share_target, line.share_lower, line.share_upper)
    interval = format_html(' <span class="share-interval">{}</span>', ends) if ends else ""
    own = formatting.percent(line.own_share)
    own_cell = format_html('<td class="number" data-label="own share">{}</td>', own) if table.nested else ""
    measured = format_html(
        '<td class="number" data-label="share measured">{}</td>', formatting.share(line.share_largest)
    )
    return format_html(
        '{}<td class="number" data-label="share at target"><span class="strong">{}</span>{}</td>{}',
        measured if table.measured else "", formatting.share(line.share_target), interval, own_cell,
    )  # fmt: skip


def _law(table: ApplicationTable, line: KernelLine) -> SafeString:
    if line.model.constant is not None:
        return law_marked(line.model, table.parameters, table.metric.unit)
    points = line.model.points_used
    plural = "" if points == 1 else "s"
    return format_html('<span class="muted">not identifiable from {} point{}</span>', points, plural)


def _course(table: ApplicationTable, line: KernelLine) -> SafeString | str:
    if not table.course:
        return ""
    picture = sparkline(line.course, table.course, marks=line.marks)
    return format_html('<td class="number" data-label="versions">{}</td>', picture)


def _since(table: ApplicationTable, line: KernelLine) -> SafeString | str:
    if not table.has_predecessor:
        return ""
    new = SafeString('<span class="muted">new</span>')
    found = verdict(line.verdict, table.metric, line.ratio) if line.verdict else new
    return format_html('<td data-label="since">{}</td>', found)
