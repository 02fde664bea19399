"""A kernel over the versions of its application."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.models import Metric
from modeling.selectors.kernel.kernel import Step
from modeling.selectors.versions.standings import Standing
from perfweb.portal.text import formatting
from perfweb.portal.text.markup import law, quantity, verdict
from perfweb.portal.text.repository import commit_address


@dataclass(frozen=True)
class VersionsTable:
    """What all rows need: the kernel, the campaign the page is about, the query that goes along."""

    kernel_id: int
    campaign_id: int
    metric: Metric
    query: str
    repository: str = ""


_KNOWN = (
    '<td>{}</td><td class="number strong">{}</td><td class="number muted">{}</td><td class="number">{}</td>'
    '<td class="number">{}</td><td>{}</td>'
)
_UNKNOWN = SafeString('<td colspan="6" class="muted">not measured or not modelled</td>')
_FIRST = SafeString('<span class="muted">first version</span>')


def steps_body(table: VersionsTable, steps: Sequence[Step]) -> SafeString:
    """One row a version, newest first; `steps` are oldest first."""
    # One address is resolved: the others have another campaign in the place of this number.
    head, _, tail = reverse("kernel", args=[0, table.kernel_id]).partition("/0/")
    return format_html_join(
        "\n",
        '<tr {}><th scope="row"><a href="{}">{}</a>{}</th>{}</tr>',
        (
            (
                SafeString('class="current" aria-current="true"') if here == table.campaign_id else "",
                f"{head}/{here}/{tail}{table.query}",
                step.standing.label,
                _commit(table.repository, step.standing),
                _cells(table, step, is_first=step is steps[0]),
            )
            for step in reversed(steps)
            for here in [step.standing.campaign_id]
        ),
    )


def _commit(repository: str, standing: Standing) -> str:
    """The beginning of the commit's name, leading to it where the repository is known."""
    short = standing.short_commit
    if address := commit_address(repository, standing.commit):
        return format_html(' <a class="small" href="{}" rel="noreferrer">{}</a>', address, short)
    return format_html(' <span class="muted small">{}</span>', short) if short else ""


def _cells(table: VersionsTable, step: Step, *, is_first: bool) -> SafeString:
    if step.model is None:
        return _UNKNOWN
    since = _FIRST if is_first else verdict(step.verdict, table.metric, step.ratio) if step.verdict else ""
    return format_html(
        _KNOWN,
        law(step.model, step.model.parameters),  # type: ignore[attr-defined]  # annotated by `steps`
        quantity(step.predicted, table.metric.unit),
        formatting.interval(step.lower, step.upper, table.metric.unit, step.predicted),
        formatting.percent(step.model.cv_smape),
        formatting.percent(step.model.noise),
        since,
    )
