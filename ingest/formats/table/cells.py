"""Parses numbers as people and spreadsheets write them into the cells of a table.

Only numbers with a single meaning are read: `1,234.5` and `1'234` have thousands separators, and `12,5` has a
decimal comma. `1,234` is refused, because its comma may be a thousands separator or a decimal comma. A unit
may follow a number, as in `12.5 ms`, `4 KiB` or `95 %`.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ingest.formats.campaign import FloatArray
from ingest.formats.units import SECONDS

EMPTY_CELLS = {
    "", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "+nan", "nil", "null", "none", "-", "--", "?", "missing",
}  # fmt: skip
"""Spellings of empty cells, in lower case."""
BINARY_UNITS = {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
FAMILIES = {"s": SECONDS, "B": BINARY_UNITS}
"""Unit to which the units of a family are converted if a column has several. KB is not accepted as a unit,
because it may mean 1000 or 1024 bytes.
"""
UNIT = re.compile(
    r"(?:[num\u00b5\u03bc]?s|sec|min|h|%|[x\u00d7]|[KMGT]iB|B|(?:[KMGT]i?)?(?:B|FLOPS?|Flops?|flops?|b|bit|OPS?)/s(?:ec)?)"
)
BEGINNINGS = frozenset("0123456789+-.")
LONGEST_NUMBER = 60
"""Limit on the characters of a number. A longer cell is a text."""
THOUSANDS = {
    ".": re.compile(r"[-+]?[1-9]\d{0,2}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,}|(?:'\d{3})+(?:\.\d+)?)"),
    ",": re.compile(r"[-+]?[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,}|(?:'\d{3})+(?:,\d+)?)"),
}
COMMA = re.compile(r"[-+]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{4,},\d{3})")
QUANTITY = re.compile(r"([-+]?[0-9][0-9.,']*(?:[eE][-+]?[0-9]+)?)\s*([^\s0-9].*)")

COMMA_NUMBERS = re.compile(r"(?:(?:[-+]?[0-9]{1,20}(?:[.,][0-9]{0,20})?(?:[eE][-+]?[0-9]{1,3})?)?;)*+")
"""Matches cells that are empty or plain numbers with decimal commas, each followed by a semicolon."""


def number(text: str, decimal: str = ".") -> tuple[float, str] | None:
    """Parse a cell into a number and its unit, which may be empty.

    The number is None if the cell is empty.

    Args:
        text: the cell.
        decimal: the decimal separator, a point or a comma.

    Raises:
        ValueError: the cell is not a number, or could be read as two different numbers.
    """
    if decimal == ".":
        try:  # most cells are plain numbers
            value = float(text)
        except ValueError:
            pass
        else:
            if text.isascii() and "_" not in text:
                return None if math.isnan(value) else (value, "")
    return _spelt(text.strip(), decimal)


def plain_numbers(cells: Sequence[str], decimal: str) -> FloatArray | None:
    """Return the numbers (N,) in the cells of a column, or NaN for empty cells.

    The result is that of `number` for each cell, but computed faster.

    Returns:
        None if a cell has a unit, or anything else that only `number` understands.
    """
    filled = [cell or "nan" for cell in cells] if "" in cells else cells
    if decimal == ",":
        joined = ";".join([*cells, ""])
        if not COMMA_NUMBERS.fullmatch(joined) or joined.count(";") != len(cells):
            return None
        filled = ";".join(filled).replace(",", ".").split(";")
    try:
        values = np.fromiter(map(float, filled), np.float64, len(filled))
    except ValueError:
        return None
    joined = "".join(cells)  # Python accepts 1_000 and other scripts' digits, tables do not
    return values if joined.isascii() and "_" not in joined else None


@lru_cache(1000)
def _spelt(text: str, decimal: str) -> tuple[float, str] | None:
    if text.lower() in EMPTY_CELLS:
        return None
    if len(text) > LONGEST_NUMBER or text[0] not in BEGINNINGS:
        raise ValueError(text)
    found = QUANTITY.fullmatch(text)
    if found and UNIT.fullmatch(found[2]):
        return _plain(found[1], decimal), found[2]
    return _plain(text, decimal), ""


def _plain(text: str, decimal: str) -> float:
    """Parse a number without a unit."""
    if THOUSANDS[decimal].fullmatch(text):
        text = text.replace("'", "").replace("," if decimal == "." else ".", "")
    if decimal == "," or COMMA.fullmatch(text):
        text = text.replace(",", ".")
    if not text.isascii() or "_" in text:  # Python accepts 1_000 and other scripts' digits, tables do not
        raise ValueError(text)
    return float(text)


def factors(units: set[str]) -> tuple[str, dict[str, float]] | None:
    """Return the common unit of a column with these units, and the factor of each unit.

    The result is None if the units are of different kinds.
    """
    if len(units) == 1:
        return next(iter(units)), dict.fromkeys(units, 1.0)
    return next(((unit, known) for unit, known in FAMILIES.items() if units <= known.keys()), None)
