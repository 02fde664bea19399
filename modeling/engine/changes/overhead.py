"""Recognise kernels whose overhead changed: a constant was added or removed, but the growth did not change.
With values f before and f + δ after, the log ratio at the common point c is d_c = level + log(1 + δ / f_c), δ
> 0. It decreases where the kernel grows. The level has the distribution of an unchanged kernel's level. If
overhead was removed, the two versions are exchanged. A kernel that falls along a parameter is left out,
because an added constant dominates it at large values and thereby changes its growth.

The evidence is an integral over the overhead's size, log(1 + δ / f) at the smallest value of f. This evidence
divides the probability that a kernel changed into its causes. It does not alter the probability that the
kernel is the same, so no kernel is reported because of it.
"""

from dataclasses import dataclass, fields
from functools import reduce
from operator import add

import numpy as np

from modeling.engine.changes.change_evidence import (
    LAW,
    LAW_POINTS,
    NO_PRECISION,
    SCATTERS,
    Levels,
    level_evidence,
)
from modeling.engine.changes.law_ratio import shuffled_normal
from modeling.engine.changes.level_mixture import (
    FACTORS,
    LevelMixture,
    densities,
    densities_of_same,
    level_mixture,
)
from modeling.engine.changes.locations import NUMBERS_AT_ONCE
from modeling.engine.changes.log_ratios import LogRatios
from modeling.engine.changes.shared_change import Judgement, Shared, shares_of
from modeling.engine.validation import BoolArray, FloatArray, IntArray

OVERHEAD_SHARE = 0.1
"""Prior share of overheads among kernels whose law or overhead changed. It is small because mistaking a law
for an overhead costs more than the reverse. With 0.5, 2 % more of the changed laws are mistaken for
overheads.
"""

LEAST_GROWTH = 1.5
"""Overheads are recognised in kernels whose largest value is at least this multiple of the smallest, in the
version with the larger ratio. In a kernel that grows less, an added constant hardly differs from a factor.
With 2, a third of the overheads are reported as changed laws. With 1.3 and under drift of 10 % + 3 % + 3 %, a
quarter of the laws whose growth fell while their constant grew by 30 % are reported as overheads.
"""

MOST_FALL = 1.1
"""The largest factor by which a kernel may fall along a parameter and still be treated as constant in this
parameter. Noise of some percent makes constant kernels fall by less.
"""

SIZES = np.geomspace(0.01, 7.0, 48)
"""Sizes log(1 + δ / f) at which the search for the best size starts: overheads from 1 % to 1,000 times the
smallest value.
"""

NEWTON_ROUNDS = 6
"""Rounds in which the best of these sizes is improved. Further rounds change the size by less than the
distance of the nodes.
"""

NODES = 0.5 * 1.7 ** np.arange(12)
"""Distances of sizes from the best one, relative to the error of the best one if there were no scatter. The
farthest distances cover the largest scatter.
"""


@dataclass(frozen=True)
class Overheads:
    """The overheads that may have been added to K kernels or removed from them."""

    added: FloatArray  # (K,) 1 where it was added, -1 where it was removed
    smallest: FloatArray  # (K,) smallest value in the version with the smaller values, without the shift
    size: FloatArray  # (K, 2) mean and variance of log(1 + δ / smallest)

    def part(self, kernels: IntArray) -> "Overheads":
        """Return the overheads of the given kernels only."""
        return Overheads(*(getattr(self, field.name)[kernels] for field in fields(self)))

    def replaced(self, kernels: IntArray, by: "Overheads") -> "Overheads":
        """Return these overheads, with those of some kernels replaced."""
        columns = [getattr(self, field.name).copy() for field in fields(self)]
        for column, field in zip(columns, fields(self), strict=True):
            column[kernels] = getattr(by, field.name)
        return Overheads(*columns)

    def log_ratios(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """Return the logarithms of after / before (K, S) at a point, NaN where unknown.

        `before` and `after` are draws of the logarithms of both versions at this point. The draws of the
        version without the overhead are used.
        """
        size = min(before.shape[1], after.shape[1])
        base = np.where(self.added[:, None] > 0, before[:, :size], after[:, :size])
        drawn = self.size[:, :1] + np.sqrt(self.size[:, 1:]) * shuffled_normal(size)
        added = np.log1p(np.expm1(np.maximum(drawn, 0.0)) * self.smallest[:, None] / np.exp(base))
        return self.added[:, None] * added


def no_overheads(count: int) -> Overheads:
    """Return the overheads of kernels whose overheads are all unknown."""
    return Overheads(np.ones(count), np.full(count, np.nan), np.zeros((count, 2)))


@dataclass(frozen=True)
class _Base:
    """The version without the overhead, and its values: `relative` is smallest / value, (C, K)."""

    added: FloatArray
    relative: FloatArray
    smallest: FloatArray

    def effect(self, size: FloatArray) -> FloatArray:
        """Return the changes of the log ratios, (…, C, K), by overheads of these sizes (…, K)."""
        return self.added * np.log1p(np.expm1(size)[..., None, :] * self.relative)

    def slope(self, size: FloatArray) -> FloatArray:
        """Return the derivative of `effect` by the size."""
        grown = np.exp(size)[..., None, :] * self.relative
        return self.added * grown / (1 - self.relative + grown)


def tellable(points: FloatArray, before: FloatArray, ratios: LogRatios) -> IntArray:
    """Return the kernels whose overheads can be recognised: these grow in both versions, and fall in no
    parameter.

    Args:
        points: (C, m) that both versions have.
        before: (C, K) values before.
        ratios: log ratios (C, K).
    """
    if len(points) < LAW_POINTS:
        return np.zeros(0, np.int64)
    enough = ratios.known.sum(axis=0) >= LAW_POINTS
    logs = np.log(np.where(ratios.known, before, 1.0))
    growth, falls = zip(
        *(_growth(points, each, ratios.known) for each in (logs, logs + ratios.d)), strict=True
    )
    return np.flatnonzero(enough & (np.max(growth, axis=0) >= np.log(LEAST_GROWTH)) & ~np.any(falls, axis=0))


def _growth(points: FloatArray, logs: FloatArray, known: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Return the largest minus the smallest logarithm of values, (K,), and whether the values fall along a
    parameter.
    """
    top, low = (np.where(known, logs, end) for end in (-np.inf, np.inf))
    count = np.maximum(known.sum(axis=0), 1)
    falls = np.zeros(len(count), bool)
    for column in np.log(points).T:
        centred = np.where(known, column[:, None] - (known * column[:, None]).sum(axis=0) / count, 0.0)
        slope = (centred * logs).sum(axis=0) / np.maximum((centred**2).sum(axis=0), NO_PRECISION)
        falls |= slope * np.ptp(column) < -np.log(MOST_FALL)
    return top.max(axis=0) - low.min(axis=0), falls


def divided(
    ratios: LogRatios, before: FloatArray, levels: Levels, judged: Judgement, known: Shared
) -> tuple[FloatArray, Overheads]:
    """Divide the probability that K kernels changed into factor, law and overhead.

    Args:
        ratios: log ratios (C, K), without the shifts of single points.
        before: (C, K) values before.
        levels, judged, known: the other explanations, of the same kernels.

    Returns:
        Probabilities (K, 4) of same, factor, law and overhead; the overheads.
    """
    base, best = _best(ratios, before, judged.scatter, known)
    sizes, prior = _nodes(ratios, base, best)
    nodes = _evidence(ratios, base, sizes, prior)
    posterior, found = _posterior(levels, nodes, known)
    probabilities = np.empty((len(best), 4))
    probabilities[:, 0] = judged.probabilities[:, 0]
    probabilities[:, 1:] = (1 - probabilities[:, :1]) * posterior
    mean = (found * sizes.T).sum(axis=1)
    variance = (found * (sizes.T - mean[:, None]) ** 2).sum(axis=1)
    return probabilities, Overheads(base.added, base.smallest, np.stack([mean, variance], axis=1))


def _best(
    ratios: LogRatios, before: FloatArray, scatter: FloatArray, known: Shared
) -> tuple[_Base, FloatArray]:
    """Return the version that lacks the overhead, and the best size of the overhead (K,), by least
    squares.
    """
    shift, prior = known.shift[0], 1 / max(known.drift_variance, NO_PRECISION)
    d, weights = ratios.d - shift, ratios.known / (ratios.noise + scatter)
    without, values = np.where(ratios.known, d, 0.0), np.where(ratios.known, before, np.inf)
    bases = _base(1.0, values), _base(-1.0, values * np.exp(without))
    errors = np.array(
        [
            _squares(d - base.effect(np.full(d.shape[1], size)), weights, prior)
            for base in bases
            for size in SIZES
        ]
    )
    version, place = np.divmod(errors.argmin(axis=0), len(SIZES))
    base = _either(version == 0, *bases)
    size = SIZES[place]
    for _ in range(NEWTON_ROUNDS):
        error, slope = d - base.effect(size), base.slope(size)
        step = _product(error, slope, weights, prior) / np.maximum(
            _product(slope, slope, weights, prior), NO_PRECISION
        )
        size = np.clip(size + np.clip(step, -0.5 * size, 0.5 * size), SIZES[0], SIZES[-1])
    return base, size


def _base(added: float, values: FloatArray) -> _Base:
    smallest = values.min(axis=0)
    return _Base(np.full(len(smallest), added), smallest / values, smallest)


def _either(first: BoolArray, one: _Base, other: _Base) -> _Base:
    """Return `one` where `first` is true, and `other` elsewhere."""
    return _Base(
        *(np.where(first, getattr(one, part.name), getattr(other, part.name)) for part in fields(_Base))
    )


def _product(one: FloatArray, other: FloatArray, weights: FloatArray, prior: float) -> FloatArray:
    """Return the weighted sum of products, (K,), minus the part that a level explains, whose prior has this
    precision.
    """
    level = (weights * one).sum(axis=0) * (weights * other).sum(axis=0) / (weights.sum(axis=0) + prior)
    return np.asarray((weights * one * other).sum(axis=0) - level)


def _squares(errors: FloatArray, weights: FloatArray, prior: float) -> FloatArray:
    return _product(errors, errors, weights, prior)


def _nodes(ratios: LogRatios, base: _Base, best: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return sizes (N, K), and the logarithms of their prior probabilities (N, K): density times distance."""
    precision = (ratios.known / (ratios.noise + SCATTERS[0] ** 2) * base.slope(best) ** 2).sum(axis=0)
    offsets = np.concatenate([-NODES[::-1], [0.0], NODES])
    sizes = np.maximum(best + offsets[:, None] / np.sqrt(np.maximum(precision, NO_PRECISION)), 0.0)
    sizes = np.minimum(sizes, 2 * SIZES[-1])
    weights, widths = FACTORS
    density = (weights / widths * np.exp(-0.5 * (sizes[:, :, None] / widths) ** 2)).sum(axis=2)
    density /= np.sqrt(2 * np.pi)  # halved, as either version may lack it
    between = np.diff(sizes, axis=0) / 2
    width = np.pad(between, ((0, 1), (0, 0))) + np.pad(between, ((1, 0), (0, 0)))
    with np.errstate(divide="ignore"):
        return sizes, np.log(density * width)


def _evidence(ratios: LogRatios, base: _Base, sizes: FloatArray, prior: FloatArray) -> FloatArray:
    """Return the log evidence, mean and variance of the level, (3, K, N, J), by size and class of scatter."""
    shape = (*sizes.shape, len(SCATTERS))
    found = np.empty((3, *shape))
    step = max(1, NUMBERS_AT_ONCE // max(len(sizes) * len(ratios.d), 1))
    for start in range(0, sizes.shape[1], step):
        some = slice(start, start + step)
        part = _Base(base.added[some], base.relative[:, some], base.smallest[some])
        known, noise = ratios.known[:, some], ratios.noise[:, some]
        errors = np.where(known, ratios.d[:, some] - part.effect(sizes[:, some]), 0.0)
        squares = errors**2
        for place, scatter in enumerate(SCATTERS):
            variance = noise + scatter**2
            weights = known / variance
            precision = np.broadcast_to(weights.sum(axis=0), (len(sizes), weights.shape[1]))
            first, second = (np.einsum("ck,nck->nk", weights, each) for each in (errors, squares))
            begin = -0.5 * (known * np.log(2 * np.pi * variance)).sum(axis=0) + prior[:, some]
            found[:, :, some, place] = level_evidence(begin, precision, first, second)
    return found.swapaxes(1, 2)


@dataclass(frozen=True)
class _Weighed:
    """The weights of the explanations of K changed kernels, up to a factor for each kernel: the weights of a
    factor and of a law, (K,) each, and the weight of an overhead by its size, (K, N).
    """

    factor: FloatArray
    law: FloatArray
    sizes: FloatArray

    def __add__(self, other: "_Weighed") -> "_Weighed":
        """Return the sums of the weights."""
        return _Weighed(self.factor + other.factor, self.law + other.law, self.sizes + other.sizes)

    @property
    def kernels(self) -> FloatArray:
        """Return the weights of factor, law and overhead of any size, (K, 3)."""
        return np.stack([self.factor, self.law, self.sizes.sum(axis=1)], axis=1)


def _posterior(levels: Levels, nodes: FloatArray, known: Shared) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities (K, 3) of factor, law and overhead of changed kernels, and of the N sizes, (K,
    N).

    Both are means over the alternatives of the properties that all kernels share (`Alternatives`), weighted
    by the probability of each alternative.

    Args:
        levels: the levels of K kernels without an overhead, (K, 2, 2 J) by explanation and class of scatter.
        nodes: log evidence, mean and variance of the levels with an overhead, (3, K, N, J).
        known: the properties that all kernels share.
    """
    mixture = level_mixture(_joined(levels, nodes), known.scatter, slice(None), known.tails)
    total = reduce(add, (_weighed(mixture, known, n) for n in range(len(known.alternatives.probability))))
    return _normalised(total.kernels), _normalised(total.sizes)


def _joined(levels: Levels, nodes: FloatArray) -> Levels:
    """Return the levels of all explanations, (K, 2 + N, 2 J): plain, law, and an overhead of each size.

    The second half of the classes of scatter are those with odd points. Classes with odd points are not used
    for overheads.
    """
    evidence = np.pad(nodes[0], ((0, 0), (0, 0), (0, len(SCATTERS))), constant_values=-np.inf)
    mean, variance = (np.tile(each, 2) for each in nodes[1:])
    return Levels(
        np.concatenate([levels.evidence, evidence], axis=1),
        np.concatenate([levels.mean, mean], axis=1),
        np.concatenate([levels.variance, variance], axis=1),
        levels.known,
    )


def _weighed(mixture: LevelMixture, known: Shared, n: int) -> _Weighed:
    """Return the weights of the explanations if the shared properties are those of the n-th alternative.

    For each kernel, these weights and that of being unchanged sum to the alternative's probability.
    """
    each = known.alternatives
    shift, drift, tail = each.shift[n], each.drift[n], int(each.tail[n])
    same, factor, law = densities(mixture, np.array([shift]), drift, tail, each.shift_variance[n])[..., 0]
    weight, mean, variance = (part[:, LAW + 1 :] for part in mixture.changed)
    parts, width = (weight, mean, variance), each.shift_variance[n]
    sizes = densities_of_same(parts, shift, drift, mixture.tails[tail], width)
    of_same, of_factor, of_law = shares_of(each.factors[n], known.laws)
    found = _Weighed(
        of_factor * factor,
        of_law * (1 - OVERHEAD_SHARE) * law,
        of_law * OVERHEAD_SHARE * sizes,
    )
    scale = each.probability[n] / (of_same * same + found.kernels.sum(axis=1))
    return _Weighed(scale * found.factor, scale * found.law, scale[:, None] * found.sizes)


def _normalised(weights: FloatArray) -> FloatArray:
    """Divide weights (K, n) by their sum."""
    return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), NO_PRECISION))
