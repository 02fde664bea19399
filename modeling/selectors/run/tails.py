"""Short names of kernels: many kernels of a program may have the same last function."""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from ingest.models import PATH_SEPARATOR


def shortest_tails(paths: Sequence[str]) -> list[str]:
    """The shortest end of each call path that no other path has: `halo`, or `setup->halo` and `solve->halo`.

    Of three functions and more the middle is left out where the rest is still the path's alone:
    `setup->…->halo`. A path that is the end of another one stays whole.
    """
    leaves = [path.rpartition(PATH_SEPARATOR)[2] for path in paths]
    count = Counter(leaves)
    alike = [at for at, leaf in enumerate(leaves) if count[leaf] > 1]
    for at, tail in zip(alike, _longer_tails([paths[at] for at in alike]), strict=True):
        leaves[at] = tail
    return leaves


def _longer_tails(paths: Sequence[str]) -> list[str]:
    ends = [_ends(path) for path in paths]
    count = Counter(end for some in ends for end in some)
    tails = [next((end for end in some if count[end] == 1), some[-1]) for some in ends]
    shorter = [_without_middle(tail) for tail in tails]
    count = Counter(shorter)
    return [short if count[short] == 1 else tail for short, tail in zip(shorter, tails, strict=True)]


def _ends(path: str) -> list[str]:
    """The last function of a path, the last two with an arrow between them, and so on up to the path."""
    functions = path.split(PATH_SEPARATOR)
    return list(accumulate(reversed(functions), lambda end, caller: f"{caller}{PATH_SEPARATOR}{end}"))


def _without_middle(tail: str) -> str:
    functions = tail.split(PATH_SEPARATOR)
    return tail if len(functions) < 3 else PATH_SEPARATOR.join((functions[0], "…", functions[-1]))
