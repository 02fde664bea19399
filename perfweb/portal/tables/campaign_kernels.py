"""The table of a campaign's kernels."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.models import PATH_SEPARATOR
from modeling.engine import GUESS, UNKNOWN
from modeling.selectors.run.campaign import Medians
from modeling.selectors.run.kernel_table import KernelRow
from modeling.selectors.run.tails import ARROW, brief
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.charts.svg.pictures import sparkline
from perfweb.portal.charts.svg.share import share_bar
from perfweb.portal.tables.campaign_columns import TITLES
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated
from perfweb.portal.text.markup import breakable, law_marked, quantity
from perfweb.reasons import trust_reasons

CALLERS = 2
"""Number of callers that are written above a kernel's name; hovering shows the whole path."""


@dataclass(frozen=True)
class CampaignTable:
    """The data that all rows need: `medians` by kernel along a `line` of points, the metric's unit, links.

    `overlaps`: shares of callers contain those of callees.
    """

    parameters: Sequence[str]
    unit: str
    links: KernelLinks
    medians: Mapping[int, Medians]
    line: str
    overlaps: bool = False


CellWriter = Callable[[CampaignTable, KernelRow], SafeString]


def campaign_body(table: CampaignTable, rows: Sequence[KernelRow], columns: Collection[str]) -> SafeString:
    """Return the rows with these columns, in the order of the table; the kernel always comes first."""
    cells = [(TITLES[key], cell) for key, cell in _CELLS.items() if key in columns]
    row_html = f"<tr>{'{}' * (1 + len(cells))}</tr>"
    return format_html_join(
        "\n",
        row_html,
        (
            [_kernel(table, row), *(labelled(cell(table, row), title) for title, cell in cells)]
            for row in rows
        ),
    )


def labelled(cell: SafeString, title: str) -> SafeString:
    """Return a cell with the heading of its column, a constant, which a phone shows in the cell."""
    return SafeString(f'<td data-label="{title}"{cell.removeprefix("<td")}')


def _kernel(table: CampaignTable, row: KernelRow) -> SafeString:
    callers = row.model.path.split(PATH_SEPARATOR)
    callers.pop()
    name = breakable(row.model.name.rpartition(ARROW)[2])
    nearest = ["…"] * (len(callers) > CALLERS) + list(map(brief, callers[-CALLERS:]))
    path = ARROW.join(map(isolated, nearest))
    above = format_html('<span class="callers">{}</span>', path) if callers else ""
    return format_html(
        '<th scope="row" class="kernel-cell">{}<a href="{}" title="{}">{}</a></th>',
        above, table.links.of(row.model.kernel_id), row.model.path, name,
    )  # fmt: skip


def _measured(table: CampaignTable, row: KernelRow) -> SafeString:
    medians = table.medians.get(row.model.kernel_id)
    return format_html(
        '<td class="number"><span class="measured">{}{}</span></td>',
        sparkline(medians, table.line, width=72) if table.line and medians else "",
        quantity(row.model.largest, table.unit),
    )


def _law(table: CampaignTable, row: KernelRow) -> SafeString:
    if row.model.constant is None:
        return format_html('<td class="law-cell"><span class="muted">{}</span></td>', row.model.status)
    found = law_marked(row.model, table.parameters, table.unit)
    return format_html('<td class="law-cell">{}</td>', found)


def _trust(table: CampaignTable, row: KernelRow) -> SafeString:
    grade = row.judged.grade
    kind = "mark" if grade in (GUESS, UNKNOWN) else "muted"
    reasons = " ".join(trust_reasons(row.judged, table.parameters))
    return format_html('<td class="small"><span class="{}" title="{}">{}</span></td>', kind, reasons, grade)


def _predicted(table: CampaignTable, row: KernelRow) -> SafeString:
    """Return the prediction, bold if it is reliable; hovering shows the formula's value if it differs."""
    strong = "" if row.judged.grade in (GUESS, UNKNOWN) else " strong"
    law_alone = row.judged.apart(row.predicted)
    value = quantity(row.predicted, table.unit)
    if law_alone is None:
        return format_html('<td class="number{}">{}</td>', strong, value)
    text = f"The formula gives {formatting.quantity(law_alone, table.unit)}."
    return format_html('<td class="number{}" title="{}">{}</td>', strong, text, value)


def _percent(fraction: float | None) -> SafeString:
    return format_html('<td class="number">{}</td>', formatting.percent(fraction))


def _interval(table: CampaignTable, row: KernelRow) -> SafeString:
    ends = formatting.interval(row.lower, row.upper, table.unit, row.predicted)
    return format_html('<td class="number muted">{}</td>', ends)


def _own(table: CampaignTable, row: KernelRow) -> SafeString:
    return format_html(
        '<td class="number" title="{}"><span class="share-cell">{}{}</span></td>',
        f"{formatting.quantity(row.own, table.unit)} without what it calls",
        share_bar(row.own_share),
        formatting.percent(row.own_share),
    )


def _share(table: CampaignTable, row: KernelRow) -> SafeString:
    return format_html(
        '<td class="number"><span class="share-cell">{}{}</span>{}</td>',
        share_bar(row.share, overlaps=table.overlaps),
        formatting.share(row.share),
        _share_interval(row),
    )


def _share_interval(row: KernelRow) -> SafeString:
    ends = formatting.share_interval(row.share, row.share_lower, row.share_upper)
    return format_html(' <span class="share-interval">{}</span>', ends) if ends else SafeString("")


_CELLS: dict[str, CellWriter] = {
    "measured": _measured,
    "law": _law,
    "cv_error": lambda _, row: _percent(row.model.cv_smape),
    "heldout": lambda _, row: _percent(row.model.holdout_error),
    "stability": lambda _, row: _percent(row.model.stability),
    "noise": lambda _, row: _percent(row.model.noise),
    "predicted": _predicted,
    "interval": _interval,
    "trust": _trust,
    "share": _share,
    "own": _own,
}
