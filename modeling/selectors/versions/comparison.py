"""Two versions held against each other: what changed, what it costs at the target, where they cross."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.models import Campaign, Kernel, Metric
from modeling.models import Change, Comparison, Shift
from modeling.selectors.run.rows import ModelRow
from modeling.selectors.run.shares import scale
from modeling.selectors.run.snapshot import Amount, FloatArray, Snapshot
from modeling.verdicts import Verdict, verdict

NAMED_STEPS = 10

VISIBLE = 0.005
"""Steps below this part of the largest one could not be seen in a picture."""


@dataclass(frozen=True)
class ChangedKernel:
    """A kernel that changed. `difference` is after − before at the target, in units of the metric."""

    kernel: Kernel
    change: Change
    verdict: Verdict
    ratio: float | None
    before: ModelRow | None
    after: ModelRow | None
    amount_before: Amount
    amount_after: Amount
    difference: float | None


@dataclass(frozen=True)
class Step:
    """What one kernel adds to the program's total between the versions; `changed`: beyond noise."""

    name: str
    difference: float
    changed: bool


@dataclass(frozen=True)
class Waterfall:
    """From one total to the other: the largest steps, and all others in one."""

    before: float
    after: float
    steps: tuple[Step, ...]
    others: int
    rest: float


@dataclass(frozen=True)
class Crossover:
    """Where the later version becomes worse (`worse_beyond`) or better along a parameter."""

    parameter: str
    value: float
    worse_beyond: bool


@dataclass(frozen=True)
class Difference:
    """A setting that the two campaigns do not share; None: absent."""

    name: str
    before: Any
    after: Any


def comparison_find(before_id: int, after_id: int) -> Comparison | None:
    """The comparison of two campaigns, if it was asked for."""
    return Comparison.objects.filter(before=before_id, after=after_id).first()


def changed_kernels(
    comparison: Comparison, metric: Metric, before: Snapshot, after: Snapshot
) -> list[ChangedKernel]:
    """The kernels that changed, those that matter most at the target first."""
    changes = Change.objects.filter(comparison=comparison, metric=metric).select_related("kernel")
    found = [_changed(row, metric, before, after) for row in changes]
    return sorted(found, key=lambda kernel: -abs(kernel.difference or 0.0))


def shift_of(comparison: Comparison, metric: Metric) -> Shift | None:
    """What all kernels share, where it is not 1."""
    return comparison.shifts.filter(metric=metric).exclude(lower__lte=1, upper__gte=1).first()


@dataclass(frozen=True)
class Lone:
    """Kernels that only one of two versions has, the dearest first, and what they make of its total."""

    named: tuple[tuple[str, float | None], ...]  # name and prediction at the target
    others: int
    cost: float
    share: float | None

    @property
    def count(self) -> int:
        """All of them."""
        return len(self.named) + self.others


def lone_kernels(snapshot: Snapshot, other: Snapshot) -> Lone:
    """The kernels of a version that the other one does not have."""
    shared = {row.kernel_id for row in other.rows}
    places = [at for at, row in enumerate(snapshot.rows) if row.kernel_id not in shared]
    places.sort(key=lambda at: -np.nan_to_num(snapshot.predicted[at]))
    total = snapshot.total.predicted
    cost = float(np.nansum(snapshot.predicted[[at for at in places if snapshot.counted[at]]]))
    return Lone(
        named=tuple((snapshot.rows[at].name, snapshot.amount(at).predicted) for at in places[:NAMED_STEPS]),
        others=max(len(places) - NAMED_STEPS, 0),
        cost=cost,
        share=cost / total if total else None,
    )


def waterfall(before: Snapshot, after: Snapshot, changed: Sequence[ChangedKernel]) -> Waterfall | None:
    """How the kernels' differences at the target add up; None where a total is missing."""
    start, end = before.total.predicted, after.total.predicted
    if start is None or end is None:
        return None
    kernels, differences = _differences(before, after)
    order = np.argsort(-abs(differences), kind="stable")
    kernels, differences = kernels[order], differences[order]
    visible = int((abs(differences) >= VISIBLE * abs(differences[0])).sum()) if len(order) else 0
    named = min(visible, NAMED_STEPS)
    known = {row.kernel.pk for row in changed}
    pairs = zip(kernels[:named].tolist(), differences[:named].tolist(), strict=True)
    steps = (Step(_name(kernel, after, before), difference, kernel in known) for kernel, difference in pairs)
    return Waterfall(start, end, tuple(steps), len(order) - named, float(differences[named:].sum()))


def crossover(before: Snapshot, after: Snapshot, parameter: str, metric: Metric) -> Crossover | None:
    """Where the totals of the two versions cross along a parameter, the others held at the target.

    The outermost crossing between the smallest measured value and the target; None where there is none.
    """
    axis = after.campaign.parameters.index(parameter)
    measured = np.unique(np.array(after.campaign.points, float)[:, axis])
    x = scale(measured, after.target[axis])
    points = np.tile(after.target, (len(x), 1))
    points[:, axis] = x
    gap = after.totals(points) - before.totals(points)
    crossings = np.flatnonzero(np.diff(np.sign(gap)))
    if not crossings.size:
        return None
    at = crossings[-1]
    part = gap[at] / (gap[at] - gap[at + 1])
    value = float(np.exp(np.log(x[at]) + part * np.log(x[at + 1] / x[at])))
    worse = bool(gap[at + 1] > 0) == metric.lower_is_better
    return Crossover(parameter, value, worse)


def environment(before: Campaign, after: Campaign) -> list[Difference]:
    """What the campaigns were told about themselves and do not share."""
    pairs = [described(campaign) for campaign in (before, after)]
    names = sorted(pairs[0].keys() | pairs[1].keys())
    both = [Difference(name, pairs[0].get(name), pairs[1].get(name)) for name in names]
    return [difference for difference in both if difference.before != difference.after]


def described(campaign: Campaign) -> dict[str, Any]:
    """What a campaign was told about itself, and its size."""
    return {
        **campaign.metadata,
        "measured points": len(campaign.points),
        "repetitions": campaign.repetitions,
        "kernels": campaign.kernel_count,
    }


def _changed(row: Change, metric: Metric, before: Snapshot, after: Snapshot) -> ChangedKernel:
    old, new = (snapshot.loaded.places.get(row.kernel_id) for snapshot in (before, after))
    nothing = Amount(None, None, None)
    amounts = (
        nothing if old is None else before.amount(old),
        nothing if new is None else after.amount(new),
    )
    start, end = amounts[0].predicted, amounts[1].predicted
    return ChangedKernel(
        kernel=row.kernel,
        change=row,
        verdict=verdict(row.kind, row.ratio, lower_is_better=metric.lower_is_better),
        ratio=row.ratio,
        before=None if old is None else before.rows[old],
        after=None if new is None else after.rows[new],
        amount_before=amounts[0],
        amount_after=amounts[1],
        difference=end - start if start is not None and end is not None else None,
    )


def _differences(before: Snapshot, after: Snapshot) -> tuple[NDArray[np.int64], FloatArray]:
    """The kernels that add to either total, by id, and how much more each adds to the later one."""
    parts = [snapshot.counted & ~np.isnan(snapshot.predicted) for snapshot in (before, after)]
    ids = [snapshot.loaded.kernels[part] for snapshot, part in zip((before, after), parts, strict=True)]
    kernels = np.union1d(*ids)
    differences = np.zeros(len(kernels))
    differences[np.searchsorted(kernels, ids[1])] += after.predicted[parts[1]]
    differences[np.searchsorted(kernels, ids[0])] -= before.predicted[parts[0]]
    return kernels, differences


def _name(kernel: int, *snapshots: Snapshot) -> str:
    return next(s.rows[s.loaded.places[kernel]].name for s in snapshots if kernel in s.loaded.places)
