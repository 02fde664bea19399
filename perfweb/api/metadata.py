"""The JSON that callers send beside a file."""

import json
import re
from itertools import accumulate
from typing import Any

from rest_framework.exceptions import ValidationError

DEEPEST = 20

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def metadata_parse(text: str) -> dict[str, Any]:
    """An object of plain JSON; empty text is an empty one.

    Refused are what PostgreSQL or the next reader would choke on: deep nesting (told before it is parsed),
    NaN and Infinity, a key given twice, NUL, half surrogates, numbers of thousands of digits.

    Raises:
        ValidationError: for the field `metadata`.
    """
    try:
        if _depth(text) > DEEPEST:
            raise ValueError(f"nested deeper than {DEEPEST} levels")
        value = json.loads(text or "{}", parse_constant=_constant, object_pairs_hook=_object)
        if not isinstance(value, dict):
            raise ValueError(f"found {type(value).__name__}")
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
        written.encode()
        if r"\u0000" in written:
            raise ValueError("it contains a NUL character")
    except ValueError as wrong:
        raise ValidationError({"metadata": [f"Expected one JSON object: {wrong}."]}) from wrong
    return value


def _depth(text: str) -> int:
    brackets = re.sub(r"[^\[\]{}]", "", _STRING.sub("", text))
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0)


def _constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key is given twice")
    return result
