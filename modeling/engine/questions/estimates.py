"""Medians and intervals of quantities that are computed for each draw of a posterior."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.results.posterior import share_of_draws
from modeling.engine.validation import FloatArray

INTERVAL_LEVEL = 0.95
"""The probability that an interval contains the true value."""

STEPS_A_DOUBLING = 8
"""`doublings` has this number of grid points for each factor of 2. Between them, quantities are interpolated
as powers. More grid points change the results by less than a percent; the time is proportional to their
number.
"""

NUMBERS_AT_ONCE = 2_000_000
"""The largest number of elements of one temporary array."""

_FIELDS = ("median", "lower", "upper")


@dataclass(frozen=True)
class Estimate:
    """The median of draws and both ends of their 95 % interval, which are NaN if there is a single draw."""

    median: FloatArray
    lower: FloatArray
    upper: FloatArray


def estimate(draws: FloatArray) -> Estimate:
    """Return the estimate (K, ...) from draws (K, S, ...), which may be infinite."""
    if draws.shape[1] == 1:
        unknown = np.full(draws[:, 0].shape, np.nan)
        return Estimate(draws[:, 0], unknown, unknown)
    tail = share_of_draws((1 - INTERVAL_LEVEL) / 2)
    lower, median, upper = np.quantile(draws, [tail, 0.5, 1 - tail], axis=1, method="inverted_cdf")
    return Estimate(median, lower, upper)


def in_parts(models: Models, points: int, answers: Callable[[Models], list[Estimate]]) -> list[Estimate]:
    """Compute estimates for some kernels at a time, to limit memory.

    Args:
        models: the models of K kernels.
        points: the number of points at which `answers` evaluates each draw.
        answers: takes the models of some kernels, and returns one or several estimates.

    Returns:
        The estimates that `answers` returns, for all kernels.
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
    """Return a grid from `first` to `last` with equal ratios, for `first_below` and `least`."""
    return np.geomspace(first, last, max(2, int(np.ceil(STEPS_A_DOUBLING * np.log2(last / first))) + 1))


def first_below(x: FloatArray, values: FloatArray, level: float) -> FloatArray:
    """Return the x at which values (..., X) first fall below a level, (...).

    The result is infinite if they never do, and NaN if a value is NaN.
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
    """Return the x at which values (..., X) are smallest, (...).

    The result is infinite if the last value is the smallest, and NaN if a value is NaN.
    """
    at = values.argmin(axis=-1)
    place = np.where(at == len(x) - 1, np.inf, x[at])
    return np.where(np.isnan(values).any(axis=-1), np.nan, place)
