"""Filters and tags of every page; each calls one tested function."""

from collections.abc import Mapping
from datetime import datetime
from math import inf
from urllib.parse import urlencode

from django import template
from django.http import HttpRequest
from django.template import RequestContext
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.models import Application, Metric
from modeling.engine import WIDEST_FACTOR
from modeling.selectors.run.metrics import adds_up, kind_of, lacks_unit
from modeling.selectors.run.snapshot import Amount
from modeling.selectors.run.tails import brief
from modeling.selectors.versions.verdict_counts import VerdictCounts
from modeling.verdicts import Verdict
from perfweb.portal.asked.focus import Focus
from perfweb.portal.asked.navigation import Navigation, navigation
from perfweb.portal.charts.svg import pictures
from perfweb.portal.charts.svg.share import probability_bar, share_bar
from perfweb.portal.text import formatting, laws, markup
from perfweb.portal.text.help_links import chapter_text
from perfweb.portal.text.repository import commit_address, range_address
from perfweb.portal.text.topics.audit import action_words
from perfweb.portal.text.topics.expectations import expectation_sign, expectation_state
from perfweb.portal.text.wording import (
    SIGNS,
    better_word,
    setting_name,
    verb,
    verb_third,
    verdict_words,
    worse_word,
)

register = template.Library()

register.filter(formatting.number)
register.filter(formatting.in_units)
register.filter(formatting.percent)
register.filter(formatting.signed_percent)
register.filter(formatting.signed_quantity)
register.filter(formatting.plain)
register.filter(formatting.ratio)
register.filter(formatting.differs)
register.filter(formatting.ratios)
register.filter(formatting.percents)
register.filter(formatting.share)
register.filter(formatting.duration)
register.filter(formatting.coordinate)
register.filter(formatting.configuration)
register.filter(adds_up)
register.filter(lacks_unit)
register.filter(brief)
register.filter(action_words)
register.filter(markup.quantity)
register.filter(markup.glued)
register.filter(markup.coded)
register.filter(markup.breakable)
register.filter(chapter_text)
register.filter(setting_name)

register.simple_tag(pictures.sparkline)
register.simple_tag(pictures.histogram)
register.simple_tag(share_bar)
register.simple_tag(probability_bar)
register.simple_tag(laws.growth)
register.simple_tag(markup.law)
register.simple_tag(markup.verdict)
register.simple_tag(expectation_sign)
register.simple_tag(expectation_state)
register.simple_tag(verb)
register.simple_tag(verb_third)
register.simple_tag(worse_word)
register.simple_tag(better_word)


@register.filter
def item(values: Mapping[str, object] | None, key: str) -> object:
    """Return one value of a mapping; None if it has none."""
    return (values or {}).get(key)


@register.filter
def can_be_predicted(amount: Amount) -> bool:
    """Return whether a page may show a prediction: graded at least "a guess", or without an interval."""
    if not amount.founded:
        return False
    if not amount.predicted or amount.lower is None or amount.upper is None:
        return True  # without an interval nothing shows that the value is uncertain
    factors = (amount.upper / amount.predicted, amount.predicted / amount.lower if amount.lower > 0 else inf)
    return max(factors) <= WIDEST_FACTOR


@register.filter
def equals(value: object, other: object) -> bool:
    """Return whether two things are equal, for an argument of an include."""
    return value == other


@register.simple_tag
def compared(value: float | None, metric: Metric) -> str:
    """Return a ratio in a sentence: 2.3× as long as; for other metrics than times as much as."""
    return formatting.compared(value, kind_of(metric))


@register.simple_tag
def much(metric: Metric) -> str:
    """Return the word after "as" in a ratio, such as 2.3× as much: long for times, else much."""
    return formatting.compared(1.0, kind_of(metric)).split()[-2]


@register.simple_tag
def interval(lower: float | None, upper: float | None, unit: str = "", like: float | None = None) -> str:
    """Return both ends with their units, rounded outwards."""
    return formatting.interval(lower, upper, unit, like)


@register.filter
def moment(value: datetime | None) -> SafeString:
    """Return how long ago, with the absolute time on hover."""
    if value is None:
        return SafeString(formatting.MISSING)
    exact = timezone.localtime(value).strftime("%Y-%m-%d %H:%M:%S %Z")
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', value.isoformat(), exact, formatting.ago(value)
    )


@register.simple_tag
def changes(counts: VerdictCounts | None, metric: Metric | None = None, *, first: bool) -> SafeString:
    """Return the changes since the previous version, ▲ 3 △ 1, or why there are none."""
    if first:
        return SafeString('<span class="muted">first version</span>')
    if counts is None:
        return SafeString('<span class="muted">not compared</span>')
    if counts.error:
        return format_html('<span class="muted" title="{}">not comparable</span>', counts.error)
    if not counts.done:
        return SafeString('<span class="muted">comparing …</span>')
    if not counts.found:
        return format_html(
            '<span class="verdict"><span class="verdict-sign" aria-hidden="true">{}</span> none</span>',
            SIGNS[Verdict.SAME],
        )
    return format_html_join(" ", "{}", ((_count(*found, metric),) for found in counts.found))


def _count(value: Verdict, count: int, metric: Metric | None) -> SafeString:
    """Return ▲ 3, read out as "3 law worse"."""
    sign, words = SIGNS[value], verdict_words(value, metric)
    return format_html(
        '<span class="verdict verdict-{}" title="{} {}"><span aria-hidden="true">{} {}</span>'
        '<span class="visually-hidden">{} {}</span></span>',
        value.value, count, words, sign, count, count, words,
    )  # fmt: skip


@register.simple_tag
def verdict_count(value: Verdict, count: int, metric: Metric | None = None) -> SafeString:
    """Return how many kernels have a verdict: ▲ 3, read out as "3 law worse"."""
    return _count(value, count, metric)


@register.simple_tag
def query(focus: Focus, **changes: object) -> str:
    """Return the page's choices as a query string with some of them changed; parts with None are omitted."""
    return focus.query(**changes)


@register.simple_tag
def turned(request: HttpRequest, **changes: object) -> str:
    """Return the page's own query string with some parts changed; parts with None are omitted."""
    asked = {name: values for name, values in request.GET.lists() if name not in changes}
    asked |= {name: [str(value)] for name, value in changes.items() if value is not None}
    return f"?{urlencode(asked, doseq=True)}"


@register.simple_tag
def version_options(focus: Focus) -> SafeString:
    """Return the versions to choose from, newest first."""
    chosen = focus.version.label if focus.version else None
    return format_html_join(
        "",
        '<option value="{0}"{1}>{0}{2}</option>',
        (
            (
                version.label,
                SafeString(" selected") if version.label == chosen else "",
                f" · {version.short_commit}" if version.commit else "",
            )
            for version in reversed(focus.versions)
        ),
    )


@register.simple_tag
def commit(application: Application, name: str) -> SafeString:
    """Return the abbreviated commit, linked if the repository is known; empty without a commit."""
    if not name:
        return SafeString("")
    address = commit_address(application.repository, name)
    if not address:
        return format_html('<code title="{}">{}</code>', name, name[:7])
    return format_html(
        '<a href="{}" rel="noreferrer" title="{}"><code>{}</code></a>', address, name, name[:7]
    )


@register.simple_tag
def commit_range(application: Application, before: str, after: str) -> str:
    """Return the address of all changes between two commits; empty if it is not known."""
    return range_address(application.repository, before, after)


@register.simple_tag(takes_context=True)
def site_navigation(context: RequestContext) -> Navigation:
    """Return the projects and the current place, for the top bar."""
    subject = context.get("focus") or context.get("upload")
    return navigation(context["request"], getattr(subject, "project", None))
