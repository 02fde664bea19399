"""Shortens and marks names of any length and script for the portal's texts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

LINE_LETTERS, MOST_LINES = 42, 12
"""Characters of a line in a chart, which fit on a phone, and the largest number of such lines."""
ARROW = " › "
"""Separates a caller from its callee."""

FEWEST_LETTERS = 4
"""Smallest length to which a caller's name is shortened, because fewer characters would be useless."""

_MAY_BE_WIDE = re.compile("[\u1100-\u115f\u231a-\u2bff\u2e80-\U0010ffff]")
_ISOLATE, _END_OF_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def isolated(name: str) -> str:
    """Return a name for a sentence; a right-to-left name is marked so that it reverses no numbers."""
    return f"{_ISOLATE}{name}{_END_OF_ISOLATE}" if not name.isascii() and _runs_leftwards(name) else name


def bare(text: str) -> str:
    """Return a text for programs, without the marks of `isolated`."""
    return text.replace(_ISOLATE, "").replace(_END_OF_ISOLATE, "")


def short(name: str, most: int) -> str:
    """Return a name, shortened to at most `most` characters."""
    kept = fitting(name, most)
    return name if kept == len(name) else f"{name[: max(kept - 1, 1)].rstrip()}…"


def short_tail(name: str, most: int) -> str:
    """Shorten a kernel's name such as `a › b`; callers first, because the last function matters most."""
    callers, arrow, function = name.rpartition(ARROW)
    room = most - len(arrow) - len(function)
    if arrow and room >= FEWEST_LETTERS:
        return f"{short(callers, room)}{arrow}{function}"
    return short(name if len(name) <= most else _without_scope(name), most)


def _without_scope(name: str) -> str:
    """Return a C++ function without classes and namespaces, which matter less than the last name."""
    scope, colons, function = name.rpartition("::")
    is_scope = "(" not in scope and scope.count("<") == scope.count(">") and ARROW not in scope
    return f"…{colons}{function}" if is_scope and scope and function else name


def short_apart(names: Sequence[str], most: int) -> list[str]:
    """Return shortened names; names that would look equal are cut before their first difference instead."""
    found = [short_tail(name, most) for name in names]
    count = Counter(found)
    alike = {
        each: [name for name, other in zip(names, found, strict=True) if other == each] for each in count
    }
    return [
        each if count[each] == 1 else _from_difference(name, _alike_until(alike[each]), most)
        for each, name in zip(found, names, strict=True)
    ]


def _alike_until(names: Sequence[str]) -> int:
    """Return how many first characters all names have in common."""
    first, last = min(names), max(names)  # no two names differ earlier
    pairs = enumerate(zip(first, last, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(last)))


def _from_difference(name: str, same: int, most: int) -> str:
    """Shorten a name by cutting the end of its first `same` characters, which other names share."""
    rest = name[min(same, len(name) - 1) :]
    begin = max(most - 1 - len(rest), most // 4)
    return f"{name[:begin]}…{short(rest, most - 1 - begin)}"


def fitting(text: str, most: int) -> int:
    """Return how many characters of a text fit, at least one. Wide characters of East Asia count twice."""
    if len(text) * 2 <= most or not _MAY_BE_WIDE.search(text):
        return min(len(text), most)
    widths = accumulate(map(_width, text))
    return max(sum(width <= most for width in widths), 1)


def folded(text: str) -> str:
    """Return a long text in lines, broken at a space if one is near; text beyond the last line is cut."""
    if len(text) * 2 <= LINE_LETTERS:
        return text
    lines, rest = list[str](), text
    while rest and len(lines) < MOST_LINES:
        line, feed, after = rest.partition("\n")
        kept = fitting(line, LINE_LETTERS)
        if kept < len(line):
            space = line.rfind(" ", kept // 2, kept + 1)
            kept = kept if space < 0 else space
            after, feed = line[kept:].lstrip() + feed + after, "\n"
        lines.append(line[:kept])
        rest = after
    return "\n".join(lines) + ("…" if rest else "")


def _runs_leftwards(name: str) -> bool:
    return any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)


def _width(letter: str) -> int:
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
