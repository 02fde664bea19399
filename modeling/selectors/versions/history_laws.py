"""Read the laws that a page of the history writes and, at another target than the stored one, evaluates."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import F, Q, QuerySet

from ingest.models import Campaign, Metric
from modeling.models import Model
from modeling.selectors.versions.history_rows import KernelChange, KernelCourse, Law, Pair, Place, Window
from modeling.selectors.versions.standings import Standing
from modeling.storage.arrays import PREDICTING, values_at

Laws = dict[Place, Law]
Predicted = dict[Place, float | None]


@dataclass(frozen=True)
class Shown:
    """The kernels of a page in its versions, and their changes by final id and id of the comparison."""

    window: Window
    metric: Metric
    courses: Sequence[KernelCourse]
    compared: Mapping[Pair, int]
    changes: Mapping[tuple[int, int], KernelChange]

    @property
    def models(self) -> QuerySet[Model, Any]:
        """Return the models of the metric, with their campaigns and parameters."""
        rows = Model.objects.filter(metric=self.metric)
        return rows.annotate(campaign=F("run__campaign"), parameters=F("run__campaign__parameters"))


def laws_of_changes(shown: Shown) -> Laws:
    """Return the laws before and after each change: only these are written."""
    kernels: dict[int | None, set[int]] = defaultdict(set)
    for before, after in shown.window.pairs:
        comparison = shown.compared.get((before.campaign_id, after.campaign_id), 0)
        for course in shown.courses:
            if (course.trend.kernel_id, comparison) in shown.changes:
                for standing in (before, after):
                    kernels[standing.run_id].add(course.kernels.get(standing.version_id, 0))
    wanted = Q(pk__in=[])
    for run, some in kernels.items():
        wanted |= Q(run=run, kernel__in=some)
    rows = shown.models.filter(wanted).values_list("kernel_id", "campaign", *Law._fields)
    return {(kernel, campaign): Law(*law) for kernel, campaign, *law in rows}


def laws_and_predictions(shown: Shown, target: Mapping[str, float]) -> tuple[Laws, Predicted]:
    """Return all laws, and their predictions at a target; None where not finite.

    Laws with other parameters than those of the latest version have no prediction.
    """
    line = shown.window.line[max(shown.window.start - 1, 0) : shown.window.stop]
    runs = [standing.run_id for standing in line if standing.run_id]
    kernels = {kernel for course in shown.courses for kernel in course.kernels.values()}
    # These rows have all attributes of `Model` that are read here; hundreds of models would take longer.
    columns = ("kernel_id", "campaign", "parameters", *PREDICTING)
    found = shown.models.filter(run__in=runs, kernel__in=kernels).values_list(*columns, named=True)
    rows: list[Any] = list(found)
    laws = {
        (row.kernel_id, row.campaign): Law(row.constant, row.coefficients, row.exponents, row.parameters)
        for row in rows
    }
    return laws, _predicted(rows, line[-1], target)


def _predicted(rows: Sequence[Any], latest: Standing, target: Mapping[str, float]) -> Predicted:
    campaign = Campaign.objects.only("parameters", "points").get(pk=latest.campaign_id)
    usable = [row for row in rows if row.constant is not None and row.parameters == campaign.parameters]
    if not usable or any(name not in target for name in campaign.parameters):
        return {}
    values = values_at(usable, campaign, np.array([target[name] for name in campaign.parameters], float))
    return {
        (row.kernel_id, row.campaign): value if math.isfinite(value) else None
        for row, value in zip(usable, values.tolist(), strict=True)
    }
