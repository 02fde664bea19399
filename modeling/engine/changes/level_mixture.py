"""The distribution of the levels of kernels that are the same, have another factor, or another law.

The level of kernel k (see `change_evidence`) is

    level[k] = shift + drift[k] + factor[k].

All kernels have the same shift. Kernels that are the same have no factor.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.changes.change_evidence import LAW, PLAIN, Levels, merge
from modeling.engine.validation import FloatArray, IntArray

Spread = tuple[FloatArray, FloatArray]
"""A mixture of Gaussians around 0: weights and standard deviations."""

Gaussians = tuple[FloatArray, FloatArray, FloatArray]
"""Mixtures of N Gaussians for K kernels: weights, means and variances, (K, N) each."""

TAILS: tuple[Spread, ...] = (
    (np.array([1.0]), np.array([1.0])),
    (np.array([0.477, 0.441, 0.078, 0.004]), np.array([0.782, 1.546, 3.541, 11.47])),
)
"""Distributions of drift of scale 1: Gaussian, or a mixture near Student's t with 3 degrees of freedom."""

HEAVY_TAILS_PRIOR = 0.1
"""Prior probability that drift has heavy tails. With 0.5, one kernel of 50 that became 15 % slower would be
missed. If drift has heavy tails, one in 1,000 unchanged kernels is reported, and more with a smaller value.
"""

FACTORS: Spread = (np.array([0.15, 0.5, 0.3, 0.049, 0.001]), np.array([0.1, 0.3, 1.0, 3.0, 100.0]))
"""Prior of a factor (a logarithm): changes by some percent up to tenfold, and rarely larger ones."""

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
    total, *merged = merge(np.stack([evidence, mean, variance]), axis=3)
    return LevelMixture((np.exp(weight), centre, width), (np.exp(total), merged[0], merged[1]), tails)


def densities(
    mixture: LevelMixture, shifts: FloatArray, drift: float, tail: int, added: float = 0.0
) -> FloatArray:
    """Return the densities of the log ratios of K kernels that are the same, or have another factor or law.

    Args:
        mixture: likelihoods of the levels.
        shifts: (N,) possible shifts.
        drift: scale of the drift.
        tail: index of the distribution of drift in the mixture's `tails`.
        added: a variance that is added to every level.

    Returns:
        The densities for the same, another factor and another law, (3, K, N).
    """
    share, scale = mixture.tails[tail]
    weight, mean, variance = mixture.changed
    factor, law = (
        _density((weight[:, [e]], mean[:, [e]], variance[:, [e]]), FACTORS, shifts, added + drift**2)
        for e in (PLAIN, LAW)
    )
    same = _density(mixture.same, (share, drift * scale), shifts, added)
    return np.stack([np.maximum(same, LEAST_DENSITY), factor, law])


def densities_of_same(
    parts: Gaussians, shift: float, drift: float, tail: Spread, added: float = 0.0
) -> FloatArray:
    """Return the densities of K levels without a factor, for each of N Gaussians in `parts`, (K, N).

    Other arguments are as in `densities`, but `tail` is the distribution of drift itself.
    """
    weight, mean, variance = (each[:, :, None] for each in parts)
    share, scale = tail
    total = variance + (drift * scale) ** 2 + added
    each = weight * share / np.sqrt(2 * np.pi * total) * np.exp(-0.5 * (mean - shift) ** 2 / total)
    return np.asarray(each.sum(axis=2))


def _density(parts: Gaussians, spread: Spread, shifts: FloatArray, added: float) -> FloatArray:
    """Return the densities of levels distributed around the shifts like `spread`, (kernels, shifts)."""
    weight, mean, variance = parts
    share, scale = spread
    total = variance[:, :, None] + scale**2 + added
    factor = weight[:, :, None] * share / np.sqrt(2 * np.pi * total)
    square = (mean[:, :, None] - shifts) ** 2
    exponential = np.exp((-0.5 / total)[:, :, :, None] * square[:, :, None, :])
    return np.asarray(np.einsum("knt,knts->ks", factor, exponential))
