"""The table of kernels × versions: the change of every kernel from version to version."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape

from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.models import Metric
from modeling.selectors.run.tails import shortest_tails
from modeling.selectors.versions.history_rows import Cell, HistoryRow, Law
from modeling.verdicts import Verdict
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.charts.svg.pictures import sparkline
from perfweb.portal.text import formatting, laws
from perfweb.portal.text.markup import breakable, quantity
from perfweb.portal.text.units import Multiple
from perfweb.portal.text.wording import SIGNS, change_words, verdict_words

_NOTHING = SafeString("<td></td>")
_GONE = SafeString('<td class="cell cell-lone"><span title="not measured any more">gone</span></td>')
_NO_LAW = SafeString('<span class="muted">no law</span>')


@dataclass(frozen=True)
class Grid:
    """The data that all rows need: links for each version shown, and whether charts are logarithmic."""

    links: Sequence[KernelLinks]
    metric: Metric
    log: bool = True


def history_body(rows: Sequence[HistoryRow], grid: Grid) -> SafeString:
    """Return one row per kernel with its course over the whole history and a cell for each version shown."""
    names = shortest_tails([row.kernel.path for row in rows])
    return format_html_join(
        "\n",
        '<tr><th scope="row" class="kernel-cell">{}</th><td>{}</td><td class="number muted">{}</td>{}</tr>',
        (
            (
                _kernel(row, name, grid),
                _course(row, name, grid),
                quantity(row.impact, grid.metric.unit),
                _cells(row, grid),
            )
            for row, name in zip(rows, names, strict=True)
        ),
    )


def _kernel(row: HistoryRow, name: str, grid: Grid) -> SafeString:
    """Return the name, linked to the kernel in the newest version that has it."""
    known = [
        link.of(cell.kernel_id) for cell, link in zip(row.cells, grid.links, strict=True) if cell.present
    ]
    former = format_html_join("", '<span class="callers">was {}</span>', ((path,) for path in row.former))
    if not known:
        return format_html("{}{}", breakable(name), former)
    return format_html(
        '<a href="{}" title="{}">{}</a>{}', known[-1], row.kernel.path, breakable(name), former
    )


def _course(row: HistoryRow, name: str, grid: Grid) -> SafeString:
    changes = "1 change" if len(row.marks) == 1 else f"{len(row.marks)} changes"
    label = f"{name} over {len(row.course)} versions, {changes}"
    return sparkline(row.course, label, marks=row.marks, log=grid.log)


def _cells(row: HistoryRow, grid: Grid) -> SafeString:
    cells = (
        _cell(cell, link.of(cell.kernel_id), row.kernel.pk, grid.metric)
        for cell, link in zip(row.cells, grid.links, strict=True)
    )
    return format_html_join("", "{}", ((cell,) for cell in cells))


def _cell(cell: Cell, url: str, kernel: int, metric: Metric) -> SafeString:
    """Return ▲ 2.3× slower for a changed kernel, a dot for an unchanged one."""
    if cell.gone:
        return _GONE
    if not cell.present:
        return _NOTHING
    if cell.changed and cell.verdict is not None:
        return _changed(cell, url, kernel, metric)
    return _quiet(cell, url, metric)


def _quiet(cell: Cell, url: str, metric: Metric) -> SafeString:
    """Return the mark of an unchanged kernel; a page has hundreds, which are escaped faster by hand."""
    words, mark, kind = "", "·", ""
    if cell.new:
        mark, kind = "new", " cell-lone"
    elif cell.verdict is not None:
        words = f"{cell.version.label}: {verdict_words(cell.verdict, metric)}, "
        mark = "·" if cell.verdict is Verdict.SAME else SIGNS[cell.verdict]
        kind = f" cell-{cell.verdict.value}"
    title = escape(words + formatting.quantity(cell.predicted, metric.unit))
    focus = "" if cell.new else ' tabindex="-1"'
    # all other parts are constants of this module
    return SafeString(
        f'<td class="cell{kind}"><a href="{escape(url)}"{focus} title="{title}">{mark}</a></td>'
    )


def _changed(cell: Cell, url: str, kernel: int, metric: Metric) -> SafeString:
    """Return the change in words; hover and focus show the laws before and after it, and its time."""
    verdict = cell.verdict or Verdict.UNKNOWN
    number = f"tip-{kernel}-{cell.version.version_id}"
    words = change_words(cell.ratio, metric) or verdict_words(verdict, metric)
    return format_html(
        '<td class="cell cell-{}"><a href="{}" aria-describedby="{}">{}&nbsp;{}</a>'
        '<span class="tip" role="tooltip" id="{}">{}</span></td>',
        verdict.value, url, number, SIGNS[verdict], words, number, _tip(cell, verdict, metric),
    )  # fmt: skip


def _tip(cell: Cell, verdict: Verdict, metric: Metric) -> SafeString:
    before = cell.before.label if cell.before else ""
    amounts = [formatting.quantity(value, metric.unit) for value in (cell.predicted_before, cell.predicted)]
    commit = f" · {cell.version.short_commit}" if cell.version.commit else ""
    unit = _unit(cell, metric)
    return format_html(
        "<strong>{} {}</strong>, {}<br>{}: {}<br>{}: {}<br>{} → {}"
        '<br><span class="muted">{}{} · {}</span>',
        SIGNS[verdict], verdict_words(verdict, metric), change_words(cell.ratio, metric) or "up or down",
        before, _law(cell.law_before, unit), cell.version.label, _law(cell.law, unit), *amounts,
        cell.version.label, commit, _moment(cell.version.dated),
    )  # fmt: skip


def _unit(cell: Cell, metric: Metric) -> Multiple:
    """Return the unit in which the laws before and after a change are written."""
    known = [law for law in (cell.law_before, cell.law) if law is not None]
    numbers = [number for law in known for number in (law.constant, *law.coefficients)]
    return laws.unit_of(numbers, metric.unit, cell.predicted)


def _law(law: Law | None, unit: Multiple) -> SafeString:
    if law is None or law.constant is None:
        return _NO_LAW
    return laws.typeset(*law, unit)


def _moment(dated: datetime) -> str:
    day, passed = timezone.localtime(dated).strftime("%Y-%m-%d"), formatting.ago(dated)
    return day if passed == day else f"{day}, {passed}"
