"""Names that a page can show and a database index: bounded, visible, in reading order."""

import hashlib
import re
from collections.abc import Iterable

from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.unseen import unseen

SEPARATOR = "->"
DEFAULT_KERNEL = "main"
DEFAULT_METRIC = "time"
METRIC = "a metric"
LONGEST_SHORTENED = 64 * 1024
"""The largest number of characters of a name that is shortened; a longer text is not taken for a name."""
DEEPEST_PATH = 1000
"""Levels of a call path that is yet shortened; a deeper one is an endless recursion, or made to hurt."""
LEVEL = 72
"""Characters to which a level of a call path is cut: 30 of both its ends, and a hash."""
MARK, DIGITS = "…", 10
CUT = re.compile(f"{MARK}[0-9a-f]{{{DIGITS}}}{MARK}")
"""What stands in place of what was taken out; 2^40 hashes keep 50,000 kernels apart."""


def kernel_path(name: object, limits: Limits) -> str:
    """A call path, one space-free separator between its levels.

    One that is too long or too deep is shortened, always to the same text: a hash of what it was stands where
    something was taken out. Paths of a common caller keep a common beginning.

    Raises:
        FormatError: it is empty, without end or has characters that cannot be seen.
    """
    levels = [level.strip() for level in _checked(name, "a kernel", LONGEST_SHORTENED).split(SEPARATOR)]
    if not all(levels):
        raise FormatError(f"the kernel {quoted(name)} with an empty level", "a name on each side of “->”")
    if len(levels) > DEEPEST_PATH:
        raise FormatError(f"a call path of {len(levels)} levels", f"{DEEPEST_PATH} at most")
    path = SEPARATOR.join(levels)
    if len(levels) > limits.levels:
        levels = _shallow(levels, limits.levels, path)
        path = SEPARATOR.join(levels)
    return path if len(path) <= limits.path_characters else _shortened(levels, limits.path_characters, path)


def short_name(name: object, what: str, limits: Limits) -> str:
    """The name of a parameter, or of a metric, which is shortened like a call path.

    Raises:
        FormatError: as `kernel_path`; or a parameter's is too long.
    """
    if what == METRIC:
        return _cut(_checked(name, what, LONGEST_SHORTENED), limits.name_characters)
    return _checked(name, what, limits.name_characters)


def shortened(names: Iterable[str]) -> int:
    """How many of these names are shortened ones."""
    return sum(MARK in name and CUT.search(name) is not None for name in names)


def _shallow(levels: list[str], most: int, path: str) -> list[str]:
    """The outer and the inner levels of a call path, and one that says how many were between them."""
    outer = most * 3 // 5
    inner = most - outer - 1
    out = len(levels) - outer - inner
    return [*levels[:outer], f"{out} levels {_hash(path)}", *levels[-inner:]]


def _shortened(levels: list[str], most: int, path: str) -> str:
    """A call path whose levels are kept up to five eighths of what it may have, and cut from there on.

    What is kept of a level follows from the path to it alone, so paths of one caller still have it in common.
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
    """A name with its middle replaced by a hash of it, or of the whole that it ends."""
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
    if found := unseen(name):
        raise FormatError(
            f"{found} in the name {quoted(name)} of {what}",
            "visible characters, none that change the direction of reading",
        )
