"""Checks names, so that pages can show them and a database index can store them."""

import hashlib
import re
from collections.abc import Iterable

from ingest.formats.campaign.invisible import invisible_in
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits

SEPARATOR = "->"
DEFAULT_KERNEL = "main"
DEFAULT_METRIC = "time"
METRIC = "a metric"
LONGEST_SHORTENED = 64 * 1024
"""Limit on the characters of a name that can be shortened. A longer text is refused."""
DEEPEST_PATH = 1000
"""Limit on the levels of a path that can be shortened. Deeper ones come from an endless recursion."""
LEVEL = 72
"""Characters to which a long level of a path is cut: 30 from each end, with a hash between them."""
MARK, DIGITS = "…", 10
CUT = re.compile(f"{MARK}[0-9a-f]{{{DIGITS}}}{MARK}")
"""Matches the hash in place of a removed part of a name."""


def kernel_path(name: object, limits: Limits) -> str:
    """Return a call path without blanks around the separators of its levels.

    A path that is too long or too deep is always shortened to the same text, with a hash of the original.
    Paths with a common caller keep a common beginning.

    Raises:
        FormatError: the path is empty, too long or deep to shorten, or has invisible characters.
    """
    levels = [level.strip() for level in _checked(name, "a kernel", LONGEST_SHORTENED).split(SEPARATOR)]
    if not all(levels):
        raise FormatError(f"the kernel {quoted(name)} with an empty level", "a name on each side of “->”")
    if len(levels) > DEEPEST_PATH:
        raise FormatError(f"a call path of {len(levels)} levels", f"at most {DEEPEST_PATH} levels")
    path = SEPARATOR.join(levels)
    if len(levels) > limits.levels:
        levels = _shallow(levels, limits.levels, path)
        path = SEPARATOR.join(levels)
    return path if len(path) <= limits.path_characters else _shortened(levels, limits.path_characters, path)


def short_name(name: object, what: str, limits: Limits) -> str:
    """Return the name of a parameter or of a metric. A metric's name is shortened like a call path.

    Raises:
        FormatError: as in `kernel_path`; or a parameter's name is too long.
    """
    if what == METRIC:
        return _cut(_checked(name, what, LONGEST_SHORTENED), limits.name_characters)
    return _checked(name, what, limits.name_characters)


def shortened(names: Iterable[str]) -> int:
    """Return how many of these names were shortened."""
    return sum(MARK in name and CUT.search(name) is not None for name in names)


def _shallow(levels: list[str], most: int, path: str) -> list[str]:
    """Return outer and inner levels of a call path, with the number of removed ones between them."""
    outer = most * 3 // 5
    inner = most - outer - 1
    out = len(levels) - outer - inner
    return [*levels[:outer], f"{out} levels {_hash(path)}", *levels[-inner:]]


def _shortened(levels: list[str], most: int, path: str) -> str:
    """Return a call path of at most `most` characters.

    Outer levels are kept up to five eighths of this length. Further levels are cut to `LEVEL` characters. If
    the path is still too long, one level gives the number of removed levels, and the innermost level follows.
    How a level is cut depends only on the path up to this level.
    """
    kept, length, size = list[str](), 0, 0
    for place, level in enumerate(levels):
        length += len(level) + len(SEPARATOR)
        whole = length <= most * 5 // 8
        short = level if whole else _cut(level, LEVEL, SEPARATOR.join(levels[: place + 1]))
        size += len(short) + len(SEPARATOR)
        if size > most - 2 * LEVEL - 4 * len(SEPARATOR) and place < len(levels) - 1:
            out = len(levels) - 1 - place
            return SEPARATOR.join([*kept, f"{out} levels {_hash(path)}", _cut(levels[-1], LEVEL)])
        kept.append(short)
    return SEPARATOR.join(kept)


def _cut(name: str, most: int, whole: str = "") -> str:
    """Replace the middle of a name by a hash of the name, or of the path that ends with this name."""
    if len(name) <= most:
        return name
    mark = _hash(whole or name)
    end = (most - len(mark)) // 2
    return name[:end].strip() + mark + name[-end:].strip()


def _hash(text: str) -> str:
    return f"{MARK}{hashlib.sha256(text.encode()).hexdigest()[:DIGITS]}{MARK}"


def _checked(name: object, what: str, most: int) -> str:
    if not isinstance(name, str):
        raise FormatError(f"{quoted(name)} as the name of {what}", "a text")
    name = name.strip()
    if not 0 < len(name) <= most:
        found = f"a name of {len(name)} characters for {what}" if name else f"an empty name for {what}"
        raise FormatError(found, f"1 to {most} characters")
    if not name.isascii():
        _check_visible(name, what)
    elif not name.isprintable():
        raise FormatError(f"a control character in the name {quoted(name)} of {what}", "printable characters")
    return name


def _check_visible(name: str, what: str) -> None:
    if found := invisible_in(name):
        raise FormatError(
            f"{found} in the name {quoted(name)} of {what}",
            "visible characters, none that change the direction of reading",
        )
