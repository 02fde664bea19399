"""Write laws for people, for LaTeX and for Python."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import floor, log10

from modeling.engine.laws import latex
from modeling.engine.validation import FloatArray

Factor = tuple[str, Fraction, Fraction]  # parameter, i, j

DIGITS = 3
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-3, 1e5
"""Numbers outside this range are written with a power of ten, except whole numbers below `LARGEST_WHOLE`."""

LARGEST_WHOLE = 1e6
"""Whole numbers below this keep all their digits."""

LARGEST_DENOMINATOR = 1000
"""Each exponent is rounded to the nearest fraction with at most this denominator."""

SHOWN_DENOMINATOR = 12
"""Exponents are shown as decimals if their fraction has a larger denominator, except in Python."""


@dataclass(frozen=True)
class Law:
    """One law: its constant, and the coefficient and factors of each term."""

    constant: float
    terms: list[tuple[float, list[Factor]]]


@dataclass(frozen=True)
class Style:
    """How to write laws."""

    number: Callable[[float], str]  # for a value ≥ 0
    name: Callable[[str], str]
    power: Callable[[str, Fraction], str]
    log: Callable[[str, Fraction], str]
    times: str
    minus: str
    cases: Callable[[list[str], str, list[float]], str]  # laws of the ranges, parameter, boundaries
    unknown: str = "–"


def laws(
    constant: FloatArray, coefficients: FloatArray, exponents: FloatArray, names: Sequence[str]
) -> list[Law]:
    """Turn arrays into K laws with fractions as exponents.

    The T terms have the `coefficients` (K, T), and the `exponents` (K, T, m, 2) of m parameters.
    """
    exact = cache(lambda exponent: Fraction(exponent).limit_denominator(LARGEST_DENOMINATOR))
    return [
        Law(
            own_constant,
            [
                (c, _factors(powers, names, exact))
                for c, powers in zip(own, own_powers, strict=True)
                if c != 0
            ],
        )
        for own_constant, own, own_powers in zip(
            constant.tolist(), coefficients.tolist(), exponents.tolist(), strict=True
        )
    ]


def _factors(
    powers: list[list[float]], names: Sequence[str], exact: Callable[[float], Fraction]
) -> list[Factor]:
    return [(name, exact(i), exact(j)) for name, (i, j) in zip(names, powers, strict=True) if i or j]


def render(models: Iterable[Law], style: Style) -> list[str]:
    """Write every law in a style."""
    return [_render(law, style) for law in models]


def _render(law: Law, style: Style) -> str:
    if law.constant != law.constant:
        return style.unknown
    summands = [(coefficient, _product(coefficient, factors, style)) for coefficient, factors in law.terms]
    if law.constant or not summands:
        summands.insert(0, (law.constant, style.number(abs(law.constant))))
    first, *others = summands
    text = (style.minus if first[0] < 0 else "") + first[1]
    return text + "".join(f" {style.minus if value < 0 else '+'} {term}" for value, term in others)


def _product(coefficient: float, factors: list[Factor], style: Style) -> str:
    """Write a term without its sign."""
    number = style.number(abs(coefficient))
    parts = [] if number == "1" else [number]
    for parameter, i, j in factors:
        name = style.name(parameter)
        if i:
            parts.append(style.power(name, i))
        if j:
            parts.append(style.log(name, j))
    return style.times.join(parts)


def _rounded(value: float) -> tuple[str, int]:
    """Return the mantissa and the power of ten of a value ≥ 0. The mantissa has `DIGITS` digits."""
    if value == 0:
        return "0", 0
    if value == round(value) and value < LARGEST_WHOLE:
        return str(round(value)), 0
    if float(f"{value:.{DIGITS - 1}e}") >= SMALLEST_PLAIN and value < LARGEST_PLAIN:
        decimals = max(DIGITS - 1 - floor(log10(value)), 0)
        return _trimmed(f"{value:.{decimals}f}"), 0
    mantissa, exponent = f"{value:.{DIGITS - 1}e}".split("e")
    return _trimmed(mantissa), int(exponent)


def _trimmed(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _text_number(value: float) -> str:
    mantissa, exponent = _rounded(value)
    return f"{mantissa}·10^{exponent}" if exponent else mantissa


def _shown(exponent: Fraction) -> str:
    return str(exponent) if exponent.denominator <= SHOWN_DENOMINATOR else f"{float(exponent):.4g}"


def _text_exponent(exponent: Fraction) -> str:
    if exponent == 1:
        return ""
    shown = _shown(exponent)
    return f"^({shown})" if exponent < 0 or "/" in shown else f"^{shown}"


def _text_cases(written: list[str], name: str, ends: list[float]) -> str:
    conditions = [*(f"for {name} < {_text_number(end)}" for end in ends), "from there on"]
    return "; ".join(f"{law} {condition}" for law, condition in zip(written, conditions, strict=True))


TEXT = Style(
    number=_text_number,
    name=str,
    power=lambda name, i: name + _text_exponent(i),
    log=lambda name, j: f"log2({name}){_text_exponent(j)}",
    times="·",
    minus="−",
    cases=_text_cases,
)


def _latex_number(value: float) -> str:
    mantissa, exponent = _rounded(value)
    return rf"{mantissa} \cdot 10^{{{exponent}}}" if exponent else mantissa


def _latex_exponent(exponent: Fraction) -> str:
    return "" if exponent == 1 else f"^{{{_shown(exponent)}}}"


def _latex_cases(written: list[str], name: str, ends: list[float]) -> str:
    conditions = [*(f"{name} < {_latex_number(end)}" for end in ends), r"\text{otherwise}"]
    cases = r" \\ ".join(f"{law} & {condition}" for law, condition in zip(written, conditions, strict=True))
    return rf"\begin{{cases}} {cases} \end{{cases}}"


LATEX = Style(
    number=_latex_number,
    name=latex.in_mathematics,
    power=lambda name, i: name + _latex_exponent(i),
    log=lambda name, j: rf"\log_2{_latex_exponent(j)}({name})",
    times=r" \cdot ",
    minus="-",
    cases=_latex_cases,
    unknown="-",
)


def _python_exponent(exponent: Fraction) -> str:
    if exponent == 1:
        return ""
    return f"**{exponent}" if exponent.denominator == 1 and exponent > 0 else f"**({exponent})"


def _python_cases(written: list[str], name: str, ends: list[float]) -> str:
    *earlier, last = written
    cases = [f"{law} if {name} < {end!r} else " for law, end in zip(earlier, ends, strict=True)]
    return f"({''.join(cases)}{last})"


PYTHON = Style(
    number=repr,
    name=str,  # the names are already identifiers
    power=lambda name, i: name + _python_exponent(i),
    log=lambda name, j: f"log2({name}){_python_exponent(j)}",
    times="*",
    minus="-",
    cases=_python_cases,
    unknown="nan",
)
