"""Parses numbers as people and spreadsheets write them into the cells of a table.

Only numbers with a single meaning are read: `1,234.5` and `1'234` have separators of thousands, `12,5` has a
decimal comma, and `1,234`, which may be either, is refused. A unit may follow a number, as in `12.5 ms`, `4
KiB` or `95 %`, and so may a spread, as in `12.5 ± 0.3 ms`, which is left out. `1:02:03.5` and `1h2m3.5s` are
times in seconds.
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
SIZE_UNITS = BINARY_UNITS.keys() | {"kB", "KB", "MB", "GB", "TB"}
"""Units of problem sizes as well as of metrics."""
MINUTES = "m:s"
"""Unit of a time such as 12:34, which is read as minutes and seconds; under a name that is no time, such a
cell is a text.
"""
FAMILIES = {"s": SECONDS | {MINUTES: 1.0}, "B": BINARY_UNITS}
"""Unit to which the units of a family are converted where a column has several. A KB may have 1000 or 1024
bytes, so KB and MB do not belong to any family: a column may have only one of them.
"""
UNIT = re.compile(
    r"(?:[num\u00b5\u03bc]?s|sec|min|h|%|[x\u00d7]|[KMGT]iB|[kKMGT]?B|(?:[KMGT]i?)?(?:B|FLOPS?|Flops?|flops?|b|bit|OPS?)/s(?:ec)?)"
)
PERCENT = "%"
BEGINNINGS = frozenset("0123456789+-.")
LONGEST_NUMBER = 60
"""Limit on the characters of a number. A longer cell is a text."""
THOUSANDS = {
    ".": re.compile(r"[-+]?[1-9]\d{0,2}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,}|(?:'\d{3})+(?:\.\d+)?)"),
    ",": re.compile(r"[-+]?[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,}|(?:'\d{3})+(?:,\d+)?)"),
}
COMMA = re.compile(r"[-+]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{4,},\d{3})")
QUANTITY = re.compile(r"([-+]?[0-9][0-9.,']*(?:[eE][-+]?[0-9]+)?)\s*([^\s0-9].*)")
SPREAD = re.compile(r"\s*(?:\u00b1|\+/?-)\s*|\s?\((?=[^()]+\)$)")
"""Matches the sign between a number and its spread, or the bracket before it: 12.5(3)."""
CLOCK = re.compile(r"(?:(?:([0-9]{1,4})-)?([0-9]{1,5}):)?([0-9]{1,5}):([0-5][0-9](?:[.,][0-9]{1,9})?)")
"""Matches days, hours, minutes and seconds, as schedulers write them: 1-02:03:04."""
SPELT_CLOCK = re.compile(
    r"(?:([0-9]{1,4})d)? ?(?:([0-9]{1,5})h)? ?(?:([0-9]{1,5})m(?:in)?)?"
    r" ?(?:([0-9]{1,5}(?:[.,][0-9]{1,9})?)s)?"
)
"""Matches the same as a shell writes it: 1m2.345s."""
LENGTHS = (86400.0, 3600.0, 60.0, 1.0)
"""Seconds in a day, an hour, a minute and a second."""
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
    if len(parts := SPREAD.split(text)) == 2:
        return _middle(parts[0], parts[1].removesuffix(")"), decimal)
    if clock := CLOCK.fullmatch(text):
        return _seconds(clock), "s" if clock[2] or not clock[4].isdecimal() else MINUTES
    found = QUANTITY.fullmatch(text)
    if found and UNIT.fullmatch(found[2]):
        return _plain(found[1], decimal), found[2]
    spelt = SPELT_CLOCK.fullmatch(text)
    if spelt and sum(map(bool, spelt.groups())) > 1:  # 10m alone may be metres
        return _seconds(spelt), "s"
    return _plain(text, decimal), ""


def _middle(text: str, spread: str, decimal: str) -> tuple[float, str]:
    """Return the number before a spread, with the unit of either; a spread in percent gives none."""
    middle, margin = _spelt(text, decimal), _spelt(spread, decimal)
    if middle is None or margin is None:
        raise ValueError(text)
    unit = margin[1] if margin[1] != PERCENT else ""
    if middle[1] and unit and middle[1] != unit:
        raise ValueError(text)
    return middle[0], middle[1] or unit


def _seconds(clock: re.Match[str]) -> float:
    """Return the seconds of a time of days, hours, minutes and seconds, of which any may be missing."""
    parts = (float(part.replace(",", ".")) if part else 0.0 for part in clock.groups())
    return sum(part * length for part, length in zip(parts, LENGTHS, strict=True))


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
    if len(units) == 1 and MINUTES not in units:
        return next(iter(units)), dict.fromkeys(units, 1.0)
    return next(((unit, known) for unit, known in FAMILIES.items() if units <= known.keys()), None)
