"""Builds the page of the changes since a report was made."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from modeling.models import Alert
from modeling.selectors.reports.since import LawMoved, Moved, Since, VerdictMoved
from perfweb.portal.report.page import ReportPage
from perfweb.portal.report.tables import amount_written, law_written
from perfweb.portal.text import formatting, markup


@dataclass(frozen=True)
class SinceShown:
    """The changes since a report, with the rows of the page's tables."""

    found: Since
    totals: SafeString
    kernels: SafeString
    laws: SafeString
    verdicts: SafeString
    alerts: SafeString


def since_shown(found: Since, page: ReportPage) -> SinceShown:
    """Return the changes, with the names and units of the report."""
    return SinceShown(
        found=found,
        totals=_rows(_moved(each, page) for each in found.totals),
        kernels=_rows(_moved(each, page) for each in found.kernels),
        laws=_rows(_law(each, page) for each in found.laws),
        verdicts=_rows(_verdict(each, page) for each in found.verdicts),
        alerts=_rows(_alert(*each) for each in found.alerts),
    )


def _rows(rows: Iterable[SafeString]) -> SafeString:
    return format_html_join("\n", "{}", ((row,) for row in rows))


def _moved(each: Moved, page: ReportPage) -> SafeString:
    unit = page.metric.unit
    return format_html(
        '<tr><th scope="row" class="kernel-cell" title="{}">{}</th><td>{}</td><td class="number">{}</td>'
        '<td class="number">{}</td><td class="number">{}</td></tr>',
        each.path, each.what, each.target, amount_written(each.then, unit), amount_written(each.now, unit),
        formatting.ratio(each.ratio),
    )  # fmt: skip


def _law(each: LawMoved, page: ReportPage) -> SafeString:
    then, now = (
        law_written(law, page.names, page.metric.unit, beside=beside)
        for law, beside in ((each.then, each.now), (each.now, each.then))
    )
    return format_html(
        '<tr><th scope="row" class="kernel-cell" title="{}">{}</th><td>{}</td><td>{}</td></tr>',
        each.path, each.name, then, now,
    )  # fmt: skip


def _verdict(each: VerdictMoved, page: ReportPage) -> SafeString:
    then, now = (markup.verdict(value, page.metric) for value in (each.then, each.now))
    return format_html(
        '<tr><th scope="row" class="kernel-cell" title="{}">{}</th><td>{}</td><td>{}</td></tr>',
        each.path, each.name, then, now,
    )  # fmt: skip


def _alert(state: str, then: int, now: int) -> SafeString:
    return format_html(
        '<tr><th scope="row">{}</th><td class="number">{}</td><td class="number">{}</td></tr>',
        Alert.State(state).label, then, now,
    )  # fmt: skip
