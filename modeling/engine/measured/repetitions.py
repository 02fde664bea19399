"""Compute the values and the noise of points from their repetitions (docs/methods.md#noise-level)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modeling.engine.validation import FloatArray, as_floats, check_values

AGGREGATES = ("mean", "median", "minimum")


@dataclass(frozen=True)
class Noise:
    """The noise of K kernels at P points, as fractions (0.1 is 10 %); NaN without two repetitions.

    A point's range is the range of its relative deviations from its mean.
    """

    level: FloatArray  # (K,) range of the relative deviations of all points together
    mean: FloatArray  # (K,) mean of the points' ranges
    median: FloatArray  # (K,) median of the points' ranges
    min: FloatArray  # (K,) smallest range of a point
    max: FloatArray  # (K,) largest range of a point
    per_point: FloatArray  # (K, P) range of each point


def noise(values: ArrayLike) -> Noise:
    """Estimate the noise of K kernels from R repetitions at P points, `values` (K, P, R), NaN where missing.

    Points with a single repetition or a mean of 0 are ignored.
    """
    array = as_floats(values, "values")
    low, high = deviation_bounds(runs_first(check_values(array, array.shape[1] if array.ndim == 3 else 0)))
    ordered = np.sort(high - low, axis=0)  # NaN last
    count = np.sum(~np.isnan(ordered), axis=0)
    kernels = np.arange(ordered.shape[1])
    last = np.maximum(count - 1, 0)
    total = np.nansum(ordered, axis=0)
    return Noise(
        level=level(low, high),
        mean=np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0),
        median=(ordered[last // 2, kernels] + ordered[count // 2, kernels]) / 2,
        min=ordered[0],
        max=ordered[last, kernels],
        per_point=np.ascontiguousarray((high - low).T),
    )


def runs_first(values: FloatArray) -> FloatArray:
    """Reverse the axes (kernels, points, repetitions), because NumPy then reduces repetitions faster."""
    return np.ascontiguousarray(values.transpose(2, 1, 0))


def deviation_bounds(runs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest relative deviation from each point's mean, (P, K) each.

    Results are NaN with fewer than two of R repetitions `runs` (R, P, K), or with a mean of 0.
    """
    count = np.sum(~np.isnan(runs), axis=0)
    low, high = np.fmin.reduce(runs, axis=0), np.fmax.reduce(runs, axis=0)
    mean = mean_over_runs(runs, count)
    size = np.where((count > 1) & (mean != 0), np.abs(mean), np.nan)
    return (low - mean) / size, (high - mean) / size


def level(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the noise level of each of K kernels, (K,), from the two results of `deviation_bounds`."""
    width: FloatArray = np.fmax.reduce(high, axis=0) - np.fmin.reduce(low, axis=0)
    return width


def aggregate(runs: FloatArray, how: str) -> FloatArray:
    """Reduce R repetitions (R, P, K) to one value for each of P points and K kernels, (P, K).

    `how` is one of `AGGREGATES`. Points without repetitions become NaN.
    """
    count = np.sum(~np.isnan(runs), axis=0)
    if how == "mean":
        return mean_over_runs(runs, count)
    if how == "minimum":
        return np.asarray(np.fmin.reduce(runs, axis=0))
    ordered = np.sort(runs, axis=0)  # NaN last
    below = np.take_along_axis(ordered, np.maximum(count - 1, 0)[None] // 2, axis=0)[0]
    above = np.take_along_axis(ordered, count[None] // 2, axis=0)[0]
    return np.asarray(below + (above - below) / 2)


def mean_over_runs(runs: FloatArray, count: NDArray[np.int_]) -> FloatArray:
    """Return the mean of R repetitions (R, P, K) with `count` (P, K) values, (P, K); NaN without any."""
    if (count == len(runs)).all():
        return np.asarray(runs.mean(axis=0))
    total = np.where(np.isnan(runs), 0.0, runs).sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))
