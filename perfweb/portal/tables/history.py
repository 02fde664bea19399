"""The table of kernels × versions: the change of every kernel from version to version."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from html import escape

from django.utils import timezone
from django.utils.html import conditional_escape, format_html, format_html_join
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
APART = 0.05
"""Relative difference from which a tip says why the predictions make another ratio than the comparison."""

_NO_LAW = SafeString('<span class="muted">no law</span>')


@dataclass(frozen=True)
class Grid:
    """The data that all rows need: links for each version shown, and whether charts are logarithmic."""

    links: Sequence[KernelLinks]
    metric: Metric
    log: bool = True

    @cached_property
    def words(self) -> dict[Verdict, str]:
        """Return the words for each verdict."""
        return {each: verdict_words(each, self.metric) for each in Verdict}


# A page has hundreds of cells. They are put together as texts, which takes a third of the time of
# `format_html`: everything that comes from a database is escaped where it enters a text.


def history_body(rows: Sequence[HistoryRow], grid: Grid) -> SafeString:
    """Return one row per kernel with its course over the whole history and a cell for each version shown."""
    names = shortest_tails([row.kernel.path for row in rows])
    return SafeString("\n".join(_row(row, name, grid) for row, name in zip(rows, names, strict=True)))


def _row(row: HistoryRow, name: str, grid: Grid) -> str:
    linked = zip(row.cells, grid.links, strict=True)
    cells = "".join(_cell(cell, links, row.kernel.pk, grid) for cell, links in linked)
    return (
        f'<tr><th scope="row" class="kernel-cell">{_kernel(row, name, grid)}</th>'
        f"<td>{_course(row, name, grid)}</td>"
        f'<td class="number muted">{quantity(row.impact, grid.metric.unit)}</td>{cells}</tr>'
    )


def _kernel(row: HistoryRow, name: str, grid: Grid) -> SafeString:
    """Return the name, linked to the kernel in the newest version that has it."""
    newest = zip(reversed(row.cells), reversed(grid.links), strict=True)
    known = next((links.of(cell.kernel_id) for cell, links in newest if cell.present), None)
    former = format_html_join("", '<span class="callers">was {}</span>', ((path,) for path in row.former))
    if known is None:
        return format_html("{}{}", breakable(name), former)
    shown = conditional_escape(breakable(name))
    return SafeString(f'<a href="{escape(known)}" title="{escape(row.kernel.path)}">{shown}</a>{former}')


def _course(row: HistoryRow, name: str, grid: Grid) -> SafeString:
    changes = "1 change" if len(row.marks) == 1 else f"{len(row.marks)} changes"
    label = f"{name} over {len(row.course)} versions, {changes}"
    return sparkline(row.course, label, marks=row.marks, log=grid.log)


def _cell(cell: Cell, links: KernelLinks, kernel: int, grid: Grid) -> str:
    """Return ▲ 2.3× slower for a changed kernel, a dot for an unchanged one."""
    if cell.gone:
        return _GONE
    if not cell.present:
        return _NOTHING
    address = escape(links.of(cell.kernel_id))
    if cell.changed and cell.verdict is not None:
        return _changed(cell, cell.verdict, address, kernel, grid.metric)
    return _quiet(cell, address, grid)


def _quiet(cell: Cell, address: str, grid: Grid) -> str:
    """Return the mark of an unchanged kernel."""
    amount = formatting.quantity(cell.predicted, grid.metric.unit)
    if cell.new:
        return f'<td class="cell cell-lone"><a href="{address}" title="{escape(amount)}">new</a></td>'
    mark, kind = "·", ""
    if cell.verdict is not None:
        amount = f"{cell.version.label}: {grid.words[cell.verdict]}, {amount}"
        mark = "·" if cell.verdict is Verdict.SAME else SIGNS[cell.verdict]
        kind = f" cell-{cell.verdict.value}"
    return (
        f'<td class="cell{kind}"><a href="{address}" tabindex="-1" title="{escape(amount)}">{mark}</a></td>'
    )


def _changed(cell: Cell, verdict: Verdict, address: str, kernel: int, metric: Metric) -> str:
    """Return the change in words; hover and focus show the laws before and after it, and its time."""
    number = f"tip-{kernel}-{cell.version.version_id}"
    words = escape(change_words(cell.ratio, metric) or verdict_words(verdict, metric))
    return (
        f'<td class="cell cell-{verdict.value}"><a href="{address}" aria-describedby="{number}">'
        f"{SIGNS[verdict]}&nbsp;{words}</a>"
        f'<span class="tip" role="tooltip" id="{number}">{_tip(cell, verdict, metric)}</span></td>'
    )


def _tip(cell: Cell, verdict: Verdict, metric: Metric) -> SafeString:
    before = cell.before.label if cell.before else ""
    amounts = [formatting.quantity(value, metric.unit) for value in (cell.predicted_before, cell.predicted)]
    commit = f" · {cell.version.short_commit}" if cell.version.commit else ""
    unit = _unit(cell, metric)
    words = change_words(cell.ratio, metric) or "up or down"
    label = escape(cell.version.label)
    return SafeString(
        f"<strong>{SIGNS[verdict]} {verdict_words(verdict, metric)}</strong>, {escape(words)}<br>"
        f"{escape(before)}: {_law(cell.law_before, unit)}<br>{label}: {_law(cell.law, unit)}<br>"
        f"{escape(amounts[0])} → {escape(amounts[1])}{_apart(cell)}"
        f'<br><span class="muted">{label}{escape(commit)} · {_moment(cell.version.dated)}</span>'
    )


def _apart(cell: Cell) -> SafeString:
    """Return why both predictions make another ratio than the comparison; empty if they do not."""
    value, before = cell.predicted, cell.predicted_before
    if not cell.ratio or not value or not before or abs(value / before / cell.ratio - 1) <= APART:
        return SafeString("")
    return format_html(
        '<br><span class="muted">These predictions of two separate laws make {}. The comparison finds {}, '
        "because it takes the values of both versions together and leaves out the factor that most kernels "
        "share.</span>",
        formatting.ratio(value / before), formatting.ratio(cell.ratio),
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
