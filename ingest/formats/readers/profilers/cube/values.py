"""Reads the numbers of a profile: `N.index` lists the calls that have values, `N.data` has the values.

The numbers are little- or big-endian, and may be compressed. A call's values of all processes and threads are
neighbours.
"""

import struct
import zlib
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign.campaign import FloatArray
from ingest.formats.errors import FormatError, quoted

INDEX, DATA, PACKED = b"CUBEX.INDEX", b"CUBEX.DATA", b"ZCUBEX.DATA"
Order = Literal["<", ">"]
ENTRY = 3 * 8
"""Bytes of an entry in the table of compressed pieces: unpacked offset, packed offset, packed size."""
TYPES = {
    "CHAR": "u1",
    "DOUBLE": "f8",
    "FLOAT": "f8",
    "INT": "i4",
    "INT16": "i2",
    "INT32": "i4",
    "INT64": "i8",
    "INT8": "i1",
    "INTEGER": "i8",
    "MAXDOUBLE": "f8",
    "MINDOUBLE": "f8",
    "SHORT INT": "i2",
    "SIGNED INT": "i4",
    "SIGNED INTEGER": "i8",
    "SIGNED SHORT INT": "i2",
    "UINT16": "u2",
    "UINT32": "u4",
    "UINT64": "u8",
    "UINT8": "u1",
    "UNSIGNED INT": "u4",
    "UNSIGNED INTEGER": "u8",
    "UNSIGNED SHORT INT": "u2",
}
EXTREMES = ("MINDOUBLE", "MAXDOUBLE")
"""Types of metrics that are the minimum or maximum over all visits of a call; infinite without visits."""
WRAPPED = 0xFFFF_FFFF_FFFF_FBFF
"""Largest valid count. A larger one is a negative number that wrapped around; Cube's own library reads it as
0.
"""


def read_values(
    index: bytes, data: bytes, kind: str, calls: int, locations: int
) -> tuple[NDArray[np.intp], FloatArray]:
    """Return the indices of the calls in the metric's order (N,), and their values (N, locations).

    Raises:
        FormatError: index, data and profile do not fit together.
    """
    order, places = _places(index, calls)
    dtype = np.dtype(TYPES[kind]).newbyteorder(order)
    size = len(places) * locations * dtype.itemsize
    if data.startswith(PACKED):
        raw = _unpacked(data, order, size)
    elif data.startswith(DATA):
        raw = data[len(DATA) :]
    else:
        raise FormatError(
            f"data that begin with {quoted(data[:11].decode(errors='replace'))}",
            f"“{DATA.decode()}” at the beginning",
        )
    if len(raw) != size:
        found = f"{len(raw)} bytes of data"
        raise FormatError(
            found, f"{size} bytes, for {len(places)} calls and {locations} processes or threads"
        )
    values = np.frombuffer(raw, dtype)
    if dtype.kind == "u" and dtype.itemsize == 8:
        values = np.where(values > WRAPPED, 0, values)
    if dtype.kind == "f" and kind not in EXTREMES and not np.isfinite(values).all():
        raise FormatError("a value that is infinite or not a number", "finite numbers")
    return places, values.astype(float).reshape(len(places), locations)


def _places(index: bytes, calls: int) -> tuple[Order, NDArray[np.intp]]:
    begin = len(INDEX)
    if not index.startswith(INDEX) or len(index) < begin + 11:
        raise FormatError(
            f"an index that begins with {quoted(index[:11].decode(errors='replace'))}",
            f"“{INDEX.decode()}” at the beginning",
        )
    order: Order = "<" if index[begin : begin + 4] == b"\1\0\0\0" else ">"
    (count,) = struct.unpack_from(order + "i", index, begin + 7)
    numbers = index[begin + 11 :]
    if not 0 < count <= calls or len(numbers) != 4 * count:
        found = f"an index of {count} calls in {len(numbers)} bytes"
        raise FormatError(found, f"4 bytes a call, and at most the profile's {calls} calls")
    places = np.frombuffer(numbers, np.dtype("i4").newbyteorder(order)).astype(np.intp)
    if places.min() < 0 or places.max() >= calls or np.bincount(places).max() > 1:
        raise FormatError(
            "an index with calls that are missing or listed twice",
            f"each call once, by a number from 0 to {calls - 1}",
        )
    return order, places


def _unpacked(data: bytes, order: Order, size: int) -> bytes:
    """Decompress packed data up to `size` + 1 bytes, because more bytes are refused anyway."""
    begin = len(PACKED) + 8
    try:
        (count,) = struct.unpack_from(order + "q", data, len(PACKED))
        if not 0 <= count <= (len(data) - begin) // ENTRY:
            raise FormatError(
                f"{count} packed pieces in {len(data)} bytes", "no more pieces than the file has room for"
            )
        entries = np.frombuffer(data, np.dtype("i8").newbyteorder(order), 3 * count, begin).reshape(-1, 3)
        place, pieces, left = begin + ENTRY * count, list[bytes](), size + 1
        for packed in entries[:, 2].tolist():
            if packed < 0 or place + packed > len(data):
                raise FormatError(f"a packed piece of {packed} bytes", "a piece that ends within the file")
            if packed and left:
                pieces.append(zlib.decompressobj().decompress(data[place : place + packed], left))
                left -= len(pieces[-1])
            place += packed
    except (struct.error, zlib.error) as error:
        raise FormatError(f"damaged packed data: {quoted(error)}", "an undamaged file") from None
    return b"".join(pieces)
