"""Medians and intervals of quantities computed for each draw of a posterior."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.results.posterior import share_of_draws
from modeling.engine.validation import FloatArray

INTERVAL_LEVEL = 0.95
"""Probability that an interval contains the true value."""

STEPS_A_DOUBLING = 8
"""Grid points of `doublings` for each factor of 2. More points change results by less than a percent."""

NUMBERS_AT_ONCE = 2_000_000
"""Largest number of elements of a temporary array."""

_FIELDS = ("median", "lower", "upper")


@dataclass(frozen=True)
class Estimate:
    """The median of draws and both ends of their 95 % interval; NaN ends for a single draw."""

    median: FloatArray
    lower: FloatArray
    upper: FloatArray


def estimate(draws: FloatArray) -> Estimate:
    """Return the estimates for K kernels, (K, ...), from S draws (K, S, ...), which may be infinite."""
    if draws.shape[1] == 1:
        unknown = np.full(draws[:, 0].shape, np.nan)
        return Estimate(draws[:, 0], unknown, unknown)
    tail = share_of_draws((1 - INTERVAL_LEVEL) / 2)
    lower, median, upper = np.quantile(draws, [tail, 0.5, 1 - tail], axis=1, method="inverted_cdf")
    return Estimate(median, lower, upper)


def in_parts(models: Models, points: int, answers: Callable[[Models], list[Estimate]]) -> list[Estimate]:
    """Return the estimates of `answers` for all kernels, computed for some kernels at a time to limit memory.

    Args:
        models: models of K kernels.
        points: number of points at which `answers` evaluates each draw.
        answers: returns estimates for models of some kernels.
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
    """Return a grid from `first` to `last` with equal ratios."""
    return np.geomspace(first, last, max(2, int(np.ceil(STEPS_A_DOUBLING * np.log2(last / first))) + 1))


def first_below(x: FloatArray, values: FloatArray, level: float) -> FloatArray:
    """Return where on the grid `x` (X,) the `values` (..., X) first fall below the `level`, (...).

    Between grid points, values are interpolated as powers of x. The result is infinite if no value is below
    the level, and NaN if a value is NaN.
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
    """Return where on the grid `x` (X,) the `values` (..., X) are smallest, (...).

    The result is infinite if the last value is the smallest, and NaN if a value is NaN.
    """
    at = values.argmin(axis=-1)
    place = np.where(at == len(x) - 1, np.inf, x[at])
    return np.where(np.isnan(values).any(axis=-1), np.nan, place)
