"""The table of a kernel over the versions of its application."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ingest.models import Metric
from modeling.selectors.kernel.kernel import KernelVersion
from modeling.selectors.kernel.pooled import Stretch
from modeling.selectors.versions.standings import Standing
from perfweb.portal.asked.links import KernelLinks
from perfweb.portal.text import formatting, laws
from perfweb.portal.text.markup import law_in, law_unit, quantity, verdict
from perfweb.portal.text.repository import commit_address
from perfweb.portal.text.units import Multiple


@dataclass(frozen=True)
class VersionsTable:
    """The data that all rows need: the kernel, the campaign of the page, and the query to append."""

    kernel_id: int
    campaign_id: int
    metric: Metric
    query: str
    repository: str = ""
    stretches: Sequence[Stretch] = ()

    @cached_property
    def stretch_of(self) -> dict[int, Stretch]:
        """Return the stretches by the campaigns of their versions."""
        return {step.standing.campaign_id: stretch for stretch in self.stretches for step in stretch.steps}


_UNKNOWN = SafeString('<td colspan="7" class="muted">not measured or not modelled</td>')
_FIRST = SafeString('<span class="muted">first version</span>')


def steps_body(table: VersionsTable, steps: Sequence[KernelVersion]) -> SafeString:
    """Return one row per version, newest first; `steps` are oldest first. All laws have one unit."""
    unit = law_unit([step.model for step in steps if step.model], table.metric.unit)
    links = KernelLinks.to_each((step.standing.campaign_id for step in steps), table.query)
    rows = [
        _row(table, step, to, unit, is_first=step is steps[0]) for step, to in zip(steps, links, strict=True)
    ]
    return SafeString("\n".join(reversed(rows)))


def _row(
    table: VersionsTable, step: KernelVersion, links: KernelLinks, unit: Multiple, *, is_first: bool
) -> str:
    """Return the row of a version; a page has a hundred, which are put together faster by hand."""
    here = step.standing.campaign_id
    current = ' class="current" aria-current="true"' if here == table.campaign_id else ""
    kernel = step.model.kernel_id if step.model else table.kernel_id
    address = escape(links.of(kernel))
    return (
        f'<tr{current}><th scope="row"><a href="{address}">{escape(step.standing.label)}</a>'
        f"{_commit(table.repository, step.standing)}</th>{_cells(table, step, unit, is_first=is_first)}</tr>"
    )


def _law(table: VersionsTable, step: KernelVersion, unit: Multiple) -> SafeString:
    """Return the version's law, or at the newest of several unchanged versions their common law."""
    assert step.model is not None  # noqa: S101 -- the caller asked
    parameters: list[str] = step.model.parameters  # type: ignore[attr-defined]  # annotated by `steps`
    stretch = table.stretch_of.get(step.standing.campaign_id)
    if stretch is None:
        return law_in(step.model, parameters, unit)
    alone = f"{step.standing.label} alone: {laws.plain(law_in(step.model, parameters, unit))}"
    if step is not stretch.steps[-1]:
        return SafeString(f'<span class="muted" title="{escape(alone)}">the same</span>')
    pooled = laws.typeset(
        stretch.law.constant,
        stretch.law.coefficients.tolist(),
        stretch.law.exponents.ravel().tolist(),
        parameters,
        unit,
    )
    return format_html(
        '<span title="{}">{}</span><br><span class="muted small">{} together</span>',
        alone, pooled, stretch.label,
    )  # fmt: skip


def _lead(table: VersionsTable, step: KernelVersion) -> SafeString:
    """Return how the version's law grows with each parameter: p^(1/3), n; see `_law`."""
    assert step.model is not None  # noqa: S101 -- the caller asked
    stretch = table.stretch_of.get(step.standing.campaign_id)
    if stretch is not None and step is not stretch.steps[-1]:
        return SafeString('<span class="muted">the same</span>')
    leads = step.model.lead_exponents if stretch is None else stretch.law.lead_exponents.ravel().tolist()
    names: list[str] = step.model.parameters  # type: ignore[attr-defined]  # annotated by `steps`
    pairs = zip(leads[::2], leads[1::2], strict=True)
    powers = (laws.power(name, *pair) for name, pair in zip(names, pairs, strict=False))
    return SafeString(", ".join(filter(None, powers)) or '<span class="muted">constant</span>')


def _commit(repository: str, standing: Standing) -> str:
    """Return the abbreviated commit, linked if the repository is known."""
    short = standing.short_commit
    if address := commit_address(repository, standing.commit):
        return format_html(' <a class="small" href="{}" rel="noreferrer">{}</a>', address, short)
    return f' <span class="muted small">{escape(short)}</span>' if short else ""


def _cells(table: VersionsTable, step: KernelVersion, unit: Multiple, *, is_first: bool) -> str:
    if step.model is None:
        return _UNKNOWN
    since = _FIRST if is_first else verdict(step.verdict, table.metric, step.ratio) if step.verdict else ""
    interval = formatting.interval(step.lower, step.upper, table.metric.unit, step.predicted)
    # The columns that answer "what changed?" come first, where a phone shows them.
    return (
        f'<td>{since}</td><td class="number strong">{quantity(step.predicted, table.metric.unit)}</td>'
        f'<td class="number muted">{escape(interval)}</td>'
        f'<td>{_law(table, step, unit)}</td><td class="nowrap">{_lead(table, step)}</td>'
        f'<td class="number">{escape(formatting.percent(step.model.cv_smape))}</td>'
        f'<td class="number">{escape(formatting.percent(step.model.noise))}</td>'
    )
