"""The history: a table of kernels × versions with the predictions of every kernel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, Count, F, FilteredRelation, Func, Q, QuerySet, Value

from ingest.models import Machine, Metric
from modeling.models import Change, Comparison, KernelAlias, State, Trend
from modeling.selectors.versions.aliases import formers_of
from modeling.selectors.versions.history_laws import Shown, laws_and_predictions, laws_of_changes
from modeling.selectors.versions.history_rows import (
    HistoryRow,
    HistoryTable,
    KernelChange,
    KernelCourse,
    Pair,
    Window,
)
from modeling.selectors.versions.standings import Standing

KERNELS_A_PAGE = 25
VERSIONS_A_PAGE = 9
"""Versions per page, which fit on a screen of 1,440 pixels."""

SORTS = {"impact": ("-impact", "kernel_id"), "name": ("kernel__path",)}
"""Orders of the rows: by the largest difference between neighbouring versions, or by path."""

LAST_VERSION = Func(
    F("versions"), template="(%(expressions)s)[cardinality(%(expressions)s)]", output_field=BigIntegerField()
)
"""The latest version of a `Trend`."""

LARGE_SHIFT = 1.05
"""The history names shared factors of at least this size, or at most its inverse."""


@dataclass(frozen=True)
class Listed:
    """The selection of kernels: `everything`, or only those that changed, came or went in the shown versions.

    The kernels' paths contain `search`. `skip` is the number of rows before the page.
    """

    search: str = ""
    everything: bool = False
    sort: str = "impact"
    skip: int = 0


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
    pairs = {(before.campaign_id, after.campaign_id) for before, after in window.pairs}
    done = {pair: number for pair, number in compared.items() if pair in pairs}
    trends = _trends(window, metric, machine, aliases)
    wanted = _wanted(window, metric, done, listed, aliases)
    order = SORTS.get(listed.sort, SORTS["impact"])
    found = list(trends.filter(wanted).order_by(*order)[listed.skip : listed.skip + KERNELS_A_PAGE])
    counts = trends.aggregate(wanted=Count("pk", filter=wanted), all=Count("pk"))
    former = _former_trends(found, metric, machine, aliases)
    kernels = [trend.kernel_id for trend in (*found, *former)]
    courses = [KernelCourse.of(trend, former, aliases) for trend in found]
    changes = _changes(compared, kernels, metric, aliases)
    shown = Shown(window, metric, courses, compared, changes)
    laws, predicted = (
        (laws_of_changes(shown), None) if target is None else laws_and_predictions(shown, target)
    )
    table = HistoryTable(window, metric, compared, changes, laws, predicted)
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
    rows = Comparison.objects.filter(after__in=campaigns, state=State.DONE)
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
    # PostgreSQL looks for each element of the left array in the right one. Most kernels have the newest
    # version shown, so this order takes a fifth of the time. If a kernel's last version is shown, PostgreSQL
    # looks for nothing.
    shown = Value(versions[::-1], ArrayField(BigIntegerField()))
    every = every.alias(shown=shown, last=LAST_VERSION)
    here = Q(last__in=versions) | Q(shown__overlap=F("versions"))
    if not aliases:
        return every.filter(here).select_related("kernel")
    there = set(every.filter(kernel__in=aliases.values()).values_list("kernel", flat=True))
    joined = [kernel for kernel, final in aliases.items() if final in there]
    formers = {final for final in aliases.values() if final in there}
    return every.filter(here | Q(kernel__in=formers)).exclude(kernel__in=joined).select_related("kernel")


def _former_trends(
    found: Sequence[Trend], metric: Metric, machine: Machine, aliases: Mapping[int, int]
) -> list[Trend]:
    """Return the trends of the earlier ids of kernels."""
    earlier = formers_of({trend.kernel_id for trend in found}, aliases)
    if not earlier:
        return []
    rows = Trend.objects.filter(metric=metric, machine=machine, kernel__in=earlier)
    return list(rows.select_related("kernel"))


def _wanted(
    window: Window, metric: Metric, compared: dict[Pair, int], listed: Listed, aliases: Mapping[int, int]
) -> Q:
    """Return the condition on `Trend` rows that selects the kernels to list."""
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
    """Return the condition for kernels that at least one shown and compared version lacks."""
    both = {campaign for pair in compared for campaign in pair}
    part = {standing for pair in window.pairs for standing in pair if standing.campaign_id in both}
    if not part:
        return Q(pk__in=[])
    return ~Q(versions__contains=sorted(standing.version_id for standing in part))


def _changes(
    compared: dict[Pair, int], kernels: list[int], metric: Metric, aliases: Mapping[int, int]
) -> dict[tuple[int, int], KernelChange]:
    """Return the changes of some kernels, by final id and id of the comparison."""
    ours = set(compared.values())
    rows = Change.objects.filter(kernel__in=kernels, metric=metric)
    known = rows.values_list("kernel_id", "comparison_id", *KernelChange._fields)
    return {
        (aliases.get(kernel, kernel), comparison): KernelChange(*change)
        for kernel, comparison, *change in known
        if comparison in ours
    }
