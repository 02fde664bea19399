"""How deep JSON is nested, found before a recursive parser meets it, in linear time whatever stands there."""

import re

import numpy as np
from numpy.typing import NDArray

from ingest.formats.errors import FormatError

TEXT = r'"(?:[^"\\]++|\\.)*+"'
FLAT = rf'[\[{{](?:[^"\[\]{{}}]++|{TEXT})*+[\]}}]'
NEXT_BRACKET = re.compile(rf'(?:[^"\[\]{{}}]++|{TEXT}|{FLAT})*+(["\[\]{{}}]?)'.encode(), re.DOTALL)
"""Passes over texts and what has no brackets inside, to the next bracket, or the quote of an endless text.

Possessive, so that time stays linear.
"""
ONE_BY_ONE = 256
"""Brackets that are followed one by one, fast where they are few; all others are counted together."""
PIECE = 256 * 1024
"""Bytes that are counted together; memory is some ten times as much."""
STEPS = np.zeros(256, np.int8)
"""What a byte outside of texts adds to the depth."""
STEPS[list(b"[{")], STEPS[list(b"]}")] = 1, -1
QUOTE = ord('"')
TELLING = b'[]{}"'
OTHERS = bytes(set(range(256)) - set(TELLING))


class NestingError(FormatError):
    """Brackets that do not fit; `at_byte` is where."""

    def __init__(self, found: str, expected: str, *, at: int) -> None:
        super().__init__(found, expected)
        self.at_byte = at


def nested_end(data: bytes, start: int, most: int) -> int:
    """Where the object or list that begins at `start` ends.

    Raises:
        NestingError: more than `most` are open at once (those without any inside do not count), or it has
            no end.
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
    """The same from the middle of a value on, at this depth and outside of texts, piece by piece."""
    inside = 0
    while start < len(data):
        piece = _without_escapes(data[start : start + PIECE], last=start + PIECE >= len(data))
        steps, inside = _steps(piece, inside)
        depths = depth + np.cumsum(steps, dtype=np.int32)
        wrong = np.flatnonzero((depths == 0) | (depths > most + 1))  # one that has none inside does not count
        if wrong.size:
            place = start + _place(piece, int(wrong[0]))
            if depths[wrong[0]]:
                raise _too_deep(most, place)
            return place + 1
        depth = int(depths[-1]) if depths.size else depth
        start += len(piece)
    raise _unclosed(len(data)) if inside else _endless(len(data))


def _without_escapes(piece: bytes, *, last: bool) -> bytes:
    """A piece in which no quote is escaped; without a backslash that belongs to the next piece."""
    behind = len(piece) - len(piece.rstrip(b"\\"))
    if behind % 2 and not last:
        piece = piece[:-1]
    return piece.replace(b"\\\\", b"  ").replace(b'\\"', b"  ")


def _steps(piece: bytes, inside: int) -> tuple[NDArray[np.int8], int]:
    """What each bracket or quote adds to the depth, 0 within texts, and whether the end is within one.

    Args:
        piece: without escaped quotes.
        inside: 1 where it begins within a text, else 0.
    """
    letters = np.frombuffer(piece.translate(None, OTHERS), np.uint8)
    quotes = np.cumsum(letters == QUOTE, dtype=np.int32) + inside
    return STEPS[letters] * (quotes % 2 == 0), int(quotes[-1] % 2) if quotes.size else inside


def _place(piece: bytes, number: int) -> int:
    """Where in a piece the bracket or quote of this number is."""
    return int(np.flatnonzero(np.isin(np.frombuffer(piece, np.uint8), list(TELLING)))[number])


def _too_deep(most: int, place: int) -> NestingError:
    return NestingError(f"JSON nested deeper than {most} levels", "a flat structure", at=place)


def _endless(place: int) -> NestingError:
    return NestingError("the end of the file within an object or list", "valid JSON", at=place)


def _unclosed(place: int) -> NestingError:
    return NestingError("a text without its closing quote", "valid JSON", at=place)
