"""Learn the properties that all kernels of two campaigns share (empirical Bayes).

These are the shift, the distributions of drift and scatter, and the shares of changed kernels. Expectation
maximization learns the shares of the classes of scatter. The other properties have several alternatives with
posterior probabilities. With few kernels, many alternatives are probable, so only clear changes are reported.

Shares of found changes that constants cite without another source are those of the cases “few kernels” (12
kernels, drift of 6 %) and “a busy machine” (300 kernels, drift of 4 %) of `tests.benchmarks.constants`.
"""

from dataclasses import replace

import numpy as np

from modeling.engine.changes.judgement import WITHIN_SHIFT, judge, measured_levels
from modeling.engine.changes.level_mixture import (
    HEAVY_TAILS_PRIOR,
    LEAST_DENSITY,
    TAILS,
    LevelMixture,
    densities_at,
    densities_of_changed,
    kinds_of_changes,
    level_mixture,
)
from modeling.engine.changes.likelihood import LAW, PLAIN, SCATTERS, Levels
from modeling.engine.changes.locations import Location
from modeling.engine.changes.shared_change import SHIFTS, Alternatives, Shared, shares_of
from modeling.engine.changes.usual_drift import UsualDrift
from modeling.engine.changes.verdict_threshold import largest_doubt
from modeling.engine.validation import BoolArray, FloatArray, IntArray

DRIFTS = 0.001 * 2.0 ** np.arange(0, 10.1, 0.5)
"""Scales that drift may have, from 0.1 % to 102 %. If each scale were twice the one before, drift would be
mistaken for heavy tails. If 0.2 % were the smallest, intervals would be too wide for levels known to 0.3 %.
"""

FINER_STEP = 2.0**0.125
"""Ratio of neighbouring scales of drift around the likeliest one. With the steps of `DRIFTS` only, 22 instead
of 3 of 1,000 unchanged kernels are reported if many kernels have a single common point.
"""

MANY_DRIFTS = 5
"""If more of `DRIFTS` are likely, drift is so uncertain that no finer steps are tried."""

DRIFT_SPREAD = 1.0
"""Standard deviation of the logarithm of the scale of drift, which has a log-normal prior. The median of
the prior is the scale in earlier campaigns. If there are none, it is the usual scatter, because a machine
that varies from point to point also varies from campaign to campaign. With half of it, 97 instead of 85 % of
the factors of few kernels are found, but 80 instead of 25 of 1,000 unchanged ones are reported; with twice of
it, 74 % and 15.
"""

DRIFT_AT_A_POINT = 0.04
"""Median of the prior if there is a single common point, which shows no scatter. Binaries that were repeated
on a busy machine drifted by 4 to 11 %.
"""

LARGE_DRIFT, STEEPNESS = 0.3, 8
"""If there are no earlier campaigns, the prior is multiplied by exp(-(scale / large)^steepness). On busy
machines, the scale reached 0.35. Log ratios of two compilers have a spread of 0.5 to 0.8. Without this
limit, such a spread would be read as drift, and no kernel would be reported.
"""

LAW_CHANGED_PRIOR = 0.01
"""Prior share of the kernels whose law changed. With half and twice of it, 85 and 90 instead of 89 % of the
changed exponents of few kernels are found. Many kernels show their share, whatever its prior is.
"""

PRIOR_KERNELS = 100.0
"""Weight of the prior share of changed laws, in kernels. With half of it, 77 instead of 81 % of factors on a
busy machine are found. With twice of it, 83 instead of 89 % of the changed exponents of few kernels are.
"""

USUAL_SCATTER = 0.01
"""Median of the log-normal prior of the scatter. With half of it, 94 instead of 89 % of the changed exponents
of few kernels are found, but 30 instead of 25 of 1,000 unchanged ones are reported. With twice of it, 74 %
are found.
"""

SCATTER_SPREAD = 1.2
"""Standard deviation of the logarithm of the scatter in its prior. It is wide, because machines differ. Half
of it suits a machine with the usual scatter: 97 instead of 89 % of the changed exponents of few kernels are
found; with twice of it, 70 %.
"""

NO_SCATTER = np.eye(2 * len(SCATTERS))[0]
"""Shares of the classes of scatter at a single point. There, scatter cannot be distinguished from drift, and
is part of it. If kernels also had the prior scatter, its tail would explain most factors.
"""

ODD_PRIOR = 0.05
"""Prior share of the kernels with an odd point. With half and twice of it, shares of found changes differ by
at most 1 %.
"""

SCATTER_KERNELS = 4.0
"""Weight of the priors of scatter and of odd points, in kernels. With half and twice of it, 94 and 84 instead
of 89 % of the changed exponents of few kernels are found. A small weight relies on very few kernels.
"""

EM_ROUNDS = 100
"""Number of rounds of expectation maximization, after which shares hardly change."""

ENOUGH_KERNELS = 2000
"""Largest number of kernels from which shift and drift are learned."""

FIRST_DENSITIES = 10_000
"""Quantiles of levels are tried as shifts: this number divided by the number of kernels, but 9 to 33."""

NEGLIGIBLE_LOG_DENSITY = 30.0
"""Of the shifts and drifts tried first, those with a log density this much below the largest are left out."""


def shared(levels: Levels, points: FloatArray, location: Location, usual: UsualDrift | None = None) -> Shared:
    """Learn the shared properties from the levels of all kernels.

    Args:
        levels: the levels of all kernels, from log ratios without the shifts of single points.
        points: (C,), these shifts.
        location: how repetitions were reduced to one value.
        usual: the drift of earlier campaigns. If it is given, only the scale of drift is learned.
    """
    tails = (usual.tail,) if usual else TAILS
    known = np.flatnonzero(levels.known)
    scatter, laws = _scatter(levels, known) if len(points) > 1 else (NO_SCATTER, LAW_CHANGED_PRIOR)
    chosen = np.linspace(0, len(known) - 1, min(len(known), ENOUGH_KERNELS)).astype(int)
    mixture = level_mixture(levels, scatter, known[chosen], tails)
    if not len(known):
        nothing = np.ones((1, 2)), np.zeros((1, 2)), np.ones((1, 2))
        mixture = LevelMixture(nothing, nothing, tails)
    of_points = np.exp(scatter.reshape(2, -1).sum(axis=0) @ np.log(SCATTERS))
    without_usual = float(of_points) if len(points) > 1 else DRIFT_AT_A_POINT
    shift, alternatives = _alternatives(mixture, laws, usual.scale if usual else without_usual)
    found = Shared(shift, points, scatter, laws, alternatives, location=location, usual=usual)
    measured, deviation = measured_levels(levels, found)
    return replace(
        found,
        at_rest=bool((abs(measured[known, 0]) < WITHIN_SHIFT * deviation[known]).any()),
        most=largest_doubt(judge(levels, found).probabilities[known, 0]),
    )


def _scatter(levels: Levels, known: IntArray) -> tuple[FloatArray, float]:
    """Return the shares of the classes of scatter, and the share of kernels whose law changed."""
    prior = np.exp(-0.5 * (np.log(SCATTERS / USUAL_SCATTER) / SCATTER_SPREAD) ** 2)
    prior /= prior.sum()
    sizes, odd, laws = prior, ODD_PRIOR, LAW_CHANGED_PRIOR
    evidence = levels.evidence[known].reshape(len(known), 2, 2, len(prior))
    likelihood = np.exp(evidence - evidence.max(axis=(1, 2, 3), keepdims=True))
    for _ in range(EM_ROUNDS if len(known) else 0):
        shares = np.multiply.outer(np.outer([1 - laws, laws], [1 - odd, odd]), sizes)
        total = np.einsum("keos,eos->k", likelihood, shares)
        counts = np.einsum("keos,k->eos", likelihood, 1 / total) * shares
        laws = _shrunk(counts[LAW].sum(), len(known), LAW_CHANGED_PRIOR, PRIOR_KERNELS)
        odd = _shrunk(counts[:, 1].sum(), len(known), ODD_PRIOR, SCATTER_KERNELS)
        sizes = (counts.sum(axis=(0, 1)) + SCATTER_KERNELS * prior) / (len(known) + SCATTER_KERNELS)
    return np.outer([1 - odd, odd], sizes).ravel(), laws


def _shrunk(count: float, total: int, prior: float, weight: float) -> float:
    """Return the share of `count` in `total` kernels, shrunk to a prior that counts as `weight` kernels."""
    return float((count + weight * prior) / (total + weight))


def _alternatives(mixture: LevelMixture, laws: float, usual: float) -> tuple[FloatArray, Alternatives]:
    """Return the shift with its bounds, (3,), and the alternatives of the shared properties.

    `usual` is the prior median of the scale of drift.
    """
    means, variances = mixture.changed[1][:, PLAIN], mixture.changed[2][:, PLAIN]
    count = int(np.clip(FIRST_DENSITIES / len(means), 9, 33))
    first_shifts = np.unique(np.append(np.quantile(means, np.linspace(0, 1, count)), 0.0))
    tails = len(mixture.tails)
    first = _posterior(mixture, first_shifts, DRIFTS, _prior(DRIFTS, usual, tails), laws)
    likely = first > first.max() - NEGLIGIBLE_LOG_DENSITY
    drift = DRIFTS[np.unravel_index(first.argmax(), first.shape)[0]]
    error = 1 / np.sqrt((1 / (variances + drift**2)).sum())
    around = first_shifts[likely.any(axis=(0, 1, 2))]
    shifts = np.unique(np.add.outer(around, error * np.arange(-8.0, 9.0)))
    drifts, tried = _finer(first)
    prior = np.where(tried, _prior(drifts, usual, tails), -np.inf)
    posterior = _posterior(mixture, shifts, drifts, prior, laws) + np.log(np.gradient(shifts))
    probability = np.exp(posterior - posterior.max())
    probability /= probability.sum()
    width = float(np.sqrt(np.median(variances) + drift**2))
    return _shift(probability, shifts), _grouped(probability, shifts, drifts, width / 2)


def _finer(first: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return scales of drift, and whether to try each with each kind of tails, (drifts, tails)."""
    of_drifts = first.reshape(*first.shape[:2], -1).max(axis=2)
    likely = of_drifts > of_drifts.max() - NEGLIGIBLE_LOG_DENSITY
    if likely.any(axis=1).sum() > MANY_DRIFTS:
        return DRIFTS[likely.any(axis=1)], likely[likely.any(axis=1)]
    around = DRIFTS[of_drifts.argmax(axis=0)] * FINER_STEP ** np.arange(-2.0, 3.0)[:, None]
    around = np.where(likely.any(axis=0), around, 0.0).round(12)
    drifts = np.unique(around[around > 0])
    return drifts, (drifts[:, None, None] == around).any(axis=1)


def _prior(drifts: FloatArray, usual: float, tails: int) -> FloatArray:
    """Return the log prior of scales of drift with each tail, (drifts, tails).

    `usual` is the prior median of the scales. If there is a single tail, it is that of earlier campaigns.
    """
    of_drifts = -0.5 * (np.log(drifts / usual) / DRIFT_SPREAD) ** 2
    if tails == 1:
        return np.asarray(of_drifts[:, None])
    limited = of_drifts - (drifts / LARGE_DRIFT) ** STEEPNESS
    return np.add.outer(limited, np.log([1 - HEAVY_TAILS_PRIOR, HEAVY_TAILS_PRIOR]))


def _posterior(
    mixture: LevelMixture, shifts: FloatArray, drifts: FloatArray, prior: FloatArray, laws: float
) -> FloatArray:
    """Return the log posterior of shared properties up to a constant, (drifts, tails, shares, shifts)."""
    factors, kinds, of_kinds = kinds_of_changes()
    found = np.full((*prior.shape, len(kinds), len(shifts)), -np.inf)
    shares = shares_of(factors, kinds, laws).T
    for place in np.flatnonzero(np.isfinite(prior).any(axis=1)):
        # A product of matrices would start threads, which cost more than they save on a busy machine.
        each = densities_of_changed(mixture, shifts, drifts[place])
        changed = np.einsum("ac,ckn->akn", shares[:, 1:], each)
        for tail in np.flatnonzero(np.isfinite(prior[place])):
            same = densities_at(mixture, shifts, drifts[place], int(tail))
            total = changed + shares[:, :1, None] * same
            found[place, tail] = np.log(total, out=total).sum(axis=1) + prior[place, tail]
    of_shift = SHIFTS[0] / SHIFTS[1] @ np.exp(-0.5 * (shifts / SHIFTS[1][:, None]) ** 2)
    likely = np.log(np.maximum(of_shift, LEAST_DENSITY))
    posterior: FloatArray = found + likely + np.log(of_kinds)[:, None]
    return posterior


def _shift(probability: FloatArray, shifts: FloatArray) -> FloatArray:
    """Return the mean and the 95 % bounds of the shift, from the results of `_posterior`."""
    of_shift = probability.sum(axis=(0, 1, 2))
    below = np.cumsum(of_shift) - of_shift / 2
    return np.array([of_shift @ shifts, *np.interp([0.025, 0.975], below, shifts)])


def _grouped(probability: FloatArray, shifts: FloatArray, drifts: FloatArray, width: float) -> Alternatives:
    """Return the probable alternatives. Shifts that differ by less than `width` are merged."""
    groups = np.floor((shifts - shifts[0]) / width)
    starts = np.unique(groups, return_index=True)[1]
    total, mean, square = (np.add.reduceat(probability * shifts**power, starts, axis=3) for power in range(3))
    likely = np.nonzero(total > total.max() / 100)
    mean, square = mean[likely] / total[likely], square[likely] / total[likely]
    factors, kinds, _ = kinds_of_changes()
    return Alternatives(
        total[likely] / total[likely].sum(), mean, np.maximum(square - mean**2, 0.0),
        drifts[likely[0]], likely[1], factors[likely[2]], kinds[likely[2]],
    )  # fmt: skip
