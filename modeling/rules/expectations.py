"""The language of expectations, which state the largest growth of a kernel or a limit on its cost.

expectation := growth | bound
growth := "O" "(" product ")" | "≤" product
product := factor {["·"] factor}
factor := "1" | name ["^" exponent] | "sqrt" of | logarithm ["^" exponent] of
logarithm := "log" | "log2" | "log10" | "ln" | "ld"
of := name | "(" name ")"
exponent := number | "(" number ["/" number] ")"
bound := ("≤" | "≥") number [unit] "at" name "=" number {"," name "=" number}

A text that begins with ≤ and a number is a bound.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from modeling.rules.reading import Reader, RuleError

EXAMPLES = "O(n log n), O(p^(1/3)), ≤ p^(1/3) or ≤ 2 s at p = 4096"

LARGEST_EXPONENT = 10.0
"""Limit on exponents. Laws have exponents up to 3, so an expectation with a larger exponent always holds."""

LOGARITHMS = ("log", "log2", "log10", "ln", "ld")
"""Names of logarithms. All mean the same growth, because bases only change a factor."""


@dataclass(frozen=True)
class Growth:
    """A bound on growth: at most x^i · log^j(x) in each named parameter x.

    `exponents` has the pair (i, j) of each parameter by its name. Other parameters are not bounded. Without a
    named parameter, the bound is O(1), which allows no growth.
    """

    exponents: Mapping[str, tuple[float, float]]

    @property
    def constant(self) -> bool:
        """Return whether the growth is O(1)."""
        return not self.exponents


@dataclass(frozen=True)
class Bound:
    """A limit on a kernel's value at the configuration `at`; with `least`, a lower limit."""

    value: float
    unit: str
    at: Mapping[str, float]
    least: bool = False


Expected = Growth | Bound


def expectation_parse(text: str, parameters: tuple[str, ...] | list[str]) -> Expected:
    """Parse an expectation. `parameters` are the names that the text may contain.

    Raises:
        RuleError: the text is no expectation.
    """
    reader = Reader(text)
    if reader.takes("O"):
        reader.need("(")
        found: Expected = Growth(_product(reader, parameters))
        reader.need(")", "“)”, or another factor such as log n")
    elif reader.takes("≤"):
        found = _bound(reader, parameters) if _is_bound(reader) else Growth(_product(reader, parameters))
    elif reader.takes("≥"):
        found = _bound(reader, parameters, least=True)
    else:
        raise reader.fail(f"something like {EXAMPLES}")
    reader.end("the end" if isinstance(found, Growth) else "“,” and another parameter, or the end")
    return found


def _is_bound(reader: Reader) -> bool:
    return reader.next.kind == "number"


def _bound(reader: Reader, parameters: tuple[str, ...] | list[str], *, least: bool = False) -> Bound:
    value = reader.number("a number with its unit, as in 2 s")
    unit = ""
    while reader.next.kind != "end" and reader.next.text.lower() != "at":
        unit += reader.take().text
    reader.need("at", f"“at” and a configuration, as in at {_some(parameters)} = 4096")
    at: dict[str, float] = {}
    while True:
        position = reader.next
        name = _parameter(reader, parameters)
        if name in at:
            raise RuleError(position.position, position.shown, "a parameter that was not set yet")
        reader.need("=", f"“=” and a value of {name}")
        start = reader.next
        at[name] = reader.number(f"a value of {name}")
        if at[name] <= 0:
            raise RuleError(start.position, start.shown, "a value above 0")
        if not reader.takes(","):
            return Bound(value, unit, at, least)


def _product(reader: Reader, parameters: tuple[str, ...] | list[str]) -> dict[str, tuple[float, float]]:
    """Return the exponents of each parameter in a product. Exponents of the same parameter add up."""
    found: dict[str, tuple[float, float]] = {}
    _factor(reader, parameters, found)
    while reader.takes("·") or reader.next.kind in ("word", "quoted"):
        _factor(reader, parameters, found)
    return found


def _factor(
    reader: Reader, parameters: tuple[str, ...] | list[str], found: dict[str, tuple[float, float]]
) -> None:
    start = reader.next
    if start.kind == "number" and float(start.text) == 1:
        reader.take()
        return
    if start.text.lower() in LOGARITHMS and start.text not in parameters:
        reader.take()
        power = _power(reader)
        added = _inner(reader, parameters), 0.0, power
    elif start.text.lower() == "sqrt" and start.text not in parameters:
        reader.take()
        added = _inner(reader, parameters), 0.5, 0.0
    else:
        name = _parameter(reader, parameters)
        added = name, _power(reader), 0.0
    name, i, j = added
    before = found.get(name, (0.0, 0.0))
    found[name] = before[0] + i, before[1] + j
    if max(found[name]) > LARGEST_EXPONENT:
        raise RuleError(start.position, start.shown, f"exponents up to {LARGEST_EXPONENT:g}")


def _inner(reader: Reader, parameters: tuple[str, ...] | list[str]) -> str:
    """Parse a parameter, in parentheses or not."""
    if not reader.takes("("):
        return _parameter(reader, parameters)
    name = _parameter(reader, parameters)
    reader.need(")")
    return name


def _parameter(reader: Reader, parameters: tuple[str, ...] | list[str]) -> str:
    start = reader.next
    known = ", ".join(parameters) or "none"
    name = reader.name(f"a parameter ({known})")
    if name not in parameters:
        raise RuleError(start.position, start.shown, f"a parameter ({known})")
    return name


def _power(reader: Reader) -> float:
    """Parse ^ and a number, or a fraction in parentheses. Without ^, the power is 1."""
    if not reader.takes("^"):
        return 1.0
    if not reader.takes("("):
        value = reader.number("an exponent, as in ^2 or ^(1/3)")
        if reader.next.text == "/":
            raise reader.fail("a fraction in parentheses, as in ^(1/3)")
        return value
    above = reader.number("an exponent, as in ^(1/3)")
    below = 1.0
    if reader.takes("/"):
        start = reader.next
        below = reader.number("a number below the fraction's bar")
        if not below:
            raise RuleError(start.position, start.shown, "a number above 0")
    reader.need(")")
    return above / below


def _some(parameters: tuple[str, ...] | list[str]) -> str:
    return parameters[0] if parameters else "p"
