"""The kernels of two versions, each with its change from one version to the other."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from ingest.models import Metric
from modeling.models import Change
from modeling.selectors.run.metrics import adds_up
from modeling.selectors.run.rows import ModelRow
from modeling.selectors.run.snapshot import Amount, BoolArray, FloatArray, Snapshot, over
from modeling.selectors.versions.aliases import compared_as
from modeling.verdicts import Verdict, verdict

NOTHING = Amount(None, None, None)


class Group(Enum):
    """The kind of a kernel's change from one version to the other."""

    WORSE = "worse"
    BETTER = "better"
    LAW = "law"  # another law or overhead, worse or better at the target
    UNKNOWN = "unknown"
    NEW = "new"
    GONE = "gone"
    SAME = "same"
    OPEN = "open"  # the versions have not been compared


OF_VERDICT = {
    Verdict.LAW_WORSE: Group.WORSE,
    Verdict.WORSE: Group.WORSE,
    Verdict.LAW_BETTER: Group.BETTER,
    Verdict.BETTER: Group.BETTER,
    Verdict.LAW: Group.LAW,
    Verdict.OVERHEAD_WORSE: Group.WORSE,
    Verdict.OVERHEAD_BETTER: Group.BETTER,
    Verdict.OVERHEAD: Group.LAW,
    Verdict.UNKNOWN: Group.UNKNOWN,
    Verdict.SAME: Group.SAME,
}
CHANGED = frozenset({Group.WORSE, Group.BETTER, Group.LAW})
LONE = frozenset({Group.NEW, Group.GONE})
UNCHANGED = frozenset({Group.SAME, Group.OPEN})


@dataclass(frozen=True)
class Side:
    """One version's models. `places`: id under which a kernel is compared → row."""

    snapshot: Snapshot
    places: Mapping[int, int]

    @classmethod
    def of(cls, snapshot: Snapshot, aliases: Mapping[int, int]) -> "Side":
        """Return the side of a version, with ids from `compared_as`."""
        kernels = compared_as(snapshot.loaded.kernels, aliases).tolist()
        return cls(snapshot, {kernel: at for at, kernel in enumerate(kernels)})


@dataclass(frozen=True)
class KernelPair:
    """A kernel in two versions, with predictions and shares of the totals at the target."""

    kernel_id: int
    group: Group
    change: Change | None
    verdict: Verdict | None  # None if only one version has the kernel, or if they were not compared
    before: ModelRow | None
    after: ModelRow | None
    amount_before: Amount
    amount_after: Amount
    share_before: float | None
    share_after: float | None

    @property
    def latest(self) -> ModelRow:
        """Return the kernel's model in the later version that has it."""
        found = self.after or self.before
        assert found is not None  # noqa: S101 -- a kernel of neither version is no pair
        return found

    @property
    def path(self) -> str:
        """Return the call path."""
        return self.latest.path

    @property
    def name(self) -> str:
        """Return the last function of the path, with the callers that make it unique."""
        return self.latest.name

    @property
    def renamed_from(self) -> str:
        """Return the kernel's path in the previous version, if it was different."""
        return self.before.path if self.before and self.before.path != self.path else ""

    @property
    def ratio(self) -> float | None:
        """Return after / before, from the `Change` if there is one, otherwise from predictions."""
        if self.change is not None:
            return self.change.ratio
        before, after = self.amount_before.predicted, self.amount_after.predicted
        return over(after, before)

    @property
    def measured_ratio(self) -> float | None:
        """Return after / before as measured at the largest points, if `Pairs.same_largest`."""
        before, after = (side.largest if side else None for side in (self.before, self.after))
        return over(after, before)

    @property
    def difference(self) -> float | None:
        """Return after − before at the target, in units of the metric. A missing kernel counts as 0."""
        before, after = self.amount_before.predicted, self.amount_after.predicted
        if self.group is Group.NEW:
            return after
        if self.group is Group.GONE:
            return None if before is None else -before
        return after - before if after is not None and before is not None else None

    @property
    def contradicted(self) -> bool:
        """Return whether the predictions move in the other direction than the comparison found.

        Predictions come from each version's own law, and include the factor that most kernels share.
        """
        if self.change is None or self.change.ratio is None or self.difference is None:
            return False
        return (self.change.ratio - 1) * self.difference < 0


class Pairs:
    """The kernels of two versions. `changes` are by kernel; None if they were not compared."""

    def __init__(
        self, before: Side, after: Side, metric: Metric, changes: Mapping[int, Change] | None
    ) -> None:
        self.before, self.after, self.metric, self.changes = before, after, metric, changes
        self.kernels = sorted(before.places.keys() | after.places.keys())

    @cached_property
    def same_largest(self) -> bool:
        """Return whether both versions have the same largest measured point."""
        before, after = (side.snapshot.campaign.points for side in (self.before, self.after))
        return bool(max(before) == max(after))

    @cached_property
    def groups(self) -> list[Group]:
        """Return the kind of each kernel's change."""
        return list(map(self._group, self.kernels))

    @cached_property
    def counts(self) -> Counter[Group]:
        """Return the number of kernels of each kind."""
        return Counter(self.groups)

    @cached_property
    def predicted(self) -> tuple[FloatArray, FloatArray]:
        """Return the predictions of the kernels before and after; NaN without one."""
        return self._column(self.before), self._column(self.after)

    @cached_property
    def counted(self) -> tuple[BoolArray, BoolArray]:
        """Return whether each kernel is a summand of the total before and after."""
        before, after = (
            np.array([at is not None and bool(side.snapshot.counted[at]) for at in self._rows(side)], bool)
            for side in (self.before, self.after)
        )
        return before, after

    @cached_property
    def _adds_up(self) -> bool:
        return adds_up(self.metric)

    @cached_property
    def lone(self) -> BoolArray:
        """Return which kernels only one of the versions has."""
        return np.array([group in LONE for group in self.groups], bool)

    @cached_property
    def changed(self) -> BoolArray:
        """Return which kernels changed by more than noise."""
        return np.array([group in CHANGED for group in self.groups], bool)

    @cached_property
    def verdicts(self) -> Counter[Verdict]:
        """Return the number of common kernels with each verdict."""
        if self.changes is None:
            return Counter()
        both = self.before.places.keys() & self.after.places.keys()
        found = Counter(known for kernel, known in self._verdicts.items() if kernel in both)
        same = len(both) - found.total()
        return found + Counter({Verdict.SAME: same})

    @cached_property
    def _verdicts(self) -> dict[int, Verdict]:
        """Return the verdicts of the kernels that have a change. All other kernels are unchanged."""
        return {kernel: self._verdict(change) for kernel, change in (self.changes or {}).items()}

    def select(self, groups: Collection[Group], search: str = "") -> list[int]:
        """Return the indices of kernels in some groups with `search` in their path.

        Large differences come first, unchanged kernels last.
        """
        needle = search.lower()
        wanted = tuple(groups)  # faster than a set, which hashes members
        found = [
            at
            for at, group in enumerate(self.groups)
            if group in wanted and (not needle or needle in self.path(at).lower())
        ]
        before, after = (np.nan_to_num(column[found]) for column in self.predicted)
        still = np.array([self.groups[at] is Group.SAME for at in found], bool)
        weight = np.where(still, after, abs(after - before))
        # `lexsort` is stable, so equal weights keep the order of `kernels`.
        return [found[place] for place in np.lexsort((-weight, still)).tolist()]

    def pair(self, at: int) -> KernelPair:
        """Return the pair of the kernel at this index."""
        kernel = self.kernels[at]
        rows = [side.places.get(kernel) for side in (self.before, self.after)]
        models = [
            None if row is None else side.snapshot.rows[row]
            for side, row in zip((self.before, self.after), rows, strict=True)
        ]
        amounts = [
            NOTHING if row is None else side.snapshot.amount(row)
            for side, row in zip((self.before, self.after), rows, strict=True)
        ]
        change = (self.changes or {}).get(kernel)
        group = self.groups[at]
        known = group not in LONE and group is not Group.OPEN
        shares = [self._share(side, row) for side, row in zip((self.before, self.after), rows, strict=True)]
        return KernelPair(
            kernel, group, change, self._verdict(change) if known else None, models[0], models[1],
            amounts[0], amounts[1], shares[0], shares[1],
        )  # fmt: skip

    def find(self, kernel: int) -> KernelPair | None:
        """Return the pair of a kernel, given by its id; None if neither version has it."""
        here = kernel in self.before.places or kernel in self.after.places
        return self.pair(self.kernels.index(kernel)) if here else None

    def path(self, at: int) -> str:
        """Return the call path of the kernel at this index, in the later version that has it."""
        kernel = self.kernels[at]
        side = self.after if kernel in self.after.places else self.before
        return side.snapshot.rows[side.places[kernel]].path

    def _group(self, kernel: int) -> Group:
        if kernel not in self.before.places:
            return Group.NEW
        if kernel not in self.after.places:
            return Group.GONE
        if self.changes is None:
            return Group.OPEN
        known = self._verdicts.get(kernel)
        return Group.SAME if known is None else OF_VERDICT[known]

    def _verdict(self, change: Change | None) -> Verdict:
        kind, ratio = (change.kind, change.ratio) if change else (None, None)
        return verdict(kind, ratio, lower_is_better=self.metric.lower_is_better)

    def _rows(self, side: Side) -> list[int | None]:
        return [side.places.get(kernel) for kernel in self.kernels]

    def _column(self, side: Side) -> FloatArray:
        predicted = side.snapshot.predicted.tolist()
        return np.array([np.nan if at is None else predicted[at] for at in self._rows(side)], float)

    def _share(self, side: Side, row: int | None) -> float | None:
        """Return a kernel's share of the total; None if it is no summand, or there is no total."""
        total = side.snapshot.predicted_total
        if row is None or not total or total <= 0 or not self._adds_up or not side.snapshot.counted[row]:
            return None
        predicted = side.snapshot.amount(row).predicted
        return None if predicted is None else predicted / total
