"""A version at a target: what costs most there, and what changed since the version before."""

import math
from dataclasses import dataclass

import numpy as np

from ingest.models import PATH_SEPARATOR, Kernel, Metric, Parameter
from modeling.models import Change
from modeling.selectors.run.efficiency import Efficiency, efficiency
from modeling.selectors.run.metrics import is_time
from modeling.selectors.run.rows import ModelRow
from modeling.selectors.run.shares import Shares
from modeling.selectors.run.snapshot import Amount, Before, FloatArray, Snapshot
from modeling.selectors.versions.past import Past
from modeling.verdicts import Verdict

NOT_IDENTIFIABLE = "not identifiable"
SHOWN = 20
HALF = 0.5
LARGEST_PART = 1.1
"""A kernel's prediction relative to that of its caller from which the two contradict each other: laws are
found one by one, so that those of kernels that take nearly all differ by some percent (RELeARN: 2 %)."""

MOST_UNKNOWN = 0.05
"""Largest share of the total that may be unknown; beyond it no efficiency is shown, as it would be made
up."""


@dataclass(frozen=True)
class KernelLine:
    """One kernel at the target. Shares are fractions of the program's total, None where unknown, that at the
    target with its 95 % interval.

    `verdict` is on the step from the version before, None where nothing came before.
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
    change: Change | None


@dataclass(frozen=True)
class Cause:
    """The changed kernel that moved the program's total most, in units of the metric."""

    row: ModelRow
    difference: float


@dataclass(frozen=True)
class Bottleneck:
    """Where most of the total goes; `share` is a fraction of it, callees held if `inclusive`."""

    row: ModelRow
    share: float
    inclusive: bool


@dataclass(frozen=True)
class Summary:
    """What a version comes to at the target. Ratios are over the version before, None where nothing is.

    `ratio_largest` is of what was measured at the largest point, where both versions have the same one.
    `unknown` is the share of kernels whose growth cannot be told from the values measured.
    """

    total: Amount
    ratio: float | None
    ratio_largest: float | None
    cause: Cause | None
    bottleneck: Bottleneck | None
    unknown: float


def summary(snapshot: Snapshot, before: Before | None, past: Past) -> Summary:
    """The version in figures."""
    total = snapshot.total
    alike = before is not None and max(before.campaign.points) == max(snapshot.campaign.points)
    return Summary(
        total=total,
        ratio=_over(total.predicted, before.total) if before else None,
        ratio_largest=_over(snapshot.total_largest, before.total_largest) if before and alike else None,
        cause=cause(snapshot, past),
        bottleneck=bottleneck(snapshot),
        unknown=unknown_share(snapshot),
    )


def bottleneck(snapshot: Snapshot) -> Bottleneck | None:
    """The most expensive kernel; where callers hold their callees, the deepest that has half of the total."""
    total = snapshot.total.predicted
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
    return Bottleneck(snapshot.rows[deepest], min(float(cost[deepest] / total), 1.0), deepest != top)


def unknown_share(snapshot: Snapshot) -> float:
    """The share of the total at the target that is no more than a mean of what was measured."""
    unknown = np.array([row.growth == NOT_IDENTIFIABLE for row in snapshot.rows], bool) & snapshot.counted
    total = snapshot.total.predicted
    return float(np.nansum(snapshot.predicted[unknown]) / total) if total else 0.0


def efficiency_of(snapshot: Snapshot, axis: Parameter, metric: Metric, shares: Shares) -> Efficiency | None:
    """Efficiency at the target along the number of processes; None where it would be made up."""
    if (
        axis.role != Parameter.Role.PROCESSES
        or not is_time(metric)
        or unknown_share(snapshot) >= MOST_UNKNOWN
    ):
        return None
    return efficiency(shares, float(snapshot.target[snapshot.campaign.parameters.index(axis.name)]))


def _over(after: float | None, before: float | None) -> float | None:
    return after / before if after is not None and before else None


def kernels_by_cost(
    snapshot: Snapshot, order: str = "target", *, constants: bool = False, lower_is_better: bool = True
) -> list[int]:
    """Row numbers of the kernels to show, at most `SHOWN`.

    `order`: "target" and "largest" put the worst first, at the target or as measured; "kernel" goes by path.
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
    """The number of kernels that are hidden as constant."""
    return int((~snapshot.notable).sum())


def kernel_lines(snapshot: Snapshot, past: Past, shown: list[int]) -> list[KernelLine]:
    """The kernels of these row numbers."""
    largest = _shares(snapshot.largest[shown], snapshot.total_largest)
    target = ([_known(value) for value in column.tolist()] for column in snapshot.shares(shown))
    columns = zip(shown, largest, zip(*target, strict=True), strict=True)
    return [_line(snapshot, past, *each) for each in columns]


def cause(snapshot: Snapshot, past: Past) -> Cause | None:
    """Which changed kernel explains most of the step in the total; None where none changed."""
    places = snapshot.loaded.places
    changed = [places[kernel] for kernel in past.changed if kernel in places]
    rows = ((snapshot.rows[at], float(snapshot.predicted[at])) for at in changed)
    steps = [
        Cause(row, value - before)
        for row, value in rows
        if row.counts_to_total and (before := past.predicted_before(row.kernel_id)) is not None
    ]
    known = [step for step in steps if not np.isnan(step.difference)]
    return max(known, key=lambda step: abs(step.difference), default=None)


def _line(
    snapshot: Snapshot,
    past: Past,
    at: int,
    share_largest: float | None,
    shares: tuple[float | None, ...],
) -> KernelLine:
    row, amount = snapshot.rows[at], snapshot.amount(at)
    change = past.since(row.kernel_id)
    ratio = _ratio(change, amount.predicted, past.predicted_before(row.kernel_id))
    return KernelLine(
        kernel=row.kernel,
        model=row,
        amount=amount,
        share_largest=share_largest,
        share_target=shares[0],
        share_lower=shares[1],
        share_upper=shares[2],
        course=past.course(row.kernel_id),
        marks=past.marks(row.kernel_id),
        verdict=past.verdict(row.kernel_id, ratio),
        ratio=ratio,
        change=change,
    )


def _ratio(change: Change | None, after: float | None, before: float | None) -> float | None:
    """After over before at the target.

    Where the growth stayed the same, the comparison knows the ratio better than two separate models do.
    """
    if (
        change is not None
        and change.kind in (Change.Kind.FACTOR, Change.Kind.OVERHEAD)
        and change.ratio is not None
    ):
        return change.ratio
    return _over(after, before)


def _shares(values: FloatArray, total: float | None) -> list[float | None]:
    if not total or total <= 0:
        return [None] * len(values)
    return [None if math.isnan(share) else share for share in (values / total).tolist()]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
