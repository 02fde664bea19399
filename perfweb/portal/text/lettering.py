"""Names of any length and script among the portal's own words."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

LINE_LETTERS, MOST_LINES = 42, 12
"""Letters of a line in a chart, as wide as one on a phone, and lines of the longest text there."""
ARROW = " › "
"""Between a caller and what it calls."""

FEWEST_LETTERS = 4
"""Of a caller's name: with fewer it says nothing."""

_MAY_BE_WIDE = re.compile("[\u1100-\u115f\u231a-\u2bff\u2e80-\U0010ffff]")
_ISOLATE, _END_OF_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def isolated(name: str) -> str:
    """A name as part of a sentence: one written from right to left must not turn the numbers around it."""
    return f"{_ISOLATE}{name}{_END_OF_ISOLATE}" if not name.isascii() and _runs_leftwards(name) else name


def bare(text: str) -> str:
    """A text as programs read it, without the marks of `isolated`."""
    return text.replace(_ISOLATE, "").replace(_END_OF_ISOLATE, "")


def short(name: str, most: int) -> str:
    """A name as far as there is room for `most` letters."""
    kept = fitting(name, most)
    return name if kept == len(name) else f"{name[: max(kept - 1, 1)].rstrip()}…"


def short_tail(name: str, most: int) -> str:
    """The same of a kernel with callers, `a › b`, which are shortened first: the last function says most."""
    callers, arrow, function = name.rpartition(ARROW)
    room = most - len(arrow) - len(function)
    return (
        f"{short(callers, room)}{arrow}{function}" if arrow and room >= FEWEST_LETTERS else short(name, most)
    )


def short_apart(names: Sequence[str], most: int) -> list[str]:
    """Names as `short_tail` has them, but for those that would look alike: these lose their middles."""
    found = [short_tail(name, most) for name in names]
    count = Counter(found)
    return [
        each if count[each] == 1 else f"{name[: most // 3]}…{name[-(most - most // 3 - 1) :]}"
        for each, name in zip(found, names, strict=True)
    ]


def fitting(text: str, most: int) -> int:
    """How many letters of a text have room, at least one; those of East Asia take the room of two."""
    if len(text) * 2 <= most or not _MAY_BE_WIDE.search(text):
        return min(len(text), most)
    widths = accumulate(map(_width, text))
    return max(sum(width <= most for width in widths), 1)


def folded(text: str) -> str:
    """A long text in lines, broken at a space where one is near; what is too long for all lines is cut."""
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
