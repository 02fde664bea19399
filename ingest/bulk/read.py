"""Bulk reads: COPY's binary format becomes arrays without Python's number objects."""

from collections.abc import Callable, Sequence

import numpy as np
from django.db import connection
from numpy.typing import NDArray

Rows = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]], None]
"""Receives N rows: their first two columns, (N,) each, and their arrays, (N, length)."""

BYTES_AT_ONCE = 4 * 1024 * 1024
"""Number of bytes that are collected before parsing, so that many short arrays are parsed together."""

_FILE_HEADER = 19  # bytes: signature, flags, and the length of an extension, which nobody uses
_ROW = np.dtype(
    [
        ("columns", ">i2"),
        ("first_size", ">i4"), ("first", ">i8"),
        ("second_size", ">i4"), ("second", ">i8"),
        ("size", ">i4"), ("dimensions", ">i4"), ("nulls", ">i4"), ("type", ">i4"),
        ("length", ">i4"), ("from", ">i4"),
    ]
)  # fmt: skip
"""A row before the array's elements in COPY's binary format: two bigint and an array of double precision."""
_FEWEST = _ROW.itemsize - 8  # bytes: an array without elements has no length
_BEFORE_ARRAY = _FEWEST - 12
_ELEMENT = np.dtype([("size", ">i4"), ("number", ">f8")])


def read_arrays(query: str, parameters: Sequence[object], take: Rows) -> None:
    """Pass the rows of a query to `take`, many at a time: two bigint and one double precision[].

    NULL inside an array becomes NaN.
    """
    rows = _Rows(take)
    with connection.cursor() as cursor, connection.wrap_database_errors:
        text = cursor.mogrify(query, parameters).decode()
        cursor.copy_expert(f"COPY ({text}) TO STDOUT (FORMAT binary)", rows)
    rows.close()


class _Rows:
    """The file that COPY writes to."""

    def __init__(self, take: Rows) -> None:
        self._take = take
        self._parts: list[bytes] = []
        self._size = -_FILE_HEADER
        self._begun = False
        self._ahead = 1

    def write(self, data: bytes) -> None:
        """Collect data, and parse them once there are `BYTES_AT_ONCE` bytes."""
        self._parts.append(data)
        self._size += len(data)
        if self._size >= BYTES_AT_ONCE:
            self._read()

    def close(self) -> None:
        """Parse the remaining rows, and the two bytes that follow the last row."""
        self._read()

    def _read(self) -> None:
        """Parse all complete rows, and keep the bytes of the incomplete one."""
        data, place = b"".join(self._parts), 0 if self._begun else _FILE_HEADER
        self._parts, self._begun = [], True
        while (size := _row_size(data, place)) and place + size <= len(data):
            place += self._alike(data, place, size)
        self._parts = [data[place:]]
        self._size = len(data) - place

    def _alike(self, data: bytes, place: int, size: int) -> int:
        """Parse the rows of equal layout that start at `place`, and return their number of bytes.

        The next call examines twice as many rows as were alike.
        """
        count = (size - _ROW.itemsize) // _ELEMENT.itemsize
        kind = np.dtype([("head", _ROW), ("elements", _ELEMENT, (max(count, 0),))])
        if kind.itemsize != size:
            return self._one(data, place, size)
        rows = np.frombuffer(data, kind, min((len(data) - place) // size, self._ahead), place)
        head, elements = rows["head"], rows["elements"]
        same = (head["columns"] == 3) & (head["size"] == size - _BEFORE_ARRAY) & (head["length"] == count)
        same &= (elements["size"] == 8).all(axis=1)
        many = len(same) if same.all() else int(np.argmin(same))
        self._ahead = 2 * max(many, 1)
        if not many:
            return self._one(data, place, size)
        self._take(
            head["first"][:many].astype(np.int64),
            head["second"][:many].astype(np.int64),
            elements["number"][:many].astype(np.float64),
        )
        return many * size

    def _one(self, data: bytes, place: int, size: int) -> int:
        """Parse a row whose array contains NULL, or has no elements."""
        first, second = (int.from_bytes(data[place + at : place + at + 8], signed=True) for at in (6, 18))
        numbers, at, end = [], place + _ROW.itemsize, place + size
        while at < end:
            known = int.from_bytes(data[at : at + 4], signed=True) == 8
            numbers.append(np.frombuffer(data, ">f8", 1, at + 4)[0] if known else np.nan)
            at += 12 if known else 4
        self._take(np.array([first]), np.array([second]), np.array([numbers], float))
        return size


def _row_size(data: bytes, place: int) -> int:
    """Return the number of bytes of the row at `place`; 0 for an incomplete header and after the last row."""
    if len(data) - place < _FEWEST:
        return 0
    size = int.from_bytes(data[place + _BEFORE_ARRAY - 4 : place + _BEFORE_ARRAY], signed=True)
    return _BEFORE_ARRAY + size
