"""Reads JUBE's result tables in the style `pretty`, and the tables of reports in Markdown.

A table is a header such as `| nodes | tasks | time_avg[s] |`, a line of dashes, and a row for each work
package. `column_choice` defines the header's names; JUBE's own columns are left out. Cells longer than 40
characters continue in the lines below, beside empty cells. Other formats read JUBE's CSV and aligned tables.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured, raw_lines
from ingest.formats.table.chunks import NumberedRows, Row, chunked
from ingest.formats.table.headings import heading
from ingest.formats.table.reading import tables_read
from ingest.formats.table.row_reader import Table

NAME = "jube"
TITLE = "table of JUBE or Markdown"
RULE = set("-|+: ")
"""Characters that may be in the line below the header."""
WRAPPED = 20
"""Smallest number of characters of a cell that may continue in the line below."""
BEGIN = 10
"""Number of first lines in which any table is recognised. Further below, a table must be in Markdown, because
other programs print bars and dashes as well.
"""
MARKDOWN = re.compile(r"\|(?: {0,9}:?-{2,200}:? {0,9}\|){2,100}")
"""Matches the line below the header of a table in Markdown."""
MOST_TABLES = 50
"""Limit on the tables of one file."""


def recognises(source: Source) -> bool:
    """Recognise a line of names with bars between them, above a line of dashes and bars."""
    text = [line.strip() for line in source.head.splitlines() if line.strip()]
    return any(
        "|" in names and "-" in rule and set(rule) <= RULE and (place < BEGIN or MARKDOWN.fullmatch(rule))
        for place, (names, rule) in enumerate(pairwise(text))
    )


def read(source: Source) -> Campaign:
    """Read all tables of a file. Each of several tables is a kernel, with its title as the name."""
    tables = list(islice(_tables(source), MOST_TABLES))
    tables = [table for table in tables if _is_measured(table.header)] or tables
    if len(tables) == 1:
        tables = [replace(tables[0], kernel=DEFAULT_KERNEL)]
    return tables_read(tables, NAME)


def _is_measured(header: Row) -> bool:
    """Return whether columns' names show a measurement and a parameter. A report has other tables as well."""
    roles = {True if each.unit else each.measured for each in map(heading, header)}
    return {True, False} <= roles


def _tables(source: Source) -> Iterator[Table]:
    """Yield the tables of a file. A line without bars ends a table, and may be the next title."""
    title, inside, others = "", False, 0
    with source.open() as file:
        for line, text in _stripped(raw_lines(file, source.limits)):
            if "|" not in text and not set(text) <= RULE:
                title, inside, others = text.strip("#*: "), False, others + 1
                check_unmeasured(others, source.limits, line)
            elif not inside and not set(text) <= RULE:
                inside = True
                rows = partial(_rows, source, line, file.tell())
                yield Table(_cells(text), chunked(rows), source.limits, kernel=title, line=line)


def _cells(text: str) -> Row:
    return [cell.strip(" *`") for cell in text.removeprefix("|").removesuffix("|").split("|")]


def _rows(source: Source, header: int, behind: int) -> NumberedRows:
    """Yield the rows from byte `behind` on, below line `header`, and join cells that continue."""
    last: tuple[int, list[str]] | None = None
    with source.open() as file:
        file.seek(behind)
        for line, text in _stripped(raw_lines(file, source.limits, header)):
            if set(text) <= RULE:
                continue
            if "|" not in text:
                break
            cells = list(_cells(text))
            if last and _goes_on(last[1], cells):
                last = line, [cell + more for cell, more in zip(last[1], cells, strict=True)]
                continue
            if last:
                yield last
            last = line, cells
    if last:
        yield last


def _stripped(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield lines that are not empty, without surrounding blanks."""
    return ((number, text) for number, line in lines if (text := line.strip()))


def _goes_on(cells: Row, below: Row) -> bool:
    """Return whether a line consists only of continuations of long cells of the line above."""
    if len(cells) != len(below) or not any(below):
        return False
    return all(len(cell) >= WRAPPED for cell, more in zip(cells, below, strict=True) if more)
