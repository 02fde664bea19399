"""Shifts of single points that all kernels of two campaigns share, as from a job on a slow node.

Each kernel's median over all points is subtracted from its log ratios. The *centre* of a point is the middle
of the remaining deviations of most kernels. It is a first estimate of the point's shift.

If many kernels changed their growth, the errors of the centres are large and correlated. So the covariance of
the errors is estimated. The shifts are posterior means under Gaussian priors of several sizes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.changes.log_ratios import LogRatios
from modeling.engine.validation import BoolArray, FloatArray

POINT_KERNELS = 10
"""Fewest kernels from which the shift of a point is estimated."""

NEAR_HALF_WIDTHS = 4.0
"""Kernels are near a centre within this multiple of an interval's half width. The interval is the shortest
one with half of the kernels. Of normally distributed deviations, 99.3 % are near.
"""

SIZES = np.append(0.0, 0.003 * 2.0 ** np.arange(9))
"""Standard deviations that the shifts of points may have. Those above 0 are equally likely."""

NO_SHIFTS_PRIOR = 0.5
"""Prior probability that no point has a shift."""

COVARIANCE_KERNELS = 256
"""Largest number of kernels from which the covariance of the errors is estimated, to save time."""


@dataclass(frozen=True)
class Deviations:
    """The deviations that most of K kernels share, at N of C points.

    The `influence` of a kernel on a centre is its contribution to the error of the centre. So the errors of
    the centres at points c and d have the covariance Σ_k influence[c, k] · influence[d, k].
    """

    known: BoolArray  # (C,) whether the centre of a point is known; true at N points
    centre: FloatArray  # (N,) centre of the kernels' deviations from their own medians
    influence: FloatArray  # (N, K) influence of each kernel on each centre


def point_shifts(parts: Sequence[LogRatios]) -> FloatArray:
    """Return the shifts of C points that all kernels in `parts` share, (C,); 0 at points with few kernels."""
    shared = shared_deviations(parts)
    found = np.zeros(len(shared.known))
    found[shared.known] = _posterior_mean(shared)
    return found


def shared_deviations(parts: Sequence[LogRatios]) -> Deviations:
    """Return the centres of the log ratios' deviations from the kernels' own medians.

    A centre is known at points with at least `POINT_KERNELS` kernels, if there are at least two such points.
    """
    d = np.concatenate([np.where(part.known, part.d, np.nan) for part in parts], axis=1)
    d = d[:, ~np.isnan(d).all(axis=0)]
    known = (~np.isnan(d)).sum(axis=1) >= POINT_KERNELS
    if known.sum() < 2:
        return Deviations(np.zeros_like(known), np.zeros(0), np.zeros((0, d.shape[1])))
    return Deviations(known, *_centre((d - np.nanmedian(d, axis=0))[known]))


def _centre(deviation: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the centre of the kernels' deviations at each point, and each kernel's influence on it.

    The centre is the median of the kernels near the shortest interval with half of the kernels (the shorth,
    Andrews et al. 1972). One value moves the median of n normal values by sqrt(π / 2) · σ / n.
    """
    ascending = np.sort(deviation, axis=1)  # NaN last
    count = (~np.isnan(ascending)).sum(axis=1)
    first, last = np.zeros((2, len(count)))
    for place, (row, size) in enumerate(zip(ascending, count, strict=True)):
        half = size // 2 + 1
        start = int((row[half - 1 : size] - row[: size - half + 1]).argmin())
        first[place], last[place] = row[start], row[start + half - 1]
    middle, reach = (first + last)[:, None] / 2, NEAR_HALF_WIDTHS * (last - first)[:, None] / 2
    near = abs(deviation - middle) <= reach
    used = np.where(near, deviation, np.nan)
    centre = np.nanmedian(used, axis=1)
    width = 1.4826 * np.nanmedian(abs(used - centre[:, None]), axis=1)
    moved = np.sqrt(np.pi / 2) * width / near.sum(axis=1)
    return centre, np.where(near, np.sign(deviation - centre[:, None]) * moved[:, None], 0.0)


def _posterior_mean(shared: Deviations) -> FloatArray:
    """Return the posterior means of the shifts, averaged over `SIZES`."""
    centre = shared.centre
    if not len(centre):
        return centre
    axes, variance = _error_axes(shared.influence)
    along = axes.T @ centre
    total = SIZES[:, None] ** 2 + np.maximum(variance, np.finfo(float).tiny)
    evidence = -0.5 * (np.log(total) + along**2 / total).sum(axis=1)
    probability = np.where(SIZES > 0, (1 - NO_SHIFTS_PRIOR) / (len(SIZES) - 1), NO_SHIFTS_PRIOR)
    probability = probability * np.exp(evidence - evidence.max())
    kept = probability @ (SIZES[:, None] ** 2 / total) / probability.sum()
    return np.asarray(axes @ (kept * along))


def _error_axes(influence: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvectors and the shrunk eigenvalues of the covariance of the centres' errors."""
    points, kernels = influence.shape
    chosen = np.linspace(0, kernels - 1, min(kernels, COVARIANCE_KERNELS)).astype(int)
    axes, roots, _ = np.linalg.svd(influence[:, chosen], full_matrices=points > len(chosen))
    variance = np.zeros(points)
    variance[: len(roots)] = kernels / len(chosen) * roots**2
    return axes, (len(chosen) * variance + points * variance.mean()) / (len(chosen) + points)
