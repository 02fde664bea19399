"""Kernels × versions: how every kernel's prediction moved from version to version.

Which kernels are listed, and in which order, follows the predictions at the default target, which are stored;
the cells may be of any target.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from django.db.models import Count, F, Q, QuerySet

from ingest.models import Campaign, Kernel, Machine, Metric
from modeling.models import Change, Comparison, Model, State, Trend
from modeling.selectors.run.campaign import Amounts, predictions_at
from modeling.selectors.versions.standings import Standing
from modeling.verdicts import Verdict, verdict

KERNELS_A_PAGE = 40
VERSIONS_A_PAGE = 12
"""Versions side by side: so many fit a screen of 1,440 pixels where kernels changed in each of them."""

SORTS = {"impact": ("-impact", "kernel_id"), "name": ("kernel__path",)}
"""What rows may be sorted by: the largest step between two versions, or the call path."""

Pair = tuple[int, int]
"""Ids of the campaigns before and after."""


@dataclass(frozen=True)
class Listed:
    """Which kernels are listed: all or only those that changed in the versions shown, and from where on."""

    search: str = ""
    everything: bool = False
    sort: str = "impact"
    skip: int = 0


class Law(NamedTuple):
    """A stored law, as far as it is written out."""

    constant: float | None
    coefficients: list[float]
    exponents: list[float]
    parameters: list[str]


@dataclass(frozen=True)
class Cell:
    """A kernel in one version. `ratio` is over the version before, None where either has no model.

    `law_before` is that of the version before. `compared` tells whether the two versions were compared.
    """

    version: Standing
    present: bool
    predicted: float | None
    ratio: float | None
    verdict: Verdict | None  # None: not measured here or before, or the versions were not compared
    before: Standing | None = None
    predicted_before: float | None = None
    law: Law | None = None
    law_before: Law | None = None
    new: bool = False
    gone: bool = False

    @property
    def changed(self) -> bool:
        """Whether the kernel differs from the version before by more than noise."""
        return self.verdict not in (None, Verdict.SAME, Verdict.UNKNOWN)


@dataclass(frozen=True)
class HistoryRow:
    """A kernel with one cell per version, oldest first; `impact` its largest step in the metric's unit.

    `course` and `marks` are of the whole history: predictions at the default target, and where the kernel
    changed (index, "worse" or "better").
    """

    kernel: Kernel
    impact: float
    cells: tuple[Cell, ...]
    course: tuple[float | None, ...]
    marks: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class HistoryPage:
    """Some kernels, how many there are of their kind, and how many the versions have in all."""

    rows: tuple[HistoryRow, ...]
    count: int
    kernel_count: int


@dataclass(frozen=True)
class Window:
    """The versions that are shown of a line, `line[start:stop]`."""

    line: tuple[Standing, ...]
    start: int
    stop: int

    @property
    def shown(self) -> tuple[Standing, ...]:
        """The versions, oldest first."""
        return self.line[self.start : self.stop]

    @property
    def pairs(self) -> list[tuple[Standing, Standing]]:
        """Each version shown with the one before it, where there is one."""
        return list(pairwise(self.line[max(self.start - 1, 0) : self.stop]))


def history_page(
    window: Window,
    metric: Metric,
    machine: Machine,
    listed: Listed,
    target: Mapping[str, float] | None = None,
) -> HistoryPage:
    """The kernels asked for over the versions of a window of one machine's line.

    `target` None: the default one, for which predictions are stored.
    """
    compared = _compared(window.line)
    shown = {(before.campaign_id, after.campaign_id) for before, after in window.pairs}
    done = {pair: number for pair, number in compared.items() if pair in shown}
    trends = _trends(window, metric, machine)
    wanted = _wanted(window, metric, done, listed)
    order = SORTS.get(listed.sort, SORTS["impact"])
    found = list(trends.filter(wanted).order_by(*order)[listed.skip : listed.skip + KERNELS_A_PAGE])
    counts = trends.aggregate(wanted=Count("pk", filter=wanted), all=Count("pk"))
    kernels = [trend.kernel_id for trend in found]
    table = _Table(
        window,
        metric,
        compared,
        _changes(compared, kernels, metric),
        _models(window, kernels, metric, target),
        stored=target is None,
    )
    return HistoryPage(tuple(table.row(trend) for trend in found), counts["wanted"], counts["all"])


def _compared(line: Sequence[Standing]) -> dict[Pair, int]:
    """The finished comparisons of neighbours, by their campaigns."""
    campaigns = [standing.campaign_id for standing in line]
    neighbours = set(pairwise(campaigns))
    rows = Comparison.objects.filter(before__in=campaigns, after__in=campaigns, state=State.DONE)
    known = rows.values_list("before_id", "after_id", "pk")
    return {(before, after): number for before, after, number in known if (before, after) in neighbours}


def _trends(window: Window, metric: Metric, machine: Machine) -> QuerySet[Trend]:
    """The courses of the kernels that any of the versions shown has."""
    versions = [standing.version_id for standing in window.shown]
    rows = Trend.objects.filter(metric=metric, machine=machine, versions__overlap=versions)
    return rows.select_related("kernel")


def _wanted(window: Window, metric: Metric, compared: dict[Pair, int], listed: Listed) -> Q:
    """What the courses of the kernels asked for fulfil."""
    found = Q(kernel__path__icontains=listed.search) if listed.search else Q()
    if listed.everything:
        return found
    changes = Change.objects.filter(comparison__in=compared.values(), metric=metric)
    changed = changes.exclude(kind=Change.Kind.UNKNOWN).values("kernel")
    return found & (Q(kernel__in=changed) | _come_or_gone(window, compared))


def _come_or_gone(window: Window, compared: dict[Pair, int]) -> Q:
    """Kernels that some of the compared versions do not have. Of others models may still be made."""
    both = {campaign for pair in compared for campaign in pair}
    part = {standing for pair in window.pairs for standing in pair if standing.campaign_id in both}
    if not part:
        return Q(pk__in=[])
    return ~Q(versions__contains=sorted(standing.version_id for standing in part))


def _changes(compared: dict[Pair, int], kernels: list[int], metric: Metric) -> dict[tuple[int, int], Change]:
    """The changes of some kernels by kernel and comparison."""
    rows = Change.objects.filter(kernel__in=kernels, metric=metric, comparison__in=compared.values())
    return {(row.kernel_id, row.comparison_id): row for row in rows}


@dataclass(frozen=True)
class _Found:
    """A kernel's model in one version: its law, and its prediction where it was asked for."""

    law: Law
    amounts: Amounts | None


def _models(
    window: Window, kernels: list[int], metric: Metric, target: Mapping[str, float] | None
) -> dict[tuple[int, int], _Found]:
    """The models of some kernels in the versions shown and the one before, by kernel and campaign."""
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
    """Predictions at a target of the models that vary the same parameters as the latest version."""
    campaign = Campaign.objects.get(pk=latest.campaign_id)
    if any(name not in target for name in campaign.parameters):
        return {}
    usable = [
        model
        for model in models
        if model.constant is not None and model.parameters == campaign.parameters  # type: ignore[attr-defined]
    ]
    if not usable:
        return {}
    found = predictions_at(usable, campaign, [target[name] for name in campaign.parameters])
    return {model.pk: amounts for model, amounts in zip(usable, found, strict=True)}


@dataclass(frozen=True)
class _Table:
    """What the rows are put together from; `stored` tells that the cells are of the default target."""

    window: Window
    metric: Metric
    compared: dict[Pair, int]
    changes: dict[tuple[int, int], Change]
    models: dict[tuple[int, int], _Found]
    stored: bool

    def row(self, trend: Trend) -> HistoryRow:
        """One kernel over the versions shown."""
        course = dict(zip(trend.versions, trend.predicted, strict=True))
        line = self.window.line
        places = range(self.window.start, self.window.stop)
        cells = (self._cell(trend, course, line[at - 1] if at else None, line[at]) for at in places)
        return HistoryRow(
            trend.kernel,
            trend.impact,
            tuple(cells),
            tuple(course.get(standing.version_id) for standing in line),
            tuple(self._marks(trend.kernel_id)),
        )

    def _cell(
        self, trend: Trend, course: Mapping[int, float | None], before: Standing | None, here: Standing
    ) -> Cell:
        present = here.version_id in course
        comparison = self.compared.get((before.campaign_id, here.campaign_id)) if before else None
        if before is None or comparison is None:
            return self._alone(trend, course, here, before, present=present)
        earlier = before.version_id in course
        if not (present and earlier):
            cell = self._alone(trend, course, here, before, present=present)
            return Cell(**cell.__dict__ | {"new": present, "gone": earlier and not present})
        change = self.changes.get((trend.kernel_id, comparison))
        values = [self._predicted(trend.kernel_id, course, each) for each in (before, here)]
        laws = [self._law(trend.kernel_id, each) for each in (before, here)]
        ratio = values[1] / values[0] if values[1] is not None and values[0] else None
        stored = change.ratio if change and self.stored else None
        return Cell(
            here, present, values[1], ratio if stored is None else stored, self._verdict(change), before,
            values[0], laws[1], laws[0],
        )  # fmt: skip

    def _alone(
        self,
        trend: Trend,
        course: Mapping[int, float | None],
        here: Standing,
        before: Standing | None,
        *,
        present: bool,
    ) -> Cell:
        value = self._predicted(trend.kernel_id, course, here)
        earlier = self._predicted(trend.kernel_id, course, before) if before else None
        ratio = value / earlier if value is not None and earlier else None
        return Cell(here, present, value, ratio, None, before, earlier, self._law(trend.kernel_id, here))

    def _predicted(self, kernel: int, course: Mapping[int, float | None], standing: Standing) -> float | None:
        if self.stored:
            return course.get(standing.version_id)
        found = self.models.get((kernel, standing.campaign_id))
        return found.amounts[0] if found and found.amounts else None

    def _law(self, kernel: int, standing: Standing) -> Law | None:
        found = self.models.get((kernel, standing.campaign_id))
        return found.law if found else None

    def _verdict(self, change: Change | None) -> Verdict:
        kind, ratio = (change.kind, change.ratio) if change else (None, None)
        return verdict(kind, ratio, lower_is_better=self.metric.lower_is_better)

    def _marks(self, kernel: int) -> list[tuple[int, str]]:
        """Where on the whole line the kernel changed for the worse or the better."""
        found = []
        for at, (before, after) in enumerate(pairwise(self.window.line), 1):
            number = self.compared.get((before.campaign_id, after.campaign_id))
            change = self.changes.get((kernel, number)) if number else None
            kind = self._verdict(change)
            if kind in (Verdict.LAW_WORSE, Verdict.WORSE):
                found.append((at, "worse"))
            elif kind in (Verdict.LAW_BETTER, Verdict.BETTER):
                found.append((at, "better"))
        return found
