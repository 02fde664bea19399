"""The order in which Extra-P 4.2.5 suggests points (`extrap/mpa`), from its published source.

Lines of five values of each parameter from the small end come first; then, with several parameters, the
cheapest point off the lines; then the points with the least cost² / variance² of a Gaussian process over the
parameters scaled to 100 (Matérn 3/2 and white noise, fitted to the plain means by maximum likelihood). Costs
are the true ones, which Extra-P would have to predict.
"""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from modeling.engine.validation import FloatArray

LINE = 5
BOUNDS = np.log([(1e-5, 1e5)] * 3)
STARTS = ((0.0, 0.0, -4.0), (4.0, 3.0, -4.0), (8.0, 5.0, -8.0), (0.0, 8.0, 0.0), (10.0, 8.0, 4.0))
"""Logarithms of amplitude, length and noise from which the maximisation of the likelihood starts; Extra-P
draws 20."""


def suggested(
    points: FloatArray, means: FloatArray, costs: FloatArray, known: Sequence[int], left: Sequence[int]
) -> int:
    """The point of `left` that Extra-P would measure after those `known`; means (P,) are of the total."""
    short = _on_short_lines(points, known, left)
    if short:
        return min(short, key=lambda at: float(np.log(points[at]).sum()))
    if points.shape[1] > 1 and not _off_lines(points, known):
        return min(left, key=lambda at: float(costs[at]))
    variance = _variance(points, means, known, left)
    rated = costs[list(left)] ** 2 / np.maximum(variance, np.finfo(float).tiny) ** 2
    return left[int(np.argmin(rated))]


def _on_short_lines(points: FloatArray, known: Sequence[int], left: Sequence[int]) -> list[int]:
    """Points that continue the longest known line of a parameter which has fewer than five points."""
    found: list[int] = []
    for axis in range(points.shape[1]):
        lines = [_line(points, at, axis, known) for at in known]
        longest = max(lines, key=len)
        if len(longest) < LINE:
            found += _line(points, longest[0], axis, left)
    return found


def _line(points: FloatArray, through: int, axis: int, some: Sequence[int]) -> list[int]:
    """Those of `some` that differ from a point in one parameter at most."""
    same = np.delete(points, axis, axis=1) == np.delete(points[through], axis)
    return [at for at in some if same[at].all()]


def _off_lines(points: FloatArray, known: Sequence[int]) -> bool:
    base = points[list(known)].min(axis=0)
    return bool(((points[list(known)] != base).sum(axis=1) > 1).any())


def _variance(points: FloatArray, means: FloatArray, known: Sequence[int], left: Sequence[int]) -> FloatArray:
    """Variance of the fitted process at the points that are left."""
    scaled = points * 100 / points[list(known)].max(axis=0)
    here, there, y = scaled[list(known)], scaled[list(left)], means[list(known)]
    fits = [minimize(_misfit, start, args=(here, y), bounds=BOUNDS, method="L-BFGS-B") for start in STARTS]
    amplitude, length, noise = np.exp(min(fits, key=lambda found: float(found.fun)).x)
    inner = amplitude * _matern(here, here, length) + (noise + 1e-10) * np.eye(len(here))
    outer = amplitude * _matern(there, here, length)
    explained = np.einsum("ij,ji->i", outer, np.linalg.solve(inner, outer.T))
    return np.asarray(amplitude + noise - explained)


def _misfit(logs: FloatArray, points: FloatArray, y: FloatArray) -> float:
    """Negative log marginal likelihood."""
    amplitude, length, noise = np.exp(logs)
    covariance = amplitude * _matern(points, points, length) + (noise + 1e-10) * np.eye(len(points))
    try:
        factor = cho_factor(covariance, lower=True)
    except np.linalg.LinAlgError:
        return 1e25
    return float(y @ cho_solve(factor, y) / 2 + np.log(np.diag(factor[0])).sum())


def _matern(one: FloatArray, other: FloatArray, length: float) -> FloatArray:
    distance = np.sqrt(3) * np.sqrt(((one[:, None] - other[None]) ** 2).sum(axis=2)) / length
    return np.asarray((1 + distance) * np.exp(-distance))
