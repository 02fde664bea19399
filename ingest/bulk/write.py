"""Bulk writes with COPY, which stores a campaign ten times as fast as INSERT."""

import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from django.db import connection, models
from numpy.typing import NDArray

PIECE = 1 << 16
"""Number of values of an array that are converted to text at once."""


def copy_rows(model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Append rows to a model's table. Values are in the order of `fields`; other fields get defaults.

    NaN becomes NULL, but stays NaN inside an array.
    """
    by_name = {field.name: field.column for field in model._meta.concrete_fields}
    columns = [by_name[name] for name in fields]
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor, connection.wrap_database_errors:
        cursor.copy_expert(f'COPY "{model._meta.db_table}" ({names}) FROM STDIN', _Rows(rows))


class _Rows(io.TextIOBase):
    """A file of rows that is generated while it is read, so that the whole text is never in memory."""

    def __init__(self, rows: Iterable[Sequence[object]]) -> None:
        self._lines = (line for row in rows for line in _lines(row))
        self._line = io.StringIO()

    def read(self, size: int | None = -1, /) -> str:
        """Return the next part of a row, at most `size` characters. The text is empty only at the end."""
        while not (text := self._line.read(size)):
            line = next(self._lines, "")
            if not line:
                return ""
            self._line = io.StringIO(line)
        return text


def _lines(row: Sequence[object]) -> Iterator[str]:
    """Yield the line of a row, in pieces if it has a long array."""
    if not any(isinstance(value, np.ndarray) and value.size > PIECE for value in row):
        yield "\t".join(map(_text, row)) + "\n"
        return
    for place, value in enumerate(row):
        if place:
            yield "\t"
        yield from _pieces(value) if isinstance(value, np.ndarray) else [_text(value)]
    yield "\n"


def _pieces(numbers: NDArray[np.float64]) -> Iterator[str]:
    """Yield a long array as text in pieces."""
    for start in range(0, numbers.size, PIECE):
        yield ("," if start else "{") + ",".join(map(_element, numbers[start : start + PIECE].tolist()))
    yield "}"


def _text(value: object) -> str:
    """Return a value in COPY's text format."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "\\N"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, list):
        return "{" + ",".join(map(_element, value)) + "}"
    if isinstance(value, bytes):
        return "\\\\x" + value.hex()
    return _escaped(json.dumps(value) if isinstance(value, dict) else str(value))


def _element(value: object) -> str:
    """Return a number in COPY's text format for array elements."""
    return "NULL" if value is None else repr(value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
