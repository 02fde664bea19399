"""What is expected of a run's kernels, and how probable it is that it holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, FilteredRelation, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import JSONObject

from ingest.models import PATH_SEPARATOR
from modeling.models import BROKEN, DOUBTFUL, Expectation, ExpectationResult, ModelRun, State
from modeling.selectors.run.rows import Kept


def runs_behind() -> QuerySet[ModelRun]:
    """Finished runs that pages show and that have not been compared with all expectations of their
    application yet.

    Runs that are made only to compare modelers raise no alerts, so they are left out.
    """
    of_application = Expectation.objects.filter(application=OuterRef("campaign__version__application"))
    latest = of_application.order_by().values("application").annotate(latest=Max("created_at"))
    shown = ModelRun.objects.filter(state=State.DONE, shown=True)
    runs = shown.annotate(latest=Subquery(latest.values("latest")))
    return runs.filter(latest__isnull=False).filter(Q(expected_at=None) | Q(expected_at__lt=F("latest")))


@dataclass(frozen=True)
class Worst:
    """The kernel for which an expectation holds least probably."""

    kernel_id: int
    path: str
    probability: float

    @property
    def name(self) -> str:
        """The last function of the path."""
        return self.path.rsplit(PATH_SEPARATOR, 1)[-1]


@dataclass(frozen=True)
class Held:
    """An expectation, with how many of a run's kernels break it, rather do not meet it, rather do, and of how
    many that cannot be told.
    """

    expectation: Expectation
    broken: int
    doubtful: int
    holding: int
    unknown: int
    worst: Worst | None

    @property
    def state(self) -> str:
        """In a word: what is worst for any kernel."""
        if self.broken:
            return "broken"
        if self.doubtful:
            return "doubtful"
        return "holds" if self.holding else "unknown"


def expectations_held(application_id: int, run_id: int | None) -> list[Held]:
    """All expectations of an application with what a run says of them, with one query."""
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
        )
    )
    return [_held(row) for row in rows]


HELD_KEPT = 100
"""Runs whose results a web process keeps for the application's page, some kilobytes each."""

_kept: Kept[list[Held]] = Kept(HELD_KEPT)


def expectations_kept(run: ModelRun) -> list[Held]:
    """The expectations as the run was last compared with them, from memory once they were read; read-only."""
    application = run.campaign.version.application_id
    return _kept.get((run.pk, run.expected_at), lambda: expectations_held(application, run.pk))


def _count(condition: Q) -> Count:
    return Count("found", filter=condition)


def _held(row: Any) -> Held:
    worst = Worst(**row.worst) if row.worst else None
    return Held(row, row.broken, row.doubtful, row.holding, row.unknown, worst)


def expectations_of_kernel(run_id: int, kernel_id: int, metric_id: int) -> Sequence[ExpectationResult]:
    """What is expected of one kernel in one metric, with the probability that it holds by a run."""
    rows = ExpectationResult.objects.filter(run=run_id, kernel=kernel_id, expectation__metric=metric_id)
    return list(rows.select_related("expectation").order_by("expectation_id"))


def results_broken(run_id: int) -> QuerySet[ExpectationResult]:
    """What a run breaks, the surest first."""
    rows = ExpectationResult.objects.filter(run=run_id, probability__lt=BROKEN)
    return rows.select_related("expectation__metric", "kernel").order_by("probability", "pk")
