"""Lines that name several values each: `ranks=4 grid=64x64 time=1.5`, or `N: 512, threads: 4, time: 1.5 s`.

A line is a run, and its names are columns of a table. At least one of them must be a measured quantity, and
one a parameter. Pairs joined by = stand between blanks; pairs joined by = or : between commas, semicolons or
bars. Text may precede them, as in `RESULT: ranks=4 …`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.errors import FormatError
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured
from ingest.formats.readers.generic.named_values.lines import PROGRESS, is_printed
from ingest.formats.table.chunks import NumberedRows, chunked
from ingest.formats.table.headings import MEASURES, heading, words
from ingest.formats.table.pivot import is_number
from ingest.formats.table.reading import tables_read
from ingest.formats.table.row_reader import Table

NAME = "key-values"
TITLE = "Lines of several names and values"
GENERAL = True
LINE = 1000
"""Limit on the characters of a line with values. Longer lines are other output."""
LEAST = 2
"""Smallest number of values in a line of this format."""
KEY = r"[A-Za-z][\w.-]{0,60}"
PAIR = re.compile(rf"({KEY}(?:[ (\[][\w. /()\[\]%-]{{1,40}}?)?)\s{{0,40}}[=:]\s{{0,40}}(\S.{{0,80}})")
"""Matches a part of a line between commas, semicolons or bars."""
WORD = re.compile(rf"({KEY})=(\S{{1,80}})")
"""Matches a name and a value between blanks."""
PREFIX = re.compile(r"^[^=]{0,60}?(?:: |\] |> |- )(?=[A-Za-z][\w. -]{0,60}[=:])")
"""Matches text before the first name."""


def recognises(source: Source) -> bool:
    """Recognise a line with several values in a file of printed output."""
    return is_printed(source) and any(map(pairs, source.head.splitlines()))


def read(source: Source) -> Campaign:
    """Read the lines as the rows of a table, in two passes."""
    names = list(dict.fromkeys(name for _, row in _rows(source) for name in row))
    if not names:
        found = "no line with a measured value and a parameter"
        raise FormatError(found, "such lines: ranks=4 grid=64x64 time=1.5")

    def rows() -> NumberedRows:
        for line, row in _rows(source):
            yield line, [row.get(name, "") for name in names]

    return tables_read([Table(names, chunked(rows), source.limits)], NAME)


def _rows(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    others = 0
    for line, text in source.lines():
        if row := pairs(text):
            yield line, row
        else:
            others += 1
            check_unmeasured(others, source.limits, line)


def pairs(text: str) -> dict[str, str]:
    """Return the names and values of a line, or nothing if the line is other output."""
    text = text.strip()
    if len(text) > LINE or text.count("=") + text.count(":") < LEAST:
        return {}
    rest = PREFIX.sub("", text, count=1) if " " in text.partition("=")[0] else text
    return _in_parts(rest) or _in_words(rest) or (_in_parts(text) or _in_words(text) if rest != text else {})


def _in_parts(text: str) -> dict[str, str]:
    parts = [part.strip() for part in re.split(r"[,;|]\s+|\s[|]\s", text)]
    found = [PAIR.fullmatch(part.rstrip(",;|")) for part in parts if part]
    return _row([(match[1], match[2]) for match in found if match]) if all(found) else {}


def _in_words(text: str) -> dict[str, str]:
    found = [WORD.fullmatch(word.rstrip(",;")) for word in text.split()]
    return _row([(match[1], match[2]) for match in found if match]) if all(found) else {}


def _row(found: list[tuple[str, str]]) -> dict[str, str]:
    """Return the values by name if they are those of a run, else nothing."""
    row = {name.strip(): value.strip() for name, value in found}
    if len(found) < LEAST or len(row) < len(found):
        return {}
    roles = {_role(name) for name, value in row.items() if is_number(value.split()[0])}
    return row if {True, False} <= roles else {}


@lru_cache(1000)
def _role(name: str) -> bool | None:
    """Return whether a name is that of a measured quantity (True), a parameter (False), or neither."""
    of = heading(name)
    if of.measured:
        return True if of.has(MEASURES) else None
    return False if of.measured is False and PROGRESS.isdisjoint(words(name)[-1:]) else None
