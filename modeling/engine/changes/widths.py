"""The width of uniform noise, and how far the midrange of a point's repetitions may be from the true middle.

If noise has two sharp bounds, the true middle is within (width − range) / 2 of the midrange, and every value
there is equally likely. So a point whose repetitions have a *large* range is known well, and the width must
be known better than one point shows it. It is learned from all kernels together.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

EXCESS = np.geomspace(1e-4, 8.0, 64)
"""Values of width / range − 1 over which the width is integrated. Two repetitions reach half of the width on
average.
"""

USUAL_SPREAD, PRIOR_KERNELS = 0.5, 4.0
"""Prior standard deviation of the logarithms of widths, among kernels and among a kernel's points, and the
number of kernels with the same weight as this prior. With few kernels, every point then stands for itself.
"""

TAIL = 3.0
"""Degrees of freedom of Student's t distribution of widths around those of other points."""


@dataclass(frozen=True)
class Widths:
    """The distribution of the logarithms of widths: their mean, and their variances among kernels and among
    the points of a kernel.
    """

    mean: float = 0.0
    among: float = USUAL_SPREAD**2
    within: float = USUAL_SPREAD**2


def learned_widths(sides: list[tuple[FloatArray, IntArray]]) -> Widths:
    """Return the distribution of the widths that the ranges (K, C) of repetitions, relative to their middles,
    and the numbers of repetitions (K, C) of several campaigns show.

    The variances of the kernels' means, and of points around them, are reduced by what the ranges of few
    repetitions explain (analysis of variance).
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
    """Return the variance (K, C) of midranges, relative to their squares, given ranges and numbers of
    repetitions as in `learned_widths`.

    The width of a point has the prior of its kernel, which follows from the kernel's other points and from
    all kernels. n repetitions have the range R with the density ∝ R^(n − 2) (width − R) / width^n, and the
    variance given both is (width − R)² / 12. It is 0 for kernels whose repetitions never differ.
    """
    centre, variance = _priors(ranges, count, widths)
    found = np.zeros(ranges.shape)
    weight = np.gradient(np.log1p(EXCESS))
    for place, (of_point, n) in enumerate(zip(ranges.T, count.T, strict=True)):
        # Repetitions that all agree show only that the width may be small.
        least = np.where(of_point > 0, of_point, np.exp(centre[:, place]) / EXCESS[-1])[:, None]
        width = least * (1 + EXCESS)
        beyond = width - of_point[:, None]
        logs = np.log(beyond) - n[:, None] * np.log(width)
        square = (np.log(width) - centre[:, [place]]) ** 2 / variance[:, [place]]
        logs -= (TAIL + 1) / 2 * np.log1p(square / TAIL)
        likely = weight * np.exp(logs - logs.max(axis=1, keepdims=True))
        found[:, place] = (likely * beyond**2).sum(axis=1) / likely.sum(axis=1) / 12
    return np.where((ranges > 0).any(axis=1, keepdims=True), found, 0.0)


def _log_widths(ranges: FloatArray, count: IntArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the logarithms of widths that ranges show, their variances, and where they are known, (K, C)
    each.

    The range of n repetitions relative to the width has the beta distribution with n − 1 and 2.
    """
    known = (ranges > 0) & (count > 1)
    n = np.where(known, count, 2).astype(float)
    logs = np.log(np.where(known, ranges, 1.0)) + 1 / (n - 1) + 1 / n
    return np.where(known, logs, 0.0), np.where(known, 1 / (n - 1) ** 2 + 1 / n**2, 0.0), known


def _of_kernels(logs: FloatArray, error: FloatArray, known: BoolArray) -> tuple[FloatArray, ...]:
    """Return the means of the kernels' logarithms of widths, the variances of these means, the squares around
    them that errors do not explain, and their degrees of freedom, (K,) each, for kernels with a known width.
    """
    some = known.any(axis=1)
    logs, error, known = logs[some], error[some], known[some]
    points = known.sum(axis=1)
    mean = logs.sum(axis=1) / points
    total = error.sum(axis=1)
    squares = np.where(known, (logs - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return mean, total / points**2, squares - total * (points - 1) / points, points - 1.0


def _priors(ranges: FloatArray, count: IntArray, widths: Widths) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of the logarithm of each point's width given the kernel's other points, (K, C)
    each.
    """
    logs, error, known = _log_widths(ranges, count)
    precision = np.where(known, 1 / (error + widths.within), 0.0)
    of_others = precision.sum(axis=1, keepdims=True) - precision + 1 / widths.among
    sums = (precision * logs).sum(axis=1, keepdims=True) - precision * logs + widths.mean / widths.among
    return sums / of_others, 1 / of_others + widths.within
