"""Reads comma- or tab-separated values with a header.

`column_choice` defines the names in the header. Semicolons and bars may separate cells too; `blanks` reads
tables with blanks. The decimal separator may be a comma if no comma separates cells. Lines that begin with #
before the header are comments. Above rows of numbers only, as NumPy writes them, one of the last comments is
the header. A title with fewer cells may precede the header. `pivot` reads headers with the values of a
parameter, `second_header` headers of two lines, and `comments` settings between rows. Users may choose the
roles of columns (`OPTIONS`).
"""

import csv
import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.errors import FormatError
from ingest.formats.files.source import HEAD, Source
from ingest.formats.readers.generic.csv_table.blanks import BLANK, blanked, cells_of, is_table, names_of
from ingest.formats.readers.generic.csv_table.comments import settings_of, with_settings
from ingest.formats.readers.generic.csv_table.csv_rows import COMMENT, Remembered, table_chunks
from ingest.formats.readers.generic.csv_table.second_header import header_of_lines
from ingest.formats.table.cells import COMMA, GROUPED, GROUPED_BY_POINTS, THOUSANDS, number
from ingest.formats.table.chunks import Chunk, Chunks, Row
from ingest.formats.table.column_choice.chosen import OPTIONS as CHOICES
from ingest.formats.table.column_choice.chosen import chosen_of
from ingest.formats.table.column_choice.run_columns import NAMELESS
from ingest.formats.table.pivot import is_number, is_pivot, pivot_read
from ingest.formats.table.reading import tables_read
from ingest.formats.table.row_reader import Table

NAME = "csv"
TITLE = "CSV or TSV"
OPTIONS = CHOICES
TAB = "\t"
SEPARATORS = f"{TAB};,|"
POINTED = re.compile(r"[-+]?\d*\.\d+(?:[eE][-+]?\d+)?")
"""Matches numbers with a decimal point."""
BOTH = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+\.\d+(?:\s.*)?")
"""Matches numbers with commas between thousands and a decimal point, with or without a unit."""
COMMENTS_SEARCHED = 3
"""Number of comments above the first row that may name the columns."""
COLUMNS = re.compile(r"\S(?: {2,}|\t|,)\s*\S.*\S(?: {2,}|\t|,)\s*\S|\S {3,}\S")
"""Matches a line with gaps between names, as between columns."""
SPACES = f"{SEPARATORS} \r\n"
"""Characters of rows without cells. Spreadsheets fill the rows of titles with separators."""
SHELL_TIME = re.compile(r"\d{1,5}m\d{1,9}[.,]\d{1,9}s")
NAME_OF_COLUMN = re.compile(r"[^\W\d]|[\[(#%]")
"""Matches the beginning of a column's name, in the line below a title."""
PROFILER = re.compile(r"==(?:PROF|WARNING|ERROR|\d{1,10})==")
"""Matches lines of GPU profilers above their tables: `==PROF== Connected to process 52060`."""
KEPT_FILE_BYTES = 6 * 1024 * 1024
"""Largest file, in bytes, whose cells are kept in memory, where they take ten times as much."""

WORDS, WIDER = 4, 2
"""A header in which a name has more words than `WORDS` may be a sentence. The row below then needs a number,
and at most `WIDER` times as many cells as the header.
"""
FIRST_LINES = 4
"""Number of lines needed to distinguish a header of several lines from rows."""
LARGE = 32 * 1024 * 1024
"""File size in bytes above which the first rows are read and checked before all others."""


def recognises(source: Source) -> bool:
    """Recognise a header, which may begin with #, above rows that contain a number."""
    lines = _first_lines(source)
    skipped, header, below = _beginning(enumerate(lines, 1))
    if not below or header[0] in "{[" or "\0" in header:
        return False
    separator, rows = _separator(header, below), lines[skipped + 1 :]
    cells = _cells(header, separator)
    if len(cells) < 2 or separator not in below:
        return False
    if any(map(_is_value, cells)) and (not is_pivot(cells) or _is_row(header, rows, separator)):
        return False
    if separator == BLANK:
        whole = _whole_lines(source)[skipped + 1 :]
        return is_table(header, [line for line in whole if not line.startswith(COMMENT)])
    sentence = any(len(cell.split()) > WORDS for cell in cells)
    widest = WIDER * len(cells) if sentence else math.inf
    return any(line.count(separator) < widest and _has_number(line, separator) for line in rows)


def _is_row(header: str, rows: Iterable[str], separator: str) -> bool:
    """Return whether a first line with numbers is no header, because its text occurs again below."""
    text = _cells(header, separator)[0]
    return any(line != header and _cells(line, separator)[0] == text for line in rows)


def _is_value(cell: str) -> bool:
    """Return whether a cell is a number, or a time such as 0m12.345s, which a shell prints."""
    return is_number(cell) or SHELL_TIME.fullmatch(cell) is not None


def _first_lines(source: Source) -> list[str]:
    """Return the lines in the first 64 KiB of the file, or more if these are fewer than `FIRST_LINES`."""
    lines = source.head.splitlines()
    if len(lines) >= FIRST_LINES or source.size <= HEAD or source.head.startswith(("{", "[", "<")):
        return lines
    try:
        return [line for _, line in islice(source.raw_lines(), FIRST_LINES)]
    except FormatError:
        return lines


def _whole_lines(source: Source) -> list[str]:
    """Return the lines in the first 64 KiB of the file, without one that is cut off there."""
    lines = source.head.splitlines()
    return lines if len(source.head) < HEAD else lines[:-1]


def _separator(header: str, below: str) -> str:
    """Return the separator of the header, or else that of the row below, as in `64 100` below `# p, n`."""
    found = separator_of(header)
    if found == TAB and not _has_number(below, TAB):
        widths = len(cells_of(header)), len(cells_of(below))
        return BLANK if widths[0] == widths[1] > len(_cells(header, TAB)) else TAB
    return found if found in below else separator_of(below)


def separator_of(line: str) -> str:
    """Return the separator of cells: the candidate that occurs most often in the line, or else a blank."""
    most = max(SEPARATORS, key=line.count)
    return most if most in line else BLANK


def decimal_of(separator: str, lines: Iterable[str] = ()) -> str:
    """Return the decimal separator of a table.

    It is a comma if semicolons separate cells, except beside numbers such as 1,234.5. It is a point if commas
    separate cells. Otherwise, a comma is chosen if cells such as 0,5 can mean nothing else, and no cell has a
    point. Tables with decimal points and without decimal commas are `GROUPED`. A column with both 1,25 and
    1.234 makes a table `GROUPED_BY_POINTS`.
    """
    rows = [[cell.strip() for cell in row] for row in _rows(lines, separator)]
    if _has_points_between_thousands(rows):
        return GROUPED_BY_POINTS
    if separator == ";":
        return GROUPED if any(BOTH.fullmatch(cell) for row in rows for cell in row) else ","
    pointed = any(POINTED.fullmatch(cell) for row in rows for cell in row)
    comma = any(COMMA.fullmatch(cell) for row in rows for cell in row)
    if pointed:
        return "." if comma else GROUPED
    return "," if comma and separator != "," else "."


def _has_points_between_thousands(rows: Iterable[Sequence[str]]) -> bool:
    """Return whether a column has decimal commas, and points that can only separate thousands."""
    found: dict[int, set[str]] = {}
    for row in rows:
        for place, cell in enumerate(row):
            if POINTED.fullmatch(cell):
                whole = THOUSANDS[GROUPED_BY_POINTS].fullmatch(cell)
                found.setdefault(place, set()).add("thousands" if whole else "decimals")
            elif COMMA.fullmatch(cell) or ("." in cell and THOUSANDS[","].fullmatch(cell)):
                found.setdefault(place, set()).add("commas")
    return {"thousands", "commas"} in found.values()


def _rows(lines: Iterable[str], separator: str) -> Iterable[Sequence[str]]:
    if separator == BLANK:
        return map(cells_of, lines)
    return csv.reader(lines, delimiter=separator)


def read(source: Source) -> Campaign:
    """Read the table in two passes."""
    skipped, header, row = _beginning(source.raw_lines())
    separator = _separator(header, row)
    repeated: list[Row] = []
    if separator != BLANK and (joined := _of_two_lines(source, skipped, separator)):
        skipped, header, repeated = joined

    def chunks() -> Iterator[Chunk]:
        blocks = _from_header(source, skipped, header)
        return table_chunks(blanked(blocks) if separator == BLANK else blocks, separator, source.limits)

    first = next(chunks(), Chunk([skipped + 1], [[""]]))
    line, names = first.lines[0], first.row(0)
    if separator == BLANK:
        names = names_of(header, len(cells_of(row)))
    below = (
        Remembered(partial(_behind_header, chunks, repeated))
        if source.size <= KEPT_FILE_BYTES
        else partial(_behind_header, chunks, repeated)
    )
    try:
        header_cells, large = _named(names, below()), source.size > LARGE
        decimal = decimal_of(separator, _whole_lines(source)[skipped + 1 :])
        chosen = chosen_of(source.options)
        table = Table(header_cells, below, source.limits, decimal, large=large, chosen=chosen)
        table = table if large else with_settings(table, settings_of(_comments(source)))
        pivoted = not chosen and is_pivot(table.header)
        return pivot_read(table, NAME) if pivoted else tables_read([table], NAME)
    except FormatError as error:
        if error.found == NAMELESS and names and names[0]:  # R writes no name above the names of rows
            error = FormatError(f"{len(names)} names above rows of {len(names) + 1} cells", error.expected)
        raise error.at(line) from None


def _comments(source: Source) -> Iterator[tuple[int, str]]:
    for first, lines in source.line_blocks():
        yield from ((number, line) for number, line in enumerate(lines, first) if line.startswith(COMMENT))


def _of_two_lines(source: Source, skipped: int, separator: str) -> tuple[int, str, list[Row]] | None:
    """Return the number of lines above a header's last line, the header, its cells; None for one line."""
    lines = ((number, line) for number, line in source.raw_lines() if number > skipped and line.strip())
    first = [(number, line) for number, line in islice(lines, FIRST_LINES) if not line.startswith(COMMENT)]
    found = header_of_lines([line for _, line in first], separator)
    if found is None:
        return None
    header, taken = found
    rows: list[Row] = [next(csv.reader([line], delimiter=separator)) for _, line in first[:taken]]
    return first[taken - 1][0] - 1, header, rows


def _from_header(source: Source, skipped: int, header: str) -> Iterator[tuple[int, list[str]]]:
    """Yield blocks of lines from the header on, without the skipped lines."""
    yield skipped + 1, [header]
    for first, lines in source.line_blocks():
        behind = max(0, skipped + 2 - first)
        if behind < len(lines):
            yield first + behind, lines[behind:]


def _behind_header(chunks: Callable[[], Chunks], repeated: Sequence[Row]) -> Iterator[Chunk]:
    """Yield all rows below the header, without rows that repeat it, as some scripts do."""
    headers: list[Row] = []
    for chunk in chunks():
        begin = 0 if headers else 1
        headers = headers or [list(row) for row in repeated] or [list(chunk.row(0))]
        rest = chunk.part(begin) if len(chunk) > begin else None
        for header in headers:
            rest = rest.without(header) if rest else None
        if rest:
            yield rest


def _beginning(numbered: Iterable[tuple[int, str]]) -> tuple[int, str, str]:
    """Return the number of lines before the header, the header, and the line below it, which may be ""."""
    comments, first = deque[tuple[int, str]](maxlen=COMMENTS_SEARCHED), (0, "")
    for place, line in numbered:
        if line.startswith(COMMENT):
            comments.extend([] if first[1] else [(place - 1, line.lstrip(COMMENT + " "))])
        elif line.strip(SPACES) and not (PROFILER.match(line) and not first[1]):
            if first[1] and not _is_title(first[1], line):
                return *first, line
            first = place - 1, line
            if header := _header_above(line, comments):
                return *header, line
    return *first, ""


def _is_title(line: str, below: str) -> bool:
    """Return whether a line describes the table, and the line below it is a header with more cells.

    A line with empty cells at its end may also be the first of two lines of names. It is a title if it has a
    single cell, or if its first cell ends with a colon.
    """
    separator = separator_of(below)
    names = [] if separator == BLANK else _cells(below.rstrip(SPACES), separator)
    if not (names and len(names) == len(set(names)) and all(map(NAME_OF_COLUMN.match, names))):
        return False
    cells = _cells(line.rstrip(SPACES), separator)
    title = len(cells) == 1 or cells[0].endswith(":")
    return len(_cells(line, separator)) < len(names) or (title and len(cells) < len(names))


def _header_above(line: str, comments: Sequence[tuple[int, str]]) -> tuple[int, str] | None:
    """Return the comment that names the columns of a row of numbers, and the number of lines before it.

    This is the last comment, or an earlier one with gaps as between columns. A comment below such a header is
    a second line of names. The result is None without such a comment.
    """
    for distance, (place, comment) in enumerate(reversed(comments)):
        apart = distance == 0 or COLUMNS.search(comment) is not None
        if apart and _is_header_of(comment, line):
            return place, comment
    return None


def _is_header_of(comment: str, line: str) -> bool:
    """Return whether a comment has the names of the columns above a line of numbers."""
    separator = separator_of(line)
    cells = _cells(line, separator)
    names = names_of(comment, len(cells)) if separator == BLANK else _cells(comment, separator)
    return len(names) == len(cells) > 1 and any(map(is_number, cells)) and not any(map(is_number, names))


def _cells(line: str, separator: str) -> list[str]:
    if separator == BLANK:
        return cells_of(line)
    return [cell.strip().strip('"') for cell in line.split(separator)]


def _has_number(line: str, separator: str) -> bool:
    for cell in _cells(line, separator):
        try:
            if number(cell, decimal_of(separator)):
                return True
        except ValueError:
            continue
    return False


def _named(names: Row, below: Chunks) -> Row:
    """Return the header without empty cells at its end, adding the column of row names that R omits."""
    first = next((chunk.row(0) for chunk in below), None)
    if first is None:
        raise FormatError("no points", "at least one row below the header")
    while len(names) > 1 and not names[-1].strip() and not "".join(first[len(names) - 1 :]).strip():
        names = names[:-1]
    if len(first) == len(names) + 1 and first[-1].strip() and names[0].strip():
        return ["", *names]
    return names
