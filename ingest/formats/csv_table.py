"""Comma- or tab-separated values with a header, as people export them from their own scripts.

`column_choice` tells what the header may name. Semicolons separate as well; decimals may then be commas.
Lines that begin with # before the header are comments, unless the last of them is the header of a table of
numbers only, as NumPy writes it. `pivot` reads tables whose header holds the values of a parameter.
"""

import csv
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from ingest.formats.campaign import Campaign
from ingest.formats.cells import number
from ingest.formats.errors import FormatError
from ingest.formats.limits import Limits
from ingest.formats.pivot import is_number, is_pivot, pivot_read
from ingest.formats.profiles import NumberedRows, Row
from ingest.formats.source import Source
from ingest.formats.table import tables_read
from ingest.formats.table_rows import Table
from ingest.formats.text import check_unmeasured

NAME = "csv"
TITLE = "CSV or TSV"
SEPARATORS = "\t;,"
COMMENT = "#"
KEPT = 6 * 1024 * 1024
"""Bytes of a file whose cells are kept from one pass to the next, which takes ten times as much memory."""

LARGE = 32 * 1024 * 1024
"""Bytes of a file of which the first rows are read before all others."""


def recognises(source: Source) -> bool:
    """A header, perhaps behind #, and lines of cells with a number among them."""
    lines = source.head.splitlines()
    skipped, header, below = _beginning(enumerate(lines, 1))
    if not below or header[0] in "{[" or "\0" in header:
        return False
    separator = separator_of(header)
    cells = _cells(header, separator)
    if len(cells) < 2 or separator not in below or (any(map(is_number, cells)) and not is_pivot(cells)):
        return False
    return any(_has_number(line, separator) for line in lines[skipped + 1 :])


def separator_of(header: str) -> str:
    """What separates the cells: the one that is there most often."""
    return max(SEPARATORS, key=header.count)


def decimal_of(separator: str) -> str:
    """What separates decimals where this separates cells."""
    return "," if separator == ";" else "."


def read(source: Source) -> Campaign:
    """Read the table in two passes."""
    skipped, header, _ = _beginning(source.raw_lines())
    separator = separator_of(header)

    def rows() -> Iterator[tuple[int, Row]]:
        text = chain([header], (line for _, line in islice(source.raw_lines(), skipped + 1, None)))
        return _rows(text, separator, skipped, source.limits)

    line, names = next(rows(), (skipped + 1, [""]))

    below = _Remembered(rows) if source.size <= KEPT else lambda: islice(rows(), 1, None)
    try:
        header_cells, large = _named(names, below()), source.size > LARGE
        table = Table(header_cells, below, source.limits, decimal_of(separator), large=large)
        return pivot_read(table, NAME) if is_pivot(table.header) else tables_read([table], NAME)
    except FormatError as error:
        raise error.at(line) from None


class _Remembered:
    """Rows below the header, read from the file once and kept for later passes."""

    def __init__(self, rows: Callable[[], NumberedRows]) -> None:
        self._rows, self._kept, self._complete = rows, list[tuple[int, Row]](), False

    def __call__(self) -> NumberedRows:
        """All of them, from the first one on."""
        return self._kept if self._complete else self._read()

    def _read(self) -> Iterator[tuple[int, Row]]:
        self._kept.clear()
        for row in islice(self._rows(), 1, None):
            self._kept.append(row)
            yield row
        self._complete = True


def _beginning(numbered: Iterable[tuple[int, str]]) -> tuple[int, str, str]:
    """How many lines stand before the header, the header, and the line below it; "" for none."""
    comment, first = (0, ""), (0, "")
    for place, line in numbered:
        if line.startswith(COMMENT):
            comment = (place - 1, line.lstrip(COMMENT + " ")) if not first[1] else comment
        elif line.strip():
            if first[1]:
                return *first, line
            first = place - 1, line
            if _is_header_of(comment[1], line):
                return *comment, line
    return *first, ""


def _is_header_of(comment: str, line: str) -> bool:
    """Whether a comment holds the names of the line below it, which holds numbers."""
    separator = separator_of(line)
    names, cells = _cells(comment, separator), _cells(line, separator)
    return len(names) == len(cells) > 1 and any(map(is_number, cells)) and not any(map(is_number, names))


def _cells(line: str, separator: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.split(separator)]


def _has_number(line: str, separator: str) -> bool:
    for cell in _cells(line, separator):
        try:
            if number(cell, decimal_of(separator)):
                return True
        except ValueError:
            continue
    return False


def _rows(lines: Iterable[str], separator: str, skipped: int, limits: Limits) -> Iterator[tuple[int, Row]]:
    """Rows with the numbers of their last lines, without blank ones and those that begin with #."""
    table = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=separator != "\t")
    others = 0
    try:
        for row in table:
            if row and row[0][:1] != COMMENT and (len(row) > 1 or row[0].strip()) and any(row):
                yield skipped + table.line_num, row
            else:
                others += 1
                check_unmeasured(others, limits, skipped + table.line_num)
    except csv.Error as error:
        found = f"no table: {error}"
        raise FormatError(found, "cells in quotes, or none with quotes", skipped + table.line_num) from None


def _named(names: Row, below: Iterable[tuple[int, Row]]) -> Row:
    """The header without empty cells behind, and with one for names of rows, to which R gives none."""
    first = next((row for _, row in below), None)
    if first is None:
        raise FormatError("no points", "at least one row below the header")
    while len(names) > 1 and not names[-1].strip() and not "".join(first[len(names) - 1 :]).strip():
        names = names[:-1]
    if len(first) == len(names) + 1 and first[-1].strip() and names[0].strip():
        return ["", *names]
    return names
