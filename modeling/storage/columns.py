"""Read array columns in PostgreSQL's binary form. As text, 100,000 numbers would take 30 ms."""

from typing import Any

import numpy as np
from django.db.models import BinaryField, Func
from numpy.typing import NDArray

_HEADER = np.dtype(
    [("dimensions", ">i4"), ("nulls", ">i4"), ("kind", ">u4"), ("size", ">i4"), ("first", ">i4")]
)
"""The header of an array with one dimension. That of an empty array ends after `kind`."""

_KINDS = {16: "?", 20: ">i8", 701: ">f8"}
"""PostgreSQL's number of a type → type of its elements: boolean, bigint and double precision."""


class Sent(Func):
    """The database's bytes of a one-dimensional array column, for `array_of`."""

    function = "array_send"
    output_field = BinaryField()


def array_of(sent: memoryview | bytes) -> NDArray[Any]:
    """Return the array from the bytes of a `Sent` column.

    Raises:
        ValueError: some elements are NULL.
    """
    header = np.frombuffer(bytes(sent[: _HEADER.itemsize]).ljust(_HEADER.itemsize, b"\0"), _HEADER)[0]
    kind = np.dtype(_KINDS[int(header["kind"])])
    if not header["dimensions"]:
        return np.zeros(0, kind.newbyteorder("="))
    if header["nulls"]:
        raise ValueError("Arrays of numbers have no elements that are NULL; unknown numbers are NaN.")
    element = np.dtype([("bytes", ">i4"), ("value", kind)])
    found = np.frombuffer(sent, element, int(header["size"]), _HEADER.itemsize)["value"]
    return found.astype(kind.newbyteorder("="))
