"""One campaign: its kernels with errors, noise and predictions, and what is known about the run."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import OuterRef, QuerySet, Subquery

from ingest.models import PATH_SEPARATOR, Campaign, Metric, Series
from modeling import arrays
from modeling.engine import Models
from modeling.models import UNFINISHED, Model, ModelRun
from modeling.selectors.rows import rows_load
from perfweb.accounts.models import Project

CONSTANT = "constant"


@dataclass(frozen=True)
class KernelRow:
    """A kernel of a campaign in one metric, with its prediction at the target that was asked for.

    Errors, noise and share are fractions; None: could not be told.
    """

    kernel_id: int
    path: str
    growth: str
    status: str
    cv_smape: float | None
    holdout_error: float | None
    noise: float | None
    largest: float | None
    counts_to_total: bool
    predicted: float | None
    lower: float | None
    upper: float | None
    share: float | None = None

    @property
    def name(self) -> str:
        """The last function of the path."""
        return self.path.rsplit(PATH_SEPARATOR, 1)[-1]

    @property
    def callers(self) -> list[str]:
        """The functions above it, outermost first."""
        return self.path.split(PATH_SEPARATOR)[:-1]


@dataclass(frozen=True)
class KernelDetail:
    """What the table shows of a kernel beside its numbers: law and medians along a line of points."""

    model: Model
    medians: tuple[float | None, ...]


Amounts = tuple[float | None, float | None, float | None]
"""Prediction, lower and upper end of its interval."""


def campaign_get(projects: Iterable[Project], campaign_id: int) -> tuple[Campaign, ModelRun | None] | None:
    """A campaign of these projects with its latest run; None where there is no such campaign."""
    related = ("version__application__project", "machine", "upload__user")
    ours = {"version__application__project__in": list(projects)}
    runs = ModelRun.objects.filter(
        campaign=campaign_id, **{f"campaign__{key}": value for key, value in ours.items()}
    )
    run = runs.select_related(*(f"campaign__{name}" for name in related)).order_by("-id").first()
    if run is not None:
        return run.campaign, run
    campaign = Campaign.objects.filter(pk=campaign_id, **ours).select_related(*related).first()
    return (campaign, None) if campaign else None


def run_unfinished(run: ModelRun | None) -> bool:
    """Whether models are still to come."""
    return run is None or run.state in UNFINISHED


def kernel_rows(
    run: ModelRun | None, metric: Metric | None, point: Sequence[float] | None
) -> list[KernelRow]:
    """All modelled kernels of a run with their shares of the total.

    `point` is the target in the order of the campaign's parameters; None: the one that predictions are
    stored for.
    """
    if run is None or metric is None:
        return []
    loaded = rows_load(run, metric)
    amounts: list[Amounts] = [(row.predicted, row.lower, row.upper) for row in loaded.rows]
    if point is not None:
        amounts = _amounts(loaded.models, point)
    counted = [
        predicted
        for row, (predicted, *_) in zip(loaded.rows, amounts, strict=True)
        if row.counts_to_total and predicted is not None
    ]
    total = sum(counted)
    return [
        KernelRow(
            row.kernel_id, row.path, row.growth, row.status, row.cv_smape, row.holdout_error, row.noise,
            row.largest, row.counts_to_total, *amount,
            None if amount[0] is None or total <= 0 else amount[0] / total,
        )
        for row, amount in zip(loaded.rows, amounts, strict=True)
    ]  # fmt: skip


def predictions_at(models: Sequence[Model], campaign: Campaign, point: Sequence[float]) -> list[Amounts]:
    """Prediction, lower and upper end of each law at a point; None where there is no finite one."""
    return _amounts(arrays.models_load(models, campaign), point)


def _amounts(models: Models, point: Sequence[float]) -> list[Amounts]:
    found = arrays.predictions(models, np.array(point, float))
    law, lower, upper = (
        [value if math.isfinite(value) else None for value in column.tolist()] for column in found
    )
    return list(zip(law, lower, upper, strict=True))


def kernel_details(
    run: ModelRun, metric: Metric, kernels: Sequence[int], line: Sequence[int]
) -> dict[int, KernelDetail]:
    """Laws and medians of some kernels, by kernel, with one query; `line` are indices of points."""
    models = list(models_with_values(Model.objects.filter(run=run, metric=metric, kernel__in=kernels)))
    return {model.kernel_id: KernelDetail(model, _medians(model, line)) for model in models}


def models_with_values(models: QuerySet[Model]) -> QuerySet[Model]:
    """The models with `measured` and `repetitions` of the series they were made from."""
    series = Series.objects.filter(
        campaign=OuterRef("run__campaign"), metric=OuterRef("metric"), kernel=OuterRef("kernel")
    )
    return models.annotate(
        measured=Subquery(series.values("values")), repetitions=Subquery(series.values("repetitions"))
    )


def _medians(model: Model, line: Sequence[int]) -> tuple[float | None, ...]:
    values = values_of(model.measured, model.repetitions)[list(line)]  # type: ignore[attr-defined]
    if not np.isnan(values).any():
        return tuple(np.median(values, axis=1).tolist())
    return tuple(map(median, values))


def values_of(values: Sequence[float], repetitions: int) -> arrays.FloatArray:
    """A series' values point by point, (P, R)."""
    return np.array(values, np.float64).reshape(-1, repetitions)


def median(values: Sequence[float] | arrays.FloatArray) -> float | None:
    """Of those that are not missing."""
    known = np.asarray(values, float)
    known = known[~np.isnan(known)]
    return float(np.median(known)) if known.size else None


def longest_line(points: Sequence[Sequence[float]], axis: int = 0) -> list[int]:
    """Indices of the points along one parameter where the others are fixed, in rising order.

    Of several such lines the one with the most points, and of those the farthest out.
    """
    lines: dict[tuple[float, ...], list[int]] = {}
    for index, point in enumerate(points):
        lines.setdefault((*point[:axis], *point[axis + 1 :]), []).append(index)
    fixed = max(lines, key=lambda others: (len(lines[others]), others))
    return sorted(lines[fixed], key=lambda index: points[index][axis])


def laws_of(run: ModelRun | None, metric: Metric | None) -> dict[int, str]:
    """The laws as text, by kernel."""
    return dict(Model.objects.filter(run=run, metric=metric).values_list("kernel_id", "expression"))
