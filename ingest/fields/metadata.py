"""Parses the JSON metadata that people and scripts send with a file."""

import json
import re
from itertools import accumulate
from typing import Any

from django.core.exceptions import ValidationError

from ingest.formats.campaign.invisible import HIDDEN, invisible_in

DEEPEST_METADATA = 20

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def metadata_parse(text: str) -> dict[str, Any]:
    """Parse an object of plain JSON; an empty text is an empty object.

    Everything that PostgreSQL or a later reader could not handle is refused, such as NaN or deep nesting.

    Raises:
        ValidationError: what was found, and where.
    """
    if _depth(text) > DEEPEST_METADATA:
        raise _refused(f"nesting deeper than {DEEPEST_METADATA} levels")
    try:
        value = json.loads(text or "{}", parse_constant=_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as wrong:
        place = f"line {wrong.lineno}, column {wrong.colno}"
        raise _refused(f"something that is not JSON at {place}") from wrong
    except ValueError as wrong:  # Python limits the digits of a number
        raise _refused("a number of thousands of digits") from wrong
    if not isinstance(value, dict):
        raise _refused("JSON that is no object")
    _check_written(value)
    return value


def _check_written(value: dict[str, Any]) -> None:
    """Refuse a parsed value that cannot be stored."""
    try:
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
        written.encode()
    except UnicodeEncodeError as wrong:
        raise _refused("half of a surrogate pair") from wrong
    except ValueError as wrong:
        raise _refused("a number too large for JSON") from wrong
    if r"\u0000" in written:
        raise _refused("a NUL character")
    if hidden := HIDDEN.search(written):
        raise _refused(f"the character U+{ord(hidden[0]):04X}, which is invisible")
    if found := next(filter(None, map(invisible_in, value)), ""):
        raise _refused(f"{found} in a key")


def _refused(found: str) -> ValidationError:
    return ValidationError(f'Found {found}, expected one JSON object such as {{"compiler": "gcc 14"}}.')


def _depth(text: str) -> int:
    brackets = re.sub(r"[^\[\]{}]", "", _STRING.sub("", text))
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0)


def _constant(name: str) -> float:
    raise _refused(f"{name}, which is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise _refused("a key that is given twice")
    return result
