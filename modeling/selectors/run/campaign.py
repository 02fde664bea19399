"""Read one campaign with its model run: measured values, and predictions at a point."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from django.db.models import OuterRef, QuerySet, Subquery

from ingest.models import Campaign, Metric, Series
from modeling.models import SHOWN_FIRST, UNFINISHED, Model, ModelRun
from modeling.selectors.run.direction import Direction
from modeling.selectors.run.rows import rows_load
from modeling.storage import arrays
from perfweb.accounts.models import Project

Amounts = tuple[float | None, float | None, float | None]
"""A prediction, and the lower and upper end of its interval."""

Medians = tuple[float | None, ...]
"""Medians at points; None where nothing was measured."""


def campaign_get(
    projects: Iterable[Project], campaign_id: int, *, with_origins: bool = False
) -> tuple[Campaign, ModelRun | None] | None:
    """Return a campaign of these projects with the run that pages show; None if there is none."""
    related = ("version", "machine", *(["origins"] if with_origins else []))
    ours = {"version__application__project__in": list(projects)}
    runs = ModelRun.objects.filter(
        campaign=campaign_id, **{f"campaign__{key}": value for key, value in ours.items()}
    )
    run = runs.select_related(*(f"campaign__{name}" for name in related)).order_by(*SHOWN_FIRST).first()
    if run is not None:
        return run.campaign, run
    campaign = Campaign.objects.filter(pk=campaign_id, **ours).select_related(*related).first()
    return (campaign, None) if campaign else None


def largest_measured(campaign: Campaign) -> dict[str, float]:
    """Return the largest measured point, as parameter → value."""
    point = campaign.points[arrays.largest_point(np.array(campaign.points, float))]
    return dict(zip(campaign.parameters, point, strict=True))


def run_unfinished(run: ModelRun | None) -> bool:
    """Return whether some models are still missing."""
    return run is None or run.state in UNFINISHED


def predictions_at(models: Iterable[Model], campaign: Campaign, point: Sequence[float]) -> dict[int, Amounts]:
    """Return the predictions of models at a point by the models' ids; None where not finite.

    Each model has its campaign's parameters as the annotation `parameters`. Models without a law, or with
    other parameters than `campaign`, have no prediction.
    """
    usable = [
        model
        for model in models
        if model.constant is not None and model.parameters == campaign.parameters  # type: ignore[attr-defined]
    ]
    if not usable:
        return {}
    found = arrays.predictions(arrays.models_load(usable, campaign), np.array(point, float))
    columns = ([value if math.isfinite(value) else None for value in column.tolist()] for column in found)
    return {model.pk: amounts for model, amounts in zip(usable, zip(*columns, strict=True), strict=True)}


def medians_along(
    campaign: Campaign, metric: Metric, kernels: Sequence[int], line: Sequence[int]
) -> dict[int, Medians]:
    """Return the medians of some kernels at some points, with one query."""
    rows = Series.objects.filter(campaign=campaign, metric=metric, kernel__in=kernels)
    series = rows.values_list("kernel_id", "repetitions", "values")
    return {kernel: _medians(values_of(values, many)[list(line)]) for kernel, many, values in series}


def models_with_values(models: QuerySet[Model]) -> QuerySet[Model]:
    """Annotate models with their measured values (`measured`) and number of `repetitions`."""
    series = Series.objects.filter(
        campaign=OuterRef("run__campaign"), metric=OuterRef("metric"), kernel=OuterRef("kernel")
    )
    return models.annotate(
        measured=Subquery(series.values("values")), repetitions=Subquery(series.values("repetitions"))
    )


def _medians(values: arrays.FloatArray) -> Medians:
    if not np.isnan(values).any():
        return tuple(np.median(values, axis=1).tolist())
    return tuple(map(median, values))


def values_of(values: Sequence[float], repetitions: int) -> arrays.FloatArray:
    """Return the stored values of a series as (points, repetitions)."""
    return np.array(values, np.float64).reshape(-1, repetitions)


def median(values: Sequence[float] | arrays.FloatArray) -> float | None:
    """Return the median of the values that are not missing."""
    known = np.asarray(values, float)
    known = known[~np.isnan(known)]
    return float(np.median(known)) if known.size else None


def longest_line(points: Sequence[Sequence[float]], axis: int = 0) -> list[int]:
    """Return the indices of points on the longest line along one parameter, in ascending order.

    Parameters that were always varied together with this one change as well.
    """
    along = Direction.along(axis, points)
    lines: dict[tuple[float, ...], list[int]] = {}
    for index, point in enumerate(points):
        lines.setdefault(tuple(point[other] for other in along.others), []).append(index)
    fixed = max(lines, key=lambda others: (len(lines[others]), others))
    return sorted(lines[fixed], key=lambda index: points[index][axis])


def laws_of(run: ModelRun | None, metric: Metric | None) -> dict[int, str]:
    """Return the laws as text, by kernel."""
    return dict(Model.objects.filter(run=run, metric=metric).values_list("kernel_id", "expression"))


def laws_in_latex(run: ModelRun, metric: Metric) -> dict[int, str]:
    """Return the laws for LaTeX's mathematics mode, by kernel, without kernels that have none."""
    loaded = rows_load(run, metric)
    written = loaded.models.latex(run.campaign.parameters)
    rows = zip(loaded.rows, written, strict=True)
    return {row.kernel_id: law for row, law in rows if row.constant is not None}
