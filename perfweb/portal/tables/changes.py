"""The rows of the inbox, one per change."""

from collections.abc import Sequence
from html import escape

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ingest.models import Kernel
from modeling.models import Alert
from modeling.selectors.alerts.rows import AlertRow
from modeling.selectors.run.tails import brief
from perfweb.portal.text import formatting
from perfweb.portal.text.markup import breakable, law, verdict

CALLERS = 2
"""Number of callers that are shown above a kernel's name."""

_NO_LAW = SafeString('<span class="muted">none</span>')


def changes_body(rows: Sequence[AlertRow], *, triages: bool) -> SafeString:
    """Return one row per change of an application; if the reader `triages`, with a box to choose it.

    A page has hundreds of cells, which are put together faster by hand.
    """
    application = rows[0].alert.application
    first = reverse("change", args=[application.project.slug, application.slug, 0]).removesuffix("0/")
    return SafeString("\n".join(f"<tr>{_row(row, first, triages=triages)}</tr>" for row in rows))


def _row(row: AlertRow, prefix: str, *, triages: bool) -> str:
    alert = row.alert
    unit = alert.metric.unit
    difference = "" if alert.difference is None else formatting.signed_quantity(alert.difference, unit)
    effect = "" if alert.effect is None else formatting.percent(alert.effect)
    return (
        f"{_choice(row) if triages else ''}"
        f'<th scope="row" class="kernel-cell">{_kernel(alert, f"{prefix}{alert.pk}/")}</th>'
        f'<td data-label="verdict">{_verdict(row)}</td>'
        f'<td class="law-cell law-change" data-label="law">{_laws(row)}</td>'
        f'<td class="number" data-label="after / before">{_ratio(alert)}</td>'
        f'<td class="number" data-label="at the target">{escape(difference)}</td>'
        f'<td class="number" data-label="of the total">{escape(effect)}</td>'
        f'<td data-label="state">{_state(alert)}</td>'
        f'<td data-label="assignee, due">{_care(row)}</td>'
    )


def _choice(row: AlertRow) -> SafeString:
    """Return the box that chooses a change, and the last event that the reader has seen of it."""
    return format_html(
        '<td><input type="checkbox" name="alert" value="{0}" form="triage" aria-label="Choose {1}">'
        '<input type="hidden" name="seen" value="{0}:{2}" form="triage"></td>',
        row.alert.pk, row.alert.kernel.name, row.latest,
    )  # fmt: skip


def _kernel(alert: Alert, address: str) -> str:
    kernel = alert.kernel
    name = escape(alert.metric.name)
    metric = "" if name == "time" else f'<span class="callers">{name}</span>'
    shown = breakable(brief(kernel.name))
    link = format_html('<a href="{}" title="{}">{}</a>', address, kernel.path, shown)
    return f"{_callers(kernel)}{link}{metric}"


def _callers(kernel: Kernel) -> str:
    shown = kernel.callers[-CALLERS:]
    return f'<span class="callers">{escape(" › ".join(map(brief, shown)))}</span>' if shown else ""


def _verdict(row: AlertRow) -> SafeString:
    if row.verdict:
        return verdict(row.verdict, row.alert.metric, row.alert.ratio)
    return format_html(
        '<span class="verdict verdict-slower" title="{}">'
        '<span class="verdict-sign" aria-hidden="true">✕</span> expectation</span>',
        row.alert.reason,
    )


def _laws(row: AlertRow) -> str:
    """Return the law before → after, both in one unit."""
    unit = row.alert.metric.unit
    if row.before:
        found = str(law(row.before, row.parameters, unit, row.after))
    elif row.alert.comparison:
        found = _NO_LAW
    else:
        found = f'<span class="muted">{escape(row.alert.reason)}</span>'
    if row.after:
        found += f' <span class="law-after">→ {law(row.after, row.parameters, unit, row.before)}</span>'
    return found


def _ratio(alert: Alert) -> str:
    if alert.ratio is None:
        return ""
    interval = formatting.ratios(alert.ratio_lower, alert.ratio_upper)
    return (
        f"<strong>{formatting.ratio(alert.ratio)}</strong> "
        f'<span class="share-interval nowrap">{interval}</span>'
    )


def _state(alert: Alert) -> str:
    fixed = alert.fixed_in if alert.state == Alert.State.FIXED else None
    label = escape(alert.get_state_display())
    return f'{label} <span class="muted small">in {escape(fixed.label)}</span>' if fixed else label


def _care(row: AlertRow) -> str:
    """Return who cares for a change until when, with its issue and its note."""
    alert = row.alert
    parts = [escape(alert.assignee.username) if alert.assignee else ""]
    if alert.due:
        kind, words = ("error", "overdue ") if row.overdue else ("muted", "")
        parts.append(f'<time datetime="{alert.due}" class="{kind} nowrap">{words}{alert.due}</time>')
    if alert.issue_url:
        parts.append(
            format_html('<a class="underlined" href="{}" rel="noreferrer">issue</a>', alert.issue_url)
        )
    if alert.note:
        parts.append(format_html('<span class="muted" title="{}">note</span>', alert.note))
    return " ".join(parts)
