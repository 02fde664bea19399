"""Compute a run's predictions at the application's default target, for kernels and for the program."""

import math
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import F, OuterRef, QuerySet

from ingest.models import Application, Target
from modeling.models import Model, ModelRun, State, Total
from modeling.selectors.run.targets import target_point, target_values
from modeling.services.changes.comparisons import comparisons_move
from modeling.services.predictions.ledger import run_note
from modeling.services.predictions.totals import joint_total
from modeling.services.predictions.trends import trends_follow
from modeling.storage import arrays
from modeling.storage.model_portions import model_portions

TOTAL_FIELDS = ("predicted", "lower", "upper")
"""The predicted columns of a total, in the order of `joint_total`."""


def totals_store(run: ModelRun) -> None:
    """Store the program's predicted total in each metric, with its interval."""
    run.totals.all().delete()
    rows = run.models.filter(counts_to_total=True).order_by("metric_id", "kernel_id")
    columns = rows.values_list("metric_id", "kernel__path", "growth", "largest", *TOTAL_FIELDS)
    Total.objects.bulk_create(
        _total(run, metric_id, list(of_metric))
        for metric_id, of_metric in groupby(columns.iterator(), itemgetter(0))
    )


def _total(run: ModelRun, metric_id: int, rows: Sequence[tuple[Any, ...]]) -> Total:
    """Return the total in one metric, from columns of its kernels."""
    largest, *said = np.array([row[3:] for row in rows], float).T
    total = joint_total(run, metric_id, [row[1:3] for row in rows], np.array(said))
    measured = np.nan if np.isnan(largest).all() else float(np.nansum(largest))
    values = dict(zip(("largest", *TOTAL_FIELDS), (measured, *total), strict=True))
    known = {name: None if math.isnan(value) else value for name, value in values.items()}
    return Total(run=run, metric_id=metric_id, **known)


def applications_behind() -> QuerySet[Application]:
    """Return applications with finished runs whose stored predictions are for another target."""
    default = Target.objects.filter(application=OuterRef("campaign__version__application"))
    runs = ModelRun.objects.filter(state=State.DONE).annotate(wanted=default.values("values")[:1])
    behind = runs.filter(wanted__isnull=False).exclude(target=F("wanted"))
    return Application.objects.filter(pk__in=behind.values("campaign__version__application"))


def application_retarget(application: Application) -> None:
    """Recompute the stored predictions of an application that are not for its default target."""
    runs = ModelRun.objects.filter(campaign__version__application=application, state=State.DONE)
    for run in runs.select_related("campaign__version__application", "campaign__machine"):
        if run_retarget(run):
            with transaction.atomic():
                Application.objects.select_for_update().get(pk=application.pk)
                run_note(run)
                trends_follow(application, run.campaign.machine, run.campaign.version_id)


@transaction.atomic
def run_retarget(run: ModelRun) -> bool:
    """Recompute a run's predictions for the default target. Return whether the target had changed."""
    values = target_values(run.campaign)
    if run.target == values:
        return False
    point = target_point(values, run.campaign)
    for rows in model_portions(run.models.all(), run.campaign):
        _store([row.pk for row in rows], arrays.predictions(arrays.models_load(rows, run.campaign), point))
    run.target = values
    run.save(update_fields=["target"])
    totals_store(run)
    comparisons_move(run.campaign)
    return True


def _store(ids: list[int], found: tuple[arrays.FloatArray, arrays.FloatArray, arrays.FloatArray]) -> None:
    """Write predictions with their intervals. `bulk_update` would compare every row with every id."""
    columns = ([None if math.isnan(number) else number for number in column.tolist()] for column in found)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            UPDATE {Model._meta.db_table} model
            SET predicted = new.predicted, lower = new.lower, upper = new.upper
            FROM unnest(%s::bigint[], %s::float8[], %s::float8[], %s::float8[])
                 AS new(id, predicted, lower, upper)
            WHERE model.id = new.id
            """,  # noqa: S608 -- the name of our own table
            [ids, *columns],
        )
