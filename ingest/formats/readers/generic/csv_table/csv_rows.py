"""Reads the rows of a CSV file many at a time, faster than one by one."""

import csv
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from operator import methodcaller

from ingest.formats.errors import FormatError
from ingest.formats.files.text import check_unmeasured
from ingest.formats.limits import Limits
from ingest.formats.table.chunks import Chunk, Chunks, Row

COMMENT = "#"


class _Blocks:
    """Reads lines block by block. A row may begin in one block and end in the next."""

    def __init__(self, blocks: Iterable[tuple[int, list[str]]], limits: Limits) -> None:
        self._blocks, self._most = iter(blocks), limits.line_bytes
        self.first, self.lines, self.taken, self.row = 1, list[str](), 0, 0

    def advance(self) -> bool:
        """Move to the rest of the block, or to the next one. Return False at the end of the file."""
        if self.taken < len(self.lines):
            self.first, self.lines = self.first + self.taken, self.lines[self.taken :]
        elif found := next(self._blocks, None):
            self.first, self.lines = found
        else:
            return False
        self.taken = 0
        return True

    @property
    def line(self) -> int:
        """Return the number of the line that was read last."""
        return self.first + self.taken - 1

    def each(self) -> Iterator[str]:
        """Yield all lines from the current one on.

        Raises:
            FormatError: a row of several lines is too long.
        """
        while self.taken < len(self.lines) or self.advance():
            text = self.lines[self.taken]
            self.taken += 1
            self.row += len(text)
            if self.row > self._most:
                raise FormatError(
                    f"a row of over {self._most} characters", f"at most {self._most} characters", self.line
                )
            yield text


def table_chunks(lines: Iterable[tuple[int, list[str]]], separator: str, limits: Limits) -> Iterator[Chunk]:
    """Yield chunks of rows with the numbers of their last lines, without blank rows and comments.

    Args:
        lines: blocks of lines, each with the number of its first line.

    Raises:
        FormatError: a row is invalid. The rows before it are yielded first.
    """
    blocks, others = _Blocks(lines, limits), 0
    while blocks.advance():
        if chunk := _split(blocks, separator):
            yield chunk
            continue
        for chunk in _parsed(blocks, separator):
            left = [place for place, row in enumerate(chunk.rows) if not _measured(row)]
            others += len(left)
            end = left[limits.unmeasured - others] if others > limits.unmeasured else len(chunk)
            kept = sorted(set(range(end)).difference(left))
            if kept:
                yield Chunk([chunk.lines[place] for place in kept], [chunk.rows[place] for place in kept])
            check_unmeasured(others, limits, chunk.lines[min(end, len(chunk) - 1)])


def _split(blocks: _Blocks, separator: str) -> Chunk | None:
    """Split a block into cells at once; None if that is impossible, as with quotes or blank rows."""
    text = "".join(blocks.lines).replace("\r\n", "\n")
    between = "\n" + text + ("" if text.endswith("\n") else "\n")
    others = ['"', "\r", "\n" + COMMENT, *([] if separator == "\t" else ["\n ", separator + " "])]
    separators = set(map(methodcaller("count", separator), blocks.lines))
    width = 1 + max(separators)
    if (
        len(separators) > 1
        or width == 1
        or len(text) > csv.field_size_limit()
        or any(other in between for other in others)
        or f"\n{separator * (width - 1)}\n" in between
    ):
        return None
    cells = between[1:].replace("\n", separator).split(separator)
    cells.pop()
    blocks.taken = len(blocks.lines)
    return Chunk(range(blocks.first, blocks.line + 1), cells=cells, width=width)


def _parsed(blocks: _Blocks, separator: str) -> Iterator[Chunk]:
    """Parse the rows that begin in a block one by one. The rows before an invalid one are yielded first."""
    reader = partial(csv.reader, delimiter=separator, strict=True, skipinitialspace=separator != "\t")
    with suppress(csv.Error):
        rows = list(reader(blocks.lines))
        if len(rows) == len(blocks.lines):  # the numbers differ if some rows span several lines
            blocks.taken = len(rows)
            yield Chunk(range(blocks.first, blocks.line + 1), rows)
            return
    lines, found, last = list[int](), list[Row](), blocks.first + len(blocks.lines) - 1
    error: FormatError | None = None
    try:
        for row in reader(blocks.each()):
            found.append(row)
            lines.append(blocks.line)
            blocks.row = 0
            if blocks.line >= last:
                break
    except csv.Error as wrong:
        error = FormatError(
            f"no table: {wrong}", "each cell either without quotes or wholly inside of quotes", blocks.line
        )
    except FormatError as wrong:
        error = wrong
    if found:
        yield Chunk(lines, found)
    if error:
        raise error


def _measured(row: Row) -> bool:
    return bool(row) and row[0][:1] != COMMENT and (len(row) > 1 or bool(row[0].strip())) and any(row)


class Remembered:
    """Chunks of rows that are read from the file once and remembered for later passes."""

    def __init__(self, chunks: Callable[[], Chunks]) -> None:
        self._chunks, self._kept, self._complete = chunks, list[Chunk](), False

    def __call__(self) -> Chunks:
        """Yield all chunks, from the first one on."""
        return self._kept if self._complete else self._read()

    def _read(self) -> Iterator[Chunk]:
        self._kept.clear()
        for chunk in self._chunks():
            self._kept.append(chunk)
            yield chunk
        self._complete = True
