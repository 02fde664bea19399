"""Judge the stability of laws: whether a law stays the same if any one point is left out.

Judging is slow, and nobody waits for it. Small parts let workers process other work in between.
"""

from collections import Counter

import numpy as np
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from numpy.typing import NDArray

from ingest.models import Campaign, Metric
from ingest.work import MOST_ATTEMPTS
from modeling.engine.questions.stability import Stability, stability
from modeling.models import Model, ModelRun, State
from modeling.services.work.bisection import Failure, bisected
from modeling.services.work.failures import KILLED, logged, noted
from modeling.storage import arrays

POINTS_AT_ONCE = 6000
"""Limit on the kernels × points that are judged in one part, which takes a few seconds."""

MOST_KERNELS = 1000

VALUES_AT_ONCE = 4_000_000
"""Limit on the values that are loaded for one part: kernels × points × largest number of repetitions."""

MOST_POINTS = 1000
"""Limit on the points of a judged campaign. With more points, no single point determines a law."""

MOST_JUDGED = 2_000_000
"""Limit on the kernels × points that are judged in one run, in about ten minutes."""

UNJUDGED = ModelRun.objects.filter(state=State.DONE, judged__lt=F("series_total"))
"""Runs with models that have not been judged yet."""


def run_judge(run: ModelRun) -> bool:
    """Judge the next models of a run, and return whether any are left."""
    if run.attempts >= MOST_ATTEMPTS:
        return _set_aside(run)
    ModelRun.objects.filter(pk=run.pk).update(attempts=F("attempts") + 1, cause=KILLED)
    rows = [] if _too_large(run) else _next(run)
    if not rows or rows[0].posterior is None:
        return _skip(run)
    series = arrays.series_load(run.campaign, rows[0].metric_id, [row.kernel_id for row in rows])
    groups, failures = bisected(np.arange(len(rows)), lambda some: _judged(run, rows, series, some))
    with transaction.atomic():
        # the values must still be those from which the models were made
        same = Campaign.objects.filter(pk=run.campaign_id, revision=run.revision).select_for_update()
        if not same.values_list("pk").first():
            return False
        for some, found in groups:
            _store([rows[number] for number in some], found)
        _note(run, rows, failures)
        ModelRun.objects.filter(pk=run.pk).update(
            judged=F("judged") + len(rows), attempts=0, cause="", queued_at=timezone.now()
        )
    return run.judged + len(rows) < run.series_total


def _judged(
    run: ModelRun, rows: list[Model], series: arrays.SeriesArrays, some: NDArray[np.int64]
) -> Stability:
    models = arrays.models_load([rows[number] for number in some], run.campaign)
    return stability(series.points, series.values[some], models)


def _note(run: ModelRun, rows: list[Model], failures: list[Failure]) -> None:
    if not failures:
        return
    name = Metric.objects.values_list("name", flat=True).get(pk=rows[0].metric_id)
    logged(f"Judging {name} of run {run.pk}", failures)
    for reason, count in Counter(failure.reason for failure in failures).items():
        run.failures = noted(run.failures, metric=name, kernels=count, what="judged", reason=reason)
    ModelRun.objects.filter(pk=run.pk).update(failures=run.failures)


def _set_aside(run: ModelRun) -> bool:
    """Leave the remaining models unjudged after too many attempts, and note this in the run."""
    reason = f"it was tried {MOST_ATTEMPTS} times, and the last time {run.cause or KILLED}"
    failures = noted(
        run.failures, metric="", kernels=run.series_total - run.judged, what="judged", reason=reason
    )
    ModelRun.objects.filter(pk=run.pk).update(failures=failures)
    return _skip(run)


def _skip(run: ModelRun) -> bool:
    ModelRun.objects.filter(pk=run.pk).update(judged=F("series_total"), attempts=0, cause="")
    return False


def _too_large(run: ModelRun) -> bool:
    """Return whether `MOST_POINTS` or `MOST_JUDGED` forbids judging further laws of the run."""
    points = len(run.campaign.points)
    return points > MOST_POINTS or run.judged * points >= MOST_JUDGED


def _next(run: ModelRun) -> list[Model]:
    """Return the models of one metric to judge next, those with the largest values."""
    points = len(run.campaign.points)
    most = min(POINTS_AT_ONCE // points, VALUES_AT_ONCE // (points * run.campaign.repetitions))
    end = run.judged + int(np.clip(most, 1, MOST_KERNELS))
    order = run.models.order_by("metric_id", F("largest").desc(nulls_last=True), "kernel_id")
    rows = list(Model.objects.filter(pk__in=list(order.values_list("pk", flat=True)[run.judged : end])))
    rows.sort(key=lambda row: (row.metric_id, row.kernel_id))
    return [row for row in rows if row.metric_id == rows[0].metric_id]


def _store(rows: list[Model], found: Stability) -> None:
    for row, score, point, ratios in zip(rows, found.score, found.weakest, found.ratio, strict=True):
        if not np.isnan(score):
            row.stability, row.weakest_point = float(score), int(point)
            row.weakest_ratio = float(ratios[point]) if np.isfinite(ratios[point]) else None
    Model.objects.bulk_update(rows, ["stability", "weakest_point", "weakest_ratio"], batch_size=500)
