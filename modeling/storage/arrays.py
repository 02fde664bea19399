"""Load measured values as arrays, and models from stored rows."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from django.db.models import Count
from numpy.typing import NDArray

from ingest.bulk.read import read_arrays
from ingest.models import Campaign, Metric, Series
from modeling.engine import INTERVAL_LEVEL, Models
from modeling.engine.results.posterior import Posterior
from modeling.models import Model
from modeling.storage import regions, segments
from modeling.storage.formulas import formulas_only, padded
from modeling.storage.posteriors import unpack

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
Loaded = TypeVar("Loaded")

NUMBERS_AT_ONCE = 1_000_000
"""Limit on the elements of a temporary array."""


@dataclass(frozen=True)
class SeriesArrays:
    """The measured values of one metric in one campaign: K kernels, P points, R repetitions, m parameters."""

    points: FloatArray  # (P, m)
    kernels: NDArray[np.int64]  # (K,) ids
    values: FloatArray  # (K, P, R), NaN where missing
    inclusive: bool | None  # whether values include those of callees; None: not known

    def part(self, which: slice | NDArray[np.int64]) -> "SeriesArrays":
        """Return the series of some of the kernels."""
        return replace(self, kernels=self.kernels[which], values=self.values[which])

    def medians(self) -> FloatArray:
        """Return the medians over the repetitions, (K, P), NaN where a point is missing."""
        medians = np.full(self.values.shape[:2], np.nan)
        step = max(1, NUMBERS_AT_ONCE // max(self.values[:1].size, 1))
        for start in range(0, len(medians), step):
            some = slice(start, start + step)
            medians[some] = medians_of(self.values[some])
        return medians


def medians_of(values: FloatArray) -> FloatArray:
    """Return the medians (K, P) of values (K, P, R), NaN where a point is missing."""
    count = (~np.isnan(values)).sum(axis=2, keepdims=True)
    ordered = np.sort(values, axis=2)  # sorting puts NaN last
    ends = np.maximum(count - 1, 0) // 2, count // 2
    lower, upper = (np.take_along_axis(ordered, end, axis=2) for end in ends)
    medians: FloatArray = (lower + upper)[:, :, 0] / 2
    return medians


def largest_point(points: FloatArray) -> int:
    """Return the index of the point with the largest sum of the parameters' logarithms."""
    return int(np.argmax(np.log(points).sum(axis=1)))


def metrics_of(campaign: Campaign) -> list[int]:
    """Return the ids of the campaign's metrics."""
    rows = Series.objects.filter(campaign=campaign).values("metric_id").annotate(Count("id"))
    return sorted(row["metric_id"] for row in rows)


def series_sizes(
    campaign: Campaign, metric_id: int, kernel_ids: Sequence[int] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ids of a metric's kernels, ascending, and their repetitions per point."""
    rows = Series.objects.filter(campaign=campaign, metric_id=metric_id)
    if kernel_ids is not None:
        rows = rows.filter(kernel_id__in=kernel_ids)
    table = np.fromiter(rows.values_list("kernel_id", "repetitions").iterator(), np.dtype("2i8"))
    kernels, repetitions = table[np.argsort(table[:, 0])].T
    return kernels, repetitions


def series_load(campaign: Campaign, metric_id: int, kernel_ids: Iterable[int] | None = None) -> SeriesArrays:
    """Load a campaign's values of one metric, in the order of the kernels' ids."""
    some = None if kernel_ids is None else list(kernel_ids)
    return _of_one_state(campaign, lambda: _series(campaign, metric_id, some))


def series_medians(
    campaign: Campaign, metric_id: int, kernel_ids: Iterable[int] | None = None
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the ids of a metric's kernels, ascending, and medians (kernels, points), NaN where missing."""
    some = None if kernel_ids is None else list(kernel_ids)
    return _of_one_state(campaign, lambda: _medians(campaign, metric_id, some))


def _of_one_state(campaign: Campaign, load: Callable[[], Loaded]) -> Loaded:
    """Return the result of `load`. After a ValueError, refresh the campaign and load again."""
    try:
        return load()
    except ValueError:
        campaign.refresh_from_db()  # the campaign has grown since it was read
        return load()


def _series(campaign: Campaign, metric_id: int, kernel_ids: Sequence[int] | None) -> SeriesArrays:
    points = np.array(campaign.points, float)
    kernels, repetitions = series_sizes(campaign, metric_id, kernel_ids)
    values = np.full((len(kernels), len(points), repetitions.max(initial=1)), np.nan)

    def keep(rows: NDArray[np.intp], block: FloatArray) -> None:
        values[rows, :, : block.shape[2]] = block

    _read(campaign, metric_id, kernels, keep, some=kernel_ids is not None)
    inclusive = Metric.objects.values_list("inclusive", flat=True).get(pk=metric_id)
    return SeriesArrays(points, kernels, values, inclusive)


def _medians(
    campaign: Campaign, metric_id: int, kernel_ids: Sequence[int] | None
) -> tuple[NDArray[np.int64], FloatArray]:
    kernels, _ = series_sizes(campaign, metric_id, kernel_ids)
    medians = np.full((len(kernels), len(campaign.points)), np.nan)

    def keep(rows: NDArray[np.intp], block: FloatArray) -> None:
        medians[rows] = medians_of(block)

    _read(campaign, metric_id, kernels, keep, some=kernel_ids is not None)
    return kernels, medians


def _read(
    campaign: Campaign,
    metric_id: int,
    kernels: NDArray[np.int64],
    keep: Callable[[NDArray[np.intp], FloatArray], None],
    *,
    some: bool = False,
) -> None:
    """Read the values of kernels, and pass them to `keep` in parts: indices of kernels, and their values.

    `kernels` are ascending ids: all of the metric or, with `some`, a part of them.

    Raises:
        ValueError: other kernels are stored, or values do not fit the campaign's points.
    """
    read = 0

    def place(found: NDArray[np.int64], repetitions: NDArray[np.int64], numbers: FloatArray) -> None:
        nonlocal read
        rows = np.searchsorted(kernels, found)
        block = numbers.reshape(len(found), len(campaign.points), repetitions[0])
        keep(rows, block)
        read += len(rows)

    only = [f"{{{','.join(map(str, kernels.tolist()))}}}"] if some else []
    read_arrays(_VALUES + _OF_KERNELS * some, [campaign.pk, metric_id, *only], place)
    if read != len(kernels):
        raise ValueError(f"found {read} series, expected {len(kernels)}")


_VALUES = f"""
    SELECT kernel_id, repetitions::bigint, values FROM {Series._meta.db_table}
    WHERE campaign_id = %s AND metric_id = %s
"""  # noqa: S608 -- the name of our own table
_OF_KERNELS = " AND kernel_id = ANY(%s::bigint[])"


def nothing_of(campaign: Campaign, kernels: NDArray[np.int64]) -> SeriesArrays:
    """Return series without values, for metrics whose values cannot be loaded."""
    points = np.array(campaign.points, float)
    return SeriesArrays(points, kernels, np.full((len(kernels), len(points), 1), np.nan), None)


def common_kernels(one: SeriesArrays, other: SeriesArrays) -> tuple[SeriesArrays, SeriesArrays]:
    """Return both series with only their common kernels, in the same order."""
    _, left, right = np.intersect1d(one.kernels, other.kernels, return_indices=True)
    return one.part(left), other.part(right)


def predictions(models: Models, target: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return predictions at a target with their intervals, one number per kernel; NaN if not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = models.estimates(target[None, :], INTERVAL_LEVEL)
    law, lower, upper = (number[:, 0] for number in numbers)
    # Measured values are never negative, so the lower end is at least 0. `np.maximum` keeps NaN.
    return finite(law), finite(np.maximum(lower, 0.0)), finite(upper)


def values_at(rows: Sequence[Model], campaign: Campaign, target: FloatArray) -> FloatArray:
    """Return the predictions of stored rows at a target, NaN if not finite, without their intervals.

    Rows need only the columns `PREDICTING`.
    """
    points = np.array(campaign.points, float)
    models = formulas_only(
        [row.constant if row.constant is not None else math.nan for row in rows],
        [row.coefficients for row in rows],
        [row.exponents for row in rows],
        np.array([row.points_used for row in rows], int),
        (points.min(axis=0), points.max(axis=0)),
    )
    models = replace(models, segments=segments.load(rows, models))
    models = with_posteriors(models, [(row.posterior, row.segment_posteriors) for row in rows])
    with np.errstate(over="ignore", invalid="ignore"):
        return finite(models.predict(target[None, :])[:, 0])


PREDICTING = (
    "constant", "coefficients", "exponents", "points_used", "segments", "posterior", "segment_posteriors",
)  # fmt: skip
"""The columns of a model that `values_at` reads."""


def models_load(rows: Sequence[Model], campaign: Campaign) -> Models:
    """Return stored rows as models of the engine. The measured range is that of `campaign`."""
    models = formulas_load(rows, campaign)
    return with_posteriors(models, [(row.posterior, row.segment_posteriors) for row in rows])


def formulas_load(rows: Sequence[Model], campaign: Campaign) -> Models:
    """Return stored rows as models without posteriors, which predict by their formulas."""
    terms = max((len(row.coefficients) for row in rows), default=0)
    parameters = len(campaign.parameters)
    points = np.array(campaign.points, float)
    columns: dict[str, Any] = {name: _column(rows, name) for name in NUMBERS}
    models = Models(
        **columns,
        coefficients=padded([row.coefficients for row in rows], (terms,)),
        exponents=padded([row.exponents for row in rows], (terms, parameters, 2)),
        covariance=_covariances([row.covariance for row in rows], terms),
        degrees_of_freedom=np.array([row.degrees_of_freedom for row in rows], int),
        status=np.array([row.status for row in rows], str),
        points_used=np.array([row.points_used for row in rows], int),
        lower=points.min(axis=0),
        upper=points.max(axis=0),
        region=regions.load(rows, points),
    )
    return replace(models, segments=segments.load(rows, models))


def with_posteriors(models: Models, packed: Sequence[tuple[segments.Packed, segments.Packed]]) -> Models:
    """Return the models with their stored posteriors, of their laws and of their segments."""
    posterior = posteriors_load([of_law for of_law, _ in packed])
    if posterior is None:
        return models
    drawn = segments.with_draws(models.segments, [of_segments for _, of_segments in packed])
    return replace(models, posterior=posterior, segments=drawn)


def posteriors_load(packed: Sequence[segments.Packed]) -> Posterior | None:
    """Return the posteriors of stored rows, or None if a row has none."""
    there = [bytes(row) for row in packed if row is not None]
    return unpack(there) if there and len(there) == len(packed) else None


NUMBERS = ["constant", "smape", "relative_error", "r_squared", "rss", "cv_smape", "holdout_error", "noise"]


def _column(rows: Sequence[Model], name: str) -> FloatArray:
    return np.array([getattr(row, name) for row in rows], float)


def _covariances(lists: list[list[float]], terms: int) -> FloatArray:
    """Return flattened square matrices of different sizes as one array, padded with zeros."""
    table = np.zeros((len(lists), terms + 1, terms + 1))
    sizes = np.array([len(numbers) for numbers in lists], int)
    for size in np.unique(sizes):
        rows, side = np.flatnonzero(sizes == size), int(size**0.5)
        table[rows, :side, :side] = np.array([lists[row] for row in rows], float).reshape(-1, side, side)
    return table


def finite(numbers: FloatArray) -> FloatArray:
    """Return the numbers, with NaN in place of infinities."""
    return np.where(np.isfinite(numbers), numbers, np.nan)


def known(value: float) -> float | None:
    """Return the number, or None if it is not finite, as JSON needs it."""
    return float(value) if math.isfinite(value) else None


def known_column(column: FloatArray) -> list[float | None]:
    """Return the numbers as a list, with None for those that are not finite."""
    return [value if math.isfinite(value) else None for value in column.tolist()]
