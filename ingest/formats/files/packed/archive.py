"""Reads an archive (zip, or tar, which may be packed) or a folder member by member, within limits.

Nothing is written to a disk. This module is only safe in a confined child process, see `contained.child`.
"""

import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from ingest.formats.campaign.invisible import invisible_in
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.packed import tar
from ingest.formats.files.packed.compressed import LONGEST_MARK, MARKS, STREAMS, Budget, Decompressed, mark_of
from ingest.formats.limits import Limits

ZIP = b"PK"
NESTED = re.compile(
    r"(?!.*\.gcov\.json\.gz$).*\.(zip|tar|tgz|gz|bz2|xz|zst|7z|rar|extra-p)", re.IGNORECASE | re.DOTALL
)
PIECE = 64 * 1024
LONGEST_MEMBER_NAME = 1000
MOST_DIRECTORY_BYTES = 4 * 1024 * 1024
Wanted = Callable[[str], bool]
Link = Callable[[str], None]


def is_archive(head: bytes) -> bool:
    """Return whether a file that begins like this is an archive."""
    return head.startswith((ZIP + b"\x03\x04", ZIP + b"\x05\x06", *MARKS)) or tar.is_tar(head)


class Archive:
    """The regular files of an archive or a folder.

    Attributes:
        budget: limit on the bytes that a format unpacks from packed members.
        names: names of all members, with / between folders, in their order.
        links: names of the links, which are left out.
    """

    def __init__(self, path: Path, limits: Limits, file: BinaryIO | None) -> None:
        """Open the archive `file`, or the folder at `path` where `file` is None.

        Raises:
            FormatError: the archive is damaged, or contains something that is not allowed.
        """
        self._limits, self._file = limits, file
        self._found = list(_regular_files(path)) if file is None else []
        self._packed = os.fstat(file.fileno()).st_size if file else limits.bytes
        self.budget = Budget(limits, self._packed)
        self.links: dict[str, None] = {}
        self.names = [name for name, _ in self._all(lambda _: False)]
        if len(set(self.names)) < len(self.names):
            raise FormatError("an archive with two files of the same name", "each name once")

    def members(self, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the content of each member whose name is wanted.

        Raises:
            FormatError: a member is too large, or the archive is damaged.
        """
        return ((name, content) for name, content in self._all(wanted) if wanted(name))

    def _all(self, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
        for count, entry in enumerate(self._entries(wanted)):
            if count >= self._limits.members:
                raise FormatError(
                    f"more than {self._limits.members} files",
                    f"at most {self._limits.members} files in one upload",
                )
            yield entry

    def _leave_out(self, link: str) -> None:
        self.links[link] = None
        if len(self.links) > self._limits.members:
            most = f"{self._limits.members} links"
            raise FormatError(f"more than {most}", f"at most {most} in one upload")

    def _entries(self, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
        most, budget = self._limits.member_bytes, Budget(self._limits, self._packed)
        if self._file is None:
            return _folder(self._found, most, wanted)
        self._file.seek(0)
        head = self._file.read(LONGEST_MARK)
        self._file.seek(0)
        if head.startswith(ZIP):
            return _zip(self._file, budget, most, wanted, self._leave_out)
        mark = mark_of(head)
        if not mark:
            return _tar(self._file, most, wanted, self._leave_out)
        if not tar.is_tar(Decompressed(self._file, Budget(self._limits, self._packed)).read(tar.TAR_BLOCK)):
            raise FormatError(f"one file packed with {STREAMS[mark][0]}", "that file itself, unpacked")
        self._file.seek(0)
        return _tar(cast(BinaryIO, Decompressed(self._file, budget)), most, wanted, self._leave_out)


def decompressed(file: BinaryIO, limits: Limits) -> bytes | None:
    """Return the content of a packed file; None if it is not packed or contains a tar file.

    Raises:
        FormatError: the file is damaged or too large.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    mark = mark_of(file.read(LONGEST_MARK))
    if not mark:
        return None
    file.seek(0)
    stream = Decompressed(file, Budget(limits, size))
    head = stream.read(tar.TAR_BLOCK)
    if tar.is_tar(head):
        return None
    data = head + stream.read(limits.member_bytes)
    if len(data) > limits.member_bytes:
        found = f"a {STREAMS[mark][0]} file of over {limits.member_bytes} bytes when unpacked"
        raise FormatError(found, "a smaller file")
    return data


def _checked(name: str) -> str:
    """Return a member's name without a leading ./; refuse a path that leaves the folder, or an archive."""
    levels = [level for level in name.split("/") if level != "."]
    if (
        not name.isprintable()
        or invisible_in(name)
        or "\\" in name
        or not all(levels)
        or ".." in levels
        or len(name) > LONGEST_MEMBER_NAME
    ):
        raise FormatError(f"a file named {quoted(name)} in the archive", "a relative path without ..")
    if NESTED.fullmatch(name):
        raise FormatError(f"the archive {quoted(name)} within an archive", "the files in it, unpacked")
    return "/".join(levels)


def _content(file: BinaryIO, size: int, most: int, name: str) -> bytes:
    if size > most:
        raise FormatError(f"{quoted(name)} of {size} bytes", f"{most} at most")
    data = file.read(size)
    if len(data) < size:
        raise FormatError(f"an archive that is cut off within {quoted(name)}", "the whole archive")
    return data


def _regular_files(root: Path) -> Iterator[tuple[str, str, int]]:
    """Return path, name and size of each file in a folder."""
    above = len(str(root.parent.joinpath("_"))) - 1
    for folder, folders, files in os.walk(root):
        folders.sort()
        for path in (os.path.join(folder, file) for file in sorted(files)):
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode):
                yield path, path[above:].replace(os.sep, "/"), status.st_size


def _folder(files: list[tuple[str, str, int]], most: int, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    for path, name, size in files:
        content = b""
        if wanted(name):
            with open(path, "rb") as file:
                content = _content(file, size, most, name)
        yield name, content


def _tar(file: BinaryIO, most: int, wanted: Wanted, link: Link) -> Iterator[tuple[str, bytes]]:
    for raw, size in tar.members(file, link=link):
        name = _checked(raw)
        yield name, _content(file, size, most, name) if wanted(name) else b""
    while rest := file.read(PIECE):  # the member is read to its end, where its checksum is checked
        if rest.strip(b"\0"):
            raise FormatError("data after the end of the tar file", "a single tar file")


def _zip(
    file: BinaryIO, budget: Budget, most: int, wanted: Wanted, link: Link
) -> Iterator[tuple[str, bytes]]:
    _check_directory(file)
    try:
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                if stat.S_ISLNK(info.external_attr >> 16):
                    link(info.filename)
                elif not info.is_dir():
                    name = _checked(info.filename)
                    _check_kind(info)
                    content = b""
                    if wanted(name):
                        budget.take(info.file_size)
                        # the open member yields at most as many bytes as the archive's list says
                        with archive.open(info) as member:
                            content = _content(cast(BinaryIO, member), info.file_size, most, name)
                    yield name, content
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error, ValueError) as error:
        raise FormatError(f"a damaged zip file: {quoted(error)}", "an undamaged zip file") from None


def _check_directory(file: BinaryIO) -> None:
    """Refuse a long list of members, for which the standard library would need too much memory."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 66_000))
    tail = file.read()
    place = tail.rfind(b"PK\5\6")
    if place < 0 or len(tail) < place + 22:
        raise FormatError("a zip file that is cut off", "the whole file")
    directory = struct.unpack_from("<I", tail, place + 12)[0]
    if directory > MOST_DIRECTORY_BYTES or b"PK\6\7" in tail[max(0, place - 20) : place]:
        raise FormatError("a zip file with too many files in it", "a zip file with fewer files")
    file.seek(0)


def _check_kind(info: zipfile.ZipInfo) -> None:
    mode = info.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise FormatError(f"a device named {quoted(info.filename)}", "regular files and folders only")
    if info.flag_bits & 1:
        raise FormatError(f"{quoted(info.filename)} with a password", "files without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise FormatError(
            f"{quoted(info.filename)} compressed in an unusual way", "deflate or no compression"
        )
