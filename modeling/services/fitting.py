"""Models of some of a campaign's kernels; what cannot be modelled costs itself alone."""

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ingest.models import Metric, Series
from modeling import arrays, model_rows
from modeling.engine import Models, fit, holdout_error
from modeling.models import ModelRun
from modeling.selectors.targets import target_point
from modeling.services.bisection import Failure, Kernels, bisected
from modeling.services.failures import Entry, details, logged, noted

CHUNK = 2000
"""Kernels that are fitted, stored and reported at once."""

THREADS = 2
"""Parts of a chunk that are fitted side by side."""

FEWEST_A_THREAD = 250
"""Kernels that are worth a thread; a campaign's kernels tell each other's noise, so few stay together."""


@dataclass(frozen=True)
class Fitted:
    """What a run found of some kernels: rows of those that were modelled, and why others were not."""

    series: arrays.SeriesArrays
    total: NDArray[np.bool_]
    modelled: list[model_rows.Columns]
    failures: list[Failure]


def fitted(run: ModelRun, series: arrays.SeriesArrays, total: NDArray[np.bool_]) -> Fitted:
    """Model kernels; `total` tells which of them make up the program's total, (K,).

    Halves of the kernels at once: NumPy lets go of Python's lock while it counts.
    """
    count = len(series.kernels)
    target = target_point(run.target, run.campaign)
    parameters = run.campaign.parameters

    def work(some: Kernels) -> model_rows.Columns:
        part = series.part(some)
        return model_rows.modelled(part, _fit(part, run.modeler), parameters, total[some], target)

    parts = np.array_split(np.arange(count), max(1, min(THREADS, count // FEWEST_A_THREAD)))
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda part: bisected(part, work), parts))
    modelled = [columns for groups, _ in found for _, columns in groups]
    return Fitted(series, total, modelled, [failure for _, failures in found for failure in failures])


def store(run: ModelRun, metric_id: int, found: Fitted) -> None:
    """Store all rows, and keep with the run what failed."""
    for columns in found.modelled:
        model_rows.store(run, metric_id, columns)
    if not found.failures:
        return
    lost = np.array([failure.kernel for failure in found.failures])
    reasons = [failure.reason for failure in found.failures]
    _store_failed(run, metric_id, found.series.part(lost), found.total[lost], reasons)
    logged(f"Modeling {_name(metric_id)} of run {run.pk}", found.failures)


def metric_lost(run: ModelRun, metric_id: int, reason: str) -> None:
    """Store of all kernels of a metric that it could not be loaded."""
    rows = Series.objects.filter(campaign=run.campaign, metric=metric_id).order_by("kernel_id")
    kernels = np.array(rows.values_list("kernel_id", flat=True), np.int64)
    points = np.array(run.campaign.points, float)
    nothing = np.full((len(kernels), len(points), 1), np.nan)
    series = arrays.SeriesArrays(points, kernels, nothing, None)
    _store_failed(run, metric_id, series, np.zeros(len(kernels), bool), [reason] * len(kernels))


def _store_failed(
    run: ModelRun, metric_id: int, series: arrays.SeriesArrays, total: NDArray[np.bool_], reasons: list[str]
) -> None:
    texts = [f"{reason[:1].upper()}{reason[1:]}. {details()}" for reason in reasons]
    model_rows.store(run, metric_id, model_rows.failed(series, run.modeler, total, texts))
    run.failures = _noted(run, _name(metric_id), reasons)


def _noted(run: ModelRun, metric: str, reasons: Iterable[str]) -> list[Entry]:
    failures: list[Entry] = run.failures
    for reason, count in Counter(reasons).items():
        failures = noted(failures, metric=metric, kernels=count, what="modelled", reason=reason)
    return failures


def _name(metric_id: int) -> str:
    return Metric.objects.values_list("name", flat=True).get(pk=metric_id)


def _fit(series: arrays.SeriesArrays, modeler: str) -> Models:
    """Models with the error at the held-out point, which some modelers leave to a second fit."""
    models = fit(series.points, series.values, modeler=modeler)
    if not np.isnan(models.holdout_error).all():
        return models
    return replace(models, holdout_error=holdout_error(series.points, series.values, modeler=modeler))
