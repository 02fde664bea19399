"""Estimate how the kernels' deviations from their laws are correlated, for the intervals of totals."""

import numpy as np

from modeling.engine.deviations.correlation import NOTHING_SHARED, SharedDeviation, shared_deviation
from modeling.models import Model, ModelRun
from modeling.storage import arrays
from modeling.totals import parents_of

MOST_KERNELS = 1_000
"""Limit on the kernels whose residuals are used. Smaller ones hardly affect a total."""


def shared_deviations_store(run: ModelRun) -> None:
    """Estimate and store the correlation of a run's kernels in each metric."""
    run.shared = {
        str(metric_id): _shared(run, metric_id).to_json() for metric_id in arrays.metrics_of(run.campaign)
    }
    run.save(update_fields=["shared"])


def _shared(run: ModelRun, metric_id: int) -> SharedDeviation:
    campaign = run.campaign
    wanted = _apart(run, metric_id)
    kernels, medians = arrays.series_medians(campaign, metric_id, wanted)
    rows = Model.objects.filter(run=run, metric=metric_id, kernel_id__in=kernels.tolist())
    found = list(rows.defer("posterior", "segment_posteriors").order_by("kernel_id"))
    if len(found) < max(len(kernels), 2):
        return NOTHING_SHARED
    models, points = arrays.formulas_load(found, campaign), np.array(campaign.points, float)
    return shared_deviation(points, medians, models.law(points), (models.coefficients != 0).sum(axis=1) + 1)


def _apart(run: ModelRun, metric_id: int) -> list[int]:
    """Return the ids of kernels whose times do not overlap, limited to the largest.

    They are the summands of the total, or the kernels without callees if the total is a single kernel.
    """
    rows = Model.objects.filter(run=run, metric=metric_id, largest__isnull=False).order_by("kernel_id")
    columns = list(rows.values_list("kernel_id", "kernel__path", "counts_to_total", "largest"))
    apart = [row for row in columns if row[2]]
    if len(apart) < 2:
        callers = set(parents_of([row[1] for row in columns]).tolist())
        apart = [row for number, row in enumerate(columns) if number not in callers]
    heaviest = sorted(apart, key=lambda row: row[3] or 0.0, reverse=True)[:MOST_KERNELS]
    return [row[0] for row in heaviest]
