"""Every prediction is held against what a later campaign of the same version measured."""

from collections.abc import Sequence

import numpy as np

from ingest.models import Campaign
from modeling import arrays
from modeling.engine.models import OK, SEGMENTED
from modeling.models import Forecast, Model, ModelRun, State


def campaign_score(campaign: Campaign) -> None:
    """Score earlier models at this campaign's points, and this campaign's models at later ones'."""
    others = Campaign.objects.filter(
        version=campaign.version, machine=campaign.machine, parameters=campaign.parameters
    ).exclude(pk=campaign.pk)
    for other in others:
        earlier, later = sorted((campaign, other), key=lambda row: row.pk)
        _score(earlier, later)


def _score(earlier: Campaign, later: Campaign) -> None:
    """Store the forecasts of the earlier campaign's models at points that only the later one reached."""
    beyond = _beyond(np.array(earlier.points, float), np.array(later.points, float))
    Forecast.objects.filter(campaign=later, model__run__campaign=earlier).delete()
    if not beyond.any():
        return
    for run in ModelRun.objects.filter(campaign=earlier).exclude(state=State.FAILED):
        for metric_id in arrays.metrics_of(later):
            rows = list(
                run.models.filter(metric_id=metric_id, status__in=(OK, SEGMENTED)).order_by("kernel_id")
            )
            _score_metric(rows, earlier, later, metric_id, beyond)


def _beyond(known: arrays.FloatArray, new: arrays.FloatArray) -> arrays.BoolArray:
    """Which new points lie outside the box of the known ones."""
    outside: arrays.BoolArray = ((new < known.min(axis=0)) | (new > known.max(axis=0))).any(axis=1)
    return outside


def _score_metric(
    rows: list[Model], earlier: Campaign, later: Campaign, metric_id: int, beyond: arrays.BoolArray
) -> None:
    series = arrays.series_load(later, metric_id, [row.kernel_id for row in rows])
    measured_kernels = set(series.kernels.tolist())
    rows = [row for row in rows if row.kernel_id in measured_kernels]
    if not rows:
        return
    points = series.points[beyond]
    models = arrays.models_load(rows, earlier)
    _store(
        rows,
        later,
        points,
        models.predict(points),
        interval=models.prediction_interval(points, arrays.LEVEL),
        measured=series.medians()[:, beyond],
    )


def _store(
    rows: Sequence[Model],
    campaign: Campaign,
    points: arrays.FloatArray,
    predicted: arrays.FloatArray,
    *,
    interval: tuple[arrays.FloatArray, arrays.FloatArray],
    measured: arrays.FloatArray,
) -> None:
    """Store what models said of points (Q, m), predictions and measured medians being (K, Q)."""
    forecasts = []
    for row, *lines in zip(rows, predicted, *interval, measured, strict=True):
        known = np.isfinite(lines).all(axis=0) & (lines[3] > 0)
        if not known.any():
            continue
        guess, lower, upper, found = (line[known] for line in lines)
        forecasts.append(
            Forecast(
                model=row,
                campaign=campaign,
                points=points[known].tolist(),
                predicted=guess.tolist(),
                lower=lower.tolist(),
                upper=upper.tolist(),
                measured=found.tolist(),
                relative_error=float(np.median(np.abs(guess - found) / found)),
            )
        )
    Forecast.objects.bulk_create(forecasts, batch_size=2000)
