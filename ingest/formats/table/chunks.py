"""Chunks of a table's rows, with the number of the line in which each row ends."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ingest.formats.errors import FormatError

CHUNK_LETTERS = 64 * 1024
"""Number of characters from which a chunk is complete."""

Row = Sequence[str]
NumberedRows = Iterable[tuple[int, Row]]


class Chunk:
    """Some rows, stored as rows or as one list of cells, and the line in which each row ends."""

    def __init__(
        self,
        lines: Sequence[int],
        rows: Sequence[Row] | None = None,
        cells: Sequence[str] = (),
        width: int = 0,
    ) -> None:
        """Store either rows, or one list of all cells, with `width` cells per row."""
        self.lines, self._rows = lines, rows
        self._cells, self._width = cells, width

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def rows(self) -> Sequence[Row]:
        """Return the rows, one after the other."""
        if self._rows is None:
            starts = range(0, len(self._cells), self._width)
            self._rows = [self._cells[start : start + self._width] for start in starts]
        return self._rows

    def row(self, place: int) -> Row:
        """Return one row."""
        if self._rows is not None:
            return self._rows[place]
        return self._cells[place * self._width : (place + 1) * self._width]

    def columns(self, width: int) -> list[Sequence[str]]:
        """Return the cells of each column, for a table with this number of columns.

        Raises:
            FormatError: as in `trimmed`.
        """
        if self._width == width:
            return [self._cells[place::width] for place in range(width)]
        rows = self.rows
        if set(map(len, rows)) != {width}:
            rows = [trimmed(row, width, line) for line, row in zip(self.lines, rows, strict=True)]
        return list(zip(*rows, strict=True))

    def part(self, begin: int, end: int | None = None) -> "Chunk":
        """Return the rows from `begin` to before `end`."""
        return (
            self
            if len(self) == len(self.lines[begin:end])
            else Chunk(self.lines[begin:end], self.rows[begin:end])
        )

    def without(self, header: Row) -> "Chunk":
        """Return the rows that are not a repetition of the header."""
        if self._rows is None and header[0] not in self._cells:
            return self
        names = [cell.strip() for cell in header]
        kept = [
            place
            for place, row in enumerate(self.rows)
            if row[:1] != header[:1] or [cell.strip() for cell in row] != names
        ]
        if len(kept) == len(self):
            return self
        return Chunk([self.lines[place] for place in kept], [self.rows[place] for place in kept])


Chunks = Iterable[Chunk]


def chunked(rows: Callable[[], NumberedRows]) -> Callable[[], Chunks]:
    """Return a function that yields these rows in chunks. Rows before an error are yielded first."""

    def chunks() -> Iterator[Chunk]:
        lines, found, size = list[int](), list[Row](), 0
        try:
            for line, row in rows():
                lines.append(line)
                found.append(row)
                size += len(row) + sum(map(len, row))
                if size > CHUNK_LETTERS:
                    yield Chunk(lines, found)
                    lines, found, size = [], [], 0
        except FormatError:
            if found:
                yield Chunk(lines, found)
            raise
        if found:
            yield Chunk(lines, found)

    return chunks


def first_rows(chunks: Chunks, most: int) -> Iterator[Chunk]:
    """Return the first rows, at most this many."""
    for chunk in chunks:
        yield chunk.part(0, most)
        most -= len(chunk)
        if most <= 0:
            return


def trimmed(row: Row, width: int, line: int) -> Row:
    """Return a row without empty cells beyond the header's width.

    Raises:
        FormatError: the row has fewer or more cells than the header.
    """
    if len(row) < width or any(row[width:]):
        raise FormatError(f"a row of {len(row)} cells", f"{width} cells, as in the header", line)
    return row[:width]
