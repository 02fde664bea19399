"""Bulk writes: rows go through COPY, which stores a campaign an order of magnitude faster than INSERT."""

import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from django.db import connection, models
from numpy.typing import NDArray

PIECE = 1 << 16
"""The number of an array's values that are turned into text at once."""


def copy_rows(model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Append rows to a model's table, values in the order of `fields`; ids are given by the database.

    Columns that are not named take the database's default, not Django's. A float that is NaN becomes NULL,
    inside of an array it stays NaN. Arrays may be of NumPy: long ones are then never text as a whole.
    """
    by_name = {field.name: field.column for field in model._meta.concrete_fields}
    columns = [by_name[name] for name in fields]
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        cursor.copy_expert(f'COPY "{model._meta.db_table}" ({names}) FROM STDIN', _Rows(rows))


class _Rows(io.TextIOBase):
    """Rows as a file that is written while it is read: a campaign's text is never in memory as a whole."""

    def __init__(self, rows: Iterable[Sequence[object]]) -> None:
        self._lines = (line for row in rows for line in _lines(row))
        self._line = io.StringIO()

    def read(self, size: int | None = -1, /) -> str:
        """The next of a row, at most `size` characters; nothing only at the end."""
        while not (text := self._line.read(size)):
            line = next(self._lines, "")
            if not line:
                return ""
            self._line = io.StringIO(line)
        return text


def _lines(row: Sequence[object]) -> Iterator[str]:
    """The line of a row, in pieces where it has an array too long to be text as a whole."""
    if not any(isinstance(value, np.ndarray) and value.size > PIECE for value in row):
        yield "\t".join(map(_text, row)) + "\n"
        return
    for place, value in enumerate(row):
        if place:
            yield "\t"
        yield from _pieces(value) if isinstance(value, np.ndarray) else [_text(value)]
    yield "\n"


def _pieces(numbers: NDArray[np.float64]) -> Iterator[str]:
    """A long array, some of its numbers at a time."""
    for start in range(0, numbers.size, PIECE):
        yield ("," if start else "{") + ",".join(map(_element, numbers[start : start + PIECE].tolist()))
    yield "}"


def _text(value: object) -> str:
    """One value in COPY's text format."""
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
    """One number inside of an array."""
    return "NULL" if value is None else repr(value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
