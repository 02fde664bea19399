"""Unpacks gzip, bzip2 and xz data while they are read, within a limit."""

import bz2
import io
import lzma
import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol

from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits

GZIP = b"\x1f\x8b"
XZ_MEMORY = 80 * 1024 * 1024
"""Limit on the memory for unpacking xz, in bytes. The highest level of xz needs 65 MiB."""
PIECE = 64 * 1024
MOST_MEMBERS = 100_000
"""Limit on the separately packed pieces of a file. bgzip packs every 64 KiB separately."""
DAMAGED = (zlib.error, lzma.LZMAError, OSError, EOFError)
"""Errors of damaged data; bzip2 raises OSError."""


class Stream(Protocol):
    """Unpacks one piece of packed data, as the classes of bz2 and lzma do."""

    @property
    def eof(self) -> bool: ...  # noqa: D102
    @property
    def needs_input(self) -> bool: ...  # noqa: D102
    @property
    def unused_data(self) -> bytes: ...  # noqa: D102
    def decompress(self, data: bytes, /, max_length: int = -1) -> bytes: ...  # noqa: D102


class _Inflate:
    """Unpacks one member of a gzip file, with the methods of bz2 and lzma."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, /, max_length: int = -1) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)


def _unxz() -> Stream:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, XZ_MEMORY)


STREAMS: dict[bytes, tuple[str, Callable[[], Stream]]] = {
    GZIP: ("gzip", _Inflate),
    b"BZh": ("bzip2", bz2.BZ2Decompressor),
    b"\xfd7zXZ\0": ("xz", _unxz),
}
"""First bytes of packed files → the program that packs them, and what unpacks them."""
MARKS = tuple(STREAMS)
LONGEST_MARK = max(map(len, MARKS))


def mark_of(head: bytes) -> bytes:
    """Return the first bytes by which a packed file is recognised, or b""."""
    return next((mark for mark in MARKS if head.startswith(mark)), b"")


class Budget:
    """Counts how many bytes may still be unpacked. Up to `Limits.unpacked_free`, the ratio is not limited."""

    def __init__(self, limits: Limits, packed: int) -> None:
        most = limits.unpacked_free + limits.unpacked_ratio * packed
        self._left = self._most = min(limits.unpacked_bytes, most)

    def take(self, size: int) -> None:
        """Subtract `size` bytes.

        Raises:
            FormatError: the limit is exceeded.
        """
        self._left -= size
        if self._left < 0:
            raise FormatError(
                f"more than {self._most} bytes when unpacked", f"at most {self._most} bytes in one upload"
            )


class Decompressed(io.RawIOBase):
    """The content of a packed file, which can be read once; several members are joined."""

    def __init__(self, file: BinaryIO, budget: Budget) -> None:
        self._file, self._budget = file, budget
        self._begun = file.read(LONGEST_MARK)
        self._mark = mark_of(self._begun)
        self._kind, self._opened = STREAMS[self._mark]
        self._stream, self._members = self._opened(), 1
        self._place = 0

    def read(self, size: int = -1, /) -> bytes:
        """Return the next `size` bytes, or fewer at the end.

        Raises:
            FormatError: the file is damaged or cut off.
        """
        pieces, wanted = [], size
        while wanted > 0 and (piece := self._piece(wanted)):
            pieces.append(piece)
            wanted -= len(piece)
        self._place += size - wanted
        return b"".join(pieces)

    def tell(self) -> int:
        """Return how many bytes were read."""
        return self._place

    def _piece(self, most: int) -> bytes:
        while not self._stream.eof or self._next_member():
            packed, self._begun = self._begun, b""
            if self._stream.needs_input:
                packed = packed or self._file.read(PIECE)
                if not packed:
                    raise FormatError(f"a {self._kind} file that is cut off", "the whole file")
            try:
                piece = self._stream.decompress(packed, most)
            except DAMAGED as error:
                found = f"a damaged {self._kind} file: {quoted(error)}"
                raise FormatError(found, f"an undamaged {self._kind} file") from None
            if piece:
                self._budget.take(len(piece))
                return piece
        return b""

    def _next_member(self) -> bool:
        """Start the next member. Return False if only zeros follow."""
        behind = self._stream.unused_data
        while not (behind := behind.lstrip(b"\0")):
            behind = self._file.read(PIECE)
            if not behind:
                return False
        if len(behind) < len(self._mark):
            behind += self._file.read(PIECE)
        if not behind.startswith(self._mark):
            found = f"other data after the end of the {self._kind} file"
            raise FormatError(found, f"only {self._kind} data")
        self._members += 1
        if self._members > MOST_MEMBERS:
            found = f"more than {MOST_MEMBERS} {self._kind} files in one file"
            raise FormatError(found, f"at most {MOST_MEMBERS}")
        self._stream, self._begun = self._opened(), behind
        return True
