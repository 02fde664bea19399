"""Read the expectations of kernels, with the probability that each holds for a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, FilteredRelation, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import JSONObject

from ingest.models import PATH_SEPARATOR
from modeling.models import BROKEN, DOUBTFUL, Expectation, ExpectationResult, ModelRun, State
from modeling.selectors.kept import Kept


def runs_behind() -> QuerySet[ModelRun]:
    """Return the finished shown runs that were not compared with all expectations yet."""
    of_application = Expectation.objects.filter(application=OuterRef("campaign__version__application"))
    latest = of_application.order_by().values("application").annotate(latest=Max("created_at"))
    shown = ModelRun.objects.filter(state=State.DONE, shown=True)
    runs = shown.annotate(latest=Subquery(latest.values("latest")))
    return runs.filter(latest__isnull=False).filter(Q(expected_at=None) | Q(expected_at__lt=F("latest")))


@dataclass(frozen=True)
class Worst:
    """The kernel for which an expectation holds with the smallest probability."""

    kernel_id: int
    path: str
    probability: float

    @property
    def name(self) -> str:
        """Return the last function of the path."""
        return self.path.rsplit(PATH_SEPARATOR, 1)[-1]


@dataclass(frozen=True)
class Held:
    """An expectation, and the numbers of a run's kernels by result.

    `broken` kernels break it, `doubtful` ones probably break it, and `holding` ones probably meet it. For
    `unknown` ones the probability is not known. If it is `waiting`, the run was not compared with it yet.
    """

    expectation: Expectation
    broken: int
    doubtful: int
    holding: int
    unknown: int
    worst: Worst | None
    waiting: bool = False

    @property
    def state(self) -> str:
        """Return the worst state of any kernel, in one word."""
        if self.broken:
            return "broken"
        if self.doubtful:
            return "doubtful"
        return "holds" if self.holding else "unknown"


def expectations_held(application_id: int, run_id: int | None) -> list[Held]:
    """Return all expectations of an application with their results for a run, with one query."""
    least = ExpectationResult.objects.filter(
        run=run_id, expectation=OuterRef("pk"), probability__isnull=False
    ).order_by("probability", "kernel_id")
    entry = JSONObject(kernel_id="kernel_id", path="kernel__path", probability="probability")
    rows = (
        Expectation.objects.filter(application=application_id)
        .select_related("metric")
        .annotate(found=FilteredRelation("results", condition=Q(results__run=run_id)))
        .annotate(
            broken=_count(Q(found__probability__lt=BROKEN)),
            doubtful=_count(Q(found__probability__gte=BROKEN, found__probability__lt=DOUBTFUL)),
            holding=_count(Q(found__probability__gte=DOUBTFUL)),
            unknown=_count(Q(found__probability=None)),
            worst=Subquery(least.values(entry=entry)[:1]),
            waiting=Exists(
                ModelRun.objects.filter(pk=run_id or 0).exclude(expected_at__gte=OuterRef("created_at"))
            ),
        )
    )
    return [_held(row) for row in rows]


HELD_KEPT = 100
"""Limit on the runs whose results a web process caches, some kilobytes each."""

_kept: Kept[list[Held]] = Kept(HELD_KEPT)


def expectations_kept(run: ModelRun) -> list[Held]:
    """Return the cached results of the run's last comparison. Callers must not change them."""
    application = run.campaign.version.application_id
    return _kept.get((run.pk, run.expected_at), lambda: expectations_held(application, run.pk))


def _count(condition: Q) -> Count:
    return Count("found", filter=condition)


def _held(row: Any) -> Held:
    worst = Worst(**row.worst) if row.worst else None
    return Held(row, row.broken, row.doubtful, row.holding, row.unknown, worst, row.waiting)


def expectations_of_kernel(run_id: int, kernel_id: int, metric_id: int) -> Sequence[ExpectationResult]:
    """Return the results of a run for the expectations of one kernel in one metric."""
    rows = ExpectationResult.objects.filter(run=run_id, kernel=kernel_id, expectation__metric=metric_id)
    return list(rows.select_related("expectation").order_by("expectation_id"))


def results_broken(run_id: int) -> QuerySet[ExpectationResult]:
    """Return the results of a run's broken expectations, the most certain first."""
    rows = ExpectationResult.objects.filter(run=run_id, probability__lt=BROKEN)
    return rows.select_related("expectation__metric", "kernel").order_by("probability", "pk")
