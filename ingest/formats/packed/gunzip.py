"""Unpacks gzip data while they are read, within a limit."""

import io
import zlib
from typing import BinaryIO

from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits

GZIP = b"\x1f\x8b"
PIECE = 64 * 1024
MOST_MEMBERS = 100_000
"""Limit on the separately packed pieces of a file. bgzip packs every 64 KiB separately."""


class Budget:
    """Counts how many bytes may still be unpacked.

    Small data are often compressed very well, so the ratio is checked only above `Limits.unpacked_free`.
    """

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


class Gunzipped(io.RawIOBase):
    """The content of a gzip file. It can be read once, from the beginning.

    The file may have several members one after the other, as pigz, bgzip and `cat a.gz b.gz` write them, and
    zeros after the last one.
    """

    def __init__(self, file: BinaryIO, budget: Budget) -> None:
        self._file, self._budget = file, budget
        self._inflate, self._begun, self._members = _inflating(), b"", 1
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
        while not self._inflate.eof or self._next_member():
            packed = self._inflate.unconsumed_tail or self._begun or self._file.read(PIECE)
            self._begun = b""
            if not packed:
                raise FormatError("a gzip file that is cut off", "the whole file")
            try:
                piece = self._inflate.decompress(packed, most)
            except zlib.error as error:
                raise FormatError(f"a damaged gzip file: {quoted(error)}", "an undamaged gzip file") from None
            if piece:
                self._budget.take(len(piece))
                return piece
        return b""

    def _next_member(self) -> bool:
        """Start the member after the previous one. Return False if only zeros follow."""
        behind = self._inflate.unused_data
        while not (behind := behind.lstrip(b"\0")):
            behind = self._file.read(PIECE)
            if not behind:
                return False
        if len(behind) < len(GZIP):
            behind += self._file.read(PIECE)
        if not behind.startswith(GZIP):
            raise FormatError("other data after the end of the gzip file", "only gzip data")
        self._members += 1
        if self._members > MOST_MEMBERS:
            raise FormatError(f"more than {MOST_MEMBERS} gzip files in one file", f"at most {MOST_MEMBERS}")
        self._inflate, self._begun = _inflating(), behind
        return True


def _inflating() -> "zlib._Decompress":
    return zlib.decompressobj(zlib.MAX_WBITS | 16)
