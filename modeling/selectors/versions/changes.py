"""The changes of a comparison, with the laws of both versions."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from modeling.models import Change, Comparison, Model
from modeling.selectors.versions.standings import Standing
from modeling.verdicts import Verdict, verdict


@dataclass(frozen=True)
class ChangeFound:
    """A change, with the kernel's models before and after it; None if there is none."""

    change: Change
    verdict: Verdict
    before: Model | None
    after: Model | None


def changes_of(comparison: Comparison) -> QuerySet[Change]:
    """Return the changes of a comparison, the most certain first."""
    rows = Change.objects.filter(comparison=comparison).select_related("kernel", "metric")
    return rows.order_by("-probability", "kernel_id", "metric_id")


def changes_with_laws(changes: Sequence[Change], before: Standing, after: Standing) -> list[ChangeFound]:
    """Return changes with the models of both versions, with one query."""
    runs = [standing.run_id for standing in (before, after) if standing.run_id]
    rows = Model.objects.filter(run__in=runs, kernel__in=[change.kernel_id for change in changes])
    rows = rows.defer("posterior", "segment_posteriors")  # some kilobytes each
    models = {(row.run_id, row.metric_id, row.kernel_id): row for row in rows}

    def model(standing: Standing, change: Change) -> Model | None:
        return models.get((standing.run_id or 0, change.metric_id, change.kernel_id))

    return [
        ChangeFound(
            change,
            verdict(change.kind, change.ratio, lower_is_better=change.metric.lower_is_better),
            model(before, change),
            model(after, change),
        )
        for change in changes
    ]
