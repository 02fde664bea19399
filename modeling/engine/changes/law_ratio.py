"""The ratio of two laws at any point, for kernels whose law may have changed.

The repetitions of one campaign scatter less than values do from campaign to campaign, so laws fitted to them
are too certain. Therefore laws are fitted to values that are spread by the scatter found in the comparison.
"""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from modeling.engine.fitting import fit
from modeling.engine.results.models import Models
from modeling.engine.validation import FloatArray

PAIRINGS = 8
"""The number of ways in which draws of both laws are paired. More cost time and hardly move the bounds."""

Measured = tuple[FloatArray, FloatArray]
"""Points (P, m) and values (K, P, R)."""


def law_draws(
    before: Measured, after: Measured, target: FloatArray, scatter: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Equally likely logarithms of the values before and after at the target (1, m), (K, S) each; NaN where
    unknown.

    Args:
        before, after: the measurements, without the campaign's shift.
        target: as in `compare`.
        scatter: (K,) variance of a log ratio at a point beyond what repetitions show.
    """
    laws = [fit(points, spread(values, scatter / 2), trend=False) for points, values in (before, after)]
    old, new = (_log_draws(models, target) for models in laws)
    return old, new


def law_ratio_draws(old: FloatArray, new: FloatArray, drift: float) -> FloatArray:
    """Equally likely logarithms of after / before (K, S) of draws of `law_draws`.

    `drift` is the variance of a log ratio that all points of a kernel share.
    """
    size = min(old.shape[1], new.shape[1])
    steps = np.arange(0, new.shape[1], max(new.shape[1] // PAIRINGS, 1))
    ratios = np.concatenate([np.roll(new, step, axis=1)[:, :size] - old[:, :size] for step in steps], axis=1)
    return np.asarray(ratios + np.sqrt(drift) * shuffled_normal(ratios.shape[1]))


def mixed_ratio(
    draws: Sequence[FloatArray], shares: Sequence[FloatArray], effect: FloatArray, level: float
) -> FloatArray:
    """Median and bounds (K, 3) of logarithms that are one of some draws (K, S) with the probability that is
    their share (K,), else Gaussian with the mean and variance `effect` (K, 2).

    They are NaN where draws that may be right are unknown.
    """
    count = max(each.shape[1] for each in draws)
    values = [effect[:, :1] + np.sqrt(effect[:, 1:]) * even_normal(count)]
    weights = [np.repeat((1 - np.sum(shares, axis=0))[:, None] / count, count, axis=1)]
    unknown = np.zeros(len(effect), bool)
    for each, share in zip(draws, shares, strict=True):
        known = ~np.isnan(each)
        values.append(np.where(known, each, 0.0))
        weights.append(share[:, None] * known / np.maximum(known.sum(axis=1, keepdims=True), 1))
        unknown |= ~known.any(axis=1) & (share > 0)
    joined, weight = np.concatenate(values, axis=1), np.concatenate(weights, axis=1)
    order = joined.argsort(axis=1)
    joined, weight = (np.take_along_axis(each, order, axis=1) for each in (joined, weight))
    below = np.cumsum(weight, axis=1) - weight / 2
    wanted = np.array([0.5, (1 - level) / 2, (1 + level) / 2])
    found = np.stack([_interpolated(below, joined, share_below) for share_below in wanted], axis=1)
    found[unknown] = np.nan
    return found


def _interpolated(below: FloatArray, values: FloatArray, wanted: float) -> FloatArray:
    """Return values below which the share `wanted` lies, (K,), given the shares `below` ordered values (K,
    S).
    """
    after = np.clip((below < wanted).sum(axis=1), 1, below.shape[1] - 1)[:, None]
    low, high = (np.take_along_axis(below, after - step, axis=1)[:, 0] for step in (1, 0))
    first, last = (np.take_along_axis(values, after - step, axis=1)[:, 0] for step in (1, 0))
    part = np.clip((wanted - low) / np.maximum(high - low, np.finfo(float).tiny), 0.0, 1.0)
    return np.asarray(first + part * (last - first))


def even_normal(count: int) -> FloatArray:
    """Return `count` evenly spread quantiles of the standard normal distribution."""
    return np.array([NormalDist().inv_cdf((place + 0.5) / count) for place in range(count)])


def shuffled_normal(count: int) -> FloatArray:
    """The same in an order that has nothing to do with that of draws."""
    return even_normal(count)[np.random.default_rng(0).permutation(count)]


def spread(values: FloatArray, variance: FloatArray) -> FloatArray:
    """Return values (K, P, R) with more scattered repetitions, so that the variance of their mean grows by
    `variance` (K,).

    Normal quantiles are added to the logarithms, in another order at every point. A value that was measured
    once becomes two.
    """
    single = (~np.isnan(values)).sum(axis=2) == 1
    if single.any():
        twin = np.where(single, np.nanmax(np.where(np.isnan(values), -np.inf, values), axis=2), np.nan)
        values = np.concatenate([values, twin[:, :, None]], axis=2)
    known = ~np.isnan(values)
    count = known.sum(axis=2, keepdims=True)
    order = (np.cumsum(known, axis=2) - 1 + np.arange(values.shape[1])[:, None]) % np.maximum(count, 1)
    table = _normal_quantiles(values.shape[2])
    return np.asarray(values * np.exp(np.sqrt(count * variance[:, None, None]) * table[count, order]))


def _normal_quantiles(most: int) -> FloatArray:
    """Return a table whose row n holds n evenly spread normal quantiles with the sample variance 1."""
    table = np.zeros((most + 1, most + 1))
    for count in range(2, most + 1):
        row = even_normal(count)
        table[count, :count] = row / row.std(ddof=1)
    return table


def _log_draws(models: Models, target: FloatArray) -> FloatArray:
    """Return logarithms of the draws at the target, (K, S); NaN where a value is unknown or not positive."""
    draws = models.draws(target)[:, :, 0]
    known = np.isfinite(draws) & (draws > 0) & ~np.isnan(models.interval(target)[0])
    return np.log(np.where(known, draws, np.nan))
