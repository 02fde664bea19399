"""Summarises the cells of a table's columns in a first pass over its rows."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ingest.formats.errors import FormatError, LimitError
from ingest.formats.table.cells import factors, has_no_result, number, plain_numbers
from ingest.formats.table.chunks import Chunks

MOST_REMEMBERED = 5000
"""Limit on the remembered distinct cells of a column. With more, it is marked `many`."""
KEPT_IN_ALL = 200_000
"""Limit on the remembered distinct cells of all columns, which take about 50 MiB."""
LONGEST_REMEMBERED = 200
"""Limit on the characters of a cell that is remembered."""
WIDEST = 5000
"""Limit on the columns of a table."""
MOST_ROWS = 20_000_000
"""Limit on the rows of a table, equal to the limit on a campaign's values."""
MARKS = (":", "\u00b1", "+/-", "+-", "(")
"""Signs in cells whose numbers are converted: times such as 1:02:03, and values with spreads."""
DAY = r"(?:\d{4}[-/.](?:\d{1,2}|[A-Z][a-z]{2})[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})"
DATE = re.compile(DAY + r"(?:[T ].{0,30})?|[A-Z][a-z]{2},? .{6,30}\d{4}")
PRINTED = re.compile(r"[.,]\d{4,}$")
HEX = re.compile(
    r"0x[0-9a-f]{4,}|(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


@dataclass
class Profile:
    """Summary of the cells of one column.

    Attributes:
        kept: limit on the distinct numbers, and on the distinct texts, that are remembered.
        numbers: distinct numbers before their units; times such as 1:02:03 are in seconds.
        texts: distinct cells that are neither numbers nor empty.
        units: units that follow the numbers; "" for a number without one.
        marks: the `MARKS` that occur in the numbers.
        many: whether there are more distinct cells than are remembered.
        low: the smallest number.
        whole: whether all numbers are whole.
        counting: whether each number is the previous one plus 1.
        rising: whether each cell is a whole number above the previous one.
        printed: whether each number has at least four decimals, as `%f` writes them.
        no_result: whether a cell is infinite, or a word such as timeout.
    """

    kept: int = MOST_REMEMBERED
    numbers: set[float] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    units: set[str] = field(default_factory=set)
    marks: set[str] = field(default_factory=set)
    many: bool = False
    low: float = float("inf")
    whole: bool = True
    counting: bool = True
    rising: bool = True
    printed: bool = True
    no_result: bool = False
    _last: float | None = None
    _seen: set[str] = field(default_factory=set)

    def take(self, cells: Sequence[str], decimal: str) -> None:
        """Add further cells of the column to the summary."""
        if self.many and len(self.numbers) >= self.kept and self._take_plain(cells, decimal):
            return
        fresh = set(cells) - self._seen
        if len(self.texts) < self.kept or self.numeric:  # otherwise further cells change nothing
            self._look(fresh, decimal)
        if len(self._seen) < self.kept:
            self._seen.update(text[:LONGEST_REMEMBERED] for text in fresh)
        elif fresh:
            self.many = True
        self._follow(cells)

    def _take_plain(self, cells: Sequence[str], decimal: str) -> bool:
        """Add cells of a column with many numbers. Return False if some cells are not plain numbers."""
        values = plain_numbers(cells, decimal)
        if values is None:
            return False
        empty = np.isnan(values)
        self._look_at_words(cells[place] for place in np.flatnonzero(empty).tolist())
        values = values[~empty]
        if values.size:
            self.units.add("")
            self.low = min(self.low, float(values.min()))
            self.whole = self.whole and bool((np.isfinite(values) & (np.floor(values) == values)).all())
        self._follow(cells)
        return True

    def _look(self, cells: Iterable[str], decimal: str) -> None:
        numbers = list[float]()
        for text in cells:
            try:
                found = number(text, decimal)
            except ValueError:
                if len(self.texts) < self.kept:
                    self.texts.add(text.strip()[:LONGEST_REMEMBERED])
                self._look_at_words([text])
                continue
            if found is None:
                self._look_at_words([text])
            else:
                numbers.append(found[0])
                self.units.add(found[1])
                self.printed = self.printed and PRINTED.search(text.strip()) is not None
                self.marks.update(mark for mark in MARKS if mark in text)
        if numbers:
            self.low = min(self.low, *numbers)
            self.whole = self.whole and all(map(float.is_integer, numbers))
            if len(self.numbers) < self.kept:
                self.numbers.update(numbers)

    def _look_at_words(self, cells: Iterable[str]) -> None:
        self.no_result = self.no_result or any(map(has_no_result, cells))

    def _follow(self, cells: Sequence[str]) -> None:
        """Update whether all numbers so far count up by 1, and whether they rise."""
        for text in cells if self.rising else ():
            if not text.strip().isdecimal() or len(text) > LONGEST_REMEMBERED:
                self.counting = self.rising = False
                return
            value = float(text)
            if self._last is not None:
                self.counting, self.rising = self.counting and value == self._last + 1, value > self._last
            if not self.rising:
                return
            self._last = value

    @property
    def empty(self) -> bool:
        """Return whether all cells of the column are empty."""
        return not self.numbers and not self.texts

    @property
    def numeric(self) -> bool:
        """Return whether the column contains numbers, with units of a single kind."""
        return len(self.numbers) >= max(1, len(self.texts)) and factors(self.units) is not None

    @property
    def clocked(self) -> bool:
        """Return whether the column holds times such as 1:02:03."""
        return MARKS[0] in self.marks

    @property
    def spread(self) -> bool:
        """Return whether the numbers of the column are followed by spreads."""
        return not self.marks.isdisjoint(MARKS[1:])

    @property
    def constant(self) -> bool:
        """Return whether all cells that are not empty are equal."""
        return len(self.numbers) + len(self.texts) == 1

    @property
    def dated(self) -> bool:
        """Return whether the column contains dates."""
        return bool(self.texts) and all(map(DATE.fullmatch, self.texts))

    @property
    def identifying(self) -> bool:
        """Return whether the column contains hexadecimal numbers, such as hashes, or UUIDs."""
        return bool(self.texts) and all(HEX.fullmatch(text.lower()) for text in self.texts)


def check_width(width: int) -> None:
    """Refuse a table with too many columns.

    Raises:
        FormatError: the table has more than `WIDEST` columns.
    """
    if width > WIDEST:
        raise FormatError(f"{width} columns", f"at most {WIDEST} columns")


def profiled(
    chunks: Chunks,
    width: int,
    decimal: str,
    check: Callable[[int, Profile], None],
    *,
    look: Callable[[Sequence[Profile], int], None],
    every: int = 0,
) -> tuple[list[Profile], int]:
    """Return a summary of each column of a table, and the number of rows.

    Args:
        check: called with index and summary of a column with as many texts as are remembered. It
            may raise an error.
        look: called with the summaries of all columns and the number of rows so far. It may raise an error.
        every: number of rows between two calls of `look`; 0: never.

    Raises:
        FormatError: a row does not have as many cells as the header.
    """
    check_width(width)
    kept = min(MOST_REMEMBERED, KEPT_IN_ALL // width)
    profiles, count, next_look = [Profile(kept) for _ in range(width)], 0, every
    for chunk in chunks:
        columns = chunk.columns(width)
        count += len(chunk)
        if count > MOST_ROWS:
            raise LimitError(f"more than {MOST_ROWS} rows", f"at most {MOST_ROWS} rows in one campaign")
        for place, cells in enumerate(columns):
            profiles[place].take(cells, decimal)
            if len(profiles[place].texts) == kept:
                check(place, profiles[place])
        if every and count >= next_look:
            look(profiles, count)
            next_look = count + every
    return profiles, count
