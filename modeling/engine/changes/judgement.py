"""Judge whether a kernel is the same or how it changed, given the properties that all kernels share."""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.changes.level_mixture import (
    LEAST_DENSITY,
    LevelMixture,
    densities,
    densities_of_same,
    level_mixture,
)
from modeling.engine.changes.likelihood import PLAIN, SCATTERS, Levels
from modeling.engine.changes.shared_change import SHIFTS, Alternatives, Shared, shares_of
from modeling.engine.validation import BoolArray, FloatArray, IntArray

UNTOUCHED_ODDS = 0.06
"""Prior odds that the shift does not affect an unchanged kernel, as under contention on a machine. With 0, 10
of 50 kernels are reported for one binary that was measured twice on a busy machine. With 0.01 to 0.1, none
is. Larger odds miss more changes that cancel the shift.
"""

DENSITIES_AT_ONCE = 12_500
"""Number of pairs of a kernel and an alternative that are computed together. Temporary arrays then fit into
the processor's cache.
"""

LARGEST_EXPONENT = 600.0
"""Largest logarithm of a ratio of densities, to avoid overflow."""

CERTAIN_DIFFERENCE, WITHIN_SHIFT = 3.0, 2.0
"""Numbers of standard deviations of a kernel's level, for `undecided`. A level certainly differs from 0 if it
is more than `CERTAIN_DIFFERENCE` away from 0. The shift may explain a level that is less than `WITHIN_SHIFT`
outside the 95 % interval of the shift.
"""

CERTAINLY_SHIFTED = 0.0027
"""If some kernel shows no shift, the shift may be 0 with more than this probability, that of three standard
deviations. Otherwise, if two of three kernels became slower by the same factor, only the prior would decide
between a shift and a change of these two. All three would be reported as the same.
"""


@dataclass(frozen=True)
class Judgement:
    """Judgement of K kernels."""

    probabilities: FloatArray  # (K, 3) of same, factor and law; or (K, 4) of these and overhead
    factor: FloatArray  # (K, 2) mean and variance of the factor (a logarithm), if the law did not change
    scatter: FloatArray  # (K,) expected variance of the scatter at a point

    def part(self, kernels: IntArray) -> "Judgement":
        """Return the judgement of these kernels."""
        return Judgement(*(getattr(self, each.name)[kernels] for each in fields(self)))


def judge(levels: Levels, known: Shared, untouched: Levels | None = None) -> Judgement:
    """Compute the probabilities that each kernel is the same, has another factor, or another law.

    `untouched` are the levels of the same kernels with the shifts of single points. If they are given, a
    kernel may also be the same because no shift affected it.
    """
    mixture = level_mixture(levels, known.scatter, slice(None), known.tails)
    mean, variance = mixture.changed[1][:, PLAIN], mixture.changed[2][:, PLAIN]
    probabilities = np.zeros((3, len(mean)))
    alone = None if untouched is None else _untouched(untouched, levels, known)
    for some in known.alternatives.portions(max(1, DENSITIES_AT_ONCE // max(len(mean), 1))):
        weighed = weights_of(mixture, known, some)
        if alone is not None:
            share = shares_of(some.factors, some.kind, known.laws)[0]
            weighed[0] += UNTOUCHED_ODDS * share * alone(some)
        probabilities += (some.probability * weighed / weighed.sum(axis=0)).sum(axis=2)
    shift = known.alternatives.probability @ known.alternatives.shift
    factor = np.stack([mean - shift, variance + known.drift_variance], axis=1)
    return Judgement(probabilities.T, factor, _scatter_variance(levels, known))


def weights_of(mixture: LevelMixture, known: Shared, some: Alternatives) -> FloatArray:
    """Return the weights of being the same, having another factor, and another law, under N alternatives with
    the same tail, (3, K, N).
    """
    found = densities(mixture, some.shift, some.drift, int(some.tail[0]), some.shift_variance)
    weighed = shares_of(some.factors, some.kind, known.laws)[:, None] * found
    return np.stack([weighed[0], weighed[1:-1].sum(axis=0), weighed[-1]])


def undecided(levels: Levels, judged: Judgement, known: Shared) -> tuple[BoolArray, FloatArray]:
    """Return which of K kernels differ for an uncertain reason, (K,), and all measured ratios, (K, 2).

    A kernel is marked under three conditions:

    - Its level differs from 0 by more than noise and drift explain.
    - The shift may be 0.
    - The shift may explain the level, or the kernel is the same with a probability below 1/2.

    This happens with few kernels: a single one became slower, or two of three did by the same factor. Kernels
    that are reported as changed may be marked, too.

    A measured ratio is the mean and the variance of a logarithm, and includes the shift.
    """
    measured, deviation = measured_levels(levels, known)
    mean = measured[:, 0]
    _, low, high = known.shift
    differs = abs(mean) > CERTAIN_DIFFERENCE * deviation
    explained = (mean > low - WITHIN_SHIFT * deviation) & (mean < high + WITHIN_SHIFT * deviation)
    doubtful = judged.probabilities[:, 0] < 1 / 2
    margin = np.minimum((high - low) / 4, deviation)  # the shift may be 0 if its interval nearly contains 0
    maybe_none = (low <= margin) & (high >= -margin)
    if known.at_rest:
        each, order = known.alternatives, abs(known.alternatives.shift).argsort()
        below = np.append(0.0, np.cumsum(each.probability[order]))
        maybe_none |= below[np.searchsorted(abs(each.shift)[order], margin)] > CERTAINLY_SHIFTED
    return levels.known & differs & (explained | doubtful) & maybe_none, measured


def measured_levels(levels: Levels, known: Shared) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the variance of each kernel's level, (K, 2), and the standard deviation, (K,).

    The variance includes that of likely drift.
    """
    mixture = level_mixture(levels, known.scatter, slice(None), known.tails)
    mean, variance = mixture.changed[1][:, PLAIN], mixture.changed[2][:, PLAIN]
    variance = variance + known.likely_drift**2
    return np.stack([mean, variance], axis=1), np.sqrt(variance)


def _untouched(untouched: Levels, levels: Levels, known: Shared) -> Callable[[Alternatives], FloatArray]:
    """Return a function for the densities (K, N) of the log ratios of kernels that no shift affected, under N
    alternatives with the same tail.

    They are scaled like the results of `densities`. The levels of such kernels have the variances of their
    drift and of the smallest shift in `SHIFTS`, because any two campaigns may differ by such a shift. Without
    the variance of this shift, 133 instead of 28 of 1,000 unchanged kernels are reported if half of all
    kernels became 30 % slower.
    """
    same = level_mixture(untouched, known.scatter, slice(None)).same
    usual_shift = SHIFTS[1][0]
    most = [
        (each.evidence + np.log(np.maximum(known.scatter, LEAST_DENSITY))).max(axis=(1, 2))
        for each in (untouched, levels)
    ]
    scale = np.exp(np.minimum(most[0] - most[1], LARGEST_EXPONENT))

    def densities_alone(some: Alternatives) -> FloatArray:
        tail, none = known.tails[int(some.tail[0])], np.zeros(len(some.drift))
        found = densities_of_same(same, none, some.drift, tail, usual_shift**2)
        return np.asarray(found.sum(axis=0) * scale[:, None])

    return densities_alone


def _scatter_variance(levels: Levels, known: Shared) -> FloatArray:
    """Return the posterior mean of the variance of each kernel's scatter."""
    shares = np.multiply.outer([1 - known.laws, known.laws], known.scatter)
    evidence = levels.evidence - levels.evidence.max(axis=(1, 2), keepdims=True)
    weights = np.exp(evidence) * shares
    weights /= weights.sum(axis=(1, 2), keepdims=True)
    expected: FloatArray = weights.sum(axis=1) @ np.tile(SCATTERS**2, 2)
    return expected
