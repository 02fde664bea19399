"""A file before it is parsed, with the properties by which its format is recognised."""

import codecs
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from ingest.formats.campaign.sent_points import SentPoint
from ingest.formats.errors import FormatError
from ingest.formats.files.documents.document import Document
from ingest.formats.files.packed.archive import Archive, decompressed, is_archive
from ingest.formats.files.packed.claims import A_FILE, claimed_bytes
from ingest.formats.files.text import BYTE_ORDER_MARK, checked, line_blocks, shown
from ingest.formats.limits import Limits

HEAD = 64 * 1024
BEGINNING = 500  # characters of a line by which programs are recognised
WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""First bytes of texts in UTF-32 and UTF-16, with encodings. Both may begin alike; UTF-32 is tried first."""
PLAIN = 3
"""Factor from the size of an unpacked file to the work, because rows of tables are short and read twice."""


@dataclass(frozen=True)
class Source:
    """A file, an archive or a folder, with its limits and the user's options.

    Attributes:
        options: the user's choices, by names of the format's options.
        place: coordinates that the user sent with the file.
        data: content of a member of an archive, which is never written to a disk.
    """

    path: Path
    limits: Limits
    options: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    place: SentPoint = field(default_factory=SentPoint)
    data: bytes | None = None

    def open(self) -> BinaryIO:
        """Open a new reader of the file, from its beginning."""
        return self.path.open("rb") if self.data is None else io.BytesIO(self.data)

    @cached_property
    def opened(self) -> BinaryIO | None:
        """Return the open file, or None for a folder."""
        return self.open() if self.data is not None or not self.path.is_dir() else None

    @cached_property
    def size(self) -> int:
        """Return the size in bytes; for a folder, of all its files."""
        if self.data is not None:
            return len(self.data)
        if not self.path.is_dir():
            return self.path.stat().st_size
        files = (os.path.join(folder, file) for folder, _, files in os.walk(self.path) for file in files)
        return sum(os.lstat(file).st_size for file in files)

    @cached_property
    def work(self) -> int:
        """Estimate the bytes that reading will unpack, at least some thousand for each file."""
        if self.opened is None:
            folders = os.walk(self.path)
            return max(self.size, A_FILE * sum(len(files) for _, _, files in folders))
        return claimed_bytes(self.opened) if self.packed else PLAIN * self.size

    @cached_property
    def packed(self) -> bool:
        """Return whether the source is an archive or a folder."""
        if self.opened is None:
            return True
        self.opened.seek(0)
        return is_archive(self.opened.read(512))

    @cached_property
    def archive(self) -> Archive:
        """Open the archive or folder, only in a confined child process."""
        return Archive(self.path, self.limits, self.opened)

    def unpacked(self) -> "Source":
        """Return the file inside a gzip, bzip2 or xz file, or else the source itself, as UTF-8.

        This is only safe in a confined child process.

        Raises:
            FormatError: the file is damaged, too large, or itself an archive.
        """
        data = decompressed(self.opened, self.limits) if self.packed and self.opened else None
        if data is None:
            return self.narrowed()
        inner = replace(self, name=re.sub(r"\.(?:gz|bz2|xz)$", "", self.name, flags=re.IGNORECASE), data=data)
        if inner.packed:
            raise FormatError("an archive that is packed once more", "the archive itself, unpacked once")
        return inner.narrowed()

    @property
    def names(self) -> list[str]:
        """Return the names of the files in an archive or folder; otherwise an empty list."""
        return self.archive.names if self.packed else []

    def close(self) -> None:
        """Close the file."""
        if self.opened is not None:
            self.opened.close()

    def files(self, wanted: Callable[[str], bool]) -> Iterable[tuple[str, bytes]]:
        """Yield name and content of the contained files, or of the source itself.

        This is only safe in a confined child process.

        Raises:
            FormatError: a file is too large or damaged.
        """
        if self.packed:
            return self.archive.members(wanted)
        assert self.opened is not None  # noqa: S101 -- a folder is packed
        self.opened.seek(0)
        return [(self.path.name, self.opened.read(self.limits.document_bytes))]

    @cached_property
    def wide(self) -> str:
        """Return the encoding of a text in UTF-16 or UTF-32, as PowerShell writes it, or ""."""
        with self.open() as file:
            begin = file.read(4)
        return next((encoding for mark, encoding in WIDE if begin.startswith(mark)), "")

    @property
    def _returns(self) -> bool:
        """Return whether lines end in carriage returns alone, as in some spreadsheets."""
        with self.open() as file:
            begin = file.read(HEAD)
        return b"\r" in begin and b"\n" not in begin and b"\0" not in begin

    def narrowed(self) -> "Source":
        """Return a text in UTF-16 or UTF-32 as UTF-8, with line feeds for lone carriage returns.

        Raises:
            FormatError: the text is damaged, or too large.
        """
        if self.packed:
            return self
        if not self.wide:
            return replace(self, data=self.whole.replace(b"\r", b"\n")) if self._returns else self
        try:
            return replace(self, data=self.whole.decode(self.wide).encode())
        except UnicodeDecodeError as error:
            found = f"the byte {error.start + 1}, which is not {self.wide.upper()}"
            raise FormatError(found, "a text in UTF-8") from None

    @cached_property
    def head(self) -> str:
        """Return the first 64 KiB of a text as a terminal shows them, without leading blanks."""
        with self.open() as file:
            begin = file.read(HEAD).removeprefix(BYTE_ORDER_MARK).decode(errors="replace")
        return shown(begin).lstrip()

    @cached_property
    def beginnings(self) -> str:
        """Return the first `BEGINNING` characters of each line of the head. Long lines would take seconds."""
        return "\n".join(line[:BEGINNING] for line in self.head.split("\n"))

    @cached_property
    def first_line(self) -> str:
        """Return the first line that is not blank, as far as it is within the first 64 KiB."""
        return self.head.split("\n", 1)[0].rstrip()

    @cached_property
    def document(self) -> Document:
        """Read the file as one JSON object or list.

        Raises:
            FormatError: the file is too large, not UTF-8, or neither an object nor a list.
        """
        return Document(checked(self.whole), self.limits)

    @property
    def whole(self) -> bytes:
        """Return the whole file, without a byte-order mark.

        Raises:
            FormatError: the file is too large.
        """
        most = self.limits.document_bytes
        if self.size > most:
            found = f"a document of {self.size} bytes"
            raise FormatError(found, f"at most {most} bytes; JSON Lines may be larger")
        with self.open() as file:
            return file.read().removeprefix(BYTE_ORDER_MARK)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the stripped lines of a text that are not blank, with their 1-based numbers.

        Raises:
            FormatError: as in `raw_lines`.
        """
        for number, line in self.raw_lines():
            if text := line.strip():
                yield number, text

    def raw_lines(self) -> Iterator[tuple[int, str]]:
        """Yield all lines of a text with their 1-based numbers, as a terminal shows them.

        Raises:
            FormatError: a line is too long or not UTF-8.
        """
        for first, lines in self.line_blocks():
            yield from enumerate(lines, first)

    def line_blocks(self) -> Iterator[tuple[int, list[str]]]:
        """Yield blocks of lines of a text, each with the number of its first line.

        Raises:
            FormatError: as in `raw_lines`.
        """
        with self.open() as file:
            yield from line_blocks(file, self.limits)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Return the keys of the JSON object in the file; none if the file is not JSON."""
        return frozenset(self.document.sections) if self.head.startswith("{") else frozenset()
