"""Patterns of call paths, by which a rule selects kernels."""

import re
from functools import lru_cache

PATH_SEPARATOR = "->"

LONGEST_PATTERN = 400
MOST_STARS = 20
"""Limit on the stars of a pattern. Matching patterns with more stars takes long."""


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    wild = {"*": ".*", "?": "."}
    return re.compile("".join(wild.get(letter, re.escape(letter)) for letter in pattern), re.DOTALL)


def matches(pattern: str, path: str) -> bool:
    """Return whether a pattern matches a kernel.

    In a pattern, * is any text, ? is one character, and every other character is itself. A pattern with “->”
    is compared with the call path, any other with the function's name.
    """
    whole = PATH_SEPARATOR in pattern
    return bool(_compiled(pattern).fullmatch(path if whole else path.rsplit(PATH_SEPARATOR, 1)[-1]))


def pattern_check(pattern: str) -> str:
    """Return the pattern with consecutive stars replaced by one.

    Raises:
        ValueError: the pattern is empty, too long or has too many stars.
    """
    plain = re.sub(r"\*+", "*", pattern.strip())
    if not 0 < len(plain) <= LONGEST_PATTERN:
        raise ValueError(f"A pattern has 1 to {LONGEST_PATTERN} characters; write * for all kernels.")
    if plain.count("*") > MOST_STARS:
        raise ValueError(f"A pattern has at most {MOST_STARS} stars; found {plain.count('*')}.")
    return plain
