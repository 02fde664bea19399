"""Reads the members of a tar file one after the other. Devices and, by default, links are refused."""

from collections.abc import Callable, Iterator
from typing import BinaryIO

from ingest.formats.errors import FormatError, quoted

TAR_BLOCK = 512
CHECKSUM = slice(148, 156)
MOST_HEADER_BYTES = 64 * 1024
LINKS = (b"1", b"2")
KINDS = {b"1": "a hard link", b"2": "a symbolic link", b"3": "a device", b"4": "a device", b"6": "a pipe"}


def is_tar(block: bytes) -> bool:
    """Return whether a file that begins like this is a tar file."""
    return len(block) >= TAR_BLOCK and block[257:262] == b"ustar"


def members(file: BinaryIO, *, link: Callable[[str], None] | None = None) -> Iterator[tuple[str, int]]:
    """Yield name and size of each regular file. The caller reads its content from `file`.

    Args:
        file: read from its current position; it need not be seekable.
        link: called with the name of each link, which is then left out, not refused.

    Raises:
        FormatError: the file is cut off, or has a member that is neither a regular file nor a folder.
    """
    long_name = ""
    while (header := _exactly(file, TAR_BLOCK)).strip(b"\0"):
        size, kind = _number(header[124:136]), header[156:157]
        if _number(header[CHECKSUM]) not in _checksums(header):
            raise FormatError("a tar header with a wrong checksum", "an undamaged file")
        if kind in b"xLg" and kind:
            long_name = _long_name(kind, _exactly(file, _padded(_bounded(size)))[:size]) or long_name
            continue
        name, long_name = long_name or _name(header), ""
        if kind in (b"0", b"\0"):
            before = file.tell()
            yield name, size
            _skip(file, _padded(size) - (file.tell() - before))
        elif link and kind in LINKS:
            link(name)  # no content follows, whatever size some writers name
        elif kind != b"5":
            found = f"{KINDS.get(kind, 'something other than a file')} named {quoted(name)}"
            raise FormatError(found, "regular files and folders only")


def _checksums(header: bytes) -> list[int]:
    """Return the right checksum, and the one that version 4.8 of the Cube library writes. By the standard,
    the checksum's own 8 bytes count as spaces. That version counts 7.
    """
    others = sum(header) - sum(header[CHECKSUM])
    return [others + spaces * ord(" ") for spaces in (8, 7)]


def _name(header: bytes) -> str:
    parts = [header[345:500], header[:100]] if is_tar(header) and header[262:263] == b"\0" else [header[:100]]
    return "/".join(part.split(b"\0")[0].decode(errors="replace") for part in parts if part.strip(b"\0"))


def _long_name(kind: bytes, data: bytes) -> str:
    """Return the name in an extended header, or an empty text."""
    if kind == b"L":
        return data.split(b"\0")[0].decode(errors="replace")
    for record in data.split(b"\n"):
        key, _, value = record.partition(b" ")[2].partition(b"=")
        if key == b"size" or key.startswith(b"GNU.sparse"):
            raise FormatError(f"the tar header {quoted(key.decode())}", "plain files: tar without --sparse")
        if key == b"path" and kind == b"x":
            return value.decode(errors="replace")
    return ""


def _number(text: bytes) -> int:
    try:
        number = int(text.strip(b"\0 ") or b"0", 8)
    except ValueError:
        raise FormatError(f"{quoted(text.decode(errors='replace'))} in a tar header", "a size") from None
    if number < 0:
        raise FormatError("a negative size in a tar header", "a size")
    return number


def _bounded(size: int) -> int:
    if size > MOST_HEADER_BYTES:
        raise FormatError(f"a tar header of {size} bytes", f"{MOST_HEADER_BYTES} at most")
    return size


def _padded(size: int) -> int:
    return -(-size // TAR_BLOCK) * TAR_BLOCK


def _skip(file: BinaryIO, size: int) -> None:
    while size > 0:
        piece = min(size, 1024 * 1024)
        _exactly(file, piece)
        size -= piece


def _exactly(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise FormatError("a tar file that is cut off", "the whole file")
    return data
