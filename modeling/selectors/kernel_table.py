"""Finding one's way among thousands of kernels: search, filter, sort, and the call tree."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingest.models import PATH_SEPARATOR
from modeling.selectors.campaign import CONSTANT, KernelRow

Key = Callable[[KernelRow], float | str | None]

SORTS: dict[str, Key] = {
    "kernel": lambda row: row.path.lower(),
    "law": lambda row: row.growth,
    "cv_error": lambda row: row.cv_smape,
    "heldout": lambda row: row.holdout_error,
    "noise": lambda row: row.noise,
    "measured": lambda row: row.largest,
    "predicted": lambda row: row.predicted,
    "share": lambda row: row.share,
}
"""Column → what it is sorted by."""


@dataclass(frozen=True)
class Wanted:
    """What is asked of the table; `under` is the path of a caller, `growth` a class, empty: all."""

    search: str = ""
    growth: str = ""
    under: str = ""
    constants: bool = False
    sort: str = "share"
    falling: bool = True


@dataclass(frozen=True)
class Selection:
    """The rows that remain, in order, and how many constant ones were left out."""

    rows: tuple[KernelRow, ...]
    constants_hidden: int


def select(rows: Sequence[KernelRow], wanted: Wanted) -> Selection:
    """Filter and sort; rows whose sorted value is not known come last in either direction.

    Constant kernels are left out unless they are asked for, or there are no others.
    """
    needle = wanted.search.lower()
    found = [
        row
        for row in rows
        if needle in row.path.lower()
        and (not wanted.growth or row.growth == wanted.growth)
        and (not wanted.under or is_under(row.path, wanted.under))
    ]
    growing = [row for row in found if row.growth != CONSTANT]
    if wanted.constants or wanted.growth == CONSTANT or not growing:
        growing = found
    return Selection(tuple(_sorted(growing, wanted)), len(found) - len(growing))


def is_under(path: str, caller: str) -> bool:
    """Whether a path is the caller's own or below it."""
    return path == caller or path.startswith(caller + PATH_SEPARATOR)


def growth_counts(rows: Sequence[KernelRow]) -> dict[str, int]:
    """How many kernels grow in which way, most frequent first."""
    return dict(Counter(row.growth for row in rows).most_common())


def _sorted(rows: list[KernelRow], wanted: Wanted) -> list[KernelRow]:
    key = SORTS[wanted.sort]
    known = [row for row in rows if key(row) is not None]
    unknown = [row for row in rows if key(row) is None]
    known.sort(key=lambda row: row.path)
    known.sort(key=key, reverse=wanted.falling)  # type: ignore[arg-type]
    return known + unknown


@dataclass(frozen=True)
class Branch:
    """A node of the call tree: `share` of the predicted total it has together with all below it."""

    path: str
    share: float | None
    children: tuple["Branch", ...]
    has_children: bool

    @property
    def name(self) -> str:
        """The last function of the path."""
        return self.path.rsplit(PATH_SEPARATOR, 1)[-1]


class CallTree:
    """The tree that the rows' paths span; callers that were not measured themselves are part of it."""

    def __init__(self, rows: Sequence[KernelRow]) -> None:
        self._rows = {row.path: row for row in rows}
        self._exclusive = all(row.counts_to_total for row in rows)
        self._children: dict[str, dict[str, None]] = {}
        self._sums: dict[str, float] = {}
        for row in rows:
            self._add(row)

    @property
    def trunk(self) -> str:
        """The path down to where the tree first branches."""
        path = ""
        while len(self._children.get(path, {})) == 1:
            path = next(iter(self._children[path]))
        return path

    def branches(self, under: str = "", towards: str = "") -> tuple[Branch, ...]:
        """The nodes right below `under`, largest share first, open where they lead `towards` a path."""
        paths = self._children.get(under, {})
        found = [self._branch(path, towards) for path in paths]
        return tuple(sorted(found, key=lambda branch: (-(branch.share or 0.0), branch.path)))

    def _branch(self, path: str, towards: str) -> Branch:
        open_ = bool(towards) and is_under(towards, path)
        children = self.branches(path, towards) if open_ else ()
        return Branch(path, self._share(path), children, path in self._children)

    def _share(self, path: str) -> float | None:
        """Inclusive values hold those of the callees; exclusive ones are summed over them."""
        if path in self._rows and not self._exclusive:
            return self._rows[path].share
        return self._sums.get(path)

    def _add(self, row: KernelRow) -> None:
        path = row.path
        while path:
            if row.share is not None:
                self._sums[path] = self._sums.get(path, 0.0) + row.share
            caller = path.rpartition(PATH_SEPARATOR)[0]
            self._children.setdefault(caller, {})[path] = None
            path = caller
