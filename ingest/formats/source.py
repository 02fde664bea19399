"""A file's beginning, from which its format is recognised."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ingest.formats.text import BYTE_ORDER_MARK

HEAD = 64 * 1024


@dataclass(frozen=True)
class Source:
    """A file that nobody has parsed yet."""

    path: Path

    @cached_property
    def head(self) -> str:
        """Its first 64 KiB, whatever the encoding."""
        with self.path.open("rb") as file:
            return file.read(HEAD).removeprefix(BYTE_ORDER_MARK).decode(errors="replace").lstrip()

    @cached_property
    def first_line(self) -> str:
        """Its first line that is not blank, or what of it lies in the head."""
        return self.head.split("\n", 1)[0].rstrip()

    def contains(self, text: bytes) -> bool:
        """Whether these bytes stand anywhere in it."""
        kept = b""
        with self.path.open("rb") as file:
            while block := file.read(1024 * 1024):
                if text in kept + block:
                    return True
                kept = block[-len(text) :]
        return False
