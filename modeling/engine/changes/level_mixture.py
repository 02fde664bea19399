"""The distribution of the levels of kernels that are the same, have another factor, or another law.

The level of kernel k (see `change_evidence`) is

    level_k = shift + drift_k + factor_k,

where the shift is that of the whole campaign. Drift is a deviation of the kernel that no change of code
caused; it is Gaussian or has the tails of Student's t distribution. Few kernels have a factor, among them all
kernels whose law changed.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.changes.change_evidence import LAW, PLAIN, Levels, merge
from modeling.engine.validation import FloatArray, IntArray

Spread = tuple[FloatArray, FloatArray]
"""Weights and standard deviations of Gaussians around 0."""

Gaussians = tuple[FloatArray, FloatArray, FloatArray]
"""Weights, means and variances of sums of n Gaussians, (K, n) each."""

TAILS: tuple[Spread, ...] = (
    (np.array([1.0]), np.array([1.0])),
    (np.array([0.477, 0.441, 0.078, 0.004]), np.array([0.782, 1.546, 3.541, 11.47])),
)
"""Drift of scale 1: Gaussian, or Student's t with 3 degrees of freedom. The latter is a mixture of
Gaussians, whose density is within a sixth of the true one up to 15 scales from the centre.
"""

HEAVY_TAILS_PRIOR = 0.1
"""Prior probability that drift has heavy tails. It matters if there are few kernels. At 0.5, a kernel among
50 that became 15 % slower is missed. At 0.1 such a kernel is found in six of seven cases, and one in a
thousand unchanged kernels is reported if tails are heavy.
"""

FACTORS: Spread = (np.array([0.15, 0.5, 0.3, 0.049, 0.001]), np.array([0.1, 0.3, 1.0, 3.0, 100.0]))
"""Prior of a factor's logarithm: changes of a few percent up to factors of ten, and rarely larger."""

CLASSES_AT_ONCE = 3
"""The number of classes of scatter, the likeliest ones, for which a kernel's level is weighed."""

LEAST_DENSITY = 1e-300
"""Smallest density of an unchanged kernel, so that every kernel has a possible explanation."""


@dataclass(frozen=True)
class LevelMixture:
    """Levels of K kernels as sums of Gaussians.

    `same` has one Gaussian for each of the likeliest classes of scatter, and `changed` has one for each
    explanation. `tails` are the shapes that the distribution of drift may have.
    """

    same: Gaussians
    changed: Gaussians
    tails: tuple[Spread, ...] = TAILS


def level_mixture(
    levels: Levels, scatter: FloatArray, kernels: IntArray | slice, tails: tuple[Spread, ...] = TAILS
) -> LevelMixture:
    """Return the levels of some kernels if the classes of scatter have these shares, (J,)."""
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
    """Return the densities (3, K, N) of the levels of kernels if they are unchanged, have another factor, or
    another law.

    Args:
        shifts: (N,) possible shifts of the campaign.
        drift, tail: scale of the kernels' drift, and its index in the mixture's tails.
        added: variance of the shifts.
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
    """Return densities (K, n) of levels without a factor, one for each part. The arguments are those of
    `densities`, but `tail` is the tail itself.
    """
    weight, mean, variance = (each[:, :, None] for each in parts)
    share, scale = tail
    total = variance + (drift * scale) ** 2 + added
    each = weight * share / np.sqrt(2 * np.pi * total) * np.exp(-0.5 * (mean - shift) ** 2 / total)
    return np.asarray(each.sum(axis=2))


def _density(parts: Gaussians, spread: Spread, shifts: FloatArray, added: float) -> FloatArray:
    """Return the density (K, N) of levels that are spread around shifts (N,), with the variance `added`."""
    weight, mean, variance = parts
    share, scale = spread
    total = variance[:, :, None] + scale**2 + added
    factor = weight[:, :, None] * share / np.sqrt(2 * np.pi * total)
    square = (mean[:, :, None] - shifts) ** 2
    exponential = np.exp((-0.5 / total)[:, :, :, None] * square[:, :, None, :])
    return np.asarray(np.einsum("knt,knts->ks", factor, exponential))
