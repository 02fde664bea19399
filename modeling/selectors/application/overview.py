"""The overview of a version at a target: the most expensive kernels, and changes."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ingest.models import PATH_SEPARATOR, Kernel, Metric, Parameter
from modeling.engine.deviations.joint import MOST_UNKNOWN
from modeling.engine.laws.growth import NOT_IDENTIFIABLE
from modeling.models import Change, Shift
from modeling.selectors.run.efficiency import Efficiency, efficiency
from modeling.selectors.run.metrics import is_time
from modeling.selectors.run.rows import ModelRow
from modeling.selectors.run.shares import Shares, own_shares
from modeling.selectors.run.snapshot import Amount, Before, FloatArray, Snapshot, over
from modeling.selectors.versions.past import KernelChange, Past
from modeling.selectors.versions.waterfall import explains, shift_explains
from modeling.storage import arrays
from modeling.verdicts import Verdict

SHOWN = 20
HALF = 0.5
LARGEST_PART = 1.1
"""A kernel's prediction may exceed the program's by this factor, because laws are found separately."""


@dataclass(frozen=True)
class KernelLine:
    """A kernel at the target. Shares of the program's total are fractions; None if unknown.

    `share_lower` and `share_upper` are the ends of the interval of `share_target`. `own_share` is without
    callees. `verdict` is None if the previous version lacks the kernel.
    """

    kernel: Kernel
    model: ModelRow
    amount: Amount
    share_largest: float | None
    share_target: float | None
    share_lower: float | None
    share_upper: float | None
    course: list[float | None]
    marks: list[tuple[int, str]]
    verdict: Verdict | None
    ratio: float | None
    change: KernelChange | None
    own_share: float | None = None


@dataclass(frozen=True)
class Cause:
    """The changed kernel with the largest effect on the total: `difference`, in units of the metric."""

    row: ModelRow
    difference: float


@dataclass(frozen=True)
class Bottleneck:
    """The kernel that takes most of the total. `share` is a fraction, with callees if `inclusive`."""

    row: ModelRow
    share: float
    inclusive: bool


@dataclass(frozen=True)
class Summary:
    """A version at the target. Ratios are to the previous version; None if there is none.

    Attributes:
        ratio_largest: ratio at the largest point, if both versions have it and it is not the target.
        cause: the changed kernel that explains at least half of the difference.
        by_noise: whether unchanged kernels explain at least half of the difference.
        shift: the factor that most kernels share, if this factor explains the difference.
        unknown: share of the total of kernels with unknown growth.
    """

    total: Amount
    ratio: float | None
    ratio_largest: float | None
    cause: Cause | None
    by_noise: bool
    shift: Shift | None
    bottleneck: Bottleneck | None
    unknown: float

    @property
    def left_out(self) -> bool:
        """Return whether the total's interval leaves out kernels of unknown growth."""
        return 0 < self.unknown <= MOST_UNKNOWN


def summary(
    snapshot: Snapshot, before: Before | None, past: Past, shift_read: Callable[[], Shift | None]
) -> Summary:
    """Return the summary of the version. The shared factor is only read if it may be the cause."""
    total = snapshot.total
    if before is not None and not before.adds_up_alike(snapshot.before):
        before = None
    largest = max(snapshot.campaign.points)
    alike = before is not None and max(before.campaign.points) == largest != snapshot.target.tolist()
    step = total.predicted - before.total if before and before.total and total.predicted else 0.0
    unchanged_before, unchanged_step = _unchanged(snapshot, past)
    by_noise = explains(unchanged_step, step)
    shift = shift_read() if by_noise else None
    return Summary(
        total=total,
        ratio=over(total.predicted, before.total) if before else None,
        ratio_largest=over(snapshot.total_largest, before.total_largest) if before and alike else None,
        cause=cause(snapshot, past, step),
        by_noise=by_noise,
        shift=shift if shift_explains(shift, unchanged_before, unchanged_step) else None,
        bottleneck=bottleneck(snapshot),
        unknown=unknown_share(snapshot),
    )


def bottleneck(snapshot: Snapshot) -> Bottleneck | None:
    """Return the most expensive kernel, or the deepest one inside it with at least half of its value.

    None if this is the kernel that stands for the whole program.
    """
    total = snapshot.predicted_total
    if not total:
        return None
    cost = np.nan_to_num(snapshot.predicted)
    top = int(np.argmax(np.where(snapshot.counted, cost, -1.0)))
    inside = ~snapshot.counted & (cost <= LARGEST_PART * cost[top])
    hot = np.flatnonzero(inside & (cost >= HALF * cost[top])).tolist()
    below = f"{snapshot.rows[top].path}{PATH_SEPARATOR}"
    branch = [at for at in hot if snapshot.rows[at].path.startswith(below)]
    deepest = max(
        branch, key=lambda at: (snapshot.rows[at].path.count(PATH_SEPARATOR), cost[at]), default=top
    )
    if deepest == top and snapshot.alone:
        return None
    return Bottleneck(snapshot.rows[deepest], min(float(cost[deepest] / total), 1.0), deepest != top)


def unknown_share(snapshot: Snapshot) -> float:
    """Return the share of the total at the target that belongs to kernels of unknown growth."""
    unknown = np.array([row.growth == NOT_IDENTIFIABLE for row in snapshot.rows], bool) & snapshot.counted
    total = snapshot.predicted_total
    return float(np.nansum(snapshot.predicted[unknown]) / total) if total else 0.0


def efficiency_of(snapshot: Snapshot, axis: Parameter, metric: Metric, shares: Shares) -> Efficiency | None:
    """Return the efficiency at the target; None if too much of the total has unknown growth.

    It is also None if `axis` does not count processes or the metric is no time.
    """
    if (
        axis.role != Parameter.Role.PROCESSES
        or not is_time(metric)
        or unknown_share(snapshot) >= MOST_UNKNOWN
    ):
        return None
    return efficiency(shares, float(snapshot.target[snapshot.campaign.parameters.index(axis.name)]))


def kernels_by_cost(
    snapshot: Snapshot, order: str = "target", *, constants: bool = False, lower_is_better: bool = True
) -> list[int]:
    """Return the indices of the kernels to show, at most `SHOWN`, with or without small `constants`.

    `order` is "target" (worst prediction first), "largest" (worst measurement first), or "kernel" (by path).
    """
    rows = np.arange(len(snapshot.rows)) if constants else np.flatnonzero(snapshot.notable)
    if order == "kernel":
        return sorted(rows.tolist(), key=lambda at: snapshot.rows[at].path)[:SHOWN]
    cost = (snapshot.largest if order == "largest" else snapshot.predicted)[rows]
    good = -cost if lower_is_better else cost
    worst = np.argsort(np.where(np.isnan(cost), np.inf, good), kind="stable")[:SHOWN]
    found: list[int] = rows[worst].tolist()
    return found


def constant_count(snapshot: Snapshot) -> int:
    """Return the number of kernels that are hidden as constant."""
    return int((~snapshot.notable).sum())


def kernel_lines(snapshot: Snapshot, past: Past, shown: list[int]) -> list[KernelLine]:
    """Return the lines of the kernels with these indices."""
    largest = _shares(snapshot.largest[shown], snapshot.total_largest)
    target = ([arrays.known(value) for value in column.tolist()] for column in snapshot.shares(shown))
    _, own = own_shares(snapshot)
    shares = zip(largest, *target, map(arrays.known, own[shown].tolist()), strict=True)
    return [_line(snapshot, past, at, each) for at, each in zip(shown, shares, strict=True)]


def cause(snapshot: Snapshot, past: Past, step: float) -> Cause | None:
    """Return the changed kernel that explains `step`, the difference of the totals; None if none does."""
    places = snapshot.loaded.places
    before = {
        places[kernel]: value
        for kernel in past.changed
        if kernel in places and (value := past.predicted_before(kernel)) is not None
    }
    changed = np.array(list(before), np.int64)
    steps = snapshot.predicted[changed] - np.array(list(before.values()), float)
    steps[~snapshot.counted[changed]] = np.nan
    if not np.isfinite(steps).any():
        return None
    most = int(np.nanargmax(abs(steps)))
    if not explains(float(steps[most]), step):
        return None
    return Cause(snapshot.rows[int(changed[most])], float(steps[most]))


def _unchanged(snapshot: Snapshot, past: Past) -> tuple[float, float]:
    """Return the previous sum of kernels that changed only by noise, and how much the sum changed."""
    changed = set(past.changed)
    steps = [
        (before, snapshot.predicted[at] - before)
        for at in np.flatnonzero(snapshot.counted).tolist()
        if (kernel := snapshot.rows[at].kernel_id) not in changed
        and (before := past.predicted_before(kernel)) is not None
    ]
    earlier, differences = np.nansum(np.array(steps).reshape(-1, 2), axis=0).tolist()
    return earlier, differences


def _line(snapshot: Snapshot, past: Past, at: int, shares: tuple[float | None, ...]) -> KernelLine:
    """Return the line of a kernel. `shares`: measured, predicted, lower, upper, without callees."""
    largest, target, lower, upper, own = shares
    row, amount = snapshot.rows[at], snapshot.amount(at)
    change = past.since(row.kernel_id)
    ratio = _ratio(change, amount.predicted, past.predicted_before(row.kernel_id))
    return KernelLine(
        kernel=row.kernel,
        model=row,
        amount=amount,
        share_largest=largest,
        share_target=target,
        share_lower=lower,
        share_upper=upper,
        course=past.course(row.kernel_id),
        marks=past.marks(row.kernel_id),
        verdict=past.verdict(row.kernel_id, ratio),
        ratio=ratio,
        change=change,
        own_share=own,
    )


def _ratio(change: KernelChange | None, after: float | None, before: float | None) -> float | None:
    """Return after / before at the target: from the comparison, or from predictions if the growth changed."""
    if (
        change is not None
        and change.kind in (Change.Kind.FACTOR, Change.Kind.OVERHEAD)
        and change.ratio is not None
    ):
        return change.ratio
    return over(after, before)


def _shares(values: FloatArray, total: float | None) -> list[float | None]:
    if not total or total <= 0:
        return [None] * len(values)
    return [None if math.isnan(share) else share for share in (values / total).tolist()]
