"""The likelihood of a kernel's level over all points, as Gaussians; see `change_evidence`."""

from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.validation import BoolArray, FloatArray, IntArray

SCATTERS = 0.002 * 2.0 ** np.arange(9)
"""Standard deviations of a kernel's scatter, from 0.2 % to 51 %. Mixtures represent other values."""

NO_PRECISION = 1e-200
"""The precision (1 / variance) of an unknown level."""

PLAIN, LAW = 0, 1


@dataclass(frozen=True)
class Levels:
    """Likelihoods of the levels of K kernels under two explanations and J classes of scatter.

    The likelihood of a level is exp(`evidence`) times a Gaussian density with `mean` and `variance`. The
    classes are `SCATTERS` without odd points, then `SCATTERS` with odd points.
    """

    evidence: FloatArray  # (K, 2, J)
    mean: FloatArray  # (K, 2, J)
    variance: FloatArray  # (K, 2, J)
    known: BoolArray  # (K,) whether there is any log ratio

    def part(self, kernels: IntArray) -> "Levels":
        """Return the levels of these kernels."""
        return Levels(*(getattr(self, field.name)[kernels] for field in fields(self)))


def join_levels(parts: list[Levels]) -> Levels:
    """Join the levels of several groups of kernels."""
    return Levels(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Levels)))


def level_evidence(
    start: FloatArray,
    b: FloatArray,
    a: FloatArray,
    quadratic: FloatArray,
    determinant: FloatArray | float = 1.0,
) -> FloatArray:
    """Return the log evidence, mean and variance of a level, (3, …).

    Args:
        start: −log(det 2πΣ) / 2 for the covariance Σ of the log ratios d, plus the logarithm of a prior.
        b, a, quadratic: 1ᵀΣ⁻¹1, 1ᵀΣ⁻¹d and dᵀΣ⁻¹d.
        determinant: a factor of det Σ that is missing in `start`.
    """
    b = np.maximum(b, NO_PRECISION)
    mean = a / b
    evidence = start - 0.5 * (quadratic - a * mean) + 0.5 * np.log(2 * np.pi / (b * determinant))
    return np.stack([evidence, mean, 1 / b])


def merge(gaussians: FloatArray, axis: int) -> FloatArray:
    """Merge Gaussians along an axis into one with the same weight, mean and variance, (3, …)."""
    evidence, mean, variance = gaussians
    axis -= 1
    largest = evidence.max(axis=axis, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    weights = np.exp(evidence - largest)
    total = weights.sum(axis=axis, keepdims=True)
    weights = weights / np.maximum(total, NO_PRECISION)
    centre = (weights * mean).sum(axis=axis, keepdims=True)
    spread = (weights * (variance + (mean - centre) ** 2)).sum(axis=axis)
    with np.errstate(divide="ignore"):
        joined = np.log(total) + largest
    return np.stack([joined.squeeze(axis), centre.squeeze(axis), np.maximum(spread, NO_PRECISION)])
