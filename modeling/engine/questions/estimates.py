"""Quantities derived from laws, with the interval that the draws of the posterior leave them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.results.posterior import share_of_draws
from modeling.engine.validation import FloatArray

INTERVAL_LEVEL = 0.95
"""Of all intervals."""

STEPS_A_DOUBLING = 8
"""Places in every doubling where limits are looked for: between them quantities are taken for powers."""

NUMBERS_AT_ONCE = 2_000_000
"""Numbers of one temporary array."""

_FIELDS = ("median", "lower", "upper")


@dataclass(frozen=True)
class Estimate:
    """Median and 95 % interval over the posterior; the bounds are NaN where a single law is all there is."""

    median: FloatArray
    lower: FloatArray
    upper: FloatArray


def estimate(draws: FloatArray) -> Estimate:
    """Over the draws (K, S, ...); they may be infinite, so nothing is interpolated."""
    if draws.shape[1] == 1:
        unknown = np.full(draws[:, 0].shape, np.nan)
        return Estimate(draws[:, 0], unknown, unknown)
    tail = share_of_draws((1 - INTERVAL_LEVEL) / 2)
    lower, median, upper = np.quantile(draws, [tail, 0.5, 1 - tail], axis=1, method="inverted_cdf")
    return Estimate(median, lower, upper)


def in_parts(models: Models, points: int, answers: Callable[[Models], list[Estimate]]) -> list[Estimate]:
    """Estimates of all kernels, worked out for as many at once as memory bears.

    `points` are at how many the answers evaluate every draw.
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
    """Where limits are looked for: evenly in the logarithm from the first value to the last."""
    return np.geomspace(first, last, max(2, int(np.ceil(STEPS_A_DOUBLING * np.log2(last / first))) + 1))


def first_below(x: FloatArray, values: FloatArray, level: float) -> FloatArray:
    """Where values (..., X) first fall below a level, (...): infinite if never, NaN if they are not known."""
    below = values < level
    at = np.maximum(below.argmax(axis=-1), 1)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        before, after = (np.log(np.take_along_axis(values, which, axis=-1))[..., 0] for which in (at - 1, at))
        part = np.clip((before - np.log(level)) / (before - after), 0.0, 1.0)
    found = x[at[..., 0] - 1] * (x[at[..., 0]] / x[at[..., 0] - 1]) ** part
    found = np.where(below[..., 0], x[0], np.where(below.any(axis=-1), found, np.inf))
    return np.where(np.isnan(values).any(axis=-1), np.nan, found)


def least(x: FloatArray, values: FloatArray) -> FloatArray:
    """Where values (..., X) are least, (...): infinite if at the end, NaN if they are not known."""
    at = values.argmin(axis=-1)
    found = np.where(at == len(x) - 1, np.inf, x[at])
    return np.where(np.isnan(values).any(axis=-1), np.nan, found)
