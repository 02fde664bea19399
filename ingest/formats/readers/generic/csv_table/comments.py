"""Reads settings in comments between the rows of a table, as scripts write them above blocks of rows.

Below `# threads: 4`, all rows have 4 threads, until the next comment of this name. Only names with several
values become columns.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ingest.formats.table.chunks import Chunk, Row
from ingest.formats.table.row_reader import Table

SETTING = re.compile(r"#[#\s]*(?P<name>[A-Za-z][\w /.-]{0,40}?)\s*[:=]\s*(?P<value>[\w.+-][^:=]{0,40})")
LINE = 200
"""Comments are cut after this number of characters."""
MOST = 10
"""Limit on the names that become columns."""
Settings = Mapping[str, Sequence[tuple[int, str]]]
"""Name → the lines of its comments, and the values in them."""


def settings_of(lines: Iterable[tuple[int, str]]) -> Settings:
    """Return the settings that have several values, from comments with the numbers of their lines."""
    found = dict[str, list[tuple[int, str]]]()
    for number, line in lines:
        if setting := SETTING.fullmatch(line.strip()[:LINE]):
            found.setdefault(setting["name"], []).append((number, setting["value"].strip()))
    several = [name for name, values in found.items() if len({value for _, value in values}) > 1]
    return {name: found[name] for name in several[:MOST]}


def with_settings(table: Table, settings: Settings) -> Table:
    """Return the table with a column for each setting before its own columns."""
    known = {cell.strip().lower() for cell in table.header}
    new = {name: values for name, values in settings.items() if name.lower() not in known}
    if not new:
        return table
    lines = {name: [line for line, _ in values] for name, values in new.items()}

    def cells(line: int) -> Iterator[str]:
        for name, values in new.items():
            place = bisect_right(lines[name], line)
            yield values[place - 1][1] if place else ""

    def chunks() -> Iterator[Chunk]:
        for chunk in table.chunks():
            rows: list[Row] = [
                [*cells(line), *row] for line, row in zip(chunk.lines, chunk.rows, strict=True)
            ]
            yield Chunk(chunk.lines, rows)

    return replace(table, header=[*new, *table.header], chunks=chunks)
