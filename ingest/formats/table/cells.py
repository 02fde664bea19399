"""Parses numbers as people and spreadsheets write them into the cells of a table.

Only numbers with a single meaning are read: `1,234.5` and `1'234` have separators of thousands, `12,5` has a
decimal comma, and `1,234`, which may be either, is refused. A unit may follow a number, as in `12.5 ms`, `4
KiB` or `95 %`. A spread may follow as well, as in `12.5 ± 0.3 ms`, and is left out. `1:02:03.5` and
`1h2m3.5s` are times in seconds. `4K` and `1.5G` are multiples of 1000 or 1024, see `factors`. Infinite
values, and words such as `timeout` and `OOM`, are missing values.
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
FAILURES = (
    r"time[ _-]?(?:d[ _-]?)?(?:out|limit)|oom|out[ _-]of[ _-](?:mem|time)|mem[ _-]?out|fail|error|crash|kill"
    r"|abort|seg[ _-]?(?:v|fault)|cancel|skip|unsupported|invalid"
    r"|not[ _-](?:run|available|supported|measured|finish)"
)
NO_RESULT = re.compile(
    r"[+-]?(?:nan|inf(?:inity)?|\u221e)|x{1,3}|\*{1,3}|n\.a\.|dn[fr]|[tm]le|mo|t/o"
    rf"|[a-z_ ./-]{{0,30}}(?:{FAILURES})[a-z_ ./-]{{0,30}}(?:\([^()]*\))?|[>\u2265] ?[\d.,]+ ?[a-z]{{0,10}}"
)
"""Matches words, in lower case, that replace the result of a run without a result. In a cell such as >3600,
the number is the time limit at which a run was stopped.
"""
PREFIXES = "KMGTP"
BINARY_UNITS = {"B": 1.0} | {f"{prefix}iB": 1024.0**power for power, prefix in enumerate(PREFIXES, 1)}
THOUSANDS_OF_BYTES = {"kB": 1024.0} | {
    f"{prefix}B": 1024.0**power for power, prefix in enumerate(PREFIXES, 1)
}
SIZE_UNITS = BINARY_UNITS.keys() | THOUSANDS_OF_BYTES.keys()
"""Units that a problem size may have as well as a metric."""
MINUTES = "m:s"
"""Unit of a time such as 12:34, which is read as minutes and seconds. If the column's name is not that of a
time, the cell is a text.
"""
FAMILIES = {
    "s": SECONDS | {MINUTES: 1.0},
    "B": BINARY_UNITS | THOUSANDS_OF_BYTES,
}
"""Common unit → the units that are converted to it if a column has several of them, each with its factor.
1 MB counts as 1024 KB, because operating systems and schedulers mean powers of 1024. A note reports this.
"""
SUFFIXES = {"": 0, "k": 1} | {prefix: power for power, prefix in enumerate(PREFIXES, 1)}
"""Letter after a number without a unit → its power of 1000 or 1024."""
UNIT = re.compile(
    r"(?:[num\u00b5\u03bc]?s|[mun]?secs?|(?:milli|micro|nano)?seconds?|min(?:ute)?s?|h|hrs?|hours?|%|[x\u00d7]|[kKMGTP]|[KMGTP]iB|[kKMGTP]?B|(?:[KMGT]i?)?(?:B|FLOPS?|Flops?|flops?|b|bit|OPS?)/s(?:ec)?)"
)
TIMES_SIGN = {"\u00d7": "x"}
"""Spelling of a unit → the usual spelling: 2.5× is the same as 2.5x."""
PERCENT = "%"
BEGINNINGS = frozenset("0123456789+-.")
LONGEST_NUMBER = 60
"""Limit on the characters of a number. A cell with more characters is read as a text."""
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
"""Matches days, hours, minutes and seconds as a shell prints them: 1m2.345s."""
LENGTHS = (86400.0, 3600.0, 60.0, 1.0)
"""Seconds in a day, an hour, a minute and a second."""
COMMA_NUMBERS = re.compile(r"(?:(?:[-+]?[0-9]{1,20}(?:[.,][0-9]{0,20})?(?:[eE][-+]?[0-9]{1,3})?)?;)*+")
"""Matches cells that are empty or plain numbers with decimal commas, each followed by a semicolon."""


def number(text: str, decimal: str = ".") -> tuple[float, str] | None:
    """Parse a cell into a number and its unit, which may be empty.

    The result is None if the cell is empty, NaN or infinite.

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
                if math.isfinite(value):
                    return value, ""
                if has_no_result(text):
                    return None
    return _spelt(text.strip(), decimal)


def plain_numbers(cells: Sequence[str], decimal: str) -> FloatArray | None:
    """Return the numbers (N,) in the cells of a column, or NaN for empty cells.

    The result is that of `number` for each cell, but computed faster.

    Returns:
        None if a cell has a unit, is infinite, or is anything else that only `number` understands.
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
    plain = joined.isascii() and "_" not in joined and not np.isinf(values).any()
    return values if plain else None


@lru_cache(1000)
def _spelt(text: str, decimal: str) -> tuple[float, str] | None:
    if text.lower() in EMPTY_CELLS:
        return None
    if len(text) > LONGEST_NUMBER or text[0] not in BEGINNINGS:
        raise ValueError(text)
    if len(parts := SPREAD.split(text)) == 2:
        return _middle(parts[0], parts[1].removesuffix(")"), decimal)
    if clock := CLOCK.fullmatch(text):
        return seconds_of(clock), "s" if clock[2] or not clock[4].isdecimal() else MINUTES
    found = QUANTITY.fullmatch(text)
    if found and UNIT.fullmatch(found[2]):
        return _plain(found[1], decimal), TIMES_SIGN.get(found[2], found[2])
    spelt = SPELT_CLOCK.fullmatch(text)
    if spelt and sum(map(bool, spelt.groups())) > 1:  # 10m alone may be metres
        return seconds_of(spelt), "s"
    return _plain(text, decimal), ""


def _middle(text: str, spread: str, decimal: str) -> tuple[float, str]:
    """Return the number before a spread, and the unit, which may follow the number or the spread.

    The unit of a spread in percent is ignored.
    """
    middle, margin = _spelt(text, decimal), _spelt(spread, decimal)
    if middle is None or margin is None:
        raise ValueError(text)
    unit = margin[1] if margin[1] != PERCENT else ""
    if middle[1] and unit and middle[1] != unit:
        raise ValueError(text)
    return middle[0], middle[1] or unit


def seconds_of(clock: re.Match[str]) -> float:
    """Return a time in seconds, given its days, hours, minutes and seconds. Any of these may be missing."""
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
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def has_no_result(text: str) -> bool:
    """Return whether a cell says that a run gave no result: timeout, OOM, inf."""
    return len(text) <= LONGEST_NUMBER and NO_RESULT.fullmatch(text.strip().lower()) is not None


def factors(units: set[str], thousand: float = 1000.0) -> tuple[str, dict[str, float]] | None:
    """Return the common unit of a column with these units, and the factor of each unit.

    The result is None if the units are of different kinds.

    Args:
        units: those of its cells; "" for cells without a unit.
        thousand: the value of K, 1000 or 1024. M, G and so on are powers of this value.
    """
    if units <= SUFFIXES.keys() and units != {""}:
        return "", {unit: thousand ** SUFFIXES[unit] for unit in units}
    if len(units) == 1 and MINUTES not in units:
        return next(iter(units)), dict.fromkeys(units, 1.0)
    return next(((unit, known) for unit, known in FAMILIES.items() if units <= known.keys()), None)
