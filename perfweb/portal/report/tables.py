"""The rows of a report's tables."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.models import Metric
from modeling.selectors.reports.content import (
    Amount,
    At,
    ChangeContent,
    Content,
    KernelContent,
    LawContent,
    TargetContent,
)
from modeling.verdicts import Verdict
from perfweb.portal.text import formatting, markup
from perfweb.portal.text.lettering import isolated

_LABELLED = '<td class="number" data-label="{}">{}</td>'
"""A cell with a number; on a phone the cell also shows the heading of its column."""

_NONE = SafeString('<span class="muted">none</span>')


def law_written(
    law: LawContent | None,
    names: Sequence[str],
    unit: str,
    *,
    beside: LawContent | None = None,
    predicted: float | None = None,
) -> SafeString:
    """Return a report's law, typeset; `names` are the parameters', in the order of the law's exponents.

    Its unit also suits a law `beside` it, and the predicted value.
    """
    if law is None:
        return _NONE
    if law["constant"] is None:
        return SafeString('<span class="muted">not identifiable</span>')
    other = None if beside is None else SimpleNamespace(**beside)
    return markup.law(SimpleNamespace(**law, predicted=predicted), names, unit, other)


def amount_written(amount: Amount | None, unit: str) -> SafeString:
    """Return a prediction with its interval below it."""
    if amount is None or amount["predicted"] is None:
        return SafeString(formatting.MISSING)
    ends = formatting.interval(amount["lower"], amount["upper"], unit, amount["predicted"])
    return _with_ends(markup.quantity(amount["predicted"], unit), ends)


def configuration_written(values: Mapping[str, float], names: Sequence[str]) -> str:
    """Return a report's configuration in the order of the parameters, which the database does not store."""
    return formatting.configuration({name: values[name] for name in names if name in values})


def targets_body(report: Content, metric: Metric, names: Sequence[str]) -> SafeString:
    """Return a row for each target: the program's total now and in the version before, and efficiency."""
    rows = report["targets"]
    return format_html_join("\n", "{}", ((_target(report, row, metric, names),) for row in rows))


def _target(report: Content, row: TargetContent, metric: Metric, names: Sequence[str]) -> SafeString:
    cells: list[tuple[str, str]] = [(report["version"]["label"], amount_written(row["total"], metric.unit))]
    if report["comparison"]:
        before = report["comparison"]["before"]["label"]
        cells += [
            (before, markup.quantity(row["before"], metric.unit)),
            ("ratio", formatting.ratio(row["ratio"])),
        ]
    if report["efficiency"]:
        cells.append(("efficiency", _efficiency(row["efficiency"])))
    return format_html(
        '<tr><th scope="row">{}</th><td data-label="how far">{}</td>{}</tr>',
        _named(row["name"], configuration_written(row["values"], names)),
        _reach(row),
        format_html_join("", _LABELLED, cells),
    )


def _named(name: str, configuration: str) -> SafeString | str:
    """Return a target's name above its configuration; only the configuration if both are the same."""
    if name == configuration:
        return name
    return format_html('{}<br><span class="muted">{}</span>', name, configuration)


def _reach(row: TargetContent) -> str:
    """Return the multiples of the largest measured values at which a target lies."""
    parts = [f"{formatting.ratio(factor)} beyond {isolated(name)}" for name, factor in row["beyond"].items()]
    return ", ".join(parts) or "not beyond the measured values"


def _efficiency(amount: Amount | None) -> SafeString:
    if amount is None:
        return SafeString(formatting.MISSING)
    ends = formatting.percents(amount["lower"], amount["upper"])
    return _with_ends(formatting.percent(amount["predicted"]), ends)


def changes_body(report: Content, metric: Metric, names: Sequence[str]) -> SafeString:
    """Return the changed kernels, the most expensive at the main target first."""
    comparison = report["comparison"]
    rows = comparison["changes"] if comparison else []
    return format_html_join("\n", "{}", ((_change(row, metric, names),) for row in rows))


def _change(row: ChangeContent, metric: Metric, names: Sequence[str]) -> SafeString:
    value = Verdict(row["verdict"])
    ends = formatting.ratios(row["lower"], row["upper"])
    return format_html(
        '<tr><th scope="row" class="kernel-cell" title="{}">{}</th><td data-label="verdict">{}</td>'
        '<td class="law-change law-cell">{} <span class="law-after">→ {}</span></td>'
        '<td class="number" data-label="after / before">{}</td>'
        '<td class="number" data-label="difference">{}</td>'
        '<td class="number" data-label="probability">{}</td>'
        "</tr>",
        row["path"],
        row["name"],
        markup.verdict(value, metric),
        law_written(row["before"], names, metric.unit, beside=row["after"]),
        law_written(row["after"], names, metric.unit, beside=row["before"]),
        _with_ends(formatting.ratio(row["ratio"]), "" if ends == formatting.MISSING else ends),
        formatting.signed_quantity(row["difference"], metric.unit),
        formatting.percent(row["probability"]),
    )


def kernels_body(report: Content, metric: Metric, names: Sequence[str]) -> SafeString:
    """Return the most expensive kernels, with a column for each target."""
    rows = report["kernels"]
    return format_html_join("\n", "{}", ((_kernel(row, report, metric, names),) for row in rows))


def _kernel(row: KernelContent, report: Content, metric: Metric, names: Sequence[str]) -> SafeString:
    labels = [target["name"] for target in report["targets"]]
    cells = ((label, _at(each, metric)) for label, each in zip(labels, row["at"], strict=True))
    at = format_html_join("", _LABELLED, cells)
    since = SafeString("")
    if report["comparison"]:
        found = markup.verdict(Verdict(row["verdict"]), metric, row["ratio"]) if row["verdict"] else "new"
        label = report["comparison"]["before"]["label"]
        since = format_html('<td data-label="since {}">{}</td>', label, found)
    amount = row["at"][report["main"]]["amount"]
    law = law_written(row["law"], names, metric.unit, predicted=amount and amount["predicted"])
    return format_html(
        '<tr><th scope="row" class="kernel-cell" title="{}">{}</th><td class="law-cell">{}</td>{}{}</tr>',
        row["path"], row["name"], law, at, since,
    )  # fmt: skip


def _at(at: At, metric: Metric) -> SafeString:
    amount = amount_written(at["amount"], metric.unit)
    if at["share"] is None:
        return amount
    return format_html('{} <span class="report-share">{}</span>', amount, formatting.share(at["share"]))


def _with_ends(text: str, ends: str) -> SafeString:
    if not ends or ends == formatting.MISSING:
        return format_html("{}", text)
    return format_html('{} <span class="share-interval">{}</span>', text, ends)
