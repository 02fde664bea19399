"""The table of two versions' kernels."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.models import Metric
from modeling.selectors.versions.pairs import UNCHANGED, Group, KernelPair
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.text import formatting
from perfweb.portal.text.markup import breakable, law, quantity, verdict
from perfweb.portal.text.wording import ABOUT_THE_SAME, change_interval, change_words

NO_LAW = SafeString('<span class="muted">none</span>')


@dataclass(frozen=True)
class PairsTable:
    """The data that all rows need, such as links to the kernels and to explanations."""

    before: KernelLinks
    after: KernelLinks
    metric: Metric
    parameters: Sequence[str]
    why: Callable[[int], str]
    shared: bool  # whether most kernels changed by one factor
    measured: bool  # whether to show measured ratios, which include this factor


def pairs_body(table: PairsTable, rows: Iterable[KernelPair]) -> SafeString:
    """Return one row per kernel."""
    return format_html_join("\n", "<tr>{}</tr>", ((_row(table, row),) for row in rows))


def _row(table: PairsTable, row: KernelPair) -> SafeString:
    unit = table.metric.unit
    quiet = row.group in UNCHANGED
    return format_html(
        '<th scope="row" class="kernel-cell">{}</th><td class="nowrap" data-label="verdict">{}</td>'
        '<td class="law-cell law-change" data-label="law">{}</td>'
        '<td class="number{}" data-label="change">{}</td>'
        '<td class="number muted change-interval" data-label="95 % interval">{}</td>'
        '<td class="number pair" data-label="before → after">{}</td>'
        '<td class="number{}" data-label="difference">{}</td>'
        '<td class="number muted pair" data-label="share">{}</td>'
        '<td class="number probability" data-label="probability">{}</td>',
        _kernel(table, row),
        _verdict(table, row),
        _laws(table, row),
        " muted" if quiet else " strong",
        _change(table, row),
        _interval(table, row),
        _arrow(quantity(row.amount_before.predicted, unit), quantity(row.amount_after.predicted, unit)),
        " muted" if quiet else "",
        _difference(row, unit),
        _arrow(formatting.percent(row.share_before), formatting.percent(row.share_after)),
        formatting.percent(row.change.probability) if row.change else "",
    )


def _kernel(table: PairsTable, row: KernelPair) -> SafeString:
    """Return the name, linked to the kernel in the later version that has it."""
    links = table.before if row.after is None else table.after
    found = format_html(
        '<a href="{}" title="{}">{}</a>', links.of(row.latest.kernel_id), row.path, breakable(row.name)
    )
    if not row.renamed_from:
        return found
    return format_html('{}<span class="callers">was {}</span>', found, row.renamed_from)


def _verdict(table: PairsTable, row: KernelPair) -> SafeString:
    if row.verdict is None:
        words = {Group.NEW: "new", Group.GONE: "gone"}.get(row.group, "not compared")
        return format_html('<span class="muted">{}</span>', words)
    return format_html(
        '{} <a class="small" href="{}" aria-label="Why {}?">why?</a>',
        verdict(row.verdict, table.metric), table.why(row.kernel_id), row.name,
    )  # fmt: skip


def _laws(table: PairsTable, row: KernelPair) -> SafeString:
    """Return the laws of both versions; only one if the kernel is unchanged."""
    parameters, unit = table.parameters, table.metric.unit
    if row.group is Group.SAME or row.before is None or row.after is None:
        return law(row.latest, parameters, unit) or NO_LAW
    pair = ((row.before, row.after), (row.after, row.before))
    laws = [law(model, parameters, unit, beside) or NO_LAW for model, beside in pair]
    return format_html('{} <span class="law-after">→ {}</span>', *laws)


def _change(table: PairsTable, row: KernelPair) -> str:
    """Return the change in words.

    For an unchanged kernel this is not the ratio of the predictions, which differ by noise and by the factor
    that most kernels share: "2.2× slower" would contradict "same".
    """
    if row.group in (Group.NEW, Group.GONE):
        return ""
    words = change_words(row.ratio, table.metric)
    if row.group is Group.UNKNOWN and words:
        # The predictions may differ in the other direction. In one line the table would be too wide.
        return format_html('<span class="callers">measured</span> {}', words)
    if row.group is not Group.SAME:
        return words or "up or down"
    if words == ABOUT_THE_SAME:
        return words
    return "no change of its own" if table.shared else "within noise and drift"


def _interval(table: PairsTable, row: KernelPair) -> SafeString:
    """Return the change's interval, and below it the measured ratio, which includes the shared factor."""
    change, measured = row.change, row.measured_ratio if table.measured else None
    ends = ""
    if change is not None and change.ratio_lower is not None:
        ends = change_interval(row.ratio, change.ratio_lower, change.ratio_upper)
    if measured is None or row.group is Group.UNKNOWN:
        return format_html("{}", ends)
    return format_html('{} <span class="callers">measured {}</span>', ends, formatting.ratio(measured))


def _difference(row: KernelPair, unit: str) -> SafeString:
    """Return the difference of the predictions, marked if the kernel changed in the other direction."""
    words = formatting.signed_quantity(row.difference, unit)
    return format_html("{}{}", words, " †" if row.contradicted else "")


def _arrow(before: str, after: str) -> SafeString:
    if {before, after} == {formatting.MISSING}:
        return SafeString("")
    return format_html('<span class="nowrap">{} →</span> <span class="nowrap">{}</span>', before, after)
