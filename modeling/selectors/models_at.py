"""Some of a run's models with what they say at any target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from ingest.models import Metric
from modeling import arrays
from modeling.models import Model, ModelRun
from modeling.selectors.snapshot import Amount
from modeling.services.predictions import target_point


@dataclass(frozen=True)
class ModelAt:
    """A model and its prediction."""

    model: Model
    amount: Amount


def models_of(run: ModelRun | None, metric: Metric | None) -> QuerySet[Model]:
    """The models of a run, of one metric or of all, in an order that stays; without their posteriors."""
    rows = Model.objects.filter(run=run).defer("posterior")
    if metric is not None:
        rows = rows.filter(metric=metric)
    return rows.select_related("kernel", "metric").order_by("metric_id", "kernel_id")


def models_at(rows: Sequence[Model], run: ModelRun, target: Mapping[str, float]) -> list[ModelAt]:
    """These models of a run at a target; stored predictions where they are for this one."""
    point = target_point(dict(target), run.campaign)
    if np.array_equal(point, target_point(run.target, run.campaign)):
        return [ModelAt(row, Amount(row.predicted, row.lower, row.upper)) for row in rows]
    posteriors = dict(Model.objects.filter(pk__in=[row.pk for row in rows]).values_list("pk", "posterior"))
    for row in rows:
        row.posterior = posteriors[row.pk]
    columns = arrays.predictions(arrays.models_load(rows, run.campaign), point)
    numbers = zip(*(_known(column) for column in columns), strict=True)
    return [ModelAt(row, Amount(*amount)) for row, amount in zip(rows, numbers, strict=True)]


def _known(column: arrays.FloatArray) -> list[float | None]:
    return [None if np.isnan(value) else value for value in column.tolist()]
