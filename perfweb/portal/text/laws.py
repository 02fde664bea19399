"""Laws typeset as HTML with superscripts and readable digits, without scripts."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from html import unescape

from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString

from modeling.engine import TOWARDS_LIMIT
from perfweb.portal.text import formatting

LARGEST_DENOMINATOR = 60
_TIMES = "·"
_BREAKABLE = SafeString("·<wbr>")
_KEPT = "\N{NO-BREAK SPACE}"
"""Joins parts that must not be separated: long laws break before a sign."""

LONG = 30
"""A term with at least this number of characters may break; shorter terms fit into a column of a table."""


def typeset(
    constant: float | None,
    coefficients: Sequence[float],
    exponents: Sequence[float],
    parameters: Sequence[str],
    digits: int = 3,
) -> SafeString:
    """Return `constant + Σ coefficient · Π x^i · log2^j(x)` as HTML.

    `exponents` is (terms, parameters, 2) flattened, as `modeling.models.Model` stores it.
    """
    if constant is None:
        return SafeString("")
    return _typeset(constant, tuple(coefficients), tuple(exponents), tuple(parameters), digits)


@lru_cache(maxsize=4096)
def _typeset(
    constant: float,
    coefficients: tuple[float, ...],
    exponents: tuple[float, ...],
    parameters: tuple[str, ...],
    digits: int,
) -> SafeString:
    width = 2 * len(parameters)
    parts: list[tuple[float, SafeString]] = []
    if constant or not any(coefficients):
        parts.append((constant, SafeString("")))
    for number, coefficient in enumerate(coefficients):
        if not coefficient:  # a term that this law does not use
            continue
        pairs = exponents[number * width : (number + 1) * width]
        parts.append((coefficient, _term(pairs, parameters)))
    return format_html('<span class="law">{}</span>', _joined(parts, digits))


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


def _joined(parts: Sequence[tuple[float, SafeString]], digits: int) -> SafeString:
    terms: list[SafeString] = []
    for position, (coefficient, factors) in enumerate(parts):
        sign = formatting.MINUS if coefficient < 0 else "+" if position else ""
        sign = f"{sign}{_KEPT}" if position else sign
        amount = coefficient_html(abs(coefficient), digits)
        times = _BREAKABLE if factors else ""
        term = format_html("{}{}{}{}", sign, amount, times, factors)
        terms.append(_whole(term) if factors else term)
    return format_html_join(" ", "{}", ((term,) for term in terms))


def _whole(term: SafeString) -> SafeString:
    """Return a short term so that it stays on one line, whatever characters it contains."""
    if len(unescape(strip_tags(term))) > LONG:
        return term
    return format_html('<span class="whole">{}</span>', SafeString(term.replace("<wbr>", "")))


def coefficient_html(value: float, digits: int) -> SafeString:
    """Return 8.8·10<sup>−4</sup>."""
    mantissa, exponent = formatting.scientific(value, digits)
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
