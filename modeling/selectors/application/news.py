"""News for the start page: changes in the latest versions, and uploads that need attention."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

from django.db.models import Exists, F, OuterRef, Q, Subquery, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from ingest.models import Application, Kernel, Metric, Upload
from modeling.models import SHOWN_FIRST, Change, ModelRun, State
from modeling.selectors.application.home import ApplicationRow
from modeling.selectors.run.tails import shortest_tails
from modeling.selectors.versions.standings import Standing
from modeling.selectors.versions.verdict_counts import verdict_counts
from modeling.verdicts import Verdict, verdict
from perfweb.accounts.models import Project

RECENT_VERSIONS = 6
SHOWN_STEPS = 5
KERNELS_A_STEP = 3
FAILED_FOR = timedelta(days=7)
SHOWN_UPLOADS = 20
ENDED = (Upload.State.DONE, Upload.State.FAILED)

_CHANGED = Q(kind__in=[Change.Kind.LAW, Change.Kind.OVERHEAD, Change.Kind.FACTOR], ratio__isnull=False)

Pair = tuple[int, int]


@dataclass(frozen=True)
class ChangedKernel:
    """A changed kernel, with the shortest unique name. `ratio` is after / before at the default target."""

    kernel: Kernel
    name: str
    metric: Metric
    verdict: Verdict
    ratio: float


@dataclass(frozen=True)
class ChangedVersion:
    """A version in which kernels changed: the kernels with the largest impact, and the number of others."""

    application: Application
    before: Standing
    after: Standing
    kernels: list[ChangedKernel]
    more: int


def changed_versions(rows: Sequence[ApplicationRow]) -> list[ChangedVersion]:
    """Return the latest versions in which kernels changed, newest first, with two queries."""
    steps = {
        (before.campaign_id, after.campaign_id): (row.application, before, after)
        for row in rows
        for before, after in pairwise(row.course.versions[-RECENT_VERSIONS:])
    }
    metrics = [row.metric for row in rows if row.metric]
    counts = verdict_counts(steps, metrics)
    known = {
        pair: sum(count for kind, count in counted.counts.items() if kind is not Verdict.UNKNOWN)
        for pair, counted in counts.items()
        if counted.done
    }
    newest = sorted((pair for pair in known if known[pair]), key=lambda pair: pair[1], reverse=True)
    shown = newest[:SHOWN_STEPS]
    kernels = _heaviest([counts[pair].comparison_id for pair in shown], [metric.pk for metric in metrics])
    return [
        ChangedVersion(*steps[pair], kernels[pair], more=known[pair] - len(kernels[pair])) for pair in shown
    ]


def _heaviest(comparisons: Sequence[int], metrics: Sequence[int]) -> dict[Pair, list[ChangedKernel]]:
    """Return the `KERNELS_A_STEP` changed kernels of each comparison with the largest `Trend.impact`."""
    rank = Window(RowNumber(), partition_by="comparison", order_by=["-impact", "pk"])
    rows = (
        Change.objects.filter(
            _CHANGED,
            comparison__in=comparisons,
            metric__in=metrics,
            kernel__trends__metric=F("metric"),
            kernel__trends__machine=F("comparison__after__machine"),
        )
        .annotate(impact=F("kernel__trends__impact"))
        .annotate(rank=rank)
        .filter(rank__lte=KERNELS_A_STEP)
        .select_related("kernel", "metric", "comparison")
        .order_by("rank")
    )
    found: dict[Pair, list[Change]] = defaultdict(list)
    for row in rows:
        found[row.comparison.before_id, row.comparison.after_id].append(row)
    return defaultdict(list, {pair: _named(changes) for pair, changes in found.items()})


def _named(changes: Sequence[Change]) -> list[ChangedKernel]:
    """Return the changed kernels with names that tell them apart."""
    names = shortest_tails([row.kernel.path for row in changes])
    return [
        ChangedKernel(
            kernel=row.kernel,
            name=name,
            metric=row.metric,
            verdict=verdict(row.kind, row.ratio, lower_is_better=row.metric.lower_is_better),
            ratio=row.ratio,
        )
        for row, name in zip(changes, names, strict=True)
        if row.ratio is not None
    ]


def uploads_open(projects: Sequence[Project]) -> tuple[list[Upload], list[Upload]]:
    """Return unfinished uploads, and failed uploads that were not sent again, latest first.

    The annotation `run_error` is the error of an upload's model run.
    """
    again = Upload.objects.filter(
        project=OuterRef("project"),
        application_slug=OuterRef("application_slug"),
        version_label=OuterRef("version_label"),
        machine_name=OuterRef("machine_name"),
        pk__gt=OuterRef("pk"),
    )
    under_way = ~Q(state__in=[*ENDED, Upload.State.REPLACED])
    since = timezone.now() - FAILED_FOR
    run = ModelRun.objects.filter(campaign=OuterRef("campaign"), state=State.FAILED)
    no_models = Q(Exists(run), state=Upload.State.DONE)
    failed = Q(~Exists(again), Q(state=Upload.State.FAILED) | no_models, created_at__gt=since)
    rows = Upload.objects.filter(under_way | failed, project__in=projects, dry_run=False)
    rows = rows.annotate(run_error=Subquery(run.order_by(*SHOWN_FIRST).values("error")[:1]))
    found = rows.select_related("project").order_by("-pk")[:SHOWN_UPLOADS]
    return (
        [row for row in found if row.state not in ENDED],
        [row for row in found if row.state in ENDED],
    )
