"""Writes tables for papers; every table names its version, target, units and interval."""

from collections.abc import Iterable, Iterator, Sequence

from modeling.engine import latex_text
from perfweb.portal.text import formatting
from perfweb.portal.text.units import multiple

_ESCAPED_UNITS = str.maketrans({"µ": r"\textmu{}"})


def table(
    about: str, caption: str, alignment: str, heads: Sequence[str], rows: Iterable[str]
) -> Iterator[str]:
    """Yield a table of the package longtable; caption, heads and rows are given as LaTeX."""
    yield f"% {' '.join(about.split())}\n"
    yield rf"\begin{{longtable}}{{{alignment}}}" + "\n"
    yield rf"\caption{{{caption}}} \\" + "\n"
    yield f"{' & '.join(heads)} " + r"\\ \hline" + "\n"
    yield from rows
    yield "\\end{longtable}\n"


def row_of(cells: Sequence[str]) -> str:
    """Return a line of a table from cells that are given as LaTeX."""
    return f"{' & '.join(cells)} " + r"\\" + "\n"


def with_unit(name: str, unit: str) -> str:
    """Return a name with its unit: time in s."""
    return latex_text(f"{name} in {unit}" if unit else name).translate(_ESCAPED_UNITS)


def quantity(value: float | None, unit: str) -> str:
    """Return a value in the unit in which it is easiest to read: $1.22$ h, $8.8 \\cdot 10^{-4}$ visits."""
    factor, name = multiple(value, unit)
    if value is None:
        return "--"
    return f"{_number(value / factor)}\\,{_unit(name)}" if name else _number(value / factor)


def interval(lower: float | None, upper: float | None, unit: str, like: float | None) -> str:
    """Return both ends in the unit in which `like` is easiest to read: $0.62$--$2.4$ h."""
    if lower is None or upper is None:
        return "--"
    factor, name = multiple(like, unit)
    ends = f"{_number(lower / factor)}--{_number(upper / factor)}"
    return f"{ends}\\,{_unit(name)}" if name else ends


def percent(fraction: float | None) -> str:
    """Return a fraction as percent."""
    return "--" if fraction is None else rf"{_number(100 * fraction, 2)}\,\%"


def _number(value: float, digits: int = 3) -> str:
    mantissa, exponent = formatting.scientific(value, digits)
    power = "" if exponent is None else rf" \cdot 10^{{{exponent}}}"
    return f"${mantissa.replace(formatting.MINUS, '-').replace(',', '{,}')}{power}$"


def _unit(name: str) -> str:
    return latex_text(name).translate(_ESCAPED_UNITS)
