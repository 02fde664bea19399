"""Reads JSON more strictly than Python's own reader: limited depth, unique keys, finite floats.

Objects are tuples of (key, value), in which repeated keys can be found.
"""

import json
from collections import Counter
from typing import Any

from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.nesting import nested_end

SHOWN = 20
"""Number of entries of a refused list that are converted for the message."""

Pairs = tuple[tuple[str, Any], ...]
"""A JSON object as pairs of key and value."""


def load(text: str, depth: int) -> Any:
    """Return the value in `text`, which has no white space around it.

    Raises:
        FormatError: the text is no JSON, or nested too deeply.
    """
    # a text with fewer brackets cannot be too deep
    if text.count("[") + text.count("{") > depth and text[0] in "[{":
        nested_end(text.encode(), 0, depth)
    try:
        found, end = decode_first(text)
        if end < len(text):
            raise json.JSONDecodeError("something after the value", text, end)
    except json.JSONDecodeError as error:
        raise FormatError(f"no JSON at column {error.colno}: {error.msg}", "valid JSON") from None
    return found


def members(value: Any, expected: str) -> dict[str, Any]:
    """Return an object as a dictionary.

    Raises:
        FormatError: the value is no object, or has a key twice.
    """
    if not isinstance(value, tuple):
        raise FormatError(quoted(value), expected)
    found = dict(value)
    if len(found) < len(value):
        keys = [key for key, _ in value]
        twice = next(key for key, count in Counter(keys).items() if count > 1)
        raise FormatError(f"the key {quoted(twice)} twice in one object", "each key once")
    return found


def check_numbers(values: list[Any], what: str) -> None:
    """Refuse an empty list, and a list with anything but numbers.

    Raises:
        FormatError: the list is empty or contains something else.
    """
    if set(map(type, values)) != {float}:
        raise FormatError(
            f"{what} {quoted(_written(values))}", "numbers, written without quotes; leave out what is missing"
        )


def _written(values: list[Any]) -> str:
    """Return the start of a list as JSON."""
    return json.dumps(values[:SHOWN], ensure_ascii=False)


def _no_constant(text: str) -> float:
    raise FormatError(text, "a finite number; leave out values that are missing")


decode_first = json.JSONDecoder(
    object_pairs_hook=tuple, parse_int=float, parse_constant=_no_constant
).raw_decode
"""Decodes the value at the beginning of a text, and returns it with its end, or raises an error."""

decode_with_constants = json.JSONDecoder(object_pairs_hook=tuple, parse_int=float).raw_decode
"""Decodes like `decode_first`, but accepts NaN and Infinity, which tools write for divisions by 0."""
