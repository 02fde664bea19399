"""Convert models of kernels, or the reasons why there are none, to rows of `Model`."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from ingest.bulk.write import copy_rows
from modeling.engine import Models, Noise, noise
from modeling.engine.fitting import unmodelled
from modeling.engine.questions import trust
from modeling.engine.questions.identifiability import lead_certainty
from modeling.models import Model, ModelRun
from modeling.storage import regions, segments
from modeling.storage.arrays import BoolArray, FloatArray, SeriesArrays, largest_point, predictions
from modeling.storage.posteriors import pack

Columns = dict[str, Sequence[Any]]
"""Field name → values of that field for some kernels."""

AS_THEY_ARE = (
    "points_used", "constant", "coefficients", "exponents", "covariance", "lead_exponents",
    "smape", "relative_error", "r_squared", "rss", "cv_smape", "holdout_error",
)  # fmt: skip
"""Fields of `Models` that are stored under the same name."""


def modelled(
    series: SeriesArrays, models: Models, parameters: Sequence[str], total: BoolArray, target: FloatArray
) -> Columns:
    """Return the columns of modelled kernels. `total` marks the summands of the program's total."""
    found, medians = noise(series.values), series.medians()
    law, lower, upper = predictions(models, target)
    return {
        "kernel": series.kernels.tolist(),
        "expression": models.expressions(parameters),
        **_of_models(models, series.points),
        "status": [str(status) for status in trust.status(models, series.points, medians)],
        **_of_noise(found),
        "counts_to_total": total.tolist(),
        "largest": medians[:, largest_point(series.points)].tolist(),
        "predicted": law.tolist(),
        "lower": lower.tolist(),
        "upper": upper.tolist(),
        "reason": [""] * len(models),
        "method": [""] * len(models) if models.method is None else models.method.tolist(),
    }


def failed(series: SeriesArrays, modeler: str, total: BoolArray, reasons: Sequence[str]) -> Columns:
    """Return the columns of kernels that could not be modelled, with the reasons."""
    models = unmodelled(series.points, len(series.kernels), modeler=modeler)
    nothing = [None] * len(models)
    return {
        "kernel": series.kernels.tolist(),
        "expression": [""] * len(models),
        **_of_models(models, series.points),
        "counts_to_total": total.tolist(),
        "largest": series.medians()[:, largest_point(series.points)].tolist(),
        "predicted": nothing,
        "reason": list(reasons),
    }


def store(run: ModelRun, metric_id: int, columns: Columns) -> None:
    """Insert rows with these columns for one metric of a run."""
    count = len(columns["kernel"])
    every: Columns = {"run": [run.pk] * count, "metric": [metric_id] * count, **columns}
    copy_rows(Model, list(every), zip(*every.values(), strict=True))


def _of_models(models: Models, points: FloatArray) -> Columns:
    """Return the columns that depend only on the models and the measured points (P, m)."""
    nothing = [None] * len(models)
    certainty = lead_certainty(models, points)
    of_segments, draws_of_segments = segments.columns(models)
    return {
        "status": [str(status) for status in models.status],
        "growth": [str(growth) for growth in models.growth],
        "degrees_of_freedom": models.degrees_of_freedom.astype(int).tolist(),
        "lead_certainty": nothing if certainty is None else certainty.tolist(),
        "posterior": nothing if models.posterior is None else pack(models.posterior),
        "region": regions.columns(models),
        "segments": of_segments,
        "segment_posteriors": draws_of_segments,
        **{name: _plain(getattr(models, name)) for name in AS_THEY_ARE},
    }


def _of_noise(found: Noise) -> Columns:
    return {
        "noise": found.level.tolist(),
        "noise_mean": found.mean.tolist(),
        "noise_median": found.median.tolist(),
        "noise_min": found.min.tolist(),
        "noise_max": found.max.tolist(),
    }


def _plain(array: NDArray[Any]) -> list[Any]:
    """Return a number, or a flat list of numbers, for every kernel."""
    numbers: list[Any] = array.reshape(len(array), -1).tolist() if array.ndim > 1 else array.tolist()
    return numbers
