"""Draw coefficients ≥ 0 around the best coefficients of a law, and return the density of each draw."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import ndtr, ndtri

from modeling.engine.modelers.evidence.hypotheses.gaussian import triangles
from modeling.engine.validation import FloatArray, IntArray

_LEAST = 1e-7
"""A draw has the weight 0 if one of its coefficients had less than this probability of being positive."""

_JITTER = 1e-9


@dataclass(frozen=True)
class Centres:
    """The normal distributions of n coefficients of B laws, not yet cut at 0.

    Attributes:
        mean: the means, (n, B); 0 for absent coefficients.
        precision: the inverse covariance matrices, (n, n, B); 0 for absent coefficients.
    """

    mean: FloatArray
    precision: FloatArray

    def part(self, laws: slice) -> "Centres":
        """Return the centres of some of the laws only."""
        return Centres(self.mean[:, laws], self.precision[..., laws])


@dataclass(frozen=True)
class WeightedDraws:
    """S weighted draws of each of K kernels, over all kinds of noise.

    Attributes:
        classes: the classes of B laws with T terms of m parameters, (T, m, B).
        law: the index of each draw's law, (S, K).
        coefficients: the coefficients of each draw, (T + 1, S, K).
        weights: the weights of the draws, (S, K).
        level: the level of the noise, as in `sampling.Draws`, (S, K).
        family: the index of each draw's kind of noise in `sharing.KIND_NAMES`, (S,).
    """

    classes: IntArray
    law: IntArray
    coefficients: FloatArray
    weights: FloatArray
    level: FloatArray
    family: IntArray

    def of_laws(self, values: FloatArray) -> FloatArray:
        """Sum values of S draws of K kernels, (S, K), over the draws of each of B laws, (B,)."""
        total = np.bincount(self.law.ravel(), values.ravel(), minlength=self.classes.shape[2])
        return np.asarray(total, dtype=float)


@cache
def lattice(count: int, dimensions: int) -> FloatArray:
    """Return `count` evenly spread numbers in (0, 1) in each dimension, (dimensions, count), by Kronecker's
    lattice.
    """
    root = 2.0
    for _ in range(40):
        root = (1 + root) ** (1 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1)
    return np.asarray((0.5 + steps[:, None] * np.arange(1, count + 1)) % 1)


@cache
def balanced(count: int) -> FloatArray:
    """Return `count` evenly spread quantiles of the normal distribution, in an irregular order."""
    order = np.argsort(np.argsort(lattice(count, 1)[0]))
    return np.asarray(ndtri((order + 0.5) / count))


def draw(centres: Centres, law: IntArray) -> tuple[FloatArray, FloatArray]:
    """Draw the n coefficients of laws, (n, S, K), and compute log(1 / density) of each draw, (S, K). `law`
    (S, K) has the indices of the laws of S draws for each of K kernels.

    The distribution is normal around each law's centre and cut at 0. Coefficients are drawn one after the
    other, the constant last (the simulator of Geweke, Hajivassiliou and Keane).
    """
    n = len(centres.mean)
    diagonal = np.stack([centres.precision[i, i] for i in range(n)])
    absent = diagonal <= 0
    unit = 1 / np.sqrt(np.where(absent, 1.0, diagonal))
    root = _root_of_covariance(centres.precision, unit)
    uniform = lattice(len(law), n)[:, :, None]
    normal = np.empty((n, *law.shape))
    coefficients = np.empty((n, *law.shape))
    log_weight = np.zeros(law.shape)
    for i in reversed(range(n)):
        deviation = root[i][i]
        width = deviation * unit[i]
        middle = centres.mean[i] / unit[i] / deviation
        known = np.where(absent[i], 0.0, np.log(width * np.sqrt(2 * np.pi)))
        if i == n - 1:
            # The last coefficient is drawn first. It depends on no other coefficient, so its
            # bounds are the same in all draws of a law.
            below, log_above = (each.take(law) for each in _below_zero(middle))
            middle = middle.take(law)
        else:
            middle = middle.take(law)
            for j in range(i + 1, n):
                middle += (root[j][i] / deviation).take(law) * normal[j]
            below, log_above = _below_zero(middle)
        normal[i] = ndtri(np.minimum(below + (1 - below) * uniform[i], 1 - 1e-16))
        coefficients[i] = np.maximum(middle + normal[i], 0) * np.where(absent[i], 0.0, width).take(law)
        part = log_above + normal[i] ** 2 / 2
        if absent[i].any():
            part *= ~absent[i].take(law)
        log_weight += part + known.take(law)
    return coefficients, log_weight


def _below_zero(middle: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the probability that a standard normal variable plus `middle` is negative, and log(1 −
    probability).
    """
    below = ndtr(-middle)
    above = 1 - below
    return below, np.log(above * (above >= _LEAST))


def _root_of_covariance(precision: FloatArray, unit: FloatArray) -> list[list[FloatArray]]:
    """Return the lower triangular U with Uᵀ·U equal to the covariance of coefficients in units of `unit`."""
    n = len(precision)
    scaled = precision * unit[:, None] * unit[None, :]
    # Precision = L·Lᵀ, so covariance = L⁻ᵀ·L⁻¹.
    return triangles([[*scaled[i, :i], np.full_like(unit[i], 1 + _JITTER)] for i in range(n)])[1]


def systematic(weights: FloatArray, count: int) -> IntArray:
    """Pick `count` of N items for each of K kernels in proportion to the items' weights (K, N), by systematic
    sampling. Return the indices of the items in rising order, (K, count).
    """
    total = np.cumsum(weights, axis=1)
    # The sum of the weights is cut into `count` equal parts, with a mark in the middle of each part. An item
    # is picked once for each mark within its weight.
    whole = total[:, -1:]
    total *= count / np.where(whole > 0, whole, 1.0)
    total += 0.5
    passed = total.astype(np.int64)
    passed[:, -1] = count
    times = passed.copy()
    times[:, 1:] -= passed[:, :-1]
    items = np.broadcast_to(np.arange(times.shape[1]), times.shape)
    return np.repeat(items.ravel(), times.ravel()).reshape(-1, count)
