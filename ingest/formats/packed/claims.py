"""An estimate of the work of an archive, made without unpacking it; it limits how long reading takes."""

import os
from typing import BinaryIO

from ingest.formats.packed.archive import ZIP
from ingest.formats.packed.gunzip import GZIP

A_FILE = 4096
"""Bytes that are read in the time that a file costs beyond its own bytes."""
PACKED = 32
"""Times its size that an archive may claim to hold and get time for, and
"""
MOST_BEYOND_SIZE = 16 * 1024 * 1024
"""bytes of that beyond its size."""


def claimed_bytes(file: BinaryIO) -> int:
    """About how many bytes an archive claims to hold, each of its files counted as `A_FILE` at least."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(2)
    file.seek(max(0, size - 66_000))
    tail = file.read()
    if head == GZIP:  # its last bytes are the size of what it holds, a tar file, or of its last part only
        held = int.from_bytes(tail[-4:], "little")
        claimed, factor = 4 * held if held >= size else 4 * PACKED * size, 4 * PACKED
    elif head == ZIP:
        end = max(tail.rfind(b"PK\5\6"), 0)
        claimed, factor = A_FILE * int.from_bytes(tail[end + 10 : end + 12], "little"), PACKED
    else:  # a tar file: a file may be as short as 1024 bytes with its header
        claimed, factor = 4 * size, 4
    return max(size, min(claimed, factor * size, size + MOST_BEYOND_SIZE))
