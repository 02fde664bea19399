"""The table of a run's kernels: search, filter, sort, and the call tree."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ingest.models import PATH_SEPARATOR, Campaign, Metric
from modeling.engine.questions.trust import GRADES
from modeling.models import ModelRun
from modeling.selectors.run.campaign import Medians, medians_along
from modeling.selectors.run.judged import Judged
from modeling.selectors.run.metrics import adds_up
from modeling.selectors.run.rows import CONSTANT, NOTABLE_SHARE, ModelRow
from modeling.selectors.run.shares import own_shares
from modeling.selectors.run.snapshot import Amount, Snapshot
from modeling.selectors.run.snapshot_loading import snapshot_load
from modeling.selectors.run.tails import brief
from modeling.storage import arrays


class KernelRow(NamedTuple):
    """A kernel's model and its prediction at a target.

    `share` is the share of the program's total; None if unknown. `own` is the prediction without callees, and
    `own_share` its share of all own amounts. `own` and `own_share` are None if values exclude callees.
    """

    model: ModelRow
    predicted: float | None
    lower: float | None
    upper: float | None
    share: float | None
    share_lower: float | None
    share_upper: float | None
    judged: Judged
    own: float | None = None
    own_share: float | None = None


OVERLAPPING = 1.05
"""Shares with a larger sum than this overlap. Sums just above 1 are normal: laws are found separately."""

Key = Callable[[KernelRow], float | str | None]

SORTS: dict[str, Key] = {
    "kernel": lambda row: row.model.path.lower(),
    "law": lambda row: row.model.growth,
    "cv_error": lambda row: row.model.cv_smape,
    "heldout": lambda row: row.model.holdout_error,
    "stability": lambda row: row.model.stability,
    "noise": lambda row: row.model.noise,
    "measured": lambda row: row.model.largest,
    "predicted": lambda row: row.predicted,
    "trust": lambda row: GRADES.index(row.judged.grade),
    "share": lambda row: row.share,
    "own": lambda row: row.own_share,
}
"""Column → the key by which it is sorted."""


@dataclass(frozen=True)
class Wanted:
    """The filter and order of the table. An empty text selects all kernels.

    `under` is the path of a caller, `growth` a class of growth, and `trust` a grade of
    `modeling.engine.GRADES`. `constants` says whether constant kernels with small shares are shown.
    """

    search: str = ""
    growth: str = ""
    under: str = ""
    trust: str = ""
    constants: bool = False
    sort: str = "share"
    falling: bool = True


@dataclass(frozen=True)
class Selection:
    """The selected rows in order, the number of hidden constant kernels, and that of kernels not matched."""

    rows: tuple[KernelRow, ...]
    constants_hidden: int
    others: int


def _is_notable(row: KernelRow) -> bool:
    """Return whether a kernel grows, or takes at least `NOTABLE_SHARE` of the total."""
    return row.model.growth != CONSTANT or (row.share or 0.0) >= NOTABLE_SHARE


class KernelTable:
    """All kernels of a run in one metric at a target. The table is cached and must not be changed.

    `total` is the prediction for the whole program; None if values do not add up or no kernel has a law.
    """

    def __init__(self, rows: Sequence[KernelRow], total: Amount | None = None) -> None:
        self.rows = rows
        self.total = total
        self._ordered: dict[tuple[str, bool], list[KernelRow]] = {}
        self._medians: dict[int, Medians] = {}

    @cached_property
    def tree(self) -> "CallTree":
        """Return the call tree of the kernels."""
        return CallTree(self.rows)

    @cached_property
    def nested(self) -> bool:
        """Return whether values include callees. Then each kernel also has an amount without callees."""
        return any(row.own is not None for row in self.rows)

    @cached_property
    def overlaps(self) -> bool:
        """Return whether some kernels contain others, even if it is unknown which."""
        return self.nested or sum(row.share or 0.0 for row in self.rows) > OVERLAPPING

    @cached_property
    def noise(self) -> list[float]:
        """Return the known noise levels, as fractions."""
        return [row.model.noise for row in self.rows if row.model.noise is not None]

    @cached_property
    def growths(self) -> dict[str, int]:
        """Return the number of kernels by class of growth, most frequent first."""
        return dict(Counter(row.model.growth for row in self.rows).most_common())

    @cached_property
    def grades(self) -> dict[str, int]:
        """Return the number of predictions by grade of trust, the best first."""
        counts = Counter(row.judged.grade for row in self.rows)
        return {grade: counts[grade] for grade in GRADES if counts[grade]}

    def select(self, wanted: Wanted) -> Selection:
        """Return the rows that match, sorted. Rows without a value in the sorted column come last.

        Constant kernels with a small share are hidden, unless they are wanted or nothing else matches.
        """
        found = self._sorted(wanted.sort, falling=wanted.falling)
        if needle := wanted.search.lower():
            found = [row for row in found if needle in row.model.path.lower()]
        if wanted.growth:
            found = [row for row in found if row.model.growth == wanted.growth]
        if wanted.under:
            found = [row for row in found if is_under(row.model.path, wanted.under)]
        if wanted.trust:
            found = [row for row in found if row.judged.grade == wanted.trust]
        shown = [row for row in found if _is_notable(row)]
        if wanted.constants or wanted.growth == CONSTANT or not shown:
            shown = found
        return Selection(tuple(shown), len(found) - len(shown), len(self.rows) - len(found))

    def medians(
        self, campaign: Campaign, metric: Metric, kernels: Sequence[int], line: Sequence[int]
    ) -> dict[int, Medians]:
        """Return the medians of some kernels at some points, with at most one query."""
        missing = [kernel for kernel in kernels if kernel not in self._medians]
        if missing:
            self._medians.update(medians_along(campaign, metric, missing, line))
        return {kernel: self._medians[kernel] for kernel in kernels if kernel in self._medians}

    def noisiest(self, count: int) -> list[KernelRow]:
        """Return the kernels with the highest known noise."""
        ordered = self._sorted("noise", falling=True)
        return [row for row in ordered[:count] if row.model.noise is not None]

    def _sorted(self, sort: str, *, falling: bool) -> list[KernelRow]:
        if (sort, falling) not in self._ordered:
            key = SORTS[sort]
            known = sorted((row for row in self.rows if key(row) is not None), key=lambda row: row.model.path)
            known.sort(key=key, reverse=falling)  # type: ignore[arg-type]  # of known values
            self._ordered[sort, falling] = known + [row for row in self.rows if key(row) is None]
        return self._ordered[sort, falling]


def table_load(run: ModelRun | None, metric: Metric | None, point: Sequence[float] | None) -> KernelTable:
    """Return the table of a run's kernels. `point` is the target, or None for the stored predictions."""
    if run is None or metric is None:
        return KernelTable(())
    target = None if point is None else dict(zip(run.campaign.parameters, point, strict=True))
    snapshot = snapshot_load(run, metric, target)
    table: KernelTable = snapshot.loaded.derived.get(
        ("table", *snapshot.target.tolist()),
        lambda: KernelTable(_rows(snapshot, metric), _total(snapshot, metric)),
    )
    return table


def _total(snapshot: Snapshot, metric: Metric) -> Amount | None:
    return snapshot.total if adds_up(metric) and snapshot.predicted_total is not None else None


def _rows(snapshot: Snapshot, metric: Metric) -> list[KernelRow]:
    rows = range(len(snapshot.rows))
    shares = snapshot.shares(rows) if adds_up(metric) else [np.full(len(rows), np.nan)] * 3
    columns = (snapshot.predicted, snapshot.lower, snapshot.upper, *shares)
    numbers = map(arrays.known_column, columns)
    own = map(
        arrays.known_column, own_shares(snapshot) if adds_up(metric) else [np.full(len(rows), np.nan)] * 2
    )
    return list(map(KernelRow, snapshot.rows, *numbers, snapshot.judged, *own))


MOST_BRANCHES = 200
"""Limit on the callees of one node that the call tree shows."""


def is_under(path: str, caller: str) -> bool:
    """Return whether a path is the caller's, or that of a function called from it."""
    return path == caller or path.startswith(caller + PATH_SEPARATOR)


@dataclass(frozen=True)
class Branch:
    """A node of the call tree with its share of the total; `more` smaller siblings are left out."""

    path: str
    share: float | None
    children: tuple["Branch", ...]
    has_children: bool
    more: int = 0

    @property
    def name(self) -> str:
        """Return the last function of the path, without types and arguments."""
        return brief(self.path.rsplit(PATH_SEPARATOR, 1)[-1])


class CallTree:
    """The tree of the kernels' call paths, with callers that were not measured themselves."""

    def __init__(self, rows: Sequence[KernelRow]) -> None:
        self._rows = {row.model.path: row for row in rows}
        self._exclusive = all(row.model.counts_to_total for row in rows)
        self._children: dict[str, dict[str, None]] = {}
        self._sums: dict[str, float] = {}
        for row in rows:
            self._add(row)

    @property
    def is_flat(self) -> bool:
        """Return whether no kernel has a caller, so that the tree would only repeat the table."""
        return not any(self._children.keys() - {""})

    @property
    def trunk(self) -> str:
        """Return the path of the node at which the tree first branches or ends."""
        path = ""
        while len(self._children.get(path, {})) == 1:
            path = next(iter(self._children[path]))
        return path

    def branches(self, under: str = "", towards: str = "") -> tuple[Branch, ...]:
        """Return the nodes directly below `under`, largest share first.

        Nodes on the way to `towards` also have their children. If there are very many nodes, only the largest
        ones and the way to `towards` are returned.
        """
        ordered = sorted(self._children.get(under, {}), key=lambda path: (-(self._share(path) or 0.0), path))
        shown = ordered[:MOST_BRANCHES]
        shown += [path for path in ordered[MOST_BRANCHES:] if towards and is_under(towards, path)]
        found = [self._branch(path, towards) for path in shown]
        if len(shown) < len(ordered):
            found[-1] = replace(found[-1], more=len(ordered) - len(shown))
        return tuple(found)

    def _branch(self, path: str, towards: str) -> Branch:
        open_ = bool(towards) and is_under(towards, path)
        children = self.branches(path, towards) if open_ else ()
        return Branch(path, self._share(path), children, path in self._children)

    def _share(self, path: str) -> float | None:
        """Return the share of a node and its callees in the total, added up if values exclude callees."""
        if path in self._rows and not self._exclusive:
            return self._rows[path].share
        return self._sums.get(path)

    def _add(self, row: KernelRow) -> None:
        path = row.model.path
        while path:
            if row.share is not None:
                self._sums[path] = self._sums.get(path, 0.0) + row.share
            caller = path.rpartition(PATH_SEPARATOR)[0]
            self._children.setdefault(caller, {})[path] = None
            path = caller
