"""The ledger: record predictions at targets, and score them once a campaign measures the targets."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from django.db.models import F, Q
from django.utils import timezone

from ingest.models import Application, Campaign, Machine
from ingest.selectors import campaigns_current
from modeling.models import LedgerSummary, ModelRun, Prediction
from modeling.selectors.ledger.calibration import ledger_load
from modeling.selectors.run.targets import target_point
from modeling.selectors.versions.baselines import ancestors
from modeling.services.predictions.totals import joint_total
from modeling.storage import arrays
from modeling.storage.model_portions import model_portions

MOST_TARGETS = 3
"""Limit on the targets at which predictions are recorded. Each takes half a millisecond per kernel."""


Said = tuple[float, float, float, float]
"""A prediction: id of the kernel, predicted value, and both ends of its interval."""


def run_note(run: ModelRun) -> None:
    """Record a run's predictions at all unmeasured targets. A second call changes nothing."""
    measured = np.array(run.campaign.points, float)
    for point in _target_points(run):
        if not (measured == point).all(axis=1).any():
            rows = [_prediction(run, point, metric, said) for metric, said in _said(run, point).items()]
            Prediction.objects.bulk_create(rows, ignore_conflicts=True)


def _prediction(run: ModelRun, point: arrays.FloatArray, metric_id: int, said: list[Said]) -> Prediction:
    campaign, measured = run.campaign, np.array(run.campaign.points, float)
    kernels = [int(row[0]) for row in said]
    counted, total = _total(run, metric_id, kernels, np.array(said, float)[:, 1:])
    distance = float(np.maximum(point / measured.max(axis=0), measured.min(axis=0) / point).max())
    predicted, lower, upper = np.array(said, float)[:, 1:].T.tolist()
    return Prediction(
        application=campaign.version.application, campaign=campaign, metric_id=metric_id,
        revision=run.revision, engine_version=run.engine_version, point=point.tolist(),
        distance=max(distance, 1.0), kernels=kernels, predicted=predicted, lower=lower, upper=upper,
        counted=counted, total=total[0], total_lower=total[1], total_upper=total[2], made_at=timezone.now(),
    )  # fmt: skip


def _total(
    run: ModelRun, metric_id: int, kernels: Sequence[int], said: arrays.FloatArray
) -> tuple[list[bool], list[float | None]]:
    """Return which kernels make up the program, and its total; None if a kernel lacks a prediction."""
    parts = run.models.filter(metric=metric_id, counts_to_total=True)
    columns = parts.order_by("kernel_id").values_list("kernel_id", "kernel__path", "growth")
    known = {kernel: (path, growth) for kernel, path, growth in columns}
    counted = [kernel in known for kernel in kernels]
    if not known or sum(counted) < len(known):
        return counted, [None] * 3
    order = {kernel: at for at, kernel in enumerate(kernels)}
    rows = said[[order[kernel] for kernel in known]]
    return counted, arrays.finite(
        np.array(joint_total(run, metric_id, list(known.values()), rows.T))
    ).tolist()


def _target_points(run: ModelRun) -> list[arrays.FloatArray]:
    targets = run.campaign.version.application.targets.all()[:MOST_TARGETS]
    return [target_point(target.values, run.campaign) for target in targets]


def _said(run: ModelRun, point: arrays.FloatArray) -> dict[int, list[Said]]:
    """Return the run's predictions at a point, by metric, without kernels that have none."""
    stored = np.array_equal(point, target_point(run.target, run.campaign))
    found: dict[int, list[Said]] = defaultdict(list)
    for metric_id, *numbers in _stored(run) if stored else _evaluated(run, point):
        kernel, predicted, lower, upper = (np.nan if each is None else float(each) for each in numbers)
        if np.isfinite(predicted):
            found[metric_id].append((kernel, predicted, lower, upper))
    return found


Row = tuple[int, int, float | None, float | None, float | None]


def _stored(run: ModelRun) -> Iterator[Row]:
    columns = ("metric_id", "kernel_id", "predicted", "lower", "upper")
    yield from run.models.order_by("metric_id", "kernel_id").values_list(*columns).iterator()


def _evaluated(run: ModelRun, point: arrays.FloatArray) -> Iterator[Row]:
    for rows in model_portions(run.models.filter(constant__isnull=False), run.campaign):
        columns = arrays.predictions(arrays.models_load(rows, run.campaign), point)
        for row, *numbers in zip(rows, *(column.tolist() for column in columns), strict=True):
            yield row.metric_id, row.kernel_id, *numbers


class _Place(NamedTuple):
    """A campaign that may score predictions; `numbers` maps its points to their indices."""

    pk: int
    version: int
    parameters: list[str]
    numbers: dict[tuple[float, ...], int]


def ledger_score(application: Application, machine: Machine) -> None:
    """Score predictions whose target the same or a descending version measured later."""
    rows = Prediction.objects.filter(application=application, campaign__machine=machine, scored_by=None)
    columns = ("campaign__version_id", "campaign__parameters", "campaign_id")
    open_rows = list(rows.annotate(**{f"at_{name}": F(name) for name in columns}))
    if not open_rows:
        return
    campaigns = _places(application, machine)
    line = campaigns_current(application, machine)
    leading = ancestors(application, line)
    for row in open_rows:
        version, parameters, own = (getattr(row, f"at_{name}") for name in columns)
        point = tuple(row.point)
        reached = (
            place
            for place in campaigns
            if place.pk > own
            and (place.version == version or version in leading.get(place.version, ()))
            and place.parameters == parameters
            and point in place.numbers
        )
        first = next(reached, None)
        if first is not None:
            _score(row, first.pk, first.numbers[point])


def ledger_summarise(application: Application, machine: Machine) -> None:
    """Store how often a machine's recorded predictions were right. Pages widen intervals accordingly."""
    for metric in application.metrics.all():
        found = ledger_load(metric, machine)
        rows = [(None, found.all), *found.groups]
        groups = [
            {"begin": begin, "count": each.count, "inside": each.inside, "widening": each.widening}
            for begin, each in rows
            if each.count
        ]
        LedgerSummary.objects.update_or_create(metric=metric, machine=machine, defaults={"groups": groups})


def _places(application: Application, machine: Machine) -> list[_Place]:
    rows = Campaign.objects.filter(
        Q(settles_at=None), version__application=application, machine=machine
    ).order_by("pk")
    columns = rows.values_list("pk", "version_id", "parameters", "points")
    return [
        _Place(pk, version, names, {tuple(point): at for at, point in enumerate(points)})
        for pk, version, names, points in columns
    ]


def _score(row: Prediction, campaign_id: int, number: int) -> None:
    """Score a prediction by a campaign's medians at one point, if the campaign has the metric."""
    campaign = Campaign.objects.get(pk=campaign_id)
    kernels, medians = arrays.series_medians(campaign, row.metric_id, row.kernels)
    if not len(kernels):
        return
    found = dict(zip(kernels.tolist(), medians[:, number].tolist(), strict=True))
    row.scored_by, row.measured = campaign, _aligned(row.kernels, found)
    row.save(update_fields=["scored_by", "measured"])


def _aligned(kernels: Sequence[int], found: dict[int, float]) -> list[float]:
    return [found.get(kernel, float("nan")) for kernel in kernels]
