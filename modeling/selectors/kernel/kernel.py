"""One kernel in one campaign: measurements, laws in this and other versions, comparisons and forecasts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import F, FilteredRelation, Q, Subquery

from ingest.models import Campaign, Kernel, Metric, Series
from modeling.models import Change, Comparison, Forecast, LedgerSummary, Model, ModelRun, State
from modeling.selectors.run.campaign import Amounts, models_with_values, predictions_at, values_of
from modeling.selectors.versions.standings import Standing
from modeling.storage import arrays
from modeling.verdicts import Verdict, verdict


@dataclass(frozen=True)
class KernelFound:
    """A kernel with its values (points, repetitions), NaN where missing, and its models.

    `rounds` (points, rounds) are values within one execution, whose medians are `values`.
    """

    kernel: Kernel
    values: arrays.FloatArray
    model: Model | None
    before: Model | None
    rounds: arrays.FloatArray | None = None
    ledger: Sequence[dict[str, Any]] = ()

    def measured_points(self, campaign: Campaign) -> list[list[float]]:
        """Return the points that the law describes: those with a positive value, or else all."""
        described = np.flatnonzero((self.values > 0).any(axis=1)).tolist()
        return [campaign.points[at] for at in described] or campaign.points


@dataclass(frozen=True)
class Difference:
    """The change of a kernel since the previous version. `state` is empty without a comparison."""

    state: str
    verdict: Verdict
    probability: float | None
    ratio: float | None
    lower: float | None
    upper: float | None

    @property
    def known(self) -> bool:
        """Return whether the two versions have been compared."""
        return self.state == State.DONE


@dataclass(frozen=True)
class KernelVersion:
    """A kernel in one version, with its prediction at the target; None where unknown."""

    standing: Standing
    model: Model | None
    predicted: float | None
    lower: float | None
    upper: float | None
    verdict: Verdict | None  # on the change since the baseline; None without a model or comparison
    ratio: float | None


OF_A_VERSION = (
    "run_id", "kernel_id", "points_used", "expression", "growth", "constant", "coefficients", "exponents",
    "segments", "lead_exponents", "cv_smape", "noise", "largest", "predicted", "lower", "upper",
)  # fmt: skip
"""The columns of a model that a kernel's history shows at the default target."""


def kernel_get(
    campaign: Campaign,
    run: ModelRun | None,
    metric: Metric,
    kernel_id: int,
    before_run: int | None,
    *,
    with_dependencies: bool = False,
) -> KernelFound | None:
    """Return a kernel of a campaign in one metric; None if it was not measured."""
    series = Series.objects.filter(campaign=campaign, metric=metric, kernel=kernel_id)
    summary = LedgerSummary.objects.filter(metric=metric, machine=campaign.machine_id)
    rows = (
        models_with_values(
            Model.objects.filter(kernel=kernel_id, metric=metric, run__in=[run and run.pk, before_run])
        )
        .annotate(rounds=Subquery(series.values("rounds")), ledger=Subquery(summary.values("groups")))
        .select_related("kernel__application__dependencies" if with_dependencies else "kernel")
    )
    models = {row.run_id: row for row in rows}
    model = models.get(run.pk) if run else None
    if model is not None and run is not None:
        model.run = run
        values, repetitions, kernel = model.measured, model.repetitions, model.kernel  # type: ignore[attr-defined]
        within, ledger = model.rounds, model.ledger or ()
    else:
        found = series.select_related("kernel").first()
        if found is None:
            return None
        values, repetitions, kernel, within = found.values, found.repetitions, found.kernel, found.rounds
        ledger = ()
    shaped = values_of(values, repetitions)
    rounds = np.array(within, float).reshape(len(shaped), -1) if within else None
    return KernelFound(kernel, shaped, model, models.get(before_run) if before_run else None, rounds, ledger)


def difference(
    kernel_id: int, metric: Metric, before: Standing | None, campaign: Campaign
) -> Difference | None:
    """Return the change of the kernel since the previous version; None if there is no previous version."""
    if before is None:
        return None
    ours = Q(changes__kernel=kernel_id, changes__metric=metric)
    row = (
        Comparison.objects.filter(before=before.campaign_id, after=campaign)
        .annotate(change=FilteredRelation("changes", condition=ours))
        .values_list(
            "state",
            *(f"change__{name}" for name in ("kind", "probability", "ratio", "ratio_lower", "ratio_upper")),
        )
        .first()
    )
    if row is None:
        return Difference("", Verdict.SAME, None, None, None, None)
    state, kind, probability, ratio, lower, upper = row
    found = verdict(kind, ratio, lower_is_better=metric.lower_is_better)
    return Difference(state, found, probability, ratio, lower, upper)


def forecasts_of(model: Model) -> list[Forecast]:
    """Return the forecasts of a model at points that later campaigns measured, the latest campaign first."""
    rows = Forecast.objects.filter(model=model).select_related("campaign__version")
    return list(rows.order_by("-campaign"))


def steps(
    kernels: Sequence[int],
    metric: Metric,
    line: Sequence[Standing],
    campaign: Campaign,
    point: list[float] | None,
) -> list[KernelVersion]:
    """Return a kernel in all versions on one machine, oldest first, with two queries.

    `kernels` are the kernel's ids, the latest last. `point` is the target, or None for stored predictions.
    """
    rows = Model.objects.filter(
        kernel__in=kernels, metric=metric, run__in=[standing.run_id for standing in line if standing.run_id]
    ).annotate(parameters=F("run__campaign__parameters"))
    if point is None:
        # The other columns, which stored predictions do not need, have some kilobytes per row.
        rows = rows.only(*OF_A_VERSION)
    # If a version has the kernel under several ids, the latest one is used.
    models = {row.run_id: row for row in sorted(rows, key=lambda row: kernels.index(row.kernel_id))}
    changes = _changes(kernels, metric, [standing.campaign_id for standing in line])
    predictions = _predictions(list(models.values()), campaign, point)
    return [
        _step(
            standing,
            models.get(standing.run_id or 0),
            predictions,
            changes.get(pair),
            metric,
            compared=standing.baseline is None or pair in changes,
        )
        for standing in line
        for pair in [(standing.baseline, standing.campaign_id)]
    ]


def _changes(
    kernels: Sequence[int], metric: Metric, campaigns: list[int]
) -> dict[tuple[int | None, int], Change | None]:
    """Return the kernel's change by the pair of campaigns; None if unchanged."""
    ours = Q(changes__kernel__in=kernels, changes__metric=metric)
    rows = (
        Comparison.objects.filter(after__in=campaigns, state=State.DONE)
        .annotate(change=FilteredRelation("changes", condition=ours))
        .values_list("before", "after", "change__kind", "change__ratio")
    )
    return {
        (before, after): Change(kind=kind, ratio=ratio) if kind else None
        for before, after, kind, ratio in rows
    }


def _predictions(models: list[Model], campaign: Campaign, point: list[float] | None) -> dict[int, Amounts]:
    """Return the predictions with their intervals by the id of the model."""
    if point is None:
        return {model.pk: (model.predicted, model.lower, model.upper) for model in models}
    return predictions_at(models, campaign, point)


def _step(
    standing: Standing,
    model: Model | None,
    predictions: dict[int, Amounts],
    change: Change | None,
    metric: Metric,
    *,
    compared: bool,
) -> KernelVersion:
    predicted, lower, upper = predictions.get(model.pk if model else 0, (None, None, None))
    kind = change.kind if change else None
    ratio = change.ratio if change else None
    known = compared and model is not None
    found = verdict(kind, ratio, lower_is_better=metric.lower_is_better) if known else None
    return KernelVersion(standing, model, predicted, lower, upper, found, ratio)
