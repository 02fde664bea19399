"""Kernels × versions: how every kernel's prediction at the default target moved from version to version."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.models import Kernel, Machine, Metric
from modeling.models import Change, Trend
from modeling.selectors.versions.standings import Standing
from modeling.verdicts import Verdict, verdict

KERNELS_A_PAGE = 20
VERSIONS_A_PAGE = 16


@dataclass(frozen=True)
class Cell:
    """A kernel in one version. `ratio` is over the version before, None where either has no model."""

    version: Standing
    predicted: float | None
    ratio: float | None
    verdict: Verdict | None  # None: no model here, or nothing before

    @property
    def changed(self) -> bool:
        """Whether the kernel differs from the version before by more than noise."""
        return self.verdict not in (None, Verdict.SAME, Verdict.UNKNOWN)


@dataclass(frozen=True)
class HistoryRow:
    """A kernel with one cell per version, oldest first; `impact` its largest step in the metric's unit."""

    kernel: Kernel
    impact: float
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class HistoryPage:
    """Some kernels, those that moved most first, and how many there are."""

    rows: tuple[HistoryRow, ...]
    kernel_count: int


def history_page(
    line: Sequence[Standing], shown: slice, metric: Metric, machine: Machine, *, skip: int = 0
) -> HistoryPage:
    """Kernels from `skip` on, over the versions `line[shown]` of one machine."""
    trends = Trend.objects.filter(metric=metric, machine=machine)
    rows = trends.select_related("kernel").order_by("-impact", "kernel_id")[skip : skip + KERNELS_A_PAGE]
    found = list(rows)
    kernels = [trend.kernel_id for trend in found]
    changes = _changes(line, shown, kernels, metric)
    table = (_row(trend, line, shown, changes, metric) for trend in found)
    return HistoryPage(tuple(table), trends.count())


def _changes(
    line: Sequence[Standing], shown: slice, kernels: list[int], metric: Metric
) -> dict[tuple[int, int], Change]:
    """The changes between neighbours of the line, by (kernel, later campaign)."""
    first = max(shown.indices(len(line))[0] - 1, 0)
    part = [standing.campaign_id for standing in line[first : shown.stop]]
    neighbours = set(pairwise(part))
    rows = Change.objects.filter(
        kernel__in=kernels, metric=metric, comparison__after__in=part, comparison__before__in=part
    ).select_related("comparison")
    return {
        (row.kernel_id, row.comparison.after_id): row
        for row in rows
        if (row.comparison.before_id, row.comparison.after_id) in neighbours
    }


def _row(
    trend: Trend,
    line: Sequence[Standing],
    shown: slice,
    changes: dict[tuple[int, int], Change],
    metric: Metric,
) -> HistoryRow:
    predicted = dict(zip(trend.versions, trend.predicted, strict=True))
    first = shown.indices(len(line))[0]
    before = predicted.get(line[first - 1].version_id) if first else None
    cells = []
    for standing in line[shown]:
        value = predicted.get(standing.version_id)
        change = changes.get((trend.kernel_id, standing.campaign_id))
        cells.append(_cell(standing, value, before, change, metric))
        before = value
    return HistoryRow(trend.kernel, trend.impact, tuple(cells))


def _cell(
    standing: Standing, value: float | None, before: float | None, change: Change | None, metric: Metric
) -> Cell:
    if value is None or before is None:
        return Cell(standing, value, None, None)
    ratio = value / before if before > 0 else None
    if change is None:
        return Cell(standing, value, ratio, Verdict.SAME)
    size = ratio if change.ratio is None else change.ratio
    kind = verdict(change.kind, change.ratio, lower_is_better=metric.lower_is_better)
    return Cell(standing, value, size, kind)
