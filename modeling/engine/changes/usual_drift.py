"""The drift that earlier campaigns of the same application and machine show.

Two campaigns cannot distinguish a burst of load from a change of code, but a third campaign can. After a
change of code, a kernel agrees with the previous or with the next campaign. During a burst, it agrees with
neither. So the smaller difference from these two campaigns is drift.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.changes.level_mixture import HEAVY_TAILS_PRIOR, TAILS, Spread
from modeling.engine.changes.located import best_location, placed
from modeling.engine.changes.repetitions import ordered
from modeling.engine.validation import FloatArray

SCALES = 0.002 * 2.0 ** np.arange(11)
"""Standard deviations of the Gaussians in the distribution of drift, from 0.2 % to a factor of 8."""

PRIOR_WEIGHT = 10.0
"""Number of differences with the same weight as the prior distribution."""

MEDIAN_OF_NORMAL = 0.6745
"""The median of |z| for a standard normal z."""

ROUNDS = 50
"""Number of rounds of expectation maximization."""

LARGE_LEVEL, GROWTH_SPREAD = 0.2, 0.25
"""A difference is a change of growth, not drift, if the level is above `LARGE_LEVEL`, and the standard
deviation of the log ratios is above `GROWTH_SPREAD` times the level.
"""

MAIN_PART = 0.95
"""Total share of the narrowest Gaussians, whose variance is that of drift. Rare bursts are ignored."""

MEDIAN_EXCESS = np.pi / 2
"""Variance of the median of many normal values, relative to that of their mean."""


@dataclass(frozen=True)
class UsualDrift:
    """The distribution of a kernel's drift between two campaigns."""

    tail: Spread  # distribution of drift / scale
    scale: float  # median of the standard deviations in the mixture

    @property
    def variance(self) -> float:
        """Variance of the main part of the distribution of drift / scale."""
        shares, scales = self.tail
        main = np.cumsum(shares) - shares < MAIN_PART
        return float(shares[main] @ scales[main] ** 2 / shares[main].sum())


def usual_drift(campaigns: Sequence[FloatArray], unchanged: ArrayLike = False) -> UsualDrift | None:
    """Return the drift that campaigns show; None if no difference is known to be drift.

    Args:
        campaigns: R repetitions of K kernels at C points (K, C, R) for each campaign, the oldest first, NaN
            where missing. R may differ. The last campaign may be the one that is to be compared.
        unchanged: whether each kernel is known to be unchanged from each campaign to the next, broadcast to
            (campaigns − 1, K).
    """
    differences, variances = _differences(campaigns, unchanged)
    if not len(differences):
        return None
    total = variances[:, None] + SCALES**2
    logs = -0.5 * (np.log(total) + differences[:, None] ** 2 / total)
    likelihood = np.exp(logs - logs.max(axis=1, keepdims=True))
    prior = _prior(float(np.median(abs(differences))))
    shares = np.full(len(SCALES), 1 / len(SCALES))
    for _ in range(ROUNDS):
        weights = likelihood * shares
        weights /= weights.sum(axis=1, keepdims=True)
        shares = (weights.sum(axis=0) + PRIOR_WEIGHT * prior) / (len(weights) + PRIOR_WEIGHT)
    # The differences show the drift of one campaign, but a comparison has that of two. The larger drift
    # counts, so the distribution function is squared.
    shares = np.diff(np.cumsum(shares) ** 2, prepend=0.0)
    scale = float(SCALES[np.searchsorted(np.cumsum(shares), 0.5)])
    return UsualDrift((shares, np.asarray(SCALES / scale)), scale)


def _differences(campaigns: Sequence[FloatArray], unchanged: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the differences that are drift, and their variances due to noise.

    A difference is the median of a kernel's log ratios over points. The smaller one of the differences from
    both neighbouring campaigns is drift. All differences of `unchanged` kernels are drift. Changes of growth
    are left out. The largest of the smaller differences is left out, too: it may be a change that was
    taken back.
    """
    if len(campaigns) < 2:
        return np.zeros(0), np.zeros(0)
    sides = [ordered(values) for values in campaigns]
    location = best_location(list(pairwise(sides)), sum(len(values) for values in campaigns))
    found = [placed(side, location) for side in sides]
    logs = np.array([np.log(np.where(each.location > 0, each.location, np.nan)) for each in found])
    noise = np.array([each.noise for each in found])
    steps, of_steps = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # medians of kernels that one campaign lacks
        for first, second in pairwise(range(len(logs))):
            d = logs[second] - logs[first]
            d = d - np.nanmedian(d, axis=0)
            points = (~np.isnan(d)).sum(axis=1)
            level = np.nanmedian(d, axis=1)
            grew = (abs(level) > LARGE_LEVEL) & (np.nanstd(d, axis=1) > GROWTH_SPREAD * abs(level))
            steps.append(np.where(grew, np.nan, level))
            variance = np.where(np.isnan(d), 0.0, noise[first] + noise[second]).sum(axis=1)
            of_steps.append(variance / np.maximum(points, 1) ** 2 * np.where(points > 2, MEDIAN_EXCESS, 1.0))
    step, variance = np.array(steps), np.array(of_steps)
    nearer = abs(step[1:]) < abs(step[:-1])
    isolated = [np.where(nearer, each[1:], each[:-1]) for each in (step, variance)]
    inner = ~np.isnan(step[1:]) & ~np.isnan(step[:-1])
    if inner.any():
        inner.flat[np.where(inner, abs(isolated[0]), -1.0).argmax()] = False
    known = np.broadcast_to(unchanged, step.shape) & ~np.isnan(step)
    differences, variances = (
        np.concatenate([one[inner], every[known]])
        for one, every in zip(isolated, (step, variance), strict=True)
    )
    return differences, variances


def _prior(median: float) -> FloatArray:
    """Return the prior shares of `SCALES`, which represent `TAILS` with this median."""
    shares = np.zeros(len(SCALES))
    for (weights, scales), probability in zip(TAILS, (1 - HEAVY_TAILS_PRIOR, HEAVY_TAILS_PRIOR), strict=True):
        middle = max(median, SCALES[0] / 2) / MEDIAN_OF_NORMAL
        nearest = np.rint(np.log2(middle * scales / SCALES[0])).astype(int).clip(0, len(SCALES) - 1)
        np.add.at(shares, nearest, probability * weights)
    return shares
