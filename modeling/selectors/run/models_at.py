"""Read some of a run's models with their predictions at any target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from ingest.models import Metric
from modeling.engine import Models
from modeling.models import Model, ModelRun
from modeling.selectors.run.judged import Judged, judged
from modeling.selectors.run.snapshot import Amount
from modeling.selectors.run.targets import target_point
from modeling.selectors.run.weighed import Weighed, weighed
from modeling.storage import arrays


@dataclass(frozen=True)
class ModelAt:
    """A model, its prediction, and the trust in it. `known` is the posterior's content, if requested."""

    model: Model
    amount: Amount
    judged: Judged
    known: Weighed | None = None


def models_of(run: ModelRun | None, metric: Metric | None) -> QuerySet[Model]:
    """Return the models of a run in one metric or in all, without their posteriors."""
    rows = Model.objects.filter(run=run).defer("posterior", "segment_posteriors")
    if metric is not None:
        rows = rows.filter(metric=metric)
    return rows.select_related("kernel", "metric").order_by("metric_id", "kernel_id")


def models_at(
    rows: Sequence[Model], run: ModelRun, target: Mapping[str, float], *, weigh: bool = False
) -> list[ModelAt]:
    """Return models of a run with their predictions at a target; `weigh` adds the posteriors' content."""
    point = target_point(target, run.campaign)
    for row in rows:
        row.run = run
    stored = np.array_equal(point, target_point(run.target, run.campaign))
    models = arrays.formulas_load(rows, run.campaign)
    drawn = models if stored and not weigh else _with_posteriors(models, rows)
    known: Sequence[Weighed | None] = weighed(drawn, point.tolist()) if weigh else []
    columns = _stored(rows) if stored else arrays.predictions(drawn, point)
    verdicts = judged(models, [row.lead_certainty for row in rows], point, columns)
    return [
        ModelAt(row, amount, verdict, each if row.constant is not None else None)
        for row, amount, verdict, each in zip(
            rows, _amounts(columns), verdicts, known or [None] * len(rows), strict=True
        )
    ]


Columns = tuple[arrays.FloatArray, arrays.FloatArray, arrays.FloatArray]


def _stored(rows: Sequence[Model]) -> Columns:
    numbers = [(row.predicted, row.lower, row.upper) for row in rows]
    predicted, lower, upper = np.array(numbers, float).reshape(-1, 3).T
    return predicted, lower, upper


def _with_posteriors(models: Models, rows: Sequence[Model]) -> Models:
    found = Model.objects.filter(pk__in=[row.pk for row in rows])
    packed = {
        pk: (of_law, of_segments)
        for pk, of_law, of_segments in found.values_list("pk", "posterior", "segment_posteriors")
    }
    return arrays.with_posteriors(models, [packed[row.pk] for row in rows])


def _amounts(columns: Columns) -> list[Amount]:
    return [Amount(*each) for each in zip(*(arrays.known_column(column) for column in columns), strict=True)]
