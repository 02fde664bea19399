"""Reading text and JSON from people who may be careless or hostile."""

import json
import re
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')


def lines(path: Path, limits: Limits) -> Iterator[tuple[int, str]]:
    """Lines of a text with their 1-based numbers, blank ones left out.

    Raises:
        FormatError: a line is too long or not UTF-8.
    """
    with path.open("rb") as file:
        number = 0
        while line := file.readline(limits.line_bytes + 1):
            number += 1
            if len(line) > limits.line_bytes:
                raise FormatError(f"a line of over {limits.line_bytes} bytes", "shorter lines", number)
            if number == 1:
                line = line.removeprefix(BYTE_ORDER_MARK)
            if text := _decoded(line, number).strip():
                yield number, text


def document(path: Path, limits: Limits) -> dict[str, Any]:
    """A file that is one JSON object.

    Raises:
        FormatError: as `load_object`.
    """
    data = path.read_bytes().removeprefix(BYTE_ORDER_MARK)
    _decoded(data, None)
    return load_object(data, limits)


def load_object(data: bytes | str, limits: Limits, line: int | None = None) -> dict[str, Any]:
    """A JSON object; all its numbers are floats.

    Raises:
        FormatError: it is no JSON, nested too deeply, has a key twice, or a NaN or infinite number.
    """
    _check_depth(data.encode() if isinstance(data, str) else data, limits.depth, line)
    try:
        found = json.loads(data, parse_int=float, parse_constant=_no_constant, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"no JSON ({error.msg}, column {error.colno})", "valid JSON", line or error.lineno
        ) from None
    except FormatError as error:
        raise error.at(line) from None
    if not isinstance(found, dict):
        raise FormatError(f"JSON that is no object: {quoted(found)}", "{…}", line)
    return found


def _no_constant(text: str) -> float:
    raise FormatError(text, "a finite number; leave a missing value out")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise FormatError(f"the key {quoted(twice)} twice in one object", "each key once")
    return found


def _check_depth(data: bytes, most: int, line: int | None) -> None:
    """Refuse deep nesting before a recursive parser meets it."""
    if data.count(b"[") + data.count(b"{") <= most:
        return
    # Brackets in texts count here, so this may be too many but never too few.
    letters = np.frombuffer(data, np.uint8)
    steps = np.isin(letters, (0x5B, 0x7B)).astype(np.int8) - np.isin(letters, (0x5D, 0x7D)).astype(np.int8)
    if np.cumsum(steps, dtype=np.int64).max() <= most:
        return
    depth = 0
    for match in TOKENS.finditer(data):
        token = match[0]
        depth += (token in b"[{") - (token in b"]}")
        if depth > most:
            where = line or data.count(b"\n", 0, match.start()) + 1
            raise FormatError(f"JSON nested deeper than {most} levels", "a flat structure", where)


def number(text: object) -> float:
    """A finite number from a word of a text.

    Raises:
        FormatError: it is none.
    """
    try:
        value = float(str(text))
    except ValueError:
        raise FormatError(quoted(text), "a number") from None
    if not -inf < value < inf:
        raise FormatError(quoted(text), "a finite number; leave a missing value out")
    return value


def _decoded(data: bytes, line: int | None) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        where = line or data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"byte 0x{data[error.start]:02x}, which is not UTF-8", "a text in UTF-8", where
        ) from None
