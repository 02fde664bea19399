"""The history: a table of kernels × versions with the predictions of every kernel."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import log
from typing import NamedTuple

from django.db.models import Count, F, FilteredRelation, Q, QuerySet

from ingest.models import Campaign, Kernel, Machine, Metric
from modeling.models import Change, Comparison, KernelAlias, Model, State, Trend
from modeling.selectors.run.campaign import Amounts, predictions_at
from modeling.selectors.versions.aliases import formers_of
from modeling.selectors.versions.standings import Standing
from modeling.verdicts import IMPROVEMENTS, WORSENINGS, Verdict, verdict

KERNELS_A_PAGE = 25
VERSIONS_A_PAGE = 9
"""Versions per page, which fit on a screen of 1,440 pixels."""

SORTS = {"impact": ("-impact", "kernel_id"), "name": ("kernel__path",)}
"""Orders of the rows: by the largest difference between neighbouring versions, or by path."""

LARGE_SHIFT = 1.05
"""The history names shared factors of at least this size, or at most its inverse."""

Pair = tuple[int, int]
"""Ids of the campaigns before and after."""


@dataclass(frozen=True)
class Listed:
    """The selection of kernels: `everything`, or only those that changed, came or went in the shown versions.

    The kernels' paths contain `search`. `skip` is the number of rows before the page.
    """

    search: str = ""
    everything: bool = False
    sort: str = "impact"
    skip: int = 0


class Law(NamedTuple):
    """The columns of a stored law that are needed to write it."""

    constant: float | None
    coefficients: list[float]
    exponents: list[float]
    parameters: list[str]


@dataclass(frozen=True)
class Cell:
    """A kernel in one version. `ratio` is to the previous version; None if either has no model.

    `new` says that the previous version lacks the kernel, and `gone` that this one does.
    """

    version: Standing
    present: bool
    predicted: float | None
    ratio: float | None
    verdict: Verdict | None  # None if either version lacks the kernel, or if they were not compared
    before: Standing | None = None
    predicted_before: float | None = None
    law: Law | None = None
    law_before: Law | None = None
    new: bool = False
    gone: bool = False
    kernel_id: int = 0  # a renamed kernel has another id in earlier versions

    @property
    def changed(self) -> bool:
        """Return whether the kernel differs from the previous version by more than noise."""
        return self.verdict not in (None, Verdict.SAME, Verdict.UNKNOWN)


@dataclass(frozen=True)
class HistoryRow:
    """A kernel with a cell for each shown version, oldest first.

    `impact` is the largest difference between neighbouring versions, in units of the metric. `course` has
    predictions of all versions at the default target. `marks` are the changes, as index of the version and
    "worse" or "better".
    """

    kernel: Kernel
    impact: float
    cells: tuple[Cell, ...]
    course: tuple[float | None, ...]
    marks: tuple[tuple[int, str], ...]
    former: tuple[str, ...] = ()  # earlier paths


@dataclass(frozen=True)
class SharedStep:
    """The factor after / before that most kernels of a version share, relative to the version before it."""

    before: str  # label
    after: str  # label
    ratio: float


@dataclass(frozen=True)
class HistoryPage:
    """A page of rows, the number of selected kernels, and the number of all kernels in the shown versions.

    `shared` are the large factors that most kernels share, oldest first. The verdicts exclude them.
    """

    rows: tuple[HistoryRow, ...]
    count: int
    kernel_count: int
    shared: tuple[SharedStep, ...] = ()


@dataclass(frozen=True)
class Window:
    """The shown part of a line of versions, `line[start:stop]`."""

    line: tuple[Standing, ...]
    start: int
    stop: int

    @property
    def shown(self) -> tuple[Standing, ...]:
        """Return the versions that are shown, oldest first."""
        return self.line[self.start : self.stop]

    @property
    def pairs(self) -> list[tuple[Standing, Standing]]:
        """Return each shown version with the version before it, if there is one."""
        return list(pairwise(self.line[max(self.start - 1, 0) : self.stop]))


def history_page(
    window: Window,
    metric: Metric,
    machine: Machine,
    listed: Listed,
    *,
    target: Mapping[str, float] | None = None,
    aliases: Mapping[int, int] | None = None,
) -> HistoryPage:
    """Return a page of the selected kernels over the shown versions of one machine.

    Without a `target`, stored predictions are used. `aliases` maps earlier ids of kernels to final ids.
    """
    aliases = aliases or {}
    compared, shifts = _compared(window.line, metric)
    shown = {(before.campaign_id, after.campaign_id) for before, after in window.pairs}
    done = {pair: number for pair, number in compared.items() if pair in shown}
    trends = _trends(window, metric, machine, aliases)
    wanted = _wanted(window, metric, done, listed, aliases)
    order = SORTS.get(listed.sort, SORTS["impact"])
    found = list(trends.filter(wanted).order_by(*order)[listed.skip : listed.skip + KERNELS_A_PAGE])
    counts = trends.aggregate(wanted=Count("pk", filter=wanted), all=Count("pk"))
    former = _former_trends(found, metric, machine, aliases)
    kernels = [trend.kernel_id for trend in (*found, *former)]
    table = _Table(
        window,
        metric,
        compared,
        _changes(compared, kernels, metric, aliases),
        _models(window, kernels, metric, target),
        stored=target is None,
    )
    courses = [_Course.of(trend, former, aliases) for trend in found]
    shared = tuple(
        SharedStep(before.label, after.label, shifts[pair])
        for before, after in window.pairs
        if (pair := (before.campaign_id, after.campaign_id)) in shifts
    )
    return HistoryPage(tuple(map(table.row, courses)), counts["wanted"], counts["all"], shared)


def _compared(line: Sequence[Standing], metric: Metric) -> tuple[dict[Pair, int], dict[Pair, float]]:
    """Return the ids of the finished comparisons of neighbouring versions, by pairs of campaigns, and the
    large factors (see `LARGE_SHIFT`) that most kernels share.
    """
    campaigns = [standing.campaign_id for standing in line]
    neighbours = set(pairwise(campaigns))
    rows = Comparison.objects.filter(before__in=campaigns, after__in=campaigns, state=State.DONE)
    of_metric = FilteredRelation("shifts", condition=Q(shifts__metric=metric))
    known = rows.annotate(shift=of_metric).values_list(
        "before_id", "after_id", "pk", "shift__lower", "shift__ratio", "shift__upper"
    )
    compared, shifts = {}, {}
    for before, after, number, *shift in known:
        if (pair := (before, after)) not in neighbours:
            continue
        compared[pair] = number
        lower, ratio, upper = shift
        if ratio is not None and abs(log(ratio)) >= log(LARGE_SHIFT) and (lower > 1 or upper < 1):
            shifts[pair] = ratio
    return compared, shifts


def _trends(window: Window, metric: Metric, machine: Machine, aliases: Mapping[int, int]) -> QuerySet[Trend]:
    """Return the trends of kernels in the shown versions, without earlier ids of renamed kernels."""
    versions = [standing.version_id for standing in window.shown]
    every = Trend.objects.filter(metric=metric, machine=machine)
    rows = every.filter(versions__overlap=versions).select_related("kernel")
    if not aliases:
        return rows
    there = set(every.filter(kernel__in=aliases.values()).values_list("kernel", flat=True))
    joined = [kernel for kernel, final in aliases.items() if final in there]
    formers = {final for final in aliases.values() if final in there}
    ours = Q(versions__overlap=versions) | Q(kernel__in=formers)
    return every.filter(ours).exclude(kernel__in=joined).select_related("kernel")


def _former_trends(
    found: Sequence[Trend], metric: Metric, machine: Machine, aliases: Mapping[int, int]
) -> list[Trend]:
    """Return the trends of the earlier ids of kernels."""
    earlier = formers_of({trend.kernel_id for trend in found}, aliases)
    if not earlier:
        return []
    rows = Trend.objects.filter(metric=metric, machine=machine, kernel__in=earlier)
    return list(rows.select_related("kernel"))


class _Place(NamedTuple):
    """A kernel's prediction at the default target in one version, and its id in this version."""

    kernel: int
    predicted: float | None


@dataclass(frozen=True)
class _Course:
    """A kernel over all versions, including those in which it had another id."""

    trend: Trend
    places: dict[int, _Place]  # by version
    former: tuple[str, ...]

    @classmethod
    def of(cls, trend: Trend, former: Sequence[Trend], aliases: Mapping[int, int]) -> "_Course":
        """Return the course from a kernel's own trend and those of its earlier ids in `former`."""
        earlier = [row for row in former if aliases[row.kernel_id] == trend.kernel_id]
        places = {
            version: _Place(row.kernel_id, predicted)
            # The kernel's own trend comes last, so it is used if a version has several of the ids.
            for row in (*earlier, trend)
            for version, predicted in zip(row.versions, row.predicted, strict=True)
        }
        return cls(trend, places, tuple(row.kernel.path for row in earlier))


def _wanted(
    window: Window, metric: Metric, compared: dict[Pair, int], listed: Listed, aliases: Mapping[int, int]
) -> Q:
    """Return the condition on trends that selects kernels."""
    found = Q(kernel__path__icontains=listed.search) if listed.search else Q()
    if listed.everything:
        return found
    changes = Change.objects.filter(comparison__in=compared.values(), metric=metric)
    changed = changes.exclude(kind=Change.Kind.UNKNOWN).values("kernel")
    differs = Q(kernel__in=changed) | _come_or_gone(window, compared)
    if aliases:
        # Changes that were stored before the kernels were joined have the earlier ids.
        differs |= Q(kernel__in=KernelAlias.objects.filter(kernel__in=changed).values("becomes"))
    return found & differs


def _come_or_gone(window: Window, compared: dict[Pair, int]) -> Q:
    """Return the condition for kernels that some of the compared shown versions lack."""
    both = {campaign for pair in compared for campaign in pair}
    part = {standing for pair in window.pairs for standing in pair if standing.campaign_id in both}
    if not part:
        return Q(pk__in=[])
    return ~Q(versions__contains=sorted(standing.version_id for standing in part))


def _changes(
    compared: dict[Pair, int], kernels: list[int], metric: Metric, aliases: Mapping[int, int]
) -> dict[tuple[int, int], Change]:
    """Return the changes of some kernels, by final id and id of the comparison."""
    rows = Change.objects.filter(kernel__in=kernels, metric=metric, comparison__in=compared.values())
    return {(aliases.get(row.kernel_id, row.kernel_id), row.comparison_id): row for row in rows}


@dataclass(frozen=True)
class _Found:
    """A kernel's model in one version: its law, and its prediction if requested."""

    law: Law
    amounts: Amounts | None


def _models(
    window: Window, kernels: list[int], metric: Metric, target: Mapping[str, float] | None
) -> dict[tuple[int, int], _Found]:
    """Return the models of some kernels in the shown versions and the one before, by kernel and campaign."""
    part = window.line[max(window.start - 1, 0) : window.stop]
    runs = [standing.run_id for standing in part if standing.run_id]
    rows = Model.objects.filter(run__in=runs, metric=metric, kernel__in=kernels)
    rows = rows.annotate(campaign=F("run__campaign"), parameters=F("run__campaign__parameters"))
    if target is None:
        names = ("kernel_id", "campaign", *Law._fields)
        known = rows.values_list(*names)
        return {(kernel, campaign): _Found(Law(*law), None) for kernel, campaign, *law in known}
    models = list(rows)
    amounts = _amounts_at(models, part[-1], target)
    return {
        (model.kernel_id, model.campaign): _Found(
            Law(model.constant, model.coefficients, model.exponents, model.parameters),
            amounts.get(model.pk, (None, None, None)),
        )
        for model in models
    }


def _amounts_at(models: Sequence[Model], latest: Standing, target: Mapping[str, float]) -> dict[int, Amounts]:
    """Return predictions at a target, for models with the latest version's parameters."""
    campaign = Campaign.objects.get(pk=latest.campaign_id)
    if any(name not in target for name in campaign.parameters):
        return {}
    return predictions_at(models, campaign, [target[name] for name in campaign.parameters])


@dataclass(frozen=True)
class _Table:
    """The data from which rows are made. `stored` says whether cells have the stored predictions."""

    window: Window
    metric: Metric
    compared: dict[Pair, int]
    changes: dict[tuple[int, int], Change]
    models: dict[tuple[int, int], _Found]
    stored: bool

    def row(self, course: _Course) -> HistoryRow:
        """Return the row of one kernel."""
        trend, line = course.trend, self.window.line
        pairs = (
            (line[at - 1] if at else None, line[at]) for at in range(self.window.start, self.window.stop)
        )
        values = (course.places.get(standing.version_id) for standing in line)
        return HistoryRow(
            trend.kernel,
            trend.impact,
            tuple(self._cell(course, before, here) for before, here in pairs),
            tuple(place.predicted if place else None for place in values),
            tuple(self._marks(trend.kernel_id)),
            course.former,
        )

    def _cell(self, course: _Course, before: Standing | None, here: Standing) -> Cell:
        place = course.places.get(here.version_id)
        earlier = course.places.get(before.version_id) if before else None
        value, value_before = self._predicted(place, here), self._predicted(earlier, before)
        ratio = value / value_before if value is not None and value_before else None
        cell = Cell(
            here, place is not None, value, ratio, None, before, value_before,
            self._law(place, here), self._law(earlier, before), kernel_id=place.kernel if place else 0,
        )  # fmt: skip
        comparison = self.compared.get((before.campaign_id, here.campaign_id)) if before else None
        if comparison is None:
            return cell
        if place is None or earlier is None:
            return replace(cell, new=place is not None, gone=place is None and earlier is not None)
        change = self.changes.get((course.trend.kernel_id, comparison))
        ratio_shown = change.ratio if change and self.stored and change.ratio is not None else ratio
        return replace(cell, verdict=self._verdict(change), ratio=ratio_shown)

    def _predicted(self, place: _Place | None, standing: Standing | None) -> float | None:
        if place is None or standing is None:
            return None
        if self.stored:
            return place.predicted
        found = self.models.get((place.kernel, standing.campaign_id))
        return found.amounts[0] if found and found.amounts else None

    def _law(self, place: _Place | None, standing: Standing | None) -> Law | None:
        if place is None or standing is None:
            return None
        found = self.models.get((place.kernel, standing.campaign_id))
        return found.law if found else None

    def _verdict(self, change: Change | None) -> Verdict:
        kind, ratio = (change.kind, change.ratio) if change else (None, None)
        return verdict(kind, ratio, lower_is_better=self.metric.lower_is_better)

    def _marks(self, kernel: int) -> list[tuple[int, str]]:
        """Return the changes of a kernel on the line: index of the version, and "worse" or "better"."""
        found = []
        for at, change in self._changes_in_line.get(kernel, ()):
            kind = self._verdict(change)
            if kind in WORSENINGS:
                found.append((at, "worse"))
            elif kind in IMPROVEMENTS:
                found.append((at, "better"))
        return sorted(found)

    @cached_property
    def _changes_in_line(self) -> dict[int, list[tuple[int, Change]]]:
        """Return the changes of each kernel, with the index of the later version."""
        pairs = pairwise(standing.campaign_id for standing in self.window.line)
        places = {self.compared[pair]: at for at, pair in enumerate(pairs, 1) if pair in self.compared}
        found: dict[int, list[tuple[int, Change]]] = defaultdict(list)
        for (kernel, comparison), change in self.changes.items():
            found[kernel].append((places[comparison], change))
        return found
