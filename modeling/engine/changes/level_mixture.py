"""The distribution of the levels of kernels that are the same, have another factor, or another law.

The level of kernel k (see `change_evidence`) is

    level[k] = shift + drift[k] + factor[k].

All kernels have the same shift. Kernels that are the same have no factor.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.changes.likelihood import LAW, PLAIN, Levels, merge
from modeling.engine.validation import FloatArray, IntArray

Spread = tuple[FloatArray, FloatArray]
"""A mixture of Gaussians around 0: weights and standard deviations."""

Gaussians = tuple[FloatArray, FloatArray, FloatArray]
"""Mixtures of N Gaussians for K kernels: weights, means and variances, (K, N) each."""

PerShift = float | FloatArray
"""A number for all shifts, or one for each of N shifts, (N,)."""

TAILS: tuple[Spread, ...] = (
    (np.array([1.0]), np.array([1.0])),
    (np.array([0.477, 0.441, 0.078, 0.004]), np.array([0.782, 1.546, 3.541, 11.47])),
)
"""Distributions of drift of scale 1: Gaussian, or a mixture near Student's t with 3 degrees of freedom."""

HEAVY_TAILS_PRIOR = 0.03
"""Prior probability that drift has heavy tails. With few kernels, this probability hardly changes, and it
bounds the certainty of every change. On busy machines, tails are usually heavy. With 0.1, a third fewer of 60
unchanged kernels with heavy tails would be reported, but half as many factors of 1.5 of two kernels found.
"""

FACTORS: Spread = (np.array([0.15, 0.5, 0.3, 0.049, 0.001]), np.array([0.1, 0.3, 1.0, 3.0, 100.0]))
"""Prior of a factor (a logarithm): changes by some percent up to tenfold, and rarely larger ones."""

SIMILAR, SIMILAR_SHARE, SIMILAR_WIDTH = np.array([0.25, 0.5, 1.0, -0.25, -0.5, -1.0]), 0.8, 1 / 3
"""Factors may also be similar, as after one change of code that slowed down several kernels. The given share
of them then has a normal distribution around one of these centres, or around a centre and its opposite. Its
standard deviation is the given multiple of the centre. All other factors are distributed like `FACTORS`.

If factors were never similar, kernels that became slower by the same factor would be mistaken for a heavy
tail of drift.
"""

LARGE_WIDTH, LARGE_FROM = 0.7, 0.4
"""If more than the second share of the kernels have another factor, as with another compiler, most of these
factors have a normal distribution with the first standard deviation. If they were distributed like `FACTORS`,
whose narrower parts look like drift, 30 instead of 40 of 74 kernels would be reported between -O0 and -O2.
"""

_CENTRES = len(SIMILAR)
_PAIRS = np.tile(np.eye(_CENTRES // 2) / 2, 2)
_AROUND = np.pad(np.vstack([np.eye(_CENTRES), _PAIRS]), ((0, 1), (0, 1)))
_AROUND[-1, -1] = 1.0

KINDS_OF_FACTORS = np.column_stack(
    [
        np.append(1.0, np.full(len(_AROUND), 1 - SIMILAR_SHARE)),
        np.vstack([np.zeros(_CENTRES + 1), SIMILAR_SHARE * _AROUND]),
    ]
)
"""Shares of `FACTORS`, of factors around each centre, and of large factors: for unlike factors, for each
centre, for each pair of a centre and its opposite, and for factors of most kernels.
"""

CHANGED_SHARES = (
    np.array([0.01, 0.03, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95]),
    np.array([0.32, 0.32, 0.32, 0.025, 0.005, 0.001, 0.001, 0.002, 0.006]),
)
"""Possible shares of kernels with another factor, and their prior. Another compiler, or none of its
optimizations, may change nearly all kernels. A tenth is as probable as less: few kernels hardly tell their
share, so with a prior of 0.09 changes among 60 kernels were taken for drift. Shares above a tenth are
improbable. If they had a total prior of 0.16 instead of 0.04, twice as many of six kernels that drift by 30 %
would be reported. Many kernels show their share, whatever its prior is.
"""

SIMILAR_PRIOR = ((0.1, 3.0, slice(1, _CENTRES + 1)), (0.3, 0.6, slice(_CENTRES + 1, -1)))
"""Factors around one centre, and around a centre and its opposite: the share of kernels with another factor,
the prior probability relative to that of unlike factors, and the places in `KINDS_OF_FACTORS`. With other
shares, factors are always unlike, to save time. With a sixth of these priors, six of 60 kernels that became
slower by half under 10 % of drift are found with the probability 0.44 instead of 0.54.
"""

CLASSES_AT_ONCE = 3
"""The level of an unchanged kernel is computed for this number of the likeliest classes of scatter."""

LEAST_DENSITY = 1e-300
"""Smallest density of an unchanged kernel, so that one explanation always has a positive density."""


@dataclass(frozen=True)
class LevelMixture:
    """Likelihoods of the levels of K kernels, as mixtures of Gaussians."""

    same: Gaussians  # for unchanged kernels, one Gaussian for each likely class of scatter
    changed: Gaussians  # for changed kernels, one Gaussian for each explanation
    tails: tuple[Spread, ...] = TAILS  # distributions of drift of scale 1


def level_mixture(
    levels: Levels, scatter: FloatArray, kernels: IntArray | slice, tails: tuple[Spread, ...] = TAILS
) -> LevelMixture:
    """Return the mixtures for some `kernels`. `scatter` (J,) are the shares of J classes of scatter."""
    evidence = levels.evidence[kernels] + np.log(np.maximum(scatter, LEAST_DENSITY))
    evidence = evidence - evidence.max(axis=(1, 2), keepdims=True)
    mean, variance = levels.mean[kernels], levels.variance[kernels]
    plain = evidence[:, PLAIN]
    likeliest = np.argpartition(-plain, CLASSES_AT_ONCE - 1, axis=1)[:, :CLASSES_AT_ONCE]
    weight, centre, width = (
        np.take_along_axis(each, likeliest, axis=1) for each in (plain, mean[:, PLAIN], variance[:, PLAIN])
    )
    evidence, *merged = merge(np.stack([evidence, mean, variance]), axis=3)
    total, weight = np.exp(evidence), np.exp(weight)
    # The classes that are left out would otherwise make unchanged kernels less probable than changed ones.
    weight *= (total[:, PLAIN] / weight.sum(axis=1))[:, None]
    return LevelMixture((weight, centre, width), (total, merged[0], merged[1]), tails)


def densities(
    mixture: LevelMixture, shifts: FloatArray, drift: PerShift, tail: int, added: PerShift = 0.0
) -> FloatArray:
    """Return the densities of the log ratios of K kernels with each cause of their levels.

    Args:
        mixture: likelihoods of the levels.
        shifts: (N,) possible shifts.
        drift: scale of the drift, with all shifts or with each of them.
        tail: index of the distribution of drift in the mixture's `tails`.
        added: a variance that is added to every level, with all shifts or with each of them.

    Returns:
        The densities of the same kernels, then those of `densities_of_changed`, (S + 4, K, N).
    """
    same = densities_at(mixture, shifts, drift, tail, added)
    return np.concatenate([same[None], densities_of_changed(mixture, shifts, drift, added)])


def densities_at(
    mixture: LevelMixture, shifts: FloatArray, drift: PerShift, tail: int, added: PerShift = 0.0
) -> FloatArray:
    """Return the densities of the log ratios of K kernels that are the same at N shifts, (K, N).

    The arguments are those of `densities`.
    """
    share, scale = mixture.tails[tail]
    around_0 = np.zeros(len(share)), np.multiply.outer(scale, drift)
    each = _densities(mixture.same, around_0, shifts, added)
    return np.asarray(np.maximum(np.einsum("t,tkn->kn", share, each), LEAST_DENSITY))


def densities_of_changed(
    mixture: LevelMixture, shifts: FloatArray, drift: PerShift, added: PerShift = 0.0
) -> FloatArray:
    """Return the densities of the log ratios of K kernels that changed.

    The arguments are those of `densities`.

    Returns:
        The densities with a factor distributed like `FACTORS`, a factor around each of the S centres
        `SIMILAR`, a large factor, and another law, (S + 3, K, N).
    """
    weight, mean, variance = mixture.changed
    factor, law = ((weight[:, [e]], mean[:, [e]], variance[:, [e]]) for e in (PLAIN, LAW))
    added = np.square(drift) + added
    share, scale = FACTORS
    around_0 = np.zeros(len(share)), scale
    unlike = np.einsum("t,tkn->kn", share, _densities(factor, around_0, shifts, added))
    around_centres = np.append(SIMILAR, 0.0), np.append(SIMILAR_WIDTH * abs(SIMILAR), LARGE_WIDTH)
    similar = _densities(factor, around_centres, shifts, added)
    of_law = np.einsum("t,tkn->kn", share, _densities(law, around_0, shifts, added))
    return np.concatenate([unlike[None], similar, of_law[None]])


def kinds_of_changes() -> tuple[FloatArray, IntArray, FloatArray]:
    """Return shares of kernels with another factor, the kinds of their factors, and the prior, (A,) each."""
    share, prior = CHANGED_SHARES
    shares, kinds, priors = [share], [np.where(share > LARGE_FROM, len(KINDS_OF_FACTORS) - 1, 0)], [prior]
    for of_kernels, relative, places in SIMILAR_PRIOR:
        some = np.arange(len(KINDS_OF_FACTORS))[places]
        shares.append(np.full(len(some), of_kernels))
        kinds.append(some)
        priors.append(np.full(len(some), relative / len(some) * prior[share == of_kernels]))
    return np.concatenate(shares), np.concatenate(kinds), np.concatenate(priors)


def densities_of_same(
    parts: Gaussians, shifts: FloatArray, drift: PerShift, tail: Spread, added: PerShift = 0.0
) -> FloatArray:
    """Return the densities of K levels without a factor at N shifts, for each of J Gaussians in `parts`, (J,
    K, N).

    Other arguments are as in `densities`, but `tail` is the distribution of drift itself.
    """
    share, scale = tail
    around_0 = np.zeros(len(share)), np.multiply.outer(scale, drift)
    each = (tuple(part[:, [j]] for part in parts) for j in range(parts[0].shape[1]))
    return np.array(
        [np.einsum("t,tkn->kn", share, _densities((w, m, v), around_0, shifts, added)) for w, m, v in each]
    )


def _densities(
    parts: Gaussians, spread: tuple[FloatArray, FloatArray], shifts: FloatArray, added: PerShift
) -> FloatArray:
    """Return the densities (T, K, N) of levels of K kernels around N shifts.

    `spread` are the centres (T,) and standard deviations, (T,) or (T, N), of T Gaussians. The distance of a
    level from the shift has one of these.
    """
    centre, scale = spread
    squares = scale.reshape(len(centre), 1, -1) ** 2 + added
    found = np.zeros((len(centre), len(parts[0]), len(shifts)))
    for weight, mean, variance in zip(*(each.T for each in parts), strict=True):
        if not weight.any():
            continue
        total = variance[:, None] + squares
        each = (mean[:, None] - shifts - centre[:, None, None]) ** 2
        each *= -0.5 / total
        np.exp(each, out=each)
        each *= weight[:, None] / np.sqrt(2 * np.pi * total)
        found += each
    return found
