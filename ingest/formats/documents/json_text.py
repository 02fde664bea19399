"""JSON, more strictly than Python reads it: bounded depth, each key once, all numbers finite floats.

Objects are read as tuples of (key, value): that keeps a key that comes twice, and they are hashable.
"""

import json
from collections import Counter
from typing import Any

from ingest.formats.documents.nesting import nested_end
from ingest.formats.errors import FormatError, quoted

SHOWN = 20
"""The number of entries that are read of a list that is refused: more than a message shows."""

Pairs = tuple[tuple[str, Any], ...]
"""A JSON object."""


def load(text: str, depth: int) -> Any:
    """The value that `text` holds, without white space around it.

    Raises:
        FormatError: it is no JSON, or nested too deeply.
    """
    if text.count("[") + text.count("{") > depth and text[0] in "[{":  # else it cannot be nested more deeply
        nested_end(text.encode(), 0, depth)
    try:
        found, end = decode_first(text)
        if end < len(text):
            raise json.JSONDecodeError("something behind the value", text, end)
    except json.JSONDecodeError as error:
        raise FormatError(f"no JSON at column {error.colno}: {error.msg}", "valid JSON") from None
    return found


def members(value: Any, expected: str) -> dict[str, Any]:
    """An object as a dictionary.

    Raises:
        FormatError: it is none, or has a key twice.
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
    """Refuse anything but numbers, and an empty list.

    Raises:
        FormatError: there is something else.
    """
    if set(map(type, values)) != {float}:
        raise FormatError(f"{what} {quoted(_written(values))}", "numbers, at least one")


def _written(values: list[Any]) -> str:
    """The start of a list as it stands in the file, not as Python writes it."""
    return json.dumps(values[:SHOWN], ensure_ascii=False)


def _no_constant(text: str) -> float:
    raise FormatError(text, "a finite number; leave a missing value out")


decode_first = json.JSONDecoder(
    object_pairs_hook=tuple, parse_int=float, parse_constant=_no_constant
).raw_decode
"""The value at the beginning of a text, and where it ends; raises JSONDecodeError or FormatError."""

decode_with_constants = json.JSONDecoder(object_pairs_hook=tuple, parse_int=float).raw_decode
"""The same, but NaN and Infinity are numbers, as benchmarking tools write them where they divide by 0."""
