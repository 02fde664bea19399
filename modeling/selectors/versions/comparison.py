"""The comparison of two versions: changes, crossing totals, and different settings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from django.db.models import F, FilteredRelation, Q

from ingest.models import Campaign, Metric
from modeling.models import Change, Comparison, Shift
from modeling.selectors.run.direction import Direction
from modeling.selectors.run.shares import scale
from modeling.selectors.run.snapshot import Snapshot


@dataclass(frozen=True)
class Crossover:
    """The value of a parameter at which two totals cross, and which version is worse above it."""

    parameter: str
    value: float
    worse_beyond: bool


@dataclass(frozen=True)
class ChangedSetting:
    """A setting in which the two campaigns differ; None if a campaign lacks it."""

    name: str
    before: Any
    after: Any


def comparison_find(before_id: int, after_id: int) -> Comparison | None:
    """Return the comparison of two campaigns; None if it was not requested."""
    return Comparison.objects.filter(before=before_id, after=after_id).first()


READ = (
    "kernel_id", "metric_id", "kind", "probability", "law_probability", "overhead_probability", "ratio",
    "ratio_lower", "ratio_upper",
)  # fmt: skip
"""The columns of a change that pages read."""


def changes_of(comparison: Comparison, metric: Metric | None = None) -> list[Change]:
    """Return the changes of a comparison, in one metric or in all.

    The rows have all attributes of `Change` that are `READ`; a thousand changes would take longer.
    """
    rows = Change.objects.filter(comparison=comparison)
    found = rows if metric is None else rows.filter(metric=metric)
    return cast("list[Change]", list(found.values_list(*READ, named=True)))


def changes_by_kernel(rows: Iterable[Change], aliases: Mapping[int, int]) -> dict[int, Change]:
    """Return the changes by the kernels' final ids."""
    return {aliases.get(row.kernel_id, row.kernel_id): row for row in rows}


def comparison_with_shift(
    before_id: int, after_id: int, metric: Metric
) -> tuple[Comparison | None, Shift | None]:
    """Return the comparison of two campaigns, and the factor that all kernels share, from one query.

    The comparison is None if it was not requested, and the factor if it may be 1 at all points.
    """
    names = ("ratio", "lower", "upper", "growth")
    found = Comparison.objects.filter(before=before_id, after=after_id).annotate(
        shared=FilteredRelation("shifts", condition=Q(shifts__metric=metric)),
        **{f"shared_{name}": F(f"shared__{name}") for name in names},
    )
    row = found.first()
    numbers = {name: getattr(row, f"shared_{name}", None) for name in names}
    if row is None or numbers["ratio"] is None:
        return row, None
    shift = Shift(comparison=row, metric=metric, **numbers)
    return row, shift if shift.notable else None


def shift_between(before: Campaign, after: Campaign, metric: Metric) -> Shift | None:
    """Return the factor that all kernels share; None if not compared, or if it may be 1 at all points."""
    shifts = Shift.objects.filter(comparison__before=before, comparison__after=after, metric=metric)
    shift = shifts.first()
    return shift if shift and shift.notable else None


def crossover(before: Snapshot, after: Snapshot, parameter: str, metric: Metric) -> Crossover | None:
    """Return the last crossing of two totals along a parameter; None without a crossing."""
    axis = after.campaign.parameters.index(parameter)
    measured = np.unique(np.array(after.campaign.points, float)[:, axis])
    x = scale(measured, after.target[axis])
    points = Direction.along(axis, after.campaign.points).line(after.target.tolist(), x)
    gap = after.totals(points) - before.totals(points)
    crossings = np.flatnonzero(np.diff(np.sign(gap)))
    if not crossings.size:
        return None
    at = crossings[-1]
    part = gap[at] / (gap[at] - gap[at + 1])
    value = float(np.exp(np.log(x[at]) + part * np.log(x[at + 1] / x[at])))
    worse = bool(gap[at + 1] > 0) == metric.lower_is_better
    return Crossover(parameter, value, worse)


RUN_ONLY = {"job", "measured_at"}
"""Metadata that differ between any two campaigns."""


def points_shared(before: Campaign, after: Campaign) -> list[tuple[float, ...]]:
    """Return the points that both campaigns measured, the largest one last."""
    return sorted(set(map(tuple, before.points)) & set(map(tuple, after.points)))


def environment(before: Campaign, after: Campaign) -> list[ChangedSetting]:
    """Return the entries of the campaigns' metadata that differ."""
    pairs = [described(campaign) for campaign in (before, after)]
    names = sorted((pairs[0].keys() | pairs[1].keys()) - RUN_ONLY)
    both = [ChangedSetting(name, pairs[0].get(name), pairs[1].get(name)) for name in names]
    return [difference for difference in both if difference.before != difference.after]


def described(campaign: Campaign) -> dict[str, Any]:
    """Return the metadata of a campaign, with its numbers of points, repetitions and kernels."""
    return {
        **campaign.metadata,
        "measured points": len(campaign.points),
        "repetitions": campaign.repetitions,
        "kernels": campaign.kernel_count,
    }
