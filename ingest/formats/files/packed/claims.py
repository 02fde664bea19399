"""Estimates the work of reading an archive without unpacking it, for the limit on time."""

import os
from typing import BinaryIO

from ingest.formats.files.packed.archive import ZIP
from ingest.formats.files.packed.compressed import GZIP, LONGEST_MARK, mark_of

A_FILE = 4096
"""Bytes that could be read in the time that a further file takes."""
PACKED = 32
"""An archive is assumed to unpack to at most this multiple of its packed size."""
MOST_BEYOND_SIZE = 16 * 1024 * 1024
"""Limit on the bytes for which an archive gets time beyond its packed size."""


def claimed_bytes(file: BinaryIO) -> int:
    """Estimate the unpacked size of an archive in bytes, with at least `A_FILE` for each file."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(LONGEST_MARK)
    file.seek(max(0, size - 66_000))
    tail = file.read()
    if head.startswith(GZIP):  # the last bytes contain the unpacked size, perhaps only that of the last part
        held = int.from_bytes(tail[-4:], "little")
        claimed, factor = 4 * held if held >= size else 4 * PACKED * size, 4 * PACKED
    elif mark_of(head):
        claimed, factor = 4 * PACKED * size, 4 * PACKED
    elif head.startswith(ZIP):
        end = max(tail.rfind(b"PK\5\6"), 0)
        claimed, factor = A_FILE * int.from_bytes(tail[end + 10 : end + 12], "little"), PACKED
    else:  # in a tar file, the smallest file takes 1024 bytes with its header, a quarter of `A_FILE`
        claimed, factor = 4 * size, 4
    return max(size, min(claimed, factor * size, size + MOST_BEYOND_SIZE))
