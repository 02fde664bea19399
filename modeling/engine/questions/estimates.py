"""Quantities derived from laws, with their intervals over the draws of the posterior."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.results.posterior import share_of_draws
from modeling.engine.validation import FloatArray

INTERVAL_LEVEL = 0.95
"""Probability of all intervals."""

STEPS_A_DOUBLING = 8
"""Limits are searched for on a grid with this number of points in every doubling of the range. Between grid
points, quantities are interpolated as powers. More grid points change limits by less than a percent, and the
time grows in proportion.
"""

NUMBERS_AT_ONCE = 2_000_000
"""The largest number of elements of one temporary array."""

_FIELDS = ("median", "lower", "upper")


@dataclass(frozen=True)
class Estimate:
    """Median and 95 % interval over the posterior; the bounds are NaN where there is a single law."""

    median: FloatArray
    lower: FloatArray
    upper: FloatArray


def estimate(draws: FloatArray) -> Estimate:
    """Return the estimate from draws (K, S, ...). Draws may be infinite, so quantiles are not
    interpolated.
    """
    if draws.shape[1] == 1:
        unknown = np.full(draws[:, 0].shape, np.nan)
        return Estimate(draws[:, 0], unknown, unknown)
    tail = share_of_draws((1 - INTERVAL_LEVEL) / 2)
    lower, median, upper = np.quantile(draws, [tail, 0.5, 1 - tail], axis=1, method="inverted_cdf")
    return Estimate(median, lower, upper)


def in_parts(models: Models, points: int, answers: Callable[[Models], list[Estimate]]) -> list[Estimate]:
    """Return estimates of all kernels, computed for some kernels at a time to limit memory.

    `points` is the number of points at which `answers` evaluates every draw.
    """
    draws = 1 if models.posterior is None else models.posterior.law.shape[1]
    step = max(1, NUMBERS_AT_ONCE // (draws * points))
    kernels = np.arange(len(models))
    parts = [answers(models.part(some)) for some in np.split(kernels, range(step, len(kernels), step))]
    return [
        Estimate(*(np.concatenate([getattr(part, name) for part in each]) for name in _FIELDS))
        for each in zip(*parts, strict=True)
    ]


def doublings(first: float, last: float) -> FloatArray:
    """Return the grid on which limits are searched for, evenly spaced in the logarithm from `first` to
    `last`.
    """
    return np.geomspace(first, last, max(2, int(np.ceil(STEPS_A_DOUBLING * np.log2(last / first))) + 1))


def first_below(x: FloatArray, values: FloatArray, level: float) -> FloatArray:
    """Return the place where values (..., X) first fall below a level, (...). It is infinite if they never
    do, and NaN if unknown.
    """
    below = values < level
    at = np.maximum(below.argmax(axis=-1), 1)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        before, after = (np.log(np.take_along_axis(values, which, axis=-1))[..., 0] for which in (at - 1, at))
        part = np.clip((before - np.log(level)) / (before - after), 0.0, 1.0)
    place = x[at[..., 0] - 1] * (x[at[..., 0]] / x[at[..., 0] - 1]) ** part
    place = np.where(below[..., 0], x[0], np.where(below.any(axis=-1), place, np.inf))
    return np.where(np.isnan(values).any(axis=-1), np.nan, place)


def least(x: FloatArray, values: FloatArray) -> FloatArray:
    """Return the place where values (..., X) are smallest, (...). It is infinite if the last value is the
    smallest, and NaN if unknown.
    """
    at = values.argmin(axis=-1)
    place = np.where(at == len(x) - 1, np.inf, x[at])
    return np.where(np.isnan(values).any(axis=-1), np.nan, place)
