"""Reads tables that a program prints among other lines, such as a summary at the end of a job's output.

A table is a line of names above at least two rows with as many cells, of which at least one is a number; a
line of dashes may be between them. One of the names must be that of a measured quantity, and the first column
must not be measured. The separator is a comma, a semicolon, a bar, a tab, several blanks, or a blank. Each of
several tables is a kernel, with the line above its header as its name. All other lines are left out, so files
are read in this format only if no other format recognises them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL
from ingest.formats.campaign.units import bytes_in, is_per_time, seconds_in
from ingest.formats.collecting.entries import level_of
from ingest.formats.errors import FormatError, LimitError
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured
from ingest.formats.limits import Limits
from ingest.formats.readers.generic.csv_table.blanks import BLANK, cells_of, names_of
from ingest.formats.readers.generic.csv_table.reading import decimal_of
from ingest.formats.table.cells import EMPTY_CELLS, has_no_result, number
from ingest.formats.table.chunks import Row, chunked
from ingest.formats.table.headings import heading
from ingest.formats.table.reading import tables_read
from ingest.formats.table.row_reader import Table

NAME, TITLE = "printed-table", "Table in a program's output"
GENERAL = True
LEAST_ROWS = 2
MOST_TABLES = 50
"""Limit on the tables of one file."""
RULE = frozenset("-=+_*| ")
"""Characters of lines between a header and its rows."""
NAME_OF_COLUMN = re.compile(r"[^\W\d_].*|[%#].*|\d{1,2}%")
"""Matches names of columns, also of a percentile: 25%."""
PLAIN_NUMBER = re.compile(r"(?:^|[\s,;|])[-+]?\d[\d.,]*(?:$|[\s,;|])")
"""Matches a number between separators, which no header has."""
LONGEST_LINE = 2000
"""Longer lines are no rows."""
MOST_CELLS = 1_000_000
"""Limit on the cells of all tables, which are held in memory."""
DIGIT = re.compile(r"\d")
THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+")
WIDE = re.compile(r"\s{2,}|\t")


def _split_at(separator: str) -> Callable[[str], Row]:
    return lambda line: [cell.strip() for cell in line.strip(f"{separator} ").split(separator)]


SPLITS: Sequence[Callable[[str], Row]] = (
    *(_split_at(separator) for separator in ",;|\t"),
    lambda line: WIDE.split(line.strip()),
    cells_of,
)
"""Functions that split a line into cells, in the order in which they are tried."""


@dataclass
class Found:
    """A table that is being read: its header, the split of its lines, and its rows with their lines."""

    line: int
    title: str
    names: Row
    split: Callable[[str], Row]
    rows: list[tuple[int, Row]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, line: int, text: str) -> bool:
        """Add a row if it is one of the table: with numbers where the first row has some."""
        cells = self.split(text)
        if len(cells) != len(self.names):
            return False
        first = self.rows[0][1] if self.rows else cells
        if any(_is_number(known) and not _is_value(cell) for known, cell in zip(first, cells, strict=True)):
            return False
        self.rows.append((line, cells))
        self.texts.append(text)
        return True

    @property
    def whole(self) -> bool:
        """Return whether the rows and names are those of a table of measurements."""
        headings = [heading(name) for name in self.names]
        measured = [
            _is_unit(each.unit) or (each.measured is True and len(each.name) > 1)  # b may be anything
            for each in headings
        ]
        if self.split is cells_of and not any(each.measured is False for each in headings):
            return False  # the words of a sentence are no names
        return len(self.rows) >= LEAST_ROWS and any(measured) and headings[0].measured is not True


def recognises(source: Source) -> bool:
    """Recognise a table near the beginning of a text."""
    if source.head.startswith(("{", "[", "<")) or "\0" in source.head:
        return False
    return next(_tables(enumerate(source.head.splitlines(), 1), source.limits), None) is not None


def read(source: Source) -> Campaign:
    """Read all tables of a file."""
    found = list(islice(_tables(source.lines(), source.limits), MOST_TABLES))
    if not found:
        raise FormatError("no table", "names of columns above rows of numbers")
    tables = [
        Table(
            each.names,
            chunked(lambda each=each: iter(each.rows)),  # type: ignore[misc]
            source.limits,
            decimal_of(BLANK, each.texts),
            kernel=(level_of(each.title) or DEFAULT_KERNEL) if len(found) > 1 else DEFAULT_KERNEL,
            line=each.line,
        )
        for each in found
    ]
    campaign = tables_read(tables, NAME)
    lines = ", ".join(str(each.line) for each in found[:5])
    note = (
        f"read from the table below line {lines}"
        if len(found) == 1
        else f"read from tables below lines {lines}"
    )
    return replace(campaign, notes=(note, *campaign.notes))


def _tables(lines: Iterable[tuple[int, str]], limits: Limits) -> Iterator[Found]:
    """Yield the tables among these lines."""
    table: Found | None = None
    last, title, cells, others = (0, ""), "", 0, 0
    for line, whole in lines:
        text = whole.strip()
        if not text or set(text) <= RULE:
            continue
        if table and len(text) <= LONGEST_LINE and table.add(line, text):
            cells += len(table.names)
            if cells > MOST_CELLS:
                raise LimitError(
                    f"tables with more than {MOST_CELLS} cells", f"at most {MOST_CELLS} cells", line
                )
            continue
        others += 1
        check_unmeasured(others, limits, line)
        if table and table.whole:
            yield table
        table = _begun(last, title, line, text)
        last, title = (line, text), last[1]
    if table and table.whole:
        yield table


def _begun(header: tuple[int, str], title: str, line: int, text: str) -> Found | None:
    """Return the table that a line begins below a line of names, or None."""
    if not header[1] or max(len(text), len(header[1])) > LONGEST_LINE:
        return None
    if not DIGIT.search(text) or PLAIN_NUMBER.search(header[1]):  # quickly, as for nearly all lines of a log
        return None
    for split in SPLITS:
        cells = split(text)
        names = names_of(header[1], len(cells)) if split is cells_of else split(header[1])
        if len(cells) != len(names) or len(cells) < 2 or not any(map(_is_number, cells)):
            continue
        if all(map(NAME_OF_COLUMN.fullmatch, names)) and len(set(names)) == len(names):
            found = Found(header[0], title.strip("#*:= "), names, split)
            found.add(line, text)
            return found
    return None


def _is_unit(text: str) -> bool:
    """Return whether a text in brackets is a unit, and no remark."""
    return seconds_in(text) is not None or bytes_in(text) is not None or is_per_time(text) or text == "%"


def _is_number(cell: str) -> bool:
    """Return whether a cell is a number, perhaps with a unit or with separators of thousands."""
    try:
        return number(cell) is not None
    except ValueError:
        return THOUSANDS.fullmatch(cell) is not None


def _is_value(cell: str) -> bool:
    """Return whether a cell is a number, empty, or a word for a missing result."""
    return _is_number(cell) or cell.lower() in EMPTY_CELLS or has_no_result(cell)
