"""Compare models with the measurements of later campaigns of the same version."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.models import Campaign
from modeling.engine import INTERVAL_LEVEL
from modeling.engine.results.models import MISFIT, OK, SEGMENTED
from modeling.models import Forecast, Model, ModelRun, State
from modeling.storage import arrays
from modeling.storage.model_portions import model_portions

FORECASTS = 100_000
FEWEST_POINTS, MOST_POINTS = 2, 100
"""Limits on the scored points. Within these, kernels × points are at most `FORECASTS` (ten seconds)."""

FORECASTS_AT_ONCE = 1_000
"""Limit on the kernels × points whose intervals are computed at once, with thousands of draws each."""


def campaign_score(campaign: Campaign) -> None:
    """Score earlier models at this campaign's points, and this campaign's models at later points."""
    others = Campaign.objects.filter(
        version=campaign.version, machine=campaign.machine, parameters=campaign.parameters
    ).exclude(pk=campaign.pk)
    for other in others:
        earlier, later = sorted((campaign, other), key=lambda row: row.pk)
        _score(earlier, later)


def _score(earlier: Campaign, later: Campaign) -> None:
    """Store the earlier models' forecasts at the later campaign's points beyond the earlier range."""
    beyond = _beyond(np.array(earlier.points, float), np.array(later.points, float))
    Forecast.objects.filter(campaign=later, model__run__campaign=earlier).delete()
    if not beyond.any():
        return
    points = _some(beyond, earlier.kernel_count)
    for run in ModelRun.objects.filter(campaign=earlier).exclude(state=State.FAILED):
        for metric_id in arrays.metrics_of(later):
            found = run.models.filter(metric_id=metric_id, status__in=(OK, SEGMENTED, MISFIT))
            for rows in model_portions(found, earlier):
                _score_some(rows, earlier, later, metric_id, points)


def _beyond(known: arrays.FloatArray, new: arrays.FloatArray) -> arrays.BoolArray:
    outside: arrays.BoolArray = ((new < known.min(axis=0)) | (new > known.max(axis=0))).any(axis=1)
    return outside


def _some(beyond: arrays.BoolArray, kernels: int) -> NDArray[np.int64]:
    """Return the indices of the points to score: all beyond the range, or evenly spread ones if too many."""
    numbers = np.flatnonzero(beyond)
    most = int(np.clip(FORECASTS // max(kernels, 1), FEWEST_POINTS, MOST_POINTS))
    if len(numbers) <= most:
        return numbers
    return np.asarray(numbers[np.linspace(0, len(numbers) - 1, most).round().astype(int)])


def _score_some(
    rows: list[Model], earlier: Campaign, later: Campaign, metric_id: int, points: NDArray[np.int64]
) -> None:
    """Store the forecasts of some kernels at some of the later campaign's points."""
    kernels, medians = arrays.series_medians(later, metric_id, [row.kernel_id for row in rows])
    place = {kernel: at for at, kernel in enumerate(kernels.tolist())}
    rows = [row for row in rows if row.kernel_id in place]
    if not rows:
        return
    models, where = arrays.models_load(rows, earlier), np.array(later.points, float)[points]
    step = max(1, FORECASTS_AT_ONCE // len(where))
    parts = [models.part(part) for part in np.split(np.arange(len(rows)), range(step, len(rows), step))]
    intervals = [part.prediction_interval(where, INTERVAL_LEVEL) for part in parts]
    lower, upper = (np.concatenate(side) for side in zip(*intervals, strict=True))
    _store(
        rows,
        later,
        where,
        np.concatenate([part.predict(where) for part in parts]),
        interval=(lower, upper),
        measured=medians[[place[row.kernel_id] for row in rows]][:, points],
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
    """Store forecasts with their intervals and the measured medians. Arrays are (kernels, points)."""
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
