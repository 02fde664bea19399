"""Laws typeset as HTML with superscripts and readable digits, without scripts."""

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from html import unescape

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from modeling.engine import TOWARDS_LIMIT
from perfweb.portal.text import formatting
from perfweb.portal.text.units import Multiple, multiple, multiples

LARGEST_DENOMINATOR = 12
_TIMES = "·"
_BREAKABLE = SafeString("·<wbr>")
_TAG = re.compile(r"<[^>]*>")
_KEPT = "\N{NO-BREAK SPACE}"
"""Joins parts that must not be separated: long laws break before a sign."""

LONG = 30
"""A term with at least this number of characters may break; shorter terms fit into a column of a table."""

POWER_OF_TEN = 4
"""Effort of reading a number with a power of ten, in digits before or behind those of 0.1 to 999."""

PLAIN = Multiple(1.0, "")
"""No unit: coefficients are written as they are."""


def unit_of(numbers: Iterable[float | None], unit: str, value: float | None = None) -> Multiple:
    """Return the multiple of a metric's unit in which laws with these constants and coefficients read best.

    All numbers of laws that are read together, such as those before and after a change, share a unit. It is
    the one in which fewest numbers have a power of ten, leading zeros or thousands, and which is nearest to
    that of `value`, the prediction shown beside the laws (by default of the largest number).
    """
    known = tuple(sorted({abs(number) for number in numbers if number}))
    return _unit_of(known, unit, abs(value or 0.0) or max(known, default=0.0))


@lru_cache(maxsize=4096)
def _unit_of(numbers: tuple[float, ...], unit: str, value: float) -> Multiple:
    beside = multiple(value, unit)

    def effort(one: Multiple) -> float:
        steps = abs(math.log10(one.factor / beside.factor)) / 3
        return steps + sum(_effort(number / one.factor) for number in numbers)

    return min(multiples(unit), key=effort)


def _effort(number: float) -> int:
    """Return how many digits a number has before or behind those of 0.1 to 999."""
    decade = formatting.decade(number)
    return max(-1 - decade, decade - 2, 0) if decade in formatting.PLAIN else POWER_OF_TEN


def typeset(
    constant: float | None,
    coefficients: Sequence[float],
    exponents: Sequence[float],
    parameters: Sequence[str],
    unit: Multiple = PLAIN,
) -> SafeString:
    """Return `constant + Σ coefficient · Π x^i · log2^j(x)` as HTML, in a unit that is written behind it.

    `exponents` is (terms, parameters, 2) flattened, as `modeling.models.Model` stores it.
    """
    if constant is None:
        return SafeString("")
    return _typeset(constant, tuple(coefficients), tuple(exponents), tuple(parameters), unit)


@lru_cache(maxsize=4096)
def _typeset(
    constant: float,
    coefficients: tuple[float, ...],
    exponents: tuple[float, ...],
    parameters: tuple[str, ...],
    unit: Multiple,
) -> SafeString:
    width = 2 * len(parameters)
    parts: list[tuple[float, SafeString]] = []
    if constant or not any(coefficients):
        parts.append((constant / unit.factor, SafeString("")))
    for number, coefficient in enumerate(coefficients):
        if not coefficient:  # a term that this law does not use
            continue
        pairs = exponents[number * width : (number + 1) * width]
        parts.append((coefficient / unit.factor, _term(pairs, parameters)))
    name = unit.name.replace(" ", _KEPT)
    behind = format_html('{}<span class="law-unit">{}</span>', _KEPT, name) if name else ""
    return format_html('<span class="law">{}{}</span>', _joined(parts), behind)


@lru_cache(maxsize=4096)
def plain(law: str) -> str:
    """Return a typeset law as text, for hover: 5.79 + 1.69·p^(1/3) µs."""
    raised = re.sub(r"<sup>([^<]*)</sup>", _with_caret, law.replace("<sub>2</sub>", "₂"))
    return _text(raised)


def _text(law: str) -> str:
    """Return the text of a typeset law. Its names are escaped, so each `<` begins a tag, and `>` ends it."""
    return unescape(_TAG.sub("", law))


def _with_caret(raised: re.Match[str]) -> str:
    exponent = raised[1]
    return f"^{exponent}" if exponent.isdecimal() else f"^({exponent})"


def shape(exponents: Sequence[float], parameters: Sequence[str]) -> SafeString:
    """Return a law without its numbers: p<sup>1/3</sup>·n + log<sub>2</sub> p; else "constant"."""
    width = 2 * len(parameters)
    terms = [
        _term(exponents[at : at + width], parameters)
        for at in range(0, len(exponents), width)
        if any(exponents[at : at + width])
    ]
    if not terms:
        return SafeString("constant")
    return format_html('<span class="law">{}</span>', format_html_join(" + ", "{}", ((t,) for t in terms)))


@lru_cache(maxsize=4096)
def power(parameter: str, exponent: float, logarithm: float) -> SafeString:
    """Return one parameter's factor: p<sup>2/3</sup>·log<sub>2</sub> p.

    It is empty if the exponents are 0, and "towards a limit" if the law rises towards a limit.
    """
    if (exponent, logarithm) == TOWARDS_LIMIT:
        return SafeString("towards a limit")
    factors: list[SafeString] = []
    if exponent:
        factors.append(format_html("<var>{}</var>{}", parameter, _raised(exponent)))
    if logarithm:
        factors.append(format_html("log<sub>2</sub>{}&#8239;<var>{}</var>", _raised(logarithm), parameter))
    return format_html_join(_TIMES, "{}", ((factor,) for factor in factors))


def growth(parameter: str, exponent: float, logarithm: float) -> str | SafeString:
    """Return how a quantity grows with a parameter, in words: linearly, like p^(2/3), towards a limit."""
    if not exponent and not logarithm:
        return "not at all"
    if exponent == 1 and not logarithm:
        return "linearly"
    if (exponent, logarithm) == TOWARDS_LIMIT:
        return power(parameter, exponent, logarithm)
    return format_html("like {}", power(parameter, exponent, logarithm))


def fraction(value: float) -> str:
    """Return an exponent as people write it: 2/3, 1.5 as 3/2, 0.337 if no small fraction is near."""
    exact = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    if abs(float(exact) - value) > 1e-6:
        return formatting.number(value)
    return str(exact).replace("-", formatting.MINUS)


def _joined(parts: Sequence[tuple[float, SafeString]]) -> SafeString:
    terms: list[SafeString] = []
    for position, (coefficient, factors) in enumerate(parts):
        sign = formatting.MINUS if coefficient < 0 else "+" if position else ""
        sign = f"{sign}{_KEPT}" if position else sign
        amount = _coefficient(abs(coefficient))
        times = _BREAKABLE if factors else ""
        term = format_html("{}{}{}{}", sign, amount, times, factors)
        terms.append(_whole(term) if factors else term)
    return format_html_join(" ", "{}", ((term,) for term in terms))


def _whole(term: SafeString) -> SafeString:
    """Return a short term so that it stays on one line, whatever characters it contains."""
    if len(_text(term)) > LONG:
        return term
    return format_html('<span class="whole">{}</span>', SafeString(term.replace("<wbr>", "")))


def _coefficient(value: float) -> SafeString:
    """Return 8.8·10<sup>−4</sup>."""
    mantissa, exponent = formatting.scientific(value)
    if exponent is None:
        return format_html("{}", mantissa)
    return format_html("{}·10<sup>{}</sup>", mantissa, str(exponent).replace("-", formatting.MINUS))


def _term(pairs: Sequence[float], parameters: Sequence[str]) -> SafeString:
    factors = [power(name, pairs[2 * axis], pairs[2 * axis + 1]) for axis, name in enumerate(parameters)]
    return format_html_join(_BREAKABLE, "{}", ((factor,) for factor in factors if factor))


def _raised(exponent: float) -> SafeString:
    if exponent == 1:
        return SafeString("")
    return format_html("<sup>{}</sup>", fraction(exponent))
