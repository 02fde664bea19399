"""Move an automatic target nearer to the measurements if its predictions are too uncertain."""

import math

import numpy as np

from ingest.models import Metric
from ingest.services.targets import target_bring_nearer, targets_nearer
from modeling.engine import WIDEST_FACTOR
from modeling.models import ModelRun, Total
from modeling.selectors.plans.basis import metric_of_time
from modeling.selectors.run.targets import target_point
from modeling.services.predictions.totals import joint_total
from modeling.storage import arrays
from modeling.storage.model_portions import model_portions


def target_make_useful(run: ModelRun) -> None:
    """Move the automatic target nearer if the predicted total of the newest version is not useful there.

    The new target is the farthest useful one; without one, the target stays. The caller has locked the
    application.
    """
    application = run.campaign.version.application
    if application.versions.filter(position__gt=run.campaign.version.position).exists():
        return
    totals = {total.metric_id: total for total in run.totals.select_related("metric")}
    metric = metric_of_time([total.metric for total in totals.values()], None)
    if metric is None or _useful(*_numbers(totals[metric.pk])):
        return
    for doublings, values in enumerate(targets_nearer(application), start=1):
        if _useful(*_total(run, metric, target_point(values, run.campaign))):
            target_bring_nearer(application, doublings)
            return


def _useful(predicted: float, lower: float, upper: float) -> bool:
    """Return whether the interval is narrow enough to be shown."""
    if not (math.isfinite(upper) and lower > 0):
        return False
    return max(predicted / lower, upper / predicted) <= WIDEST_FACTOR


def _numbers(total: Total) -> tuple[float, float, float]:
    found = (total.predicted, total.lower, total.upper)
    predicted, lower, upper = (math.nan if number is None else number for number in found)
    return predicted, lower, upper


def _total(run: ModelRun, metric: Metric, point: arrays.FloatArray) -> tuple[float, float, float]:
    kernels: list[tuple[str, str]] = []
    said = []
    parts = run.models.filter(metric=metric, counts_to_total=True, constant__isnull=False)
    paths = dict(parts.values_list("kernel_id", "kernel__path"))
    for rows in model_portions(parts, run.campaign):
        kernels += [(paths[row.kernel_id], row.growth) for row in rows]
        said.append(np.array(arrays.predictions(arrays.models_load(rows, run.campaign), point)))
    return joint_total(run, metric.pk, kernels, np.concatenate(said, axis=1))
