"""Recognises and splits tables whose columns are separated by blanks.

A name may contain single blanks if at least two blanks separate the header's names. Any text consists of
words with blanks, so the first rows must have as many cells as the header.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from ingest.formats.table.cells import number

BLANK = " "
EMPTY = '""'
"""The name of a first column without one, as gnuplot's users write it."""
LEAST_ROWS = 2
FIRST = ("0", "1")
"""Numbers of the first row, if a first column without a name numbers the rows."""
MOST_ROWS = 100
"""Limit on the rows by which a table is recognised."""
WIDE = re.compile(r" {2,}|\t+")
UNIT = re.compile(r"[\[(][^\[\]()]{0,40}[\])],?")


def blanked(blocks: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    """Yield blocks of lines with tabs replaced by blanks, because some programs print both."""
    for first, lines in blocks:
        yield first, [line.replace("\t", BLANK) for line in lines]


def cells_of(line: str) -> list[str]:
    """Return the cells of a row. Blanks inside quotes separate nothing."""
    if '"' not in line:
        return line.split()
    try:
        cells = next(csv.reader([line.strip()], delimiter=BLANK, skipinitialspace=True, strict=True), [])
    except csv.Error:
        return line.split()
    return [cell for cell in cells if cell]


def names_of(header: str, width: int) -> list[str]:
    """Return the names in a header above rows of `width` cells.

    The header is split at all blanks, at blanks that are not before a unit in brackets, or at tabs and
    several blanks. The first split with `width` names is used, or else the second split. The second one fits
    files of R, which writes no name above the names of rows.
    """
    words = cells_of(header)
    if header.lstrip().startswith(EMPTY):
        words = ["", *words]
    joined = list[str]()
    for word in words:
        if joined and UNIT.fullmatch(word):
            joined[-1] += f" {word}"
        else:
            joined.append(word)
    fits = (names for names in (words, joined, WIDE.split(header.strip())) if len(names) == width)
    return [name.strip().rstrip(" ,;/") for name in next(fits, joined)]


def is_table(header: str, below: Sequence[str]) -> bool:
    """Return whether rows have a cell for each name, and one column has only numbers.

    One name may be missing if the first column names or numbers the rows.
    """
    others = (line for line in below if line.strip() and line.strip() != header.strip())
    rows = [cells_of(line) for line in islice(others, MOST_ROWS)]
    if len(rows) < LEAST_ROWS or len(widths := set(map(len, rows))) > 1:
        return False
    width = widths.pop()
    missing, first = width - len(names_of(header, width)), rows[0][0]
    named = missing == 0 or (missing == 1 and (first in FIRST or not _is_number(first)))
    return width > 1 and named and any(all(map(_is_number, column)) for column in zip(*rows, strict=True))


def _is_number(cell: str) -> bool:
    try:
        return number(cell) is not None
    except ValueError:
        return False
