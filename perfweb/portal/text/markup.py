"""Values, laws and verdicts as HTML, for templates and for tables made in Python."""

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.models import Metric
from modeling.engine import MISFIT, TOO_FEW_VALUES
from modeling.verdicts import Verdict
from perfweb.portal.text import formatting, laws
from perfweb.portal.text.lettering import isolated
from perfweb.portal.text.units import Multiple
from perfweb.portal.text.wording import SIGNS, change_words, verdict_words

LAW_CHANGES = (Verdict.LAW_WORSE, Verdict.LAW_BETTER, Verdict.OVERHEAD_WORSE, Verdict.OVERHEAD_BETTER)

LONG_NAME = 16
"""Length in characters from which a name may need more than one line of a table."""

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[_:,(</-])(?=\w)")
"""Positions between the words of a name."""


_NBSP = "\N{NO-BREAK SPACE}"

_TEXT = re.compile(r"^[^<]+|(?<=>)[^<]+")
"""Matches the texts between tags; attributes, such as commands to copy, are not changed."""

_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:%|[nµm]?s|min|h|d|years|[kMGTP]?B|core hours)(?!\w))")
_AFTER_SIGN = re.compile(r"(?<=±) (?=\d)")
_AROUND_EQUALS = re.compile(r" (=|≈) (?=[\d−])")
_CODE = re.compile(r"`([^`]+)`")


def glued(html: str) -> str:
    """Return a sentence in which no line breaks between a number and its unit, or within p = 64."""
    found = _TEXT.sub(_glued_text, html)
    return SafeString(found) if isinstance(html, SafeString) else found


def _glued_text(text: re.Match[str]) -> str:
    joined = _AFTER_SIGN.sub(_NBSP, _BEFORE_UNIT.sub(_NBSP, text[0]))
    return _AROUND_EQUALS.sub(rf"{_NBSP}\1{_NBSP}", joined)


def breakable(name: str) -> SafeString | str:
    """Return a kernel's name that can break between its words."""
    if len(name) <= LONG_NAME:
        return name
    return format_html_join(SafeString("<wbr>"), "{}", ((word,) for word in _WORDS.split(name)))


def quantity(value: float | None, unit: str = "") -> SafeString:
    """Return a value with its unit, and the exact one on hover."""
    if value is None:
        return SafeString(formatting.MISSING)
    exact = escape(f"{value!r} {unit}".rstrip())
    return SafeString(f'<span title="{exact}">{escape(formatting.quantity(value, unit))}</span>')


def law_marked(model: Any, parameters: Sequence[str], unit: str) -> SafeString:
    """Return a stored model's law for a table, marked if it does not fit or has too few values."""
    doubtful = model.status in (MISFIT, TOO_FEW_VALUES) and model.points_used > 1
    mark = format_html(' <span class="mark">{}</span>', model.status) if doubtful else ""
    return format_html("{}{}", law(model, parameters, unit), mark)


def law(model: Any, parameters: Sequence[str], unit: str, beside: Any = None) -> SafeString:
    """Return a stored model's law in a readable multiple of `unit`, the metric's; see `law_in`.

    The multiple also suits the law of `beside`, a model with which this one is compared.
    """
    return law_in(model, parameters, law_unit([model] if beside is None else [model, beside], unit))


def law_in(model: Any, parameters: Sequence[str], shown: Multiple) -> SafeString:
    """Return a stored model's law, typeset; `parameters` are the names in the campaign's order.

    With several segments it is the law of the last one, with a note. A single point has no law.
    """
    if model.points_used == 1:
        return SafeString('<span class="muted no-law">one point, no law yet</span>')
    found = laws.typeset(model.constant, model.coefficients, model.exponents, parameters, shown)
    if not model.segments:
        return found
    earlier = model.segments["earlier"]
    return format_html(
        '{} <span class="mark" title="The behaviour changes inside the measured range: this law is that '
        'of the last of {} segments, measured from {} = {} on">segmented</span>',
        found, len(earlier) + 1, isolated(parameters[model.segments["parameter"]]),
        formatting.coordinate(earlier[-1]["following"]),
    )  # fmt: skip


def law_unit(models: Sequence[Any], unit: str) -> Multiple:
    """Return the multiple of a metric's unit for the laws of stored models that are read together.

    It does not depend on a page's target, so a law looks the same on all pages.
    """
    numbers = [number for model in models for number in (model.constant, *model.coefficients)]
    known = (getattr(model, "predicted", None) or getattr(model, "largest", None) for model in models)
    return laws.unit_of(numbers, unit, max((abs(value) for value in known if value), default=None))


def verdict(
    value: Verdict, metric: Metric | None = None, ratio: float | None = None, *, sized: bool = False
) -> SafeString:
    """Return ▲ law worse, △ 12 % slower, ▽ 6 % faster, ▼ law better, ● same, ? not identifiable.

    If `sized`, changes of a law have a size, too: ▲ law worse, 403× slower.
    """
    words = verdict_words(value, metric)
    size = change_words(ratio, metric) if metric else ""
    if size and metric and value in (Verdict.WORSE, Verdict.BETTER):
        words = size if metric.lower_is_better else f"{words}, {size}"
    elif size and sized and value in LAW_CHANGES:
        words = f"{words}, {size}"
    sign = f'<span class="verdict-sign" aria-hidden="true">{SIGNS[value]}</span>'
    return SafeString(f'<span class="verdict verdict-{value.value}">{sign} {escape(words)}</span>')


def coded(text: str) -> SafeString:
    """Return a text in which `words` between backquotes are marked as code."""
    return SafeString(_CODE.sub(r"<code>\1</code>", escape(text)))
