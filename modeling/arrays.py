"""Rows become arrays, results become rows; nothing else knows both sides."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import Count
from numpy.typing import NDArray

from ingest.bulk import copy_rows
from ingest.models import Campaign, Metric, Series
from modeling import segments
from modeling.engine import Changes, Models
from modeling.engine.posterior import Posterior
from modeling.models import Change, Comparison, Forecast, Model
from modeling.posteriors import unpack

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
LEVEL = 0.95
"""Of every interval that is stored."""


@dataclass(frozen=True)
class SeriesArrays:
    """All kernels of one metric in one campaign."""

    points: FloatArray  # (P, m)
    kernels: NDArray[np.int64]  # (K,) ids
    values: FloatArray  # (K, P, R), NaN where missing
    inclusive: bool | None  # whether values contain those of callees; None: not known

    def part(self, which: slice | NDArray[np.int64]) -> "SeriesArrays":
        """Some of the kernels."""
        return replace(self, kernels=self.kernels[which], values=self.values[which])

    def medians(self) -> FloatArray:
        """Median over the repetitions, (K, P), NaN where a point is missing."""
        middle = np.ma.median(np.ma.masked_invalid(self.values), axis=2)  # type: ignore[no-untyped-call]
        return np.ma.filled(middle.astype(float), np.nan)


def largest_point(points: FloatArray) -> int:
    """Index of the point that is farthest out over all parameters, in the sense of their logarithms."""
    return int(np.argmax(np.log(points).sum(axis=1)))


def metrics_of(campaign: Campaign) -> list[int]:
    """Ids of the campaign's metrics."""
    rows = Series.objects.filter(campaign=campaign).values("metric_id").annotate(Count("id"))
    return sorted(row["metric_id"] for row in rows)


def series_load(campaign: Campaign, metric_id: int, kernel_ids: Iterable[int] | None = None) -> SeriesArrays:
    """Load a campaign's series of one metric with one query, by kernel id; all kernels, or the given ones."""
    rows = Series.objects.filter(campaign=campaign, metric_id=metric_id)
    if kernel_ids is not None:
        rows = rows.filter(kernel_id__in=kernel_ids)
    found = list(rows.order_by("repetitions", "kernel_id").values_list("kernel_id", "repetitions", "values"))
    if found and len(found[0][2]) != len(campaign.points) * found[0][1]:
        campaign.refresh_from_db()  # it has grown since it was read
    points = np.array(campaign.points, float)
    most = max((row[1] for row in found), default=1)
    values = np.full((len(found), len(points), most), np.nan)
    start = 0
    for repetitions, group in groupby(found, key=itemgetter(1)):
        block = np.array([row[2] for row in group], float)
        values[start : start + len(block), :, :repetitions] = block.reshape(-1, len(points), repetitions)
        start += len(block)
    kernels = np.array([row[0] for row in found], np.int64)
    order = np.argsort(kernels)
    inclusive = Metric.objects.values_list("inclusive", flat=True).get(pk=metric_id)
    return SeriesArrays(points, kernels[order], values[order], inclusive)


def nothing_of(campaign: Campaign, kernels: NDArray[np.int64]) -> SeriesArrays:
    """Series of kernels without a single value, for such as cannot be loaded."""
    points = np.array(campaign.points, float)
    return SeriesArrays(points, kernels, np.full((len(kernels), len(points), 1), np.nan), None)


def common_kernels(one: SeriesArrays, other: SeriesArrays) -> tuple[SeriesArrays, SeriesArrays]:
    """Both reduced to the kernels that both have, in the same order."""
    _, left, right = np.intersect1d(one.kernels, other.kernels, return_indices=True)
    return one.part(left), other.part(right)


def predictions(models: Models, target: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Prediction and interval of the law at a target (m,): (K,) each, NaN where there is no finite one."""
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = models.estimates(target[None, :], LEVEL)
    law, lower, upper = (number[:, 0] for number in numbers)
    # Nothing that is measured can be negative; where no bound is known none is made up.
    return _finite(law), _finite(np.maximum(lower, 0.0)), _finite(upper)


def models_load(rows: Sequence[Model], campaign: Campaign) -> Models:
    """Build the engine's models again from stored rows, for any target.

    All rows are of campaigns with the parameters of this one, whose points give the measured range.
    """
    models = formulas_load(rows, campaign)
    return with_posteriors(models, [(row.posterior, row.segment_posteriors) for row in rows])


def formulas_load(rows: Sequence[Model], campaign: Campaign) -> Models:
    """The same without posteriors: they predict by their formulas."""
    terms = max((len(row.coefficients) for row in rows), default=0)
    parameters = len(campaign.parameters)
    points = np.array(campaign.points, float)
    columns: dict[str, Any] = {name: _column(rows, name) for name in NUMBERS}
    models = Models(
        **columns,
        coefficients=_padded([row.coefficients for row in rows], (terms,)),
        exponents=_padded([row.exponents for row in rows], (terms, parameters, 2)),
        covariance=_covariances([row.covariance for row in rows], terms),
        degrees_of_freedom=np.array([row.degrees_of_freedom for row in rows], int),
        status=np.array([row.status for row in rows], str),
        points_used=np.array([row.points_used for row in rows], int),
        lower=points.min(axis=0),
        upper=points.max(axis=0),
    )
    return replace(models, segments=segments.load(rows, models))


def with_posteriors(models: Models, packed: Sequence[tuple[segments.Packed, segments.Packed]]) -> Models:
    """The same with the stored draws of their laws and of their segments'."""
    posterior = posteriors_load([of_law for of_law, _ in packed])
    if posterior is None:
        return models
    drawn = segments.with_draws(models.segments, [of_segments for _, of_segments in packed])
    return replace(models, posterior=posterior, segments=drawn)


def posteriors_load(packed: Sequence[segments.Packed]) -> Posterior | None:
    """Posteriors of stored rows; None unless all have one."""
    there = [bytes(row) for row in packed if row is not None]
    return unpack(there) if there and len(there) == len(packed) else None


NUMBERS = ["constant", "smape", "relative_error", "r_squared", "rss", "cv_smape", "holdout_error", "noise"]


def _column(rows: Sequence[Model], name: str) -> FloatArray:
    return np.array([getattr(row, name) for row in rows], float)


def _padded(lists: list[list[float]], shape: tuple[int, ...]) -> FloatArray:
    """Lists of different numbers of terms as one array, zeros behind."""
    sizes = np.array([len(numbers) for numbers in lists], int)
    table = np.zeros((len(lists), int(np.prod(shape))))
    table[np.arange(table.shape[1]) < sizes[:, None]] = list(chain.from_iterable(lists))
    return table.reshape(len(lists), *shape)


def _covariances(lists: list[list[float]], terms: int) -> FloatArray:
    """Flattened square matrices of different sizes, each in the corner of an equal one."""
    table = np.zeros((len(lists), terms + 1, terms + 1))
    sizes = np.array([len(numbers) for numbers in lists], int)
    for size in np.unique(sizes):
        rows, side = np.flatnonzero(sizes == size), int(size**0.5)
        table[rows, :side, :side] = np.array([lists[row] for row in rows], float).reshape(-1, side, side)
    return table


def changes_store(
    comparison: Comparison, metric_id: int, kernels: NDArray[np.int64], changes: Changes
) -> None:
    """Store the kernels that changed or cannot be told."""
    kinds = np.array([str(kind) for kind in changes.kind])
    kept = np.flatnonzero(kinds != "same")
    intervals = changes.ratio_interval
    fields = ["comparison", "metric", "kernel", "kind", "probability", "ratio", "ratio_lower", "ratio_upper"]
    rows = zip(
        [comparison.pk] * len(kept),
        [metric_id] * len(kept),
        kernels[kept].tolist(),
        kinds[kept].tolist(),
        np.nan_to_num(changes.probability[kept]).tolist(),
        *(_finite(column[kept]).tolist() for column in (changes.ratio, intervals[:, 0], intervals[:, 1])),
        strict=True,
    )
    copy_rows(Change, fields, rows)


def changes_unknown(comparison: Comparison, metric_id: int) -> None:
    """Store that it cannot be told of any kernel that both campaigns have whether it changed."""
    series = Series.objects.filter(metric=metric_id)
    common = series.filter(campaign=comparison.before).values("kernel")
    kernels = series.filter(campaign=comparison.after, kernel__in=common).values_list("kernel", flat=True)
    fields = ["comparison", "metric", "kernel", "kind", "probability"]
    rows = ((comparison.pk, metric_id, kernel, str(Change.Kind.UNKNOWN), 0.0) for kernel in kernels)
    copy_rows(Change, fields, rows)


def _finite(numbers: FloatArray) -> FloatArray:
    return np.where(np.isfinite(numbers), numbers, np.nan)


def forecasts_store(
    rows: Sequence[Model],
    campaign: Campaign,
    points: FloatArray,
    predicted: FloatArray,
    *,
    interval: tuple[FloatArray, FloatArray],
    measured: FloatArray,
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
