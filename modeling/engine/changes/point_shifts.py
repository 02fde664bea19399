"""The shifts of single points that all kernels of two campaigns share, such as those of a job on a slow node.

The shift of a point is first estimated by the centre of most kernels' deviations from their own medians. If
many kernels changed their growth, these centres err much, and their errors are correlated: the centres at all
large values of a parameter are then too large or too small together. So the errors' covariance is estimated
from the kernels' influence on the centres, and the shifts have the posterior mean under Gaussian priors of
several sizes, one of which is 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.changes.log_ratios import LogRatios
from modeling.engine.validation import BoolArray, FloatArray

POINT_KERNELS = 10
"""With at least this number of kernels, shifts of single points are distinguished from the kernels' own
scatter.
"""

NEAR = 4.0
"""Kernels count as near the shortest interval that contains half of all kernels if they are within this
multiple of its half width from its middle. Among normally distributed kernels, 99.3 % are near.
"""

SIZES = np.append(0.0, 0.003 * 2.0 ** np.arange(9))
"""Standard deviations that the shifts of points may have. All are equally likely, except for 0."""

NO_SHIFTS_PRIOR = 0.5
"""Prior probability that points have no shifts."""

COVARIANCE_KERNELS = 256
"""The largest number of kernels from which the covariance of the errors is estimated. A larger number would
cost time for campaigns of many points.
"""


@dataclass(frozen=True)
class Deviations:
    """What most of K kernels share at C points.

    Each kernel's `influence` is its part of the centre's error. So the errors of two centres have the
    covariance Σ_k influence_ck · influence_c'k.
    """

    known: BoolArray  # (C,) whether the point has enough kernels
    centre: FloatArray  # (known points,) centre of the kernels' deviations from their own medians
    influence: FloatArray  # (known points, K)


def point_shifts(parts: Sequence[LogRatios]) -> FloatArray:
    """Return the shifts of single points that all kernels share, (C,); 0 where there are too few kernels."""
    shared = shared_deviations(parts)
    found = np.zeros(len(shared.known))
    found[shared.known] = _posterior_mean(shared)
    return found


def shared_deviations(parts: Sequence[LogRatios]) -> Deviations:
    """Return the centre of the log ratios' deviations from the kernels' own medians at each point.

    The centre is not known at points with fewer than `POINT_KERNELS` kernels. If only one point has enough
    kernels, no centre is known.
    """
    d = np.concatenate([np.where(part.known, part.d, np.nan) for part in parts], axis=1)
    d = d[:, ~np.isnan(d).all(axis=0)]
    known = (~np.isnan(d)).sum(axis=1) >= POINT_KERNELS
    if known.sum() < 2:
        return Deviations(np.zeros_like(known), np.zeros(0), np.zeros((0, d.shape[1])))
    return Deviations(known, *_centre((d - np.nanmedian(d, axis=0))[known]))


def _centre(deviation: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the centre of most kernels' deviations (C, K) at each point, (C,), and the kernels' influence on
    it, (C, K).

    The shortest interval that holds half of the kernels (the shorth, Andrews et al. 1972) does not move if
    nearly half of the kernels changed their law, whereas the median does. The median of the kernels near this
    interval is as exact as the median of all kernels. A value moves the median of n normal ones by sqrt(π /
    2) · σ / n.
    """
    ascending = np.sort(deviation, axis=1)  # NaN last
    count = (~np.isnan(ascending)).sum(axis=1)
    first, last = np.zeros((2, len(count)))
    for place, (row, size) in enumerate(zip(ascending, count, strict=True)):
        half = size // 2 + 1
        start = int((row[half - 1 : size] - row[: size - half + 1]).argmin())
        first[place], last[place] = row[start], row[start + half - 1]
    middle, reach = (first + last)[:, None] / 2, NEAR * (last - first)[:, None] / 2
    near = abs(deviation - middle) <= reach
    used = np.where(near, deviation, np.nan)
    centre = np.nanmedian(used, axis=1)
    width = 1.4826 * np.nanmedian(abs(used - centre[:, None]), axis=1)
    moved = np.sqrt(np.pi / 2) * width / near.sum(axis=1)
    return centre, np.where(near, np.sign(deviation - centre[:, None]) * moved[:, None], 0.0)


def _posterior_mean(shared: Deviations) -> FloatArray:
    """Return the posterior mean of the shifts (C,), a mean over their `SIZES`.

    In the directions of the eigenvectors of the errors' covariance, all shifts and errors are independent.
    """
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
    """Return the eigenvectors (C, C) of the errors' covariance, and its eigenvalues (C,).

    With few kernels, the covariance is drawn towards independent errors of the same size.
    """
    points, kernels = influence.shape
    chosen = np.linspace(0, kernels - 1, min(kernels, COVARIANCE_KERNELS)).astype(int)
    axes, roots, _ = np.linalg.svd(influence[:, chosen], full_matrices=points > len(chosen))
    variance = np.zeros(points)
    variance[: len(roots)] = kernels / len(chosen) * roots**2
    return axes, (len(chosen) * variance + points * variance.mean()) / (len(chosen) + points)
