"""Renamed and moved kernels, and suggestions for removed kernels that may be renamed or moved."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.models import PATH_SEPARATOR
from modeling.models import KernelAlias

COMPARED = 100
"""Limit on the compared kernels of either version. 100 × 100 paths take about 30 ms."""

WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
"""Matches a word of a name. Words begin with capitals or are separated by other characters."""

ALIKE = 0.45
"""Smallest similarity of an old and a new name. Unrelated functions of one caller have up to 0.4."""

INITIALS_ALIKE = 0.8
"""The similarity of two functions' names if one consists of the other's initials, such as `eos` and
`equation_of_state`. Such names have few letters in common.
"""

SHORTEST_INITIALS = 3
"""The smallest number of initials. Two letters agree too often by chance."""


@dataclass(frozen=True)
class Renaming:
    """A removed kernel and a new one that may be the same, with the similarity of their paths."""

    gone: int
    new: int
    path_before: str
    path_after: str
    similarity: float


def aliases_of(application_id: int) -> dict[int, int]:
    """Return the final id of each renamed kernel of an application."""
    return in_the_end(KernelAlias.objects.filter(application=application_id))


def in_the_end(rows: Iterable[KernelAlias]) -> dict[int, int]:
    """Return the final id of each renamed kernel: the id at the end of its renamings."""
    next_of = {row.kernel_id: row.becomes_id for row in rows}
    return {kernel: _last(kernel, next_of) for kernel in next_of}


def formers_of(kernels: Collection[int], aliases: Mapping[int, int]) -> list[int]:
    """Return the earlier ids of kernels with these final ids."""
    return [kernel for kernel, final in aliases.items() if final in kernels]


def named_in_turn(kernel: int, aliases: Mapping[int, int]) -> list[int]:
    """Return all ids of a kernel over the versions, the final one last."""
    final = aliases.get(kernel, kernel)
    return [*formers_of({final}, aliases), final]


def compared_as(kernels: NDArray[np.int64], aliases: Mapping[int, int]) -> NDArray[np.int64]:
    """Return the ids under which a campaign's kernels are compared: final ids, unless others have them."""
    if not aliases:
        return kernels
    taken = set(kernels.tolist())
    found = []
    for kernel in kernels.tolist():
        final = aliases.get(kernel, kernel)
        found.append(kernel if final in taken else final)
        taken.add(found[-1])
    return np.array(found, np.int64)


def _last(kernel: int, next_of: Mapping[int, int]) -> int:
    passed = {kernel}
    while (following := next_of.get(kernel)) is not None and following not in passed:
        passed.add(following)
        kernel = following
    return kernel


def renamings(gone: Iterable[tuple[int, str]], new: Iterable[tuple[int, str]]) -> list[Renaming]:
    """Match removed kernels (id, path) with new ones, the most similar first, each at most once."""
    earlier, later = ([(*each, _Parts(each[1])) for each in list(side)[:COMPARED]] for side in (gone, new))
    found = [
        Renaming(old, young, before, after, similarity)
        for old, before, parts in earlier
        for young, after, others in later
        if (similarity := parts.similarity(others)) >= ALIKE
    ]
    found.sort(key=lambda pair: (-pair.similarity, pair.path_before, pair.path_after))
    chosen: list[Renaming] = []
    taken: set[int] = set()
    for pair in found:
        if not {pair.gone, pair.new} & taken:
            chosen.append(pair)
            taken |= {pair.gone, pair.new}
    return chosen


class _Parts:
    """The groups of three consecutive letters of a path, and of its last function."""

    def __init__(self, path: str) -> None:
        name = path.rpartition(PATH_SEPARATOR)[2]
        self._path, self._name = _trigrams(path), _trigrams(name)
        self._whole, self._initials = name.lower(), _initials(name)

    def similarity(self, other: "_Parts") -> float:
        """Return the mean of the similarities of the whole paths and of the last functions."""
        return (_dice(self._path, other._path) + self._of_names(other)) / 2

    def _of_names(self, other: "_Parts") -> float:
        alike = _dice(self._name, other._name)
        if self._whole == other._initials or other._whole == self._initials:
            return max(alike, INITIALS_ALIKE)
        return alike


def _initials(name: str) -> str | None:
    """Return the first letters of a name's words, such as "eos" for `equation_of_state` or `EquationOfState`;
    None if there are fewer than `SHORTEST_INITIALS`.
    """
    words = WORD.findall(name)
    return "".join(word[0] for word in words).lower() if len(words) >= SHORTEST_INITIALS else None


def _trigrams(text: str) -> frozenset[str]:
    padded = f"  {text.lower()} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    """Return Dice's coefficient: twice the number of common elements, divided by the sum of both sizes."""
    return 2 * len(one & other) / (len(one) + len(other))
