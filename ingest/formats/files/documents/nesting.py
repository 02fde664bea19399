"""Measures how deeply JSON is nested before a recursive parser reads it, in linear time."""

import re

import numpy as np
from numpy.typing import NDArray

from ingest.formats.errors import FormatError

TEXT = r'"(?:[^"\\]++|\\.)*+"'
FLAT = rf'[\[{{](?:[^"\[\]{{}}]++|{TEXT})*+[\]}}]'
NEXT_BRACKET = re.compile(rf'(?:[^"\[\]{{}}]++|{TEXT}|{FLAT})*+(["\[\]{{}}]?)'.encode(), re.DOTALL)
"""Skips to the next bracket, or to a quote that never ends, in linear time."""
ONE_BY_ONE = 256
"""Number of brackets that are followed one by one, which is faster for small values."""
PIECE = 256 * 1024
"""Bytes whose brackets are counted together, with about ten times as many bytes of memory."""
STEPS = np.zeros(256, np.int8)
"""Change of the depth by each byte value outside of texts."""
STEPS[list(b"[{")], STEPS[list(b"]}")] = 1, -1
QUOTE = ord('"')
DELIMITERS = b'[]{}"'
OTHERS = bytes(set(range(256)) - set(DELIMITERS))


class NestingError(FormatError):
    """Brackets do not match. `at_byte` is the position of the wrong bracket."""

    def __init__(self, found: str, expected: str, *, at: int) -> None:
        super().__init__(found, expected)
        self.at_byte = at


def nested_end(data: bytes, start: int, most: int) -> int:
    """Return the end of the object or list that begins at `start`.

    Raises:
        NestingError: brackets are nested more than `most` levels deep, or the value has no end.
    """
    depth, position = 1, start + 1
    for _ in range(ONE_BY_ONE):
        match = NEXT_BRACKET.match(data, position)
        bracket, position = (match[1], match.end()) if match else (b"", len(data))
        if not bracket:
            raise _endless(len(data))
        if bracket == b'"':
            raise _unclosed(position - 1)
        depth += 1 if bracket in b"[{" else -1
        if depth > most:
            raise _too_deep(most, position - 1)
        if not depth:
            return position
    return _counted_end(data, position, depth, most)


def _counted_end(data: bytes, start: int, depth: int, most: int) -> int:
    """Return the same end as `nested_end`, from a start at this depth outside of texts."""
    inside = 0
    while start < len(data):
        piece = _without_escapes(data[start : start + PIECE], last=start + PIECE >= len(data))
        steps, inside = _steps(piece, inside)
        depths = depth + np.cumsum(steps, dtype=np.int32)
        # a pair without brackets inside is not counted
        wrong = np.flatnonzero((depths == 0) | (depths > most + 1))
        if wrong.size:
            place = start + _place(piece, int(wrong[0]))
            if depths[wrong[0]]:
                raise _too_deep(most, place)
            return place + 1
        depth = int(depths[-1]) if depths.size else depth
        start += len(piece)
    raise _unclosed(len(data)) if inside else _endless(len(data))


def _without_escapes(piece: bytes, *, last: bool) -> bytes:
    """Return a piece without escaped quotes, and without a backslash that belongs to the next piece."""
    behind = len(piece) - len(piece.rstrip(b"\\"))
    if behind % 2 and not last:
        piece = piece[:-1]
    return piece.replace(b"\\\\", b"  ").replace(b'\\"', b"  ")


def _steps(piece: bytes, inside: int) -> tuple[NDArray[np.int8], int]:
    """Return the change of the depth at each bracket or quote, and whether the piece ends within a text.

    `inside` is 1 if the piece begins within a text, else 0.
    """
    letters = np.frombuffer(piece.translate(None, OTHERS), np.uint8)
    quotes = np.cumsum(letters == QUOTE, dtype=np.int32) + inside
    return STEPS[letters] * (quotes % 2 == 0), int(quotes[-1] % 2) if quotes.size else inside


def _place(piece: bytes, number: int) -> int:
    """Return the position in a piece of the bracket or quote with this number."""
    return int(np.flatnonzero(np.isin(np.frombuffer(piece, np.uint8), list(DELIMITERS)))[number])


def _too_deep(most: int, place: int) -> NestingError:
    return NestingError(f"JSON nested deeper than {most} levels", "a flat structure", at=place)


def _endless(place: int) -> NestingError:
    return NestingError("the end of the file within an object or list", "valid JSON", at=place)


def _unclosed(place: int) -> NestingError:
    return NestingError("a text without its closing quote", "valid JSON", at=place)
