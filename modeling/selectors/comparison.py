"""Two versions held against each other: what changed, what it costs at the target, where they cross."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingest.models import Campaign, Kernel
from modeling.models import Change, Comparison
from modeling.selectors.rows import ModelRow
from modeling.selectors.shares import scale
from modeling.selectors.snapshot import Amount, Snapshot
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
    """Where the later version stops being cheaper (`worse_beyond`) or dearer along a parameter."""

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


def changed_kernels(comparison: Comparison, before: Snapshot, after: Snapshot) -> list[ChangedKernel]:
    """The kernels that changed, those that matter most at the target first."""
    places = [{row.kernel_id: at for at, row in enumerate(snapshot.rows)} for snapshot in (before, after)]
    changes = Change.objects.filter(comparison=comparison, metric=after.metric).select_related("kernel")
    found = [
        _changed(row, before, after, places[0].get(row.kernel_id), places[1].get(row.kernel_id))
        for row in changes
    ]
    return sorted(found, key=lambda kernel: -abs(kernel.difference or 0.0))


def waterfall(before: Snapshot, after: Snapshot, changed: Sequence[ChangedKernel]) -> Waterfall | None:
    """How the kernels' differences at the target add up; None where a total is missing."""
    start, end = before.total.predicted, after.total.predicted
    if start is None or end is None:
        return None
    costs = [_costs(snapshot) for snapshot in (before, after)]
    names = {row.kernel_id: row.name for snapshot in (before, after) for row in snapshot.rows}
    kernels = {row.kernel.pk for row in changed}
    steps = [
        Step(names[kernel], costs[1].get(kernel, 0.0) - costs[0].get(kernel, 0.0), kernel in kernels)
        for kernel in costs[0] | costs[1]
    ]
    steps.sort(key=lambda step: -abs(step.difference))
    visible = [step for step in steps if abs(step.difference) >= VISIBLE * abs(steps[0].difference)]
    named = visible[:NAMED_STEPS]
    rest = steps[len(named) :]
    return Waterfall(start, end, tuple(named), len(rest), float(sum(step.difference for step in rest)))


def crossover(before: Snapshot, after: Snapshot, parameter: str) -> Crossover | None:
    """Where the totals of the two versions cross along a parameter, the others held at the target.

    The outermost crossing between the smallest measured value and the target; None where there is none.
    """
    axis = after.campaign.parameters.index(parameter)
    measured = np.unique(np.array(after.campaign.points, float)[:, axis])
    x = scale(measured, after.target[axis])
    points = np.tile(after.target, (len(x), 1))
    points[:, axis] = x
    totals = [np.nansum(s.curves(points) * s.counted[:, None], axis=0) for s in (before, after)]
    gap = totals[1] - totals[0]
    crossings = np.flatnonzero(np.diff(np.sign(gap)))
    if not crossings.size:
        return None
    at = crossings[-1]
    part = gap[at] / (gap[at] - gap[at + 1])
    value = float(np.exp(np.log(x[at]) + part * np.log(x[at + 1] / x[at])))
    worse = bool(gap[at + 1] > 0) == after.metric.lower_is_better
    return Crossover(parameter, value, worse)


def environment(before: Campaign, after: Campaign) -> list[Difference]:
    """What the campaigns were told about themselves and do not share."""
    pairs = [_described(campaign) for campaign in (before, after)]
    names = sorted(pairs[0].keys() | pairs[1].keys())
    both = [Difference(name, pairs[0].get(name), pairs[1].get(name)) for name in names]
    return [difference for difference in both if difference.before != difference.after]


def _changed(
    row: Change, before: Snapshot, after: Snapshot, old: int | None, new: int | None
) -> ChangedKernel:
    nothing = Amount(None, None, None)
    amounts = (
        nothing if old is None else before.amount(old),
        nothing if new is None else after.amount(new),
    )
    start, end = amounts[0].predicted, amounts[1].predicted
    return ChangedKernel(
        kernel=row.kernel,
        change=row,
        verdict=verdict(row.kind, row.ratio, lower_is_better=after.metric.lower_is_better),
        ratio=row.ratio,
        before=None if old is None else before.rows[old],
        after=None if new is None else after.rows[new],
        amount_before=amounts[0],
        amount_after=amounts[1],
        difference=end - start if start is not None and end is not None else None,
    )


def _costs(snapshot: Snapshot) -> dict[int, float]:
    """What each kernel adds to the total at the target."""
    return {
        row.kernel_id: float(value)
        for row, value in zip(snapshot.rows, snapshot.predicted.tolist(), strict=True)
        if row.counts_to_total and not np.isnan(value)
    }


def _described(campaign: Campaign) -> dict[str, Any]:
    return {
        **campaign.metadata,
        "measured points": len(campaign.points),
        "repetitions": campaign.repetitions,
        "kernels": campaign.kernel_count,
    }
