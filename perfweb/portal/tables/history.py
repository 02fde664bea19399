"""Kernels × versions: how every kernel moved from version to version."""

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.models import Metric
from modeling.selectors.versions.history import Cell, HistoryRow
from modeling.verdicts import Verdict
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.text import formatting
from perfweb.portal.text.markup import quantity
from perfweb.portal.text.wording import SIGNS, verdict_words

_NOTHING = SafeString("<td></td>")


def history_body(rows: Sequence[HistoryRow], links: Sequence[KernelLinks], metric: Metric) -> SafeString:
    """One row a kernel with a cell for each version; `links` lead to the kernels of each of them."""
    return format_html_join(
        "\n",
        '<tr><th scope="row" class="kernel-cell">{}</th><td class="number muted">{}</td>{}</tr>',
        (
            (_kernel(row, links), quantity(row.impact, metric.unit), _cells(row, links, metric))
            for row in rows
        ),
    )


def _kernel(row: HistoryRow, links: Sequence[KernelLinks]) -> SafeString:
    """The name, leading to the newest of the versions that has the kernel."""
    known = [link for cell, link in zip(row.cells, links, strict=True) if cell.predicted is not None]
    if not known:
        return format_html("{}", row.kernel.name)
    return format_html(
        '<a href="{}" title="{}">{}</a>', known[-1].of(row.kernel.pk), row.kernel.path, row.kernel.name
    )


def _cells(row: HistoryRow, links: Sequence[KernelLinks], metric: Metric) -> SafeString:
    cells = (_cell(cell, link.of(row.kernel.pk), metric) for cell, link in zip(row.cells, links, strict=True))
    return format_html_join("", "{}", ((cell,) for cell in cells))


def _cell(cell: Cell, url: str, metric: Metric) -> SafeString:
    """▲ 2.3× where the kernel changed, a dot where it did not."""
    if cell.predicted is None:
        return _NOTHING
    amount = formatting.quantity(cell.predicted, metric.unit)
    if cell.verdict is None:
        return format_html('<td class="cell"><a href="{}" tabindex="-1" title="{}">·</a></td>', url, amount)
    sign, words = SIGNS[cell.verdict], verdict_words(cell.verdict, metric)
    ratio = formatting.ratio(cell.ratio)
    title = f"{cell.version.label}: {words}, {ratio}, {amount}"
    if not cell.changed:
        mark = "·" if cell.verdict is Verdict.SAME else sign
        return format_html(
            '<td class="cell cell-{}"><a href="{}" tabindex="-1" title="{}">{}</a></td>',
            cell.verdict.value, url, title, mark,
        )  # fmt: skip
    return format_html(
        '<td class="cell cell-{}"><a href="{}" title="{}">{} {}</a></td>',
        cell.verdict.value, url, title, sign, ratio,
    )  # fmt: skip
