"""The width of uniform noise, and the error of the midrange of a point's repetitions.

The middle of uniform noise is at most (width − range) / 2 from the midrange, and equally likely within this
distance. So a *large* range makes the midrange certain.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

EXCESS = np.geomspace(1e-4, 8.0, 64)
"""Values of width / range − 1 over which the unknown width is integrated."""

USUAL_SPREAD, PRIOR_KERNELS = 0.5, 4.0
"""Prior standard deviation of log widths, among kernels and among points, and its weight in kernels."""

TAIL_FREEDOM = 3.0
"""Degrees of freedom of Student's t distribution of a point's log width around those of other points."""


@dataclass(frozen=True)
class Widths:
    """Distribution of the logarithms of widths."""

    mean: float = 0.0
    among: float = USUAL_SPREAD**2  # variance among kernels
    within: float = USUAL_SPREAD**2  # variance among the points of a kernel


def learned_widths(sides: list[tuple[FloatArray, IntArray]]) -> Widths:
    """Learn the distribution of widths from the ranges of repetitions.

    The variance of the errors is subtracted from that of the estimated widths (analysis of variance).

    Args:
        sides: (K, C) ranges relative to midranges, and numbers of repetitions, of K kernels at C points.
    """
    kernels = [_of_kernels(*_log_widths(*side)) for side in sides]
    mean, error, squares, freedom = (np.concatenate(each) for each in zip(*kernels, strict=True))
    if not len(mean):
        return Widths()
    prior = PRIOR_KERNELS * USUAL_SPREAD**2
    within = (max(squares.sum(), 0.0) + prior) / (freedom.sum() + PRIOR_KERNELS)
    explained = error + within / (freedom + 1)
    excess = ((mean - mean.mean()) ** 2 - explained).sum()
    among = (max(excess, 0.0) + prior) / (len(mean) + PRIOR_KERNELS)
    return Widths(float(mean.mean()), float(among), float(within))


def midrange_variance(ranges: FloatArray, count: IntArray, widths: Widths) -> FloatArray:
    """Return the relative variances of midranges, (K, C); 0 if the repetitions of a kernel never differ.

    The prior of a point's width comes from the kernel's other points and from all kernels. For n repetitions,
    the range R has a density ∝ R^(n − 2) (width − R) / width^n. Given the width and R, the midrange has the
    variance (width − R)² / 12.

    Args:
        ranges: (K, C) ranges of the repetitions of K kernels at C points, relative to their midranges.
        count: (K, C) numbers of repetitions.
        widths: the distribution of widths.
    """
    centre, variance = _priors(ranges, count, widths)
    found = np.zeros(ranges.shape)
    weight = np.gradient(np.log1p(EXCESS))
    for place, (of_point, n) in enumerate(zip(ranges.T, count.T, strict=True)):
        # If all repetitions are equal, the width may be nearly 0.
        least = np.where(of_point > 0, of_point, np.exp(centre[:, place]) / EXCESS[-1])[:, None]
        width = least * (1 + EXCESS)
        beyond = width - of_point[:, None]
        logs = np.log(beyond) - n[:, None] * np.log(width)
        square = (np.log(width) - centre[:, [place]]) ** 2 / variance[:, [place]]
        logs -= (TAIL_FREEDOM + 1) / 2 * np.log1p(square / TAIL_FREEDOM)
        likely = weight * np.exp(logs - logs.max(axis=1, keepdims=True))
        found[:, place] = (likely * beyond**2).sum(axis=1) / likely.sum(axis=1) / 12
    return np.where((ranges > 0).any(axis=1, keepdims=True), found, 0.0)


def _log_widths(ranges: FloatArray, count: IntArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return estimates of the log widths from ranges, their variances, and whether they are known.

    The range of n repetitions, relative to the width, has the beta distribution with parameters n − 1 and 2.
    """
    known = (ranges > 0) & (count > 1)
    n = np.where(known, count, 2).astype(float)
    logs = np.log(np.where(known, ranges, 1.0)) + 1 / (n - 1) + 1 / n
    return np.where(known, logs, 0.0), np.where(known, 1 / (n - 1) ** 2 + 1 / n**2, 0.0), known


def _of_kernels(logs: FloatArray, error: FloatArray, known: BoolArray) -> tuple[FloatArray, ...]:
    """Return mean, error of the mean, sum of squares and degrees of freedom of each kernel's log widths."""
    some = known.any(axis=1)
    logs, error, known = logs[some], error[some], known[some]
    points = known.sum(axis=1)
    mean = logs.sum(axis=1) / points
    total = error.sum(axis=1)
    squares = np.where(known, (logs - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return mean, total / points**2, squares - total * (points - 1) / points, points - 1.0


def _priors(ranges: FloatArray, count: IntArray, widths: Widths) -> tuple[FloatArray, FloatArray]:
    """Return the prior mean and variance of each point's log width, given the kernel's other points."""
    logs, error, known = _log_widths(ranges, count)
    precision = np.where(known, 1 / (error + widths.within), 0.0)
    of_others = precision.sum(axis=1, keepdims=True) - precision + 1 / widths.among
    sums = (precision * logs).sum(axis=1, keepdims=True) - precision * logs + widths.mean / widths.among
    return sums / of_others, 1 / of_others + widths.within
