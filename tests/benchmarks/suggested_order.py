"""The order in which Extra-P 4.2.5 suggests points (`extrap/mpa`), written from its published source.

First come lines of five values of each parameter, beginning at the smallest values. With several parameters,
the cheapest point outside of these lines comes next. All further points have the smallest cost² / variance²
of a Gaussian process. The process is over the parameters, scaled to 100; it has a Matérn 3/2 kernel and white
noise, and is fitted to the means by maximum likelihood. Costs are the true ones, which Extra-P itself would
have to predict.
"""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from modeling.engine.validation import FloatArray

LINE = 5
BOUNDS = np.log([(1e-5, 1e5)] * 3).tolist()
STARTS = ((0.0, 0.0, -4.0), (4.0, 3.0, -4.0), (8.0, 5.0, -8.0), (0.0, 8.0, 0.0), (10.0, 8.0, 4.0))
"""Logarithms of amplitude, length and noise from which the likelihood is maximised. Extra-P draws 20 such
starts.
"""


def suggested(
    points: FloatArray, means: FloatArray, costs: FloatArray, known: Sequence[int], left: Sequence[int]
) -> int:
    """Return the point of `left` that Extra-P would measure after the `known` ones. The means (P,) are of the
    total.
    """
    short = _on_short_lines(points, known, left)
    if short:
        return min(short, key=lambda at: float(np.log(points[at]).sum()))
    if points.shape[1] > 1 and not _off_lines(points, known):
        return min(left, key=lambda at: float(costs[at]))
    variance = _variance(points, means, known, left)
    rated = costs[list(left)] ** 2 / np.maximum(variance, np.finfo(float).tiny) ** 2
    return left[int(np.argmin(rated))]


def _on_short_lines(points: FloatArray, known: Sequence[int], left: Sequence[int]) -> list[int]:
    """Return the points that continue a parameter's longest known line, if this line has fewer than five
    points.
    """
    found: list[int] = []
    for axis in range(points.shape[1]):
        lines = [_line(points, at, axis, known) for at in known]
        longest = max(lines, key=len)
        if len(longest) < LINE:
            found += _line(points, longest[0], axis, left)
    return found


def _line(points: FloatArray, through: int, axis: int, some: Sequence[int]) -> list[int]:
    """Return the points of `some` that differ from the given point at most in one parameter."""
    same = np.delete(points, axis, axis=1) == np.delete(points[through], axis)
    return [at for at in some if same[at].all()]


def _off_lines(points: FloatArray, known: Sequence[int]) -> bool:
    base = points[list(known)].min(axis=0)
    return bool(((points[list(known)] != base).sum(axis=1) > 1).any())


def _variance(points: FloatArray, means: FloatArray, known: Sequence[int], left: Sequence[int]) -> FloatArray:
    """Return the variance of the fitted process at the points that are left."""
    scaled = points * 100 / points[list(known)].max(axis=0)
    here, there, y = scaled[list(known)], scaled[list(left)], means[list(known)]
    fits = [minimize(_misfit, start, args=(here, y), bounds=BOUNDS, method="L-BFGS-B") for start in STARTS]
    amplitude, length, noise = np.exp(min(fits, key=lambda found: float(found.fun)).x)
    inner = amplitude * _matern(here, here, length) + (noise + 1e-10) * np.eye(len(here))
    outer = amplitude * _matern(there, here, length)
    explained = np.einsum("ij,ji->i", outer, np.linalg.solve(inner, outer.T))
    return np.asarray(amplitude + noise - explained)


def _misfit(logs: FloatArray, points: FloatArray, y: FloatArray) -> float:
    """Return the negative logarithm of the marginal likelihood."""
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
