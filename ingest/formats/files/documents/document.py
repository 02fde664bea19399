"""A JSON document that is read piece by piece.

The sections of an object are its keys; a list is one section without a name. Only one entry at a time is
decoded, so memory use stays near the size of the file. Every error names its line.
"""

import json
import re
from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from ingest.formats.campaign.campaign import FloatArray
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.files.documents.json_text import decode_first, decode_with_constants
from ingest.formats.files.documents.nesting import NestingError, nested_end
from ingest.formats.limits import Limits

SPACE = re.compile(rb"[ \t\r\n]*+")
USUAL_ENTRY = 1024
"""Bytes within which an entry nearly always ends. Longer ones need several attempts."""
PIECE = 256 * 1024
"""Bytes of a long list of numbers that are converted to Python objects at a time."""
NUMBERS = re.compile(rb"\[([^\[\]{}\"]*+)\]")
"""Matches a list that contains no texts, lists or objects."""

LIST = ""
"""If the whole document is a list, its only section has this name."""


class LengthError(FormatError):
    """A value is too long to be read as a whole. The value's members can still be read."""


class Document:
    """A JSON object or list, with a reading position.

    Attributes:
        sections: its keys, and where their values begin.
        constants: whether NaN and Infinity are accepted as numbers.
    """

    def __init__(self, data: bytes, limits: Limits) -> None:
        """Find the sections, and check the depth of the whole document.

        Raises:
            FormatError: the data are neither a JSON object nor a list, or nested too deeply.
        """
        self._data, self._limits, self.constants = data, limits, False
        self._sizes = sorted({min(size, limits.line_bytes) for size in (USUAL_ENTRY, 64 * USUAL_ENTRY)})
        self._sizes += [limits.line_bytes] if limits.line_bytes > self._sizes[-1] else []
        self._next = self._place = 0  # positions of the next value and of the value that was read last
        self._line, self._counted = 1, 0
        self.sections: dict[str, int] = {}
        try:
            for key in self._keys():
                if len(self.sections) == limits.sections:
                    most = f"{limits.sections} keys"
                    raise FormatError(f"an outermost object with more than {most}", f"at most {most}")
                self.sections[key] = self._next
                self.skip()
            self._place = self._space()
            if self._place < len(data):
                raise FormatError(
                    f"{self._here()} after the end of the JSON document",
                    "one object or list, and nothing else",
                )
        except FormatError as error:
            raise error.at(self.line) from None

    def _keys(self) -> Iterator[str]:
        return iter([LIST]) if self._data.startswith(b"[", self._space()) else self.members()

    @property
    def line(self) -> int:
        """Return the 1-based line of the value that was read last."""
        if self._place < self._counted:
            self._line, self._counted = 1, 0
        self._line += self._data.count(b"\n", self._counted, self._place)
        self._counted = self._place
        return self._line

    @property
    def line_of_next(self) -> int:
        """Return the 1-based line of the value that will be read next."""
        self._place = self._space()
        return self.line

    def enter(self, section: str) -> None:
        """Move to the beginning of a section.

        Raises:
            FormatError: there is no section of that name.
        """
        if section not in self.sections:
            raise FormatError(f"no key “{section}”", "this key in the outermost object", line=1)
        self._next = self.sections[section]

    def members(self) -> Iterator[str]:
        """Yield the keys of the object at the position. The caller reads or skips each value.

        Raises:
            FormatError: the value is not an object, has a key twice, or has too many keys.
        """
        seen: set[str] = set()
        for _ in self._items("{", "}"):
            key = self.value()
            if not isinstance(key, str):
                raise FormatError(quoted(key), "a key in quotes")
            if key in seen:
                raise FormatError(f"the key {quoted(key)} twice in one object", "each key once")
            if len(seen) == self._limits.series:
                raise FormatError(f"an object with more than {len(seen)} keys", f"at most {len(seen)} keys")
            seen.add(key)
            self._expect(":")
            yield key

    def places(self) -> Iterator[None]:
        """Move through the elements of the list at the position. The caller reads each element.

        Raises:
            FormatError: the value is no list.
        """
        return self._items("[", "]")

    def skip(self) -> None:
        """Skip the value at the position.

        Raises:
            FormatError: the value is no JSON, or nested too deeply.
        """
        start = self._space()
        if not self._data.startswith((b"{", b"["), start):
            self.value()
            return
        try:
            self._next = nested_end(self._data, start, self._limits.depth - 1)
        except NestingError as error:
            self._place = error.at_byte
            raise

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the list at the position.

        Raises:
            FormatError: the value is no list.
        """
        for _ in self.places():
            yield self.value()

    def results(self) -> Iterator[Any]:
        """Yield the elements of a list of results. Their number is limited, because callers keep them.

        Raises:
            LimitError: the list has too many results.
        """
        for count, value in enumerate(self.elements()):
            if count >= self._limits.results:
                most = f"{self._limits.results} results"
                raise LimitError(f"more than {most}", f"at most {most} in one campaign")
            yield value

    def begins(self, letter: str) -> bool:
        """Return whether the next value begins with this letter."""
        return self._data.startswith(letter.encode(), self._space())

    def numbers(self, most: int) -> FloatArray | None:
        """Return the list of numbers at the position, of any length; None for anything else.

        Raises:
            FormatError: there are more than `most` numbers, or the text is no JSON.
        """
        self._place = self._space()
        found = NUMBERS.match(self._data, self._place)
        if not found:
            self.skip()
            return None
        self._next = found.end()
        start, end = found.span(1)
        numbers = array("d")
        while start < end:
            cut = self._data.find(b",", start + PIECE, end)
            piece = self._piece(start, end if cut < 0 else cut)
            if not set(map(type, piece)) <= {float}:
                return None
            numbers.extend(piece)
            if len(numbers) > most:
                raise FormatError(f"a list of more than {most} numbers", f"at most {most} numbers")
            start = end if cut < 0 else cut + 1
        return np.array(numbers)

    def _piece(self, start: int, end: int) -> list[Any]:
        try:
            found, _ = self._decode(f"[{self._data[start:end].decode()}]")
        except json.JSONDecodeError as error:
            self._place = start + max(error.pos - 1, 0)
            raise FormatError(f"no JSON: {error.msg} at {self._here()}", "valid JSON") from None
        numbers: list[Any] = found
        return numbers

    def value(self) -> Any:
        """Return the value at the position as a whole.

        Raises:
            FormatError: the value is no JSON, or too long.
        """
        start = self._place = self._space()
        for size in self._sizes:
            piece = self._data[start : start + size]
            text = piece.decode(errors="ignore")  # the piece may end in the middle of a character
            try:
                found, end = self._decode(text)
            except json.JSONDecodeError as error:
                if len(piece) == size and _was_cut(error, len(text)):
                    continue
                self._place = start + _bytes(text, piece, error.pos)
                raise FormatError(f"no JSON: {error.msg} at {self._here()}", "valid JSON") from None
            self._next = start + _bytes(text, piece, end)
            return found
        raise LengthError(f"an entry of over {self._limits.line_bytes} bytes", "shorter entries")

    def _items(self, opening: str, closing: str) -> Iterator[None]:
        self._expect(opening)
        if self._take(closing):
            return
        while True:
            yield
            if self._take(closing):
                return
            self._expect(",")

    def _decode(self, text: str) -> tuple[Any, int]:
        return decode_with_constants(text) if self.constants else decode_first(text)

    def _space(self) -> int:
        """Return the position after the white space."""
        match = SPACE.match(self._data, self._next)
        return match.end() if match else self._next

    def _take(self, letter: str) -> bool:
        self._place = self._space()
        found = self._data.startswith(letter.encode(), self._place)
        if found:
            self._next = self._place + 1
        return found

    def _expect(self, letter: str) -> None:
        if not self._take(letter):
            raise FormatError(self._here(), f"“{letter}”")

    def _here(self) -> str:
        text = self._data[self._place : self._place + 120].decode(errors="ignore")[:30]
        return quoted(text) if text else "the end of the file"


def _bytes(text: str, piece: bytes, end: int) -> int:
    """Return how many bytes the text takes up to the character `end`."""
    return end if len(text) == len(piece) else len(text[:end].encode())


def _was_cut(error: json.JSONDecodeError, size: int) -> bool:
    """Return whether only the end of the piece may cause the error."""
    return error.msg.startswith("Unterminated string") or error.pos > size - 16
