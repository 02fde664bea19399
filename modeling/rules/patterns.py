"""Patterns of call paths, by which a rule selects kernels.

In a pattern, * is any text, ? is one character, and every other character is itself.
"""

import re
from fnmatch import fnmatchcase

PATH_SEPARATOR = "->"

LONGEST_PATTERN = 400


def text_matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches a whole text.

    The time is proportional to the length of the text for each star, because `fnmatch` never goes back over
    an earlier star. A plain regular expression does: `*a*a*a*a*b` took it minutes for a name of 400 letters.
    """
    # Brackets are part of names such as `solve[0]`, but would be sets of characters for `fnmatch`.
    return fnmatchcase(text, pattern.replace("[", "[[]"))


def matches(pattern: str, path: str) -> bool:
    """Return whether a pattern matches a kernel.

    A pattern with “->” is compared with the call path, any other with the function's name.
    """
    whole = PATH_SEPARATOR in pattern
    return text_matches(pattern, path if whole else path.rsplit(PATH_SEPARATOR, 1)[-1])


def pattern_check(pattern: str) -> str:
    """Return the pattern with consecutive stars replaced by one.

    Raises:
        ValueError: the pattern is empty or too long.
    """
    plain = re.sub(r"\*+", "*", pattern.strip())
    if not 0 < len(plain) <= LONGEST_PATTERN:
        raise ValueError(f"A pattern has 1 to {LONGEST_PATTERN} characters; write * for all kernels.")
    return plain
