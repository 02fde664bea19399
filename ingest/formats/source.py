"""A file that nobody has parsed yet, and what its format is recognised from."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ingest.formats.document import Document
from ingest.formats.errors import FormatError
from ingest.formats.limits import Limits
from ingest.formats.text import BYTE_ORDER_MARK, decoded

HEAD = 64 * 1024


@dataclass(frozen=True)
class Source:
    """A file and how large it may be."""

    path: Path
    limits: Limits

    @cached_property
    def head(self) -> str:
        """Its first 64 KiB from the first visible character, whatever the encoding."""
        with self.path.open("rb") as file:
            return file.read(HEAD).removeprefix(BYTE_ORDER_MARK).decode(errors="replace").lstrip()

    @cached_property
    def first_line(self) -> str:
        """Its first line that is not blank, or what of it lies in the head."""
        return self.head.split("\n", 1)[0].rstrip()

    @cached_property
    def document(self) -> Document:
        """The file as one JSON object.

        Raises:
            FormatError: it is too large, not UTF-8 or no JSON object.
        """
        size, most = self.path.stat().st_size, self.limits.document_bytes
        if size > most:
            raise FormatError(f"a JSON document of {size} bytes", f"{most} at most; JSON Lines may be larger")
        text = decoded(self.path.read_bytes().removeprefix(BYTE_ORDER_MARK), 1)
        return Document(text, self.limits)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the JSON object that the file is; none where it is no JSON."""
        return frozenset(self.document.sections) if self.head.startswith("{") else frozenset()
