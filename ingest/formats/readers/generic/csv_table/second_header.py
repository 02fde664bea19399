"""Joins the header of a table with a second line of names or units below it.

Groups above names, `,Copy,,Triad,` above `size,time,rate,time,rate`, give size, Copy time, Copy rate, Triad
time and Triad rate. Units stand below names: `p,time` above `-,ms`.
"""

import csv
import io
from collections.abc import Sequence

from ingest.formats.campaign.units import DATA, SECONDS
from ingest.formats.table.cells import UNIT
from ingest.formats.table.pivot import is_number

NO_UNIT = frozenset({"", "-", "#", "1"})
BRACKETS = "[]()"


def header_of_lines(lines: Sequence[str], separator: str) -> tuple[str, int] | None:
    """Return the header and the number of its lines, or None if the first line alone is the header."""
    if len(lines) < 3:
        return None
    try:
        rows = [_cells(line, separator) for line in lines]
    except csv.Error:  # a row in quotes that spans lines
        return None
    first, second, third = rows[:3]
    if len(first) != len(second) or any(map(is_number, second)) or not any(second):
        return None
    taken = 2
    if len(rows) > 3 and len(third) == len(first) and _names_index(first, second, third):
        second, taken = [low or lower for low, lower in zip(second, third, strict=True)], 3
        third = rows[3]
    if not any(map(is_number, third)):
        return None
    names = _with_units(first, second) if _are_units(first, second, third) else _in_groups(first, second)
    return (_line(names, separator), taken) if names else None


def _cells(line: str, separator: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]


def _line(names: Sequence[str], separator: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="").writerow(names)
    return text.getvalue()


def _names_index(first: Sequence[str], second: Sequence[str], third: Sequence[str]) -> bool:
    """Return whether the third line only names columns without a name, as pandas names its index."""
    columns = zip(first, second, third, strict=True)
    return any(third) and not any(low and (high or middle or is_number(low)) for high, middle, low in columns)


def _are_units(first: Sequence[str], second: Sequence[str], third: Sequence[str]) -> bool:
    """Return whether the second line holds units: a known one, and words only above numbers.

    Profilers have many further units, such as `register/thread`.
    """
    units = [cell.strip(BRACKETS) for cell in second]
    known = any(unit.lower() in SECONDS.keys() | DATA.keys() or UNIT.fullmatch(unit) for unit in units)
    columns = zip(units, third, strict=True)
    return all(first) and known and all(unit in NO_UNIT or _is_measured(cell) for unit, cell in columns)


def _is_measured(cell: str) -> bool:
    return not cell or is_number(cell.replace(",", ""))


def _with_units(first: Sequence[str], second: Sequence[str]) -> list[str]:
    units = (cell.strip(BRACKETS) for cell in second)
    return [name if unit in NO_UNIT else f"{name} [{unit}]" for name, unit in zip(first, units, strict=True)]


def _in_groups(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return the name of each column after the first one, with its group's name; none without groups."""
    groups = list[str]()
    for place, name in enumerate(first):
        groups.append(name or (groups[-1] if groups and second[place] else ""))
    several = any(groups.count(group) > 1 for group in groups if group)
    names = [" ".join(filter(None, pair)) for pair in zip(groups, second, strict=True)]
    names[0] = second[0] or first[0]
    return names if several and len(set(names)) == len(names) else []
