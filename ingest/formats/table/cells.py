"""Parses numbers as people and spreadsheets write them into the cells of a table.

Only numbers with a single meaning are read: `1,234.5` and `1'234` have separators of thousands, `12,5` has a
decimal comma, and `1,234` is refused unless the table is `GROUPED`. `1.234` has separators of thousands only
if the table is `GROUPED_BY_POINTS`. A unit may follow, as in `12.5 ms`. A spread, as in `12.5 ± 0.3 ms`, is
left out. `1:02:03.5` and `1h2m3.5s` are times in seconds. `4K` is a
multiple of 1000 or 1024, see `factors`. Infinite values, and words such as `timeout`, are missing values.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ingest.formats.campaign.campaign import FloatArray
from ingest.formats.campaign.units import SECONDS

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
"""Matches words, in lower case, in place of a result; >3600 is the time limit of a stopped run."""
PREFIXES = "KMGTP"
BINARY_UNITS = {"B": 1.0} | {f"{prefix}iB": 1024.0**power for power, prefix in enumerate(PREFIXES, 1)}
THOUSANDS_OF_BYTES = {"kB": 1024.0} | {
    f"{prefix}B": 1024.0**power for power, prefix in enumerate(PREFIXES, 1)
}
SIZE_UNITS = BINARY_UNITS.keys() | THOUSANDS_OF_BYTES.keys()
"""Units that a problem size may have as well as a metric."""
MINUTES = "m:s"
"""Unit of times such as 12:34. In columns not named as times, such cells are texts."""
RATED = ("B", "b", "bit", "FLOP", "FLOPS", "Flop", "Flops", "flop", "flops", "OP", "OPS")
"""Units of which there are rates per second, with prefixes that are powers of 1000."""

SI_PREFIXES = {"m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
"""Prefixes of units of power, energy and frequency."""


def _rates(unit: str) -> dict[str, float]:
    """Return the spellings of a unit per second, with their factors: GB/s is 10^9 B/s, GiB/s 1024^3 B/s."""
    prefixes = {"": 1.0, "k": 1e3} | {prefix: 1e3**power for power, prefix in enumerate(PREFIXES, 1)}
    prefixes |= {f"{prefix}i": 1024.0**power for power, prefix in enumerate(PREFIXES, 1)}
    return {f"{prefix}{unit}/s": size for prefix, size in prefixes.items()}


FAMILIES = {
    "s": SECONDS | {MINUTES: 1.0},
    "B": BINARY_UNITS | THOUSANDS_OF_BYTES,
    **{f"{unit}/s": _rates(unit) for unit in RATED},
    **{
        unit: {f"{prefix}{unit}": size for prefix, size in SI_PREFIXES.items()}
        for unit in ("W", "J", "Wh", "Hz")
    },
}
"""Common unit → units that are converted to it, with their factors. 1 MB counts as 1024 KB, with a note."""
SUFFIXES = {"": 0, "k": 1} | {prefix: power for power, prefix in enumerate(PREFIXES, 1)}
"""Letter after a number without a unit → its power of 1000 or 1024."""
UNIT = re.compile(
    r"(?:[num\u00b5\u03bc]?s|[mun]?secs?|(?:milli|micro|nano)?seconds?|min(?:ute)?s?|h|hrs?|hours?|%|[x\u00d7]|[kKMGTP]|[KMGTP]iB|[kKMGTP]?B|(?:[KMGT]i?)?(?:B|FLOPS?|Flops?|flops?|b|bit|OPS?)/s(?:ec)?"
    r"|[mkMG]?(?:W|J|Wh|Hz)|[A-Za-z]{1,12}/s(?:ec)?)"
)
TIMES_SIGN = {"\u00d7": "x"}
"""Spelling of a unit → the usual spelling."""
PERCENT = "%"
BEGINNINGS = frozenset("0123456789+-.")
LONGEST_NUMBER = 60
"""Limit on the characters of a number. Longer cells are texts."""
GROUPED = ".,"
"""Decimal separator of tables with a decimal point in which commas can only separate thousands: 1,234."""
GROUPED_BY_POINTS = ",."
"""Decimal separator of tables with decimal commas in which points can only separate thousands: 1.234."""
THOUSANDS = {
    GROUPED: re.compile(r"[-+]?[1-9]\d{0,2}(?:(?:,\d{3})+|(?:'\d{3})+)(?:\.\d+)?"),
    ".": re.compile(r"[-+]?[1-9]\d{0,2}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,}|(?:'\d{3})+(?:\.\d+)?)"),
    GROUPED_BY_POINTS: re.compile(r"[-+]?[1-9]\d{0,2}(?:(?:\.\d{3})+|(?:'\d{3})+)(?:,\d+)?"),
    ",": re.compile(r"[-+]?[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,}|(?:'\d{3})+(?:,\d+)?)"),
}
COMMA = re.compile(r"[-+]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{4,},\d{3})")
QUANTITY = re.compile(r"([-+]?[0-9][0-9.,']*(?:[eE][-+]?[0-9]+)?)\s*([^\s0-9].*)")
SPREAD = re.compile(r"\s*(?:\u00b1|\+/?-)\s*|\s?\((?=[^()]+\)$)")
"""Matches the sign between a number and its spread, or the bracket: 12.5(3)."""
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
    """Parse a cell into a number and its unit, which may be empty; None if it is empty, NaN or infinite.

    Raises:
        ValueError: the cell is not a number, or could be read as two different numbers.
    """
    if not decimal.startswith(","):
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
    """Return the numbers (N,) in a column, NaN for empty cells; None if a cell needs `number`."""
    filled = [cell or "nan" for cell in cells] if "" in cells else cells
    if decimal.startswith(","):
        joined = ";".join([*cells, ""])
        if decimal == GROUPED_BY_POINTS and "." in joined:
            return None
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
    """Return the number before a spread, and the unit after either. A spread in percent has no unit."""
    middle, margin = _spelt(text, decimal), _spelt(spread, decimal)
    if middle is None or margin is None:
        raise ValueError(text)
    unit = margin[1] if margin[1] != PERCENT else ""
    if middle[1] and unit and middle[1] != unit:
        raise ValueError(text)
    return middle[0], middle[1] or unit


def seconds_of(clock: re.Match[str]) -> float:
    """Return a time in seconds. Days, hours, minutes or seconds may be missing."""
    parts = (float(part.replace(",", ".")) if part else 0.0 for part in clock.groups())
    return sum(part * length for part, length in zip(parts, LENGTHS, strict=True))


def _plain(text: str, decimal: str) -> float:
    """Parse a number without a unit."""
    if THOUSANDS[decimal].fullmatch(text):
        text = text.replace("'", "").replace("." if decimal.startswith(",") else ",", "")
    if decimal.startswith(",") or COMMA.fullmatch(text):
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
    """Return the common unit of a column's units, "" for none, and each unit's factor; None if kinds differ.

    `thousand` is the value of K, 1000 or 1024. M, G and so on are its powers.
    """
    if units <= SUFFIXES.keys() and units != {""}:
        return "", {unit: thousand ** SUFFIXES[unit] for unit in units}
    if len(units) == 1 and MINUTES not in units:
        return next(iter(units)), dict.fromkeys(units, 1.0)
    return next(((unit, known) for unit, known in FAMILIES.items() if units <= known.keys()), None)
