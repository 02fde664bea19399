"""Recognise kernels whose overhead changed: a constant was added or removed, but the growth is the same.

Let the values be f before, and f + δ after. The log ratio at the common point c is then

    d[c] = level + log(1 + δ / f[c]), with δ > 0.

It falls where the kernel grows. The level is distributed like an unchanged kernel's level. If an overhead
was removed, before and after are exchanged. Kernels that fall along a parameter are not examined, because an
added constant changes their growth.

The *size* of an overhead is log(1 + δ / f) at the smallest value of f. The evidence of an overhead is
integrated over its size. The probability of a change is then divided into the probabilities of a changed
factor, law and overhead. So no kernel is reported only because of an overhead.
"""

from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.changes.change_evidence import LAW_POINTS
from modeling.engine.changes.judgement import DENSITIES_AT_ONCE, Judgement, weights_of
from modeling.engine.changes.law_ratio import shuffled_normal
from modeling.engine.changes.level_mixture import (
    FACTORS,
    LevelMixture,
    densities_of_same,
    level_mixture,
)
from modeling.engine.changes.likelihood import LAW, NO_PRECISION, SCATTERS, Levels, level_evidence
from modeling.engine.changes.locations import NUMBERS_AT_ONCE
from modeling.engine.changes.log_ratios import LogRatios
from modeling.engine.changes.shared_change import Alternatives, Shared, shares_of
from modeling.engine.validation import BoolArray, FloatArray, IntArray

OVERHEAD_SHARE = 0.1
"""Prior share of overheads among changed laws and overheads. With 0.5, 2 % more laws are called overheads."""

LEAST_GROWTH = 1.5
"""Smallest ratio of a kernel's largest to its smallest value, before or after, with which overheads are
recognised. With 2, a third of the overheads are called changed laws. With 1.3, a quarter of the laws whose
growth fell while their constant increased are called overheads.
"""

MOST_FALL = 1.1
"""Kernels that fall along a parameter by at most this factor do not count as falling."""

SIZES = np.geomspace(0.01, 7.0, 48)
"""Sizes with which the search for the best size begins: from 1 % to 1,000 times the smallest value."""

NEWTON_ROUNDS = 6
"""Number of Newton's steps that improve the best of `SIZES`. More steps would hardly change it."""

NODES = 0.5 * 1.7 ** np.arange(12)
"""Distances from the best size to the sizes of the integral, in standard errors for the least scatter."""


@dataclass(frozen=True)
class Overheads:
    """Overheads that may have been added to K kernels or removed from them."""

    added: FloatArray  # (K,) 1 if the overhead was added, −1 if it was removed
    smallest: FloatArray  # (K,) smallest value without the overhead and without the shift
    size: FloatArray  # (K, 2) mean and variance of the size, log(1 + δ / smallest)

    def part(self, kernels: IntArray) -> "Overheads":
        """Return the overheads of these kernels."""
        return Overheads(*(getattr(self, field.name)[kernels] for field in fields(self)))

    def replaced(self, kernels: IntArray, by: "Overheads") -> "Overheads":
        """Return all overheads, with those of `kernels` replaced by `by`."""
        columns = [getattr(self, field.name).copy() for field in fields(self)]
        for column, field in zip(columns, fields(self), strict=True):
            column[kernels] = getattr(by, field.name)
        return Overheads(*columns)

    def log_ratios(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """Return S draws of log(after / before) of K kernels at a point, (K, S), if the overheads changed.

        `before` and `after` (K, S) are draws of the log values. Only those without the overhead are used.
        """
        size = min(before.shape[1], after.shape[1])
        base = np.where(self.added[:, None] > 0, before[:, :size], after[:, :size])
        drawn = self.size[:, :1] + np.sqrt(self.size[:, 1:]) * shuffled_normal(size)
        added = np.log1p(np.expm1(np.maximum(drawn, 0.0)) * self.smallest[:, None] / np.exp(base))
        return self.added[:, None] * added


def no_overheads(count: int) -> Overheads:
    """Return unknown overheads of `count` kernels."""
    return Overheads(np.ones(count), np.full(count, np.nan), np.zeros((count, 2)))


@dataclass(frozen=True)
class _Base:
    """Values of K kernels at C points without the overhead."""

    added: FloatArray  # (K,) 1 if the overhead was added, −1 if it was removed
    relative: FloatArray  # (C, K) smallest / value
    smallest: FloatArray  # (K,) smallest value

    def effect(self, size: FloatArray) -> FloatArray:
        """Return the log ratios that overheads of these sizes cause, (…, points, kernels)."""
        return self.added * np.log1p(np.expm1(size)[..., None, :] * self.relative)

    def slope(self, size: FloatArray) -> FloatArray:
        """Return the derivative of `effect` by the size."""
        grown = np.exp(size)[..., None, :] * self.relative
        return self.added * grown / (1 - self.relative + grown)


def recognisable(points: FloatArray, before: FloatArray, ratios: LogRatios) -> IntArray:
    """Return the indices of the kernels whose overheads can be recognised.

    They have log ratios at `LAW_POINTS` points or more, grow by `LEAST_GROWTH` before or after, and fall
    along no parameter.

    Args:
        points: (C, m) C common points of m parameters.
        before: (C, K) values of K kernels before.
        ratios: log ratios of the kernels.
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
    """Return the range of each kernel's log values, and whether they fall along any parameter."""
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
    """Divide the probability of a change of K kernels into the probabilities of factor, law and overhead.

    Args:
        ratios: log ratios of the kernels, without the shifts of single points.
        before: (C, K) values before at C common points.
        levels: levels of the kernels without overheads.
        judged: judgement of the kernels without overheads.
        known: properties that all kernels share.

    Returns:
        The probabilities (K, 4) of same, factor, law and overhead, and the overheads.
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
    """Return the values without the overhead, and the best size of each overhead by least squares."""
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
    """Return `one` for kernels that `first` marks, and `other` for other kernels."""
    return _Base(
        *(np.where(first, getattr(one, part.name), getattr(other, part.name)) for part in fields(_Base))
    )


def _product(one: FloatArray, other: FloatArray, weights: FloatArray, prior: float) -> FloatArray:
    """Return weighted inner products over points, minus what a level of the precision `prior` explains."""
    level = (weights * one).sum(axis=0) * (weights * other).sum(axis=0) / (weights.sum(axis=0) + prior)
    return np.asarray((weights * one * other).sum(axis=0) - level)


def _squares(errors: FloatArray, weights: FloatArray, prior: float) -> FloatArray:
    return _product(errors, errors, weights, prior)


def _nodes(ratios: LogRatios, base: _Base, best: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sizes over which evidence is integrated, and their log prior probabilities."""
    precision = (ratios.known / (ratios.noise + SCATTERS[0] ** 2) * base.slope(best) ** 2).sum(axis=0)
    offsets = np.concatenate([-NODES[::-1], [0.0], NODES])
    sizes = np.maximum(best + offsets[:, None] / np.sqrt(np.maximum(precision, NO_PRECISION)), 0.0)
    sizes = np.minimum(sizes, 2 * SIZES[-1])
    weights, widths = FACTORS
    density = (weights / widths * np.exp(-0.5 * (sizes[:, :, None] / widths) ** 2)).sum(axis=2)
    # The density of positive sizes is twice this. Half of it is for added, half for removed overheads.
    density /= np.sqrt(2 * np.pi)
    between = np.diff(sizes, axis=0) / 2
    width = np.pad(between, ((0, 1), (0, 0))) + np.pad(between, ((1, 0), (0, 0)))
    with np.errstate(divide="ignore"):
        return sizes, np.log(density * width)


def _evidence(ratios: LogRatios, base: _Base, sizes: FloatArray, prior: FloatArray) -> FloatArray:
    """Return the log evidence, mean and variance of the level, (3, kernels, sizes, `SCATTERS`)."""
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


def _posterior(levels: Levels, nodes: FloatArray, known: Shared) -> tuple[FloatArray, FloatArray]:
    """Return probabilities of factor, law and overhead, and of the sizes, averaged over `Alternatives`."""
    mixture = level_mixture(_joined(levels, nodes), known.scatter, slice(None), known.tails)
    kernels, sizes = len(nodes[0]), nodes.shape[2]
    total = np.zeros((sizes + 2, kernels))
    for some in known.alternatives.portions(max(1, DENSITIES_AT_ONCE // max(kernels, 1))):
        total += _weighed(mixture, known, some)
    of_kernels = np.stack([total[0], total[1], total[2:].sum(axis=0)], axis=1)
    return _normalised(of_kernels), _normalised(total[2:].T)


def _joined(levels: Levels, nodes: FloatArray) -> Levels:
    """Return the levels under all explanations: plain, law, and an overhead of each size."""
    evidence = np.pad(nodes[0], ((0, 0), (0, 0), (0, len(SCATTERS))), constant_values=-np.inf)
    mean, variance = (np.tile(each, 2) for each in nodes[1:])
    return Levels(
        np.concatenate([levels.evidence, evidence], axis=1),
        np.concatenate([levels.mean, mean], axis=1),
        np.concatenate([levels.variance, variance], axis=1),
        levels.known,
    )


def _weighed(mixture: LevelMixture, known: Shared, some: Alternatives) -> FloatArray:
    """Return the weights of a factor, a law and each size of an overhead, summed over alternatives with the
    same tail, (2 + sizes, kernels).
    """
    same, factor, law = weights_of(mixture, known, some)
    weight, mean, variance = (part[:, LAW + 1 :] for part in mixture.changed)
    tail = mixture.tails[int(some.tail[0])]
    of_law = shares_of(some.factors, some.kind, known.laws)[-1]
    sizes = densities_of_same((weight, mean, variance), some.shift, some.drift, tail, some.shift_variance)
    found = np.stack([factor, (1 - OVERHEAD_SHARE) * law, *(of_law * OVERHEAD_SHARE * sizes)])
    scale = some.probability / (same + found.sum(axis=0))
    return np.asarray((found * scale).sum(axis=2))


def _normalised(weights: FloatArray) -> FloatArray:
    """Divide the weights of each kernel by their sum."""
    return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), NO_PRECISION))
