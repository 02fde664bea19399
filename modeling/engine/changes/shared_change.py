"""Estimate the properties that all kernels of two compared campaigns share, and judge each kernel given these
properties.

The campaign's shift, the sizes of drift and scatter, the weight of their tails and the share of changed
kernels are learned from all kernels (empirical Bayes). The shares of the classes of scatter come from
expectation maximization. All other properties are on a grid, whose alternatives are weighted by their
posterior probability. With few kernels many alternatives are probable, so only clear changes are reported.
"""

from dataclasses import dataclass, field, fields, replace

import numpy as np

from modeling.engine.changes.change_evidence import LAW, PLAIN, SCATTERS, Levels
from modeling.engine.changes.level_mixture import (
    HEAVY_TAILS_PRIOR,
    LEAST_DENSITY,
    TAILS,
    LevelMixture,
    Spread,
    densities,
    densities_of_same,
    level_mixture,
)
from modeling.engine.changes.locations import Location
from modeling.engine.changes.usual_drift import UsualDrift
from modeling.engine.changes.verdict_threshold import largest_doubt
from modeling.engine.validation import BoolArray, FloatArray, IntArray

DRIFTS = 0.001 * 2.0 ** np.arange(0, 10.1, 0.5)
"""Scales that the kernels' drift may have, from 0.1 % to 102 %. With steps of a factor of 2, drift would be
mistaken for heavy tails. From 0.2 % on, 99 % of the intervals of unchanged kernels hold where five midranges
under noise of 5 % show levels within 0.3 %, because drift must be below this to be nearly none.
"""

FINER_STEP = 2.0**0.125
"""Ratio of neighbouring scales of drift that are tried around the likely ones. The steps of `DRIFTS` are
too large if many kernels have one common point: a scale that is a quarter too small, with three times as
many factors, then seemed likelier, and 22 instead of 3 of 1,000 unchanged kernels were reported.
"""

MANY_DRIFTS = 5
"""If more than this number of `DRIFTS` are likely, the drift is so uncertain that finer steps are not
needed.
"""

DRIFT_SPREAD = 1.0
"""Prior of the scale of drift: log-normal around the usual scatter, with this standard deviation of the
logarithm. A machine that varies from point to point also varies from campaign to campaign.
"""

SHIFTS: Spread = (np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.03, 0.1, 0.3, 1.0]))
"""Prior of the campaign's shift. It matters if there are few kernels: of three kernels with different ratios,
the one whose ratio is nearest to 1 is assumed to be unchanged.
"""

CHANGED_SHARES = (
    np.array([0.01, 0.03, 0.1, 0.2, 0.3, 0.45, 0.6]),
    np.array([0.39, 0.39, 0.09, 0.05, 0.03, 0.02, 0.03]),
)
"""Possible shares of kernels with another factor, and their prior. Most versions do not change most kernels,
but another compiler does. In one campaign, -O3 made 23 kernels faster or slower by more than 20 %. With these
shares 13 of them are recognised. With 0.3 as the largest share only 5 were recognised, because the
differences of the others were mistaken for drift.
"""

LAW_CHANGED_PRIOR, PRIOR_KERNELS = 0.01, 100.0
"""Prior share of the kernels whose law changed, and the number of kernels with the same weight as this
prior.
"""

USUAL_SCATTER, SCATTER_SPREAD = 0.01, 1.2
"""Median of the log-normal prior of the scatter, and its deviation in natural logarithms."""

ODD_PRIOR = 0.05
"""Prior share of the kernels with an odd point."""

SCATTER_KERNELS = 4.0
"""The number of kernels with the same weight as the prior of the scatter."""

EM_ROUNDS = 100
"""Rounds of expectation maximization."""

UNTOUCHED_ODDS = 0.03
"""Prior odds that the shift of all other kernels does not affect an unchanged kernel. Contention on a
machine may slow some kernels but not others, which then seem to have become faster. Without these odds, 10
of 50 kernels of one binary, measured twice on a busy machine, were reported as following another law; with
0.01 to 0.1 none is. On the other hand, changes that cancel the shift are missed, such as a kernel that became
20 % faster on a machine that is 20 % slower.
"""

LARGEST_EXPONENT = 600.0
"""Upper limit for logarithms, so that no density overflows. Beyond it, all other explanations have a
negligible probability.
"""

ENOUGH_KERNELS = 2000
"""The largest number of kernels from which shift and drift are learned. They determine the shift to a
fortieth of the drift. A larger number would cost time.
"""

FIRST_DENSITIES = 10_000
"""The largest product of the numbers of kernels and of values of the shift in the first grid. A larger grid
would cost time and find the same shift.
"""

NEGLIGIBLE_LOG_DENSITY = 30.0
"""Values are left out if their log posterior density is further than this below the largest one. The limit
is large because much more probable values may lie next to those of the first grid.
"""

CERTAIN_DIFFERENCE, WITHIN_SHIFT = 3.0, 2.0
"""A kernel's level certainly differs from 0 beyond the first multiple of its standard deviation. The shift
may explain a level up to the second multiple beyond the bounds of the shift's interval. The second is
smaller, so that no level is left open if the shift is known to be nearly 0.
"""


@dataclass(frozen=True)
class Alternatives:
    """N alternatives of the properties that kernels share, with the probability of each, (N,) each."""

    probability: FloatArray
    shift: FloatArray
    shift_variance: FloatArray
    drift: FloatArray
    tail: IntArray  # index in the tails of `Shared`
    factors: FloatArray  # share of kernels with another factor among those whose law is the same


@dataclass(frozen=True)
class Shared:
    """The shared properties that the judgement of each kernel uses."""

    shift: FloatArray  # (3,) logarithm of the campaign's shift, its lower and upper 95 % bound
    points: FloatArray  # (C,) additional shifts of single points
    scatter: FloatArray  # (J,) shares of the classes of scatter
    laws: float  # share of the kernels whose law changed
    alternatives: Alternatives
    growth: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))  # (m, 3), see `shared_growth`
    location: Location = field(default_factory=Location)  # of all points' repetitions
    usual: UsualDrift | None = None  # that of earlier campaigns
    most: float = 0.0  # probability of being the same up to which a kernel is reported as changed

    @property
    def tails(self) -> tuple[Spread, ...]:
        """Return the shapes that the distribution of drift may have."""
        return (self.usual.tail,) if self.usual else TAILS

    @property
    def drift_variance(self) -> float:
        """Return the variance of a kernel's drift and the shift together."""
        known = self.alternatives
        tails = np.array([float(share @ scale**2) for share, scale in self.tails])
        tails = np.array([self.usual.variance]) if self.usual else tails
        mean = known.probability @ known.shift
        spread = known.shift_variance + (known.shift - mean) ** 2
        return float(known.probability @ (tails[known.tail] * known.drift**2 + spread))

    @property
    def likely_drift(self) -> float:
        """Return the median of the scale of a kernel's drift. Unlike `drift_variance` it is not determined by
        improbable alternatives in which the differences of all kernels are drift.
        """
        order = self.alternatives.drift.argsort()
        below = np.cumsum(self.alternatives.probability[order])
        return float(self.alternatives.drift[order][np.searchsorted(below, below[-1] / 2)])


@dataclass(frozen=True)
class Judgement:
    """The judgement of K kernels."""

    probabilities: FloatArray  # (K, 3) of same, factor and law, or (K, 4) including overhead
    factor: FloatArray  # (K, 2) mean and variance of the log factor, if the law did not change
    scatter: FloatArray  # (K,) expected variance of the scatter at a point

    def part(self, kernels: IntArray) -> "Judgement":
        """Only these kernels."""
        return Judgement(*(getattr(self, each.name)[kernels] for each in fields(self)))


def shared(levels: Levels, points: FloatArray, location: Location, usual: UsualDrift | None = None) -> Shared:
    """Learn the shared properties from the levels of all kernels, after points were corrected by these
    shifts. If the drift of earlier campaigns is given, only the scale of its distribution may differ.
    """
    tails = (usual.tail,) if usual else TAILS
    known = np.flatnonzero(levels.known)
    scatter, laws = _scatter(levels, known)
    chosen = np.linspace(0, len(known) - 1, min(len(known), ENOUGH_KERNELS)).astype(int)
    mixture = level_mixture(levels, scatter, known[chosen], tails)
    if not len(known):
        nothing = np.ones((1, 2)), np.zeros((1, 2)), np.ones((1, 2))
        mixture = LevelMixture(nothing, nothing, tails)
    shift, alternatives = _alternatives(mixture, scatter, laws, usual)
    found = Shared(shift, points, scatter, laws, alternatives, location=location, usual=usual)
    return replace(found, most=largest_doubt(judge(levels, found).probabilities[known, 0]))


def judge(levels: Levels, known: Shared, untouched: Levels | None = None) -> Judgement:
    """Weigh the three explanations of every kernel: same, factor, law.

    `untouched` are the levels of the same kernels before the shared shifts were removed from their ratios. If
    they are given, a kernel may also be the same because the shared changes did not affect it.
    """
    mixture = level_mixture(levels, known.scatter, slice(None), known.tails)
    mean, variance = mixture.changed[1][:, PLAIN], mixture.changed[2][:, PLAIN]
    probabilities = np.zeros((len(mean), 3))
    each = known.alternatives
    for n, probability in enumerate(each.probability):
        shares = shares_of(each.factors[n], known.laws)
        density = densities(
            mixture, each.shift[n : n + 1], each.drift[n], each.tail[n], each.shift_variance[n]
        )
        weighed = shares * density[:, :, 0].T
        if untouched is not None:
            at_rest = _untouched(untouched, levels, known, each.drift[n], each.tail[n])
            weighed[:, 0] += UNTOUCHED_ODDS * shares[0] * at_rest
        probabilities += probability * weighed / weighed.sum(axis=1, keepdims=True)
    shift = each.probability @ each.shift
    factor = np.stack([mean - shift, variance + known.drift_variance], axis=1)
    return Judgement(probabilities, factor, _scatter_variance(levels, known))


def undecided(levels: Levels, judged: Judgement, known: Shared) -> tuple[BoolArray, FloatArray]:
    """Return which kernels differ between the campaigns by more than noise and drift although it cannot be
    told why, (K,), and the mean and variance (K, 2) of the logarithm of every kernel's measured ratio.

    The cause cannot be told if the shift may be 0 but may also explain the difference, or if the kernel is
    more probably changed than not, but not certainly enough. This happens with few kernels: a single one that
    became slower, or two of three by the same factor. Only kernels that are not reported as changed are asked
    for; to call them the same would be untrue.
    """
    mixture = level_mixture(levels, known.scatter, slice(None), known.tails)
    mean, variance = mixture.changed[1][:, PLAIN], mixture.changed[2][:, PLAIN]
    variance = variance + known.likely_drift**2
    deviation = np.sqrt(variance)
    _, low, high = known.shift
    differs = abs(mean) > CERTAIN_DIFFERENCE * deviation
    explained = (mean > low - WITHIN_SHIFT * deviation) & (mean < high + WITHIN_SHIFT * deviation)
    doubtful = judged.probabilities[:, 0] < 1 / 2
    margin = np.minimum((high - low) / 4, deviation)  # an interval that hardly excludes 0 decides nothing
    maybe_none = (low <= margin) & (high >= -margin)
    return levels.known & differs & (explained | doubtful) & maybe_none, np.stack([mean, variance], axis=1)


def _untouched(untouched: Levels, levels: Levels, known: Shared, drift: float, tail: int) -> FloatArray:
    """Return the densities (K,) of the levels of kernels that the common shift did not affect, in units of
    those of `densities`.

    Like other kernels, they have their own drift and the small shift of any two campaigns. Without this
    shift, 133 instead of 28 of 1,000 unchanged kernels are reported if half of all kernels became slower by
    30 %.
    """
    mixture = level_mixture(untouched, known.scatter, slice(None))
    usual_shift = SHIFTS[1][0]
    density = densities_of_same(mixture.same, 0.0, drift, known.tails[tail], usual_shift**2).sum(axis=1)
    most = [
        (each.evidence + np.log(np.maximum(known.scatter, LEAST_DENSITY))).max(axis=(1, 2))
        for each in (untouched, levels)
    ]
    return np.asarray(density * np.exp(np.minimum(most[0] - most[1], LARGEST_EXPONENT)))


def shares_of(factors: float, laws: float) -> FloatArray:
    """Return the shares (3,) of kernels that are the same, have another factor, and another law.

    `factors` is the share of kernels with another factor among those whose law is the same. In a rewritten
    program nearly no kernel may be the same.
    """
    return np.array([(1 - laws) * (1 - factors), (1 - laws) * factors, laws])


def _scatter_variance(levels: Levels, known: Shared) -> FloatArray:
    """Return the expected variance (K,) of the scatter, given the kernels' log ratios."""
    shares = np.multiply.outer([1 - known.laws, known.laws], known.scatter)
    evidence = levels.evidence - levels.evidence.max(axis=(1, 2), keepdims=True)
    weights = np.exp(evidence) * shares
    weights /= weights.sum(axis=(1, 2), keepdims=True)
    expected: FloatArray = weights.sum(axis=1) @ np.tile(SCATTERS**2, 2)
    return expected


def _scatter(levels: Levels, known: IntArray) -> tuple[FloatArray, float]:
    """Return the shares of the classes of scatter, (J,), and of changed laws, by expectation maximization.

    Odd points are assumed to be equally frequent in all classes of scatter. Otherwise the kernels with odd
    points would be one class, and the kernels with a changed law another one.
    """
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
    """Return a share, with a prior that has the weight of `weight` kernels."""
    return float((count + weight * prior) / (total + weight))


def _alternatives(
    mixture: LevelMixture, scatter: FloatArray, laws: float, usual: UsualDrift | None
) -> tuple[FloatArray, Alternatives]:
    """Return the campaign's shift with its bounds, (3,), and the alternatives of the shared properties.

    The posterior may have several peaks, one for each group of kernels that agree. So the shift is first
    searched for at quantiles of the levels, and then around all probable values.
    """
    middle = np.log(usual.scale) if usual else scatter.reshape(2, -1).sum(axis=0) @ np.log(SCATTERS)
    means, variances = mixture.changed[1][:, PLAIN], mixture.changed[2][:, PLAIN]
    count = int(np.clip(FIRST_DENSITIES / len(means), 9, 33))
    first_shifts = np.unique(np.append(np.quantile(means, np.linspace(0, 1, count)), 0.0))
    tails = len(mixture.tails)
    first = _posterior(mixture, first_shifts, DRIFTS, _prior(DRIFTS, middle, tails), laws)
    likely = first > first.max() - NEGLIGIBLE_LOG_DENSITY
    drift = DRIFTS[np.unravel_index(first.argmax(), first.shape)[0]]
    error = 1 / np.sqrt((1 / (variances + drift**2)).sum())
    around = first_shifts[likely.any(axis=(0, 1, 2))]
    shifts = np.unique(np.add.outer(around, error * np.arange(-8.0, 9.0)))
    drifts, tried = _finer(first)
    prior = np.where(tried, _prior(drifts, middle, tails), -np.inf)
    posterior = _posterior(mixture, shifts, drifts, prior, laws) + np.log(np.gradient(shifts))
    probability = np.exp(posterior - posterior.max())
    probability /= probability.sum()
    width = float(np.sqrt(np.median(variances) + drift**2))
    return _shift(probability, shifts), _grouped(probability, shifts, drifts, width / 2)


def _finer(first: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the drifts to be tried, (n,), and whether to try each with either tail, (n, tails), given the
    log posterior (drifts, tails, …) at `DRIFTS`.

    If many drifts are likely, `DRIFTS` suffice. Otherwise the peak of the posterior is between them.
    """
    of_drifts = first.reshape(*first.shape[:2], -1).max(axis=2)
    likely = of_drifts > of_drifts.max() - NEGLIGIBLE_LOG_DENSITY
    if likely.any(axis=1).sum() > MANY_DRIFTS:
        return DRIFTS[likely.any(axis=1)], likely[likely.any(axis=1)]
    around = DRIFTS[of_drifts.argmax(axis=0)] * FINER_STEP ** np.arange(-2.0, 3.0)[:, None]
    around = np.where(likely.any(axis=0), around, 0.0).round(12)
    drifts = np.unique(around[around > 0])
    return drifts, (drifts[:, None, None] == around).any(axis=1)


def _prior(drifts: FloatArray, middle: float, tails: int) -> FloatArray:
    """Return the log prior of drifts with each tail, (drifts, tails), around a drift with the logarithm
    `middle`. A single tail is that of earlier campaigns.
    """
    of_drifts = -0.5 * ((np.log(drifts) - middle) / DRIFT_SPREAD) ** 2
    of_tails = [1.0] if tails == 1 else [1 - HEAVY_TAILS_PRIOR, HEAVY_TAILS_PRIOR]
    return np.add.outer(of_drifts, np.log(of_tails))


def _posterior(
    mixture: LevelMixture, shifts: FloatArray, drifts: FloatArray, prior: FloatArray, laws: float
) -> FloatArray:
    """Return the log posterior up to a constant, (drifts, tails, shares, shifts); `prior` is the log prior of
    drifts and tails.
    """
    found = np.full((*prior.shape, len(CHANGED_SHARES[0]), len(shifts)), -np.inf)
    for place, tail in zip(*np.nonzero(np.isfinite(prior)), strict=True):
        same, factor, law = densities(mixture, shifts, drifts[place], tail)
        for number, share in enumerate(CHANGED_SHARES[0]):
            total = np.tensordot(shares_of(share, laws), [same, factor, law], axes=1)
            found[place, tail, number] = np.log(total).sum(axis=0) + prior[place, tail]
    of_shift = SHIFTS[0] / SHIFTS[1] @ np.exp(-0.5 * (shifts / SHIFTS[1][:, None]) ** 2)
    likely = np.log(np.maximum(of_shift, LEAST_DENSITY))
    posterior: FloatArray = found + likely + np.log(CHANGED_SHARES[1])[:, None]
    return posterior


def _shift(probability: FloatArray, shifts: FloatArray) -> FloatArray:
    """Return the mean of the shift and its 95 % bounds, (3,)."""
    of_shift = probability.sum(axis=(0, 1, 2))
    below = np.cumsum(of_shift) - of_shift / 2
    return np.array([of_shift @ shifts, *np.interp([0.025, 0.975], below, shifts)])


def _grouped(probability: FloatArray, shifts: FloatArray, drifts: FloatArray, width: float) -> Alternatives:
    """Return the probable alternatives, in which ascending shifts within `width` of each other are merged."""
    groups = np.floor((shifts - shifts[0]) / width)
    starts = np.unique(groups, return_index=True)[1]
    total, mean, square = (np.add.reduceat(probability * shifts**power, starts, axis=3) for power in range(3))
    likely = np.nonzero(total > total.max() / 100)
    mean, square = mean[likely] / total[likely], square[likely] / total[likely]
    return Alternatives(
        total[likely] / total[likely].sum(), mean, np.maximum(square - mean**2, 0.0),
        drifts[likely[0]], likely[1], CHANGED_SHARES[0][likely[2]],
    )  # fmt: skip
