"""Make short, unique names of kernels from their call paths."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from ingest.models import PATH_SEPARATOR

ARROW = " › "
"""The text between a caller and its callee on pages."""

UNUSUAL = ("operator", "(anonymous", "{lambda", "<lambda")
"""A name with one of these texts is not shortened, because its brackets may not enclose arguments."""

_INSIDE = re.compile("…+")


def shortest_tails(paths: Sequence[str]) -> list[str]:
    """Return the shortest unique end of each call path: `halo`, or `setup › halo` and `solve › halo`.

    The middle of three or more functions is left out, if the end stays unique. A path that is the end of
    another path is not shortened. A C++ function loses types and arguments (`brief`), or at least return type
    and arguments (`untyped`), if the name stays unique.
    """
    names = [path.rpartition(PATH_SEPARATOR)[2] for path in paths]
    count = Counter(names)
    alike = [at for at, name in enumerate(names) if count[name] > 1]
    for at, tail in zip(alike, _longer_tails([paths[at] for at in alike]), strict=True):
        names[at] = tail
    tails = [name.split(PATH_SEPARATOR) for name in names]
    found = list(map(ARROW.join, tails))
    for shorten in (untyped, brief):
        found = _where_unique([ARROW.join(map(shorten, tail)) for tail in tails], found)
    return found


def _longer_tails(paths: Sequence[str]) -> list[str]:
    ends = [_ends(path) for path in paths]
    count = Counter(end for some in ends for end in some)
    tails = [next((end for end in some if count[end] == 1), some[-1]) for some in ends]
    return _where_unique([_without_middle(tail) for tail in tails], tails)


def _where_unique(shorter: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return each kernel's shorter name if it is unique, otherwise the long one."""
    count = Counter(shorter)
    return [short if count[short] == 1 else name for short, name in zip(shorter, names, strict=True)]


def _ends(path: str) -> list[str]:
    """Return the ends of a path: its last function, its last two functions, and so on."""
    functions = path.split(PATH_SEPARATOR)
    return list(accumulate(reversed(functions), lambda end, caller: f"{caller}{PATH_SEPARATOR}{end}"))


def _without_middle(tail: str) -> str:
    functions = tail.split(PATH_SEPARATOR)
    return tail if len(functions) < 3 else PATH_SEPARATOR.join((functions[0], "…", functions[-1]))


def brief(function: str) -> str:
    """Return a C++ function as `CommSend<…>(…)`. Other names stay the same."""
    name, arguments = _declared(function)
    return f"{_INSIDE.sub('…', _masked(name))}{arguments}" if arguments else function


def untyped(function: str) -> str:
    """Return a C++ function as `CommSend<double>(…)`. Other names stay the same."""
    return "".join(_declared(function))


def _declared(function: str) -> tuple[str, str]:
    """Return the name of a C++ function, and `()` or `(…)`; for other texts, the text and ""."""
    if "(" not in function:  # most names; the rest takes a tenth of a second for thousands of them
        return function, ""
    before, _, arguments = _masked(function).removesuffix(" const").partition("(")
    unusual = any(word in function for word in UNUSUAL)
    if unusual or not before or before[-1].isspace() or not arguments.endswith(")"):
        return function, ""
    return function[before.rfind(" ") + 1 : len(before)], "()" if arguments == ")" else "(…)"


def _masked(text: str) -> str:
    """Return the text with … for each letter inside angle brackets; empty if brackets do not match."""
    kept, depth = "", 0
    for letter in text:
        depth -= letter == ">"
        if depth < 0:
            return ""
        kept += "…" if depth else letter
        depth += letter == "<"
    return "" if depth else kept
