"""Reads coordinates from the names of folders and files with the results of runs: `lulesh.p64.size45.r1`.

Extra-P reads this form: a prefix, parameters with their values, and perhaps the number of the repetition.
This module also reads `lulesh_p64_n30`, `n=64,p=4` and `p64-n30`. Decimals may have points or commas. Names
of processes, threads and sizes may be apart from their numbers, before or after them: `out_threads_8`,
`4_nodes`, `128cores`. Extents such as `grid64x32` are read as their product.
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from ingest.formats.campaign.roles import Kind, kind

SHORT = 2
"""An unknown word of at most this many letters at the beginning of a name is a parameter if its value varies.
"""
REPETITIONS = frozenset(
    {"run", "rep", "repeat", "repetition", "trial", "try", "attempt", "seed", "job", "id"}
)
"""Names whose numbers identify a run and are not parameters."""

NUMBER = r"[0-9]+(?:[.,][0-9]+)?(?:[eE][0-9]+)?"
NAMED = re.compile(rf"([^\W\d_]+)({NUMBER})")
SEPARATORS = re.compile(r"[_\- ;]+|(?<![0-9])[.,]|[.,](?![0-9])")
EQUALS = re.compile(rf"([^\W\d]\w*)=({NUMBER})")
REPETITION = re.compile(r"\.r\d+$")
PAIR = re.compile(r"([^0-9.,]++)([0-9][0-9.,]*+)")
WORD = re.compile(r"[^\W\d_]+")
WORDS = re.compile(r"[^\W\d_](?:[\w ]*[^\W\d_])?")
EXTENSIONS = re.compile(r"(?:\.[A-Za-z_]{1,12}){1,3}$")
JOB_OUTPUT = re.compile(r"\.[oe][0-9]{3,12}$")
"""Matches the end of names that batch systems give to a job's output and errors: `lulesh.o123456`."""
EXTENTS = re.compile(r"([^\W\d_]*)([0-9]{1,9}(?:x[0-9]{1,9}){1,3})")
AFTER = re.compile(r"([0-9]{1,9})([^\W\d_]{2,})")
"""Matches a number with the name of what it counts: 128cores. A single letter may be a unit."""
SCALASCA = re.compile(r"scorep_.*_(?:sum|trace|profile)")
"""Matches folders that Scalasca names after the program, not after parameters."""
STAMP = re.compile(
    r"(?<![0-9A-Za-z])(?:19|20)[0-9]{2}(?:[-_.][01][0-9][-_.][0-3][0-9]|[01][0-9][0-3][0-9](?=[-_T]))"
    r"(?:[-_ ]?T?[0-2][0-9][-:_.]?[0-5][0-9](?:[-:_.]?[0-5][0-9])?)?(?![0-9])"
)
"""Matches the date and time of a run, as in `2025-01-30_T00-58-59`."""
LONGEST_FILE_NAME = 255


class NameParts(NamedTuple):
    """The content of a name.

    Attributes:
        leading: the pair at the beginning, which may be part of the program's name.
        label: the remaining text of the name, which should be the same for all runs.
        unnamed: whole numbers without a name.
    """

    values: dict[str, float]
    leading: tuple[str, float] | None = None
    label: str = ""
    unnamed: tuple[float, ...] = ()


NOTHING = NameParts({})


def is_hidden(path: str) -> bool:
    """Return whether an operating system has left the file behind, such as .DS_Store."""
    return any(level.startswith((".", "__MACOSX")) for level in path.split("/"))


def levels(path: str) -> list[str]:
    """Return the names in a path that may contain coordinates, innermost first, without extensions."""
    folder, _, file = path.rpartition("/")
    names = [EXTENSIONS.sub("", JOB_OUTPUT.sub("", file)), *reversed(folder.split("/"))]
    return [name for name in names if 0 < len(name) <= LONGEST_FILE_NAME]


def name_parts(name: str) -> NameParts:
    """Parse the name of a folder or of a file. The result is empty if the name is ambiguous."""
    name = STAMP.sub("", name)
    prefix, dot, body = REPETITION.sub("", name).partition(".")
    pairs = PAIR.findall(body)
    if dot and "".join(map("".join, pairs)) == body and all(WORDS.fullmatch(key) for key, _ in pairs):
        return _parts_of(pairs, NAMED.fullmatch(prefix), prefix)
    if SCALASCA.fullmatch(name):
        return NOTHING
    if "=" in name:
        return _parts_of(_assigned(name), None, "")
    tokens = _joined([token for token in SEPARATORS.split(name) if token])
    found = [NAMED.fullmatch(token) for token in tokens]
    pairs = [(match[1], match[2]) for match in found[1:] if match]
    if pairs and pairs[-1][0] == "r" and found[-1]:
        pairs.pop()
    rest = [token for token, match in zip(tokens, found, strict=True) if not match and not _is_whole(token)]
    parts = _parts_of(pairs, found[0] if found else None, "_".join(rest))
    numbers = [token for token in tokens if _is_whole(token)]
    if found and found[0] and parts.leading is None and found[0][1] not in parts.values:
        numbers = [*filter(_is_whole, [found[0][2]]), *numbers]
    return parts._replace(unnamed=tuple(map(float, numbers)))


def _joined(tokens: Sequence[str]) -> list[str]:
    """Return the tokens, with numbers behind the names that stand before or after them: `threads`, `8`.

    Only names of processes, threads, sizes and repetitions are joined to numbers. In `solver_4_nodes_1` the
    name may belong to either number, and stays apart.
    """
    plain = [part for token in tokens for part in _plain(token)]
    joined, at = list[str](), 0
    while at < len(plain):
        first, second, third = (*plain[at : at + 3], "", "")[:3]
        fourth = plain[at + 3] if at + 3 < len(plain) else ""
        before = plain[at - 1] if at else ""
        if _is_whole(second) and _is_name(first, before):
            joined.append(first + second)
            at += 2
        elif _is_whole(first) and (name := _counted(second)):
            if _is_whole(third) and at > 0 and not _counted(fourth):
                joined += [first, second, third]
                at += 3
            else:
                joined.append(name + first)
                at += 2
        else:
            joined.append(first)
            at += 1
    return joined


def _plain(token: str) -> list[str]:
    """Return a token with extents as their product, and with a number behind its name: 4nodes → nodes4.

    A word before extents that does not say what they are is a token of its own.
    """
    if extents := EXTENTS.fullmatch(token):
        product = f"{math.prod(map(int, extents[2].split('x')))}"
        return (
            [f"{extents[1]}{product}"] if _is_name(extents[1], "") else [*filter(None, [extents[1]]), product]
        )
    counted = AFTER.fullmatch(token)
    name = _counted(counted[2]) if counted else ""
    return [f"{name}{counted[1]}"] if counted and name else [token]


def _is_whole(token: str) -> bool:
    return token.isascii() and token.isdigit()


def _is_name(word: str, before: str) -> bool:
    """Return whether a word before a number says what it counts. The block size is not the problem's size."""
    if word.lower() in REPETITIONS:
        return True
    if not WORD.fullmatch(word) or kind(word) is Kind.OTHER:
        return False
    return len(word) <= SHORT or not WORD.fullmatch(before) or kind(f"{before} {word}") is not Kind.OTHER


def _counted(word: str) -> str:
    """Return the name of what a number before this word counts, in the plural, or an empty text."""
    if not WORD.fullmatch(word) or len(word) < SHORT:
        return ""
    if kind(word) is not Kind.OTHER:
        return word
    return f"{word}s" if kind(f"number of {word}") is not Kind.OTHER else ""


def _assigned(name: str) -> list[tuple[str, str]]:
    tokens = re.split(r"[,;_ ]|\.(?![0-9])", name)
    found = (EQUALS.fullmatch(token) for token in tokens)
    return [(match[1], match[2]) for match in found if match]


def _parts_of(pairs: list[tuple[str, str]], first: re.Match[str] | None, label: str) -> NameParts:
    values: dict[str, float] = {}
    for key, text in pairs:
        number = _number(text)
        if key in values or number is None:
            return NOTHING
        if key.lower() not in REPETITIONS:
            values[key] = number
    values = {key: value for key, value in values.items() if value > 0}
    number = _number(first[2]) if first else None
    if first is None or not number or first[1] in values or first[1].lower() in {*REPETITIONS, "r", "v"}:
        return NameParts(values, None, "" if first else label)
    if kind(first[1]) is not Kind.OTHER:  # lulesh2_p64 and v2.p64 begin with a program's name instead
        return NameParts({first[1]: number, **values})
    return NameParts(values, (first[1], number) if len(first[1]) <= SHORT else None, label)


def _number(text: str) -> float | None:
    try:
        return float(text.rstrip(".,").replace(",", "."))
    except ValueError:
        return None
