"""What is expected of a run's kernels, and how probable it is that it holds."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery

from ingest.models import Kernel
from modeling.models import BROKEN, DOUBTFUL, Expectation, ExpectationResult, ModelRun, State


def runs_behind() -> QuerySet[ModelRun]:
    """Finished runs that were not held against all expectations of their application yet."""
    of_application = Expectation.objects.filter(application=OuterRef("campaign__version__application"))
    latest = of_application.order_by().values("application").annotate(latest=Max("created_at"))
    runs = ModelRun.objects.filter(state=State.DONE).annotate(latest=Subquery(latest.values("latest")))
    return runs.filter(latest__isnull=False).filter(Q(expected_at=None) | Q(expected_at__lt=F("latest")))


@dataclass(frozen=True)
class Held:
    """An expectation with what a run says of its kernels, those first of which it holds least probably."""

    expectation: Expectation
    results: tuple[ExpectationResult, ...]

    @property
    def broken(self) -> list[ExpectationResult]:
        """Kernels for which it does not hold."""
        return [row for row in self.results if row.probability is not None and row.probability < BROKEN]

    @property
    def doubtful(self) -> list[ExpectationResult]:
        """Kernels for which it rather does not hold, without being broken."""
        known = [row for row in self.results if row.probability is not None]
        return [row for row in known if BROKEN <= (row.probability or 0.0) < DOUBTFUL]

    @property
    def unknown(self) -> list[ExpectationResult]:
        """Kernels of which it cannot be told."""
        return [row for row in self.results if row.probability is None]

    @property
    def holding(self) -> list[ExpectationResult]:
        """Kernels for which it rather holds."""
        return [row for row in self.results if (row.probability or 0.0) >= DOUBTFUL]

    @property
    def worst(self) -> ExpectationResult | None:
        """The kernel for which it holds least probably; None where nothing is known of any."""
        return next((row for row in self.results if row.probability is not None), None)


def expectations_held(application_id: int, run_id: int | None) -> list[Held]:
    """All expectations of an application with what a run says of them, with two queries."""
    wanted = Expectation.objects.filter(application=application_id).select_related("metric")
    rows = ExpectationResult.objects.filter(run=run_id).select_related("kernel")
    found: dict[int, list[ExpectationResult]] = {}
    for row in rows.order_by(F("probability").asc(nulls_last=True), "kernel_id"):
        found.setdefault(row.expectation_id, []).append(row)
    return [Held(each, tuple(found.get(each.pk, ()))) for each in wanted]


def expectations_of_kernel(run_id: int, kernel: Kernel, metric_id: int) -> Sequence[ExpectationResult]:
    """What is expected of one kernel in one metric, with the probability that it holds by a run."""
    rows = ExpectationResult.objects.filter(run=run_id, kernel=kernel, expectation__metric=metric_id)
    return list(rows.select_related("expectation").order_by("expectation_id"))


def results_broken(run_id: int) -> QuerySet[ExpectationResult]:
    """What a run breaks, the surest first."""
    rows = ExpectationResult.objects.filter(run=run_id, probability__lt=BROKEN)
    return rows.select_related("expectation__metric", "kernel").order_by("probability", "pk")
