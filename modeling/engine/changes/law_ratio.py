"""The ratio of two laws at any point, for kernels whose law may have changed.

Repetitions do not show the scatter between campaigns. So laws are fitted to locations (see `locations`), and
the variance of a location includes the scatter.
"""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from modeling.engine.changes.located import located
from modeling.engine.changes.locations import Location
from modeling.engine.deviations.processes import NUGGETS, processes
from modeling.engine.fitting import fit
from modeling.engine.modelers.evidence.sharing import KIND_NAMES
from modeling.engine.results.common import Common
from modeling.engine.validation import FloatArray

PAIRINGS = 8
"""Number of ways in which draws before and after are paired. More ways hardly change the intervals."""

POINTS_OF_LONGER_LAWS = 6
"""Smallest number of points with which longer laws are tried. With five points they did not change the errors
of ratios, and with noise of 50 % intervals contained 89 instead of 91 % of the ratios.
"""

RESTATED = 12
"""Number of artificial values that represent a point, see `restated`."""

DEVIATING_PRIOR = 0.1
"""Prior share of kernels that deviate from any law by more than the scatter."""

IMPOSSIBLE = 1e-250
"""Prior frequency of the kinds of noise that the values of `restated` never have."""

LEAST_SHARE = 0.02
"""Smallest share of a part of a mixture that the bounds of a ratio contain. With the quantiles of the mixture
instead, the bounds contained 91 % of the ratios of changed laws under uniform noise of 50 %.
"""

NORMAL_DRAWS = 128
"""Number of values that represent a Gaussian in a mixture with draws."""

Measured = tuple[FloatArray, FloatArray]
"""P points of m parameters (P, m), and R repetitions of K kernels at these points (K, P, R)."""


def law_draws(
    before: Measured, after: Measured, target: FloatArray, scatter: FloatArray, location: Location
) -> tuple[FloatArray, FloatArray]:
    """Return S draws of K log values before and after at a target, (K, S) each; NaN if unknown.

    Half of the draws have plain laws with deviations. The laws of the other half may have one more term, if
    there are enough points. Such longer laws describe times that first fall and then rise, as in strong
    scaling. With plain laws alone, ratios of such times are wrong by a factor of about 2. But a wrong longer
    law leaves no deviations, so its intervals are too narrow.

    Args:
        before, after: measurements without the shift.
        target: (1, m) a point of m parameters.
        scatter: (K,) variance of the scatter of a log ratio at a point.
        location: how repetitions are reduced to one value.
    """
    known = _frequencies(target.shape[1])
    old, new = (
        np.concatenate([_log_draws(at, values, target, known, longer) for longer in _lengths(at)], axis=1)
        for at, values in ((at, restated(each, scatter / 2, location)) for at, each in (before, after))
    )
    return old, new


def _lengths(points: FloatArray) -> tuple[bool, ...]:
    """Return for each part of the draws whether it may have longer laws."""
    return (False,) if len(points) < POINTS_OF_LONGER_LAWS else (False, True)


def restated(values: FloatArray, scatter: FloatArray, location: Location) -> FloatArray:
    """Replace repetitions (K, P, R) by artificial repetitions (K, P, `RESTATED`) that include the scatter.

    Their mean at each of P points of K kernels has the variance of the location plus the `scatter` (K,).
    """
    point = located(values, location)
    quantiles = even_normal(RESTATED)
    quantiles /= quantiles.std(ddof=1)
    deviation = np.sqrt(RESTATED * (point.noise + scatter[:, None]))
    return np.asarray(point.location[:, :, None] * np.exp(deviation[:, :, None] * quantiles))


def _frequencies(parameters: int) -> Common:
    """Return the common properties with which `fit` tries only log-normal noise and the smallest nugget."""
    frequency = dict.fromkeys(KIND_NAMES, IMPOSSIBLE)
    frequency |= {"log-normal": 1 - DEVIATING_PRIOR, "deviating": DEVIATING_PRIOR}
    every = tuple(frequency[name] for name in KIND_NAMES)
    among = processes(parameters)
    smooth = np.where(among.nugget <= NUGGETS[0], np.exp(among.log_prior), IMPOSSIBLE)
    by_process = tuple((smooth / smooth.sum()).tolist())
    return Common(by_scatter=every[:-1], by_evidence=every, by_process=by_process)


def law_ratio_draws(old: FloatArray, new: FloatArray, drift: float) -> FloatArray:
    """Return S draws of log(after / before) of K kernels, (K, S). `drift` is the variance of the drift."""
    size = min(old.shape[1], new.shape[1])
    steps = np.arange(0, new.shape[1], max(new.shape[1] // PAIRINGS, 1))
    ratios = np.concatenate([np.roll(new, step, axis=1)[:, :size] - old[:, :size] for step in steps], axis=1)
    return np.asarray(ratios + np.sqrt(drift) * shuffled_normal(ratios.shape[1]))


def mixed_ratio(
    draws: Sequence[FloatArray], shares: Sequence[FloatArray], effect: FloatArray, level: float
) -> FloatArray:
    """Return the median and both bounds of log ratios, which are a mixture of draws and a Gaussian, (K, 3).

    The bounds contain the interval of each part of the mixture with a share above `LEAST_SHARE`. The result
    is NaN for kernels with a positive share of draws that are all unknown.

    Args:
        draws: arrays of S draws of K kernels, (K, S) each; NaN if unknown.
        shares: the share of each array in the mixture, (K,) each.
        effect: (K, 2) mean and variance of the Gaussian, which has the remaining share.
        level: the probability between the bounds of each part.
    """
    normal = effect[:, :1] + np.sqrt(effect[:, 1:]) * even_normal(NORMAL_DRAWS)
    parts, every = [normal, *draws], np.stack([1 - np.sum(shares, axis=0), *shares])
    known = [~np.isnan(part) for part in parts]
    weights = [some / np.maximum(some.sum(axis=1, keepdims=True), 1) for some in known]
    joined = [share[:, None] * weight for share, weight in zip(every, weights, strict=True)]
    median = _quantiles(np.hstack(parts), np.hstack(joined), [0.5])
    wanted = [(1 - level) / 2, (1 + level) / 2]
    ends = np.stack([_quantiles(*each, wanted) for each in zip(parts, weights, strict=True)])
    likely = every > LEAST_SHARE
    low = np.where(likely, ends[:, :, 0], np.inf).min(axis=0)
    high = np.where(likely, ends[:, :, 1], -np.inf).max(axis=0)
    found = np.column_stack([median, low, high])
    unknown = [~some.any(axis=1) & (share > 0) for some, share in zip(known, every, strict=True)]
    found[np.any(unknown, axis=0)] = np.nan
    return found


def _quantiles(values: FloatArray, weights: FloatArray, wanted: Sequence[float]) -> FloatArray:
    """Return the values below which the shares `wanted` of weighted values lie, (K, shares).

    Values that are NaN must have the weight 0.
    """
    values = np.nan_to_num(values)
    order = values.argsort(axis=1)
    values, weights = (np.take_along_axis(each, order, axis=1) for each in (values, weights))
    below = np.cumsum(weights, axis=1) - weights / 2
    return np.stack([_interpolated(below, values, share) for share in wanted], axis=1)


def _interpolated(below: FloatArray, values: FloatArray, wanted: float) -> FloatArray:
    """Return the values below which the share `wanted` of a distribution lies."""
    after = np.clip((below < wanted).sum(axis=1), 1, below.shape[1] - 1)[:, None]
    low, high = (np.take_along_axis(below, after - step, axis=1)[:, 0] for step in (1, 0))
    first, last = (np.take_along_axis(values, after - step, axis=1)[:, 0] for step in (1, 0))
    part = np.clip((wanted - low) / np.maximum(high - low, np.finfo(float).tiny), 0.0, 1.0)
    return np.asarray(first + part * (last - first))


def even_normal(count: int) -> FloatArray:
    """Return `count` evenly spread quantiles of the standard normal distribution."""
    return np.array([NormalDist().inv_cdf((place + 0.5) / count) for place in range(count)])


def shuffled_normal(count: int) -> FloatArray:
    """Return the values of `even_normal` in a pseudo-random order, the same in every call."""
    return even_normal(count)[np.random.default_rng(0).permutation(count)]


def _log_draws(
    points: FloatArray, values: FloatArray, target: FloatArray, known: Common, longer: bool
) -> FloatArray:
    """Return the logarithms of the laws' draws at the target; NaN where unknown or not positive."""
    models = fit(points, values, common=known, longer=longer, trend=False)
    draws = models.draws(target)[:, :, 0]
    positive = np.isfinite(draws) & (draws > 0) & ~models.unknown(target)
    return np.log(np.where(positive, draws, np.nan))
