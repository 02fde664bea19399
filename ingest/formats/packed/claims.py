"""Estimates the work of an archive without unpacking it; the estimate limits the time for reading it."""

import os
from typing import BinaryIO

from ingest.formats.packed.archive import ZIP
from ingest.formats.packed.gunzip import GZIP

A_FILE = 4096
"""Bytes that could be read in the time that a file costs in addition to its own bytes."""
PACKED = 32
"""Limit on the unpacked size for which an archive gets time, as a multiple of its packed size."""
MOST_BEYOND_SIZE = 16 * 1024 * 1024
"""Limit on the bytes for which an archive gets time beyond its packed size."""


def claimed_bytes(file: BinaryIO) -> int:
    """Estimate how many bytes an archive unpacks to; each of its files counts as at least `A_FILE` bytes."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(2)
    file.seek(max(0, size - 66_000))
    tail = file.read()
    if head == GZIP:  # the last bytes hold the unpacked size, perhaps of the last part only
        held = int.from_bytes(tail[-4:], "little")
        claimed, factor = 4 * held if held >= size else 4 * PACKED * size, 4 * PACKED
    elif head == ZIP:
        end = max(tail.rfind(b"PK\5\6"), 0)
        claimed, factor = A_FILE * int.from_bytes(tail[end + 10 : end + 12], "little"), PACKED
    else:  # a tar file: even its smallest file takes 1024 bytes with the header
        claimed, factor = 4 * size, 4
    return max(size, min(claimed, factor * size, size + MOST_BEYOND_SIZE))
