"""Probabilities that kernels, or the whole program, became slower by more than a given factor."""

from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.validation import FloatArray, IntArray

DRAWS = 2_000
"""Number of draws of the program's ratio. A probability of 0.95 then has a standard error of 0.005."""

KERNELS_DRAWN = 200
"""Number of kernels, those with the largest variances, whose contributions are drawn one by one."""

PAIRINGS = 8
"""Number of ways in which draws before and after are paired."""

QUANTILE = 1.959964
"""Half the width of the 95 % interval of the standard normal distribution."""


@dataclass(frozen=True)
class Ratios:
    """Ratios after / before of K kernels that may have changed."""

    probability: FloatArray  # (K,) probability that the kernel changed
    ratio: FloatArray  # (K,) at the target
    lower: FloatArray  # (K,) lower end of the 95 % interval of the ratio
    upper: FloatArray  # (K,) upper end of the 95 % interval of the ratio

    def part(self, kernels: IntArray | slice) -> "Ratios":
        """Return the ratios of these kernels."""
        return Ratios(*(getattr(self, field.name)[kernels] for field in fields(self)))

    @property
    def inverse(self) -> "Ratios":
        """The ratios before / after, which show how much worse kernels became if values are throughputs."""
        with np.errstate(divide="ignore"):
            return Ratios(self.probability, 1 / self.ratio, 1 / self.upper, 1 / self.lower)


def exceeds(ratios: Ratios, factor: float) -> FloatArray:
    """Return the probability, (K,), that a kernel changed and its ratio is larger than `factor` (≥ 1).

    The log ratio is assumed to be two-piece normal. The probability is NaN if the ratio is unknown.
    """
    from scipy.special import ndtr  # noqa: PLC0415 -- a sixth of a web process's start-up time

    middle, below, above = _logarithms(ratios)
    distance = middle - np.log(factor)
    width = np.where(distance > 0, below, above)
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond = np.where(width > 0, ndtr(distance / width), (distance > 0).astype(float))
    return np.asarray(np.where(np.isnan(middle), np.nan, ratios.probability * beyond))


def program_ratio(ratios: Ratios, shares: FloatArray, added: float = 0.0, seed: int = 0) -> FloatArray:
    """Return draws (`DRAWS`,) of the ratio after / before of the whole program.

    Kernels are assumed to change independently of each other.

    Args:
        ratios: ratios of K kernels that may have changed. All others are assumed to be unchanged.
        shares: (K,) shares of the kernels in the program before, at the target; 0 if not counted.
        added: values of new kernels minus those of removed kernels, as a share of the program before.
        seed: seed of the draws.
    """
    random = np.random.default_rng(seed)
    total = np.full(DRAWS, 1.0 + added)
    mean, variance = _moments(ratios, shares)
    order = np.argsort(-variance, kind="stable")
    some, rest = order[:KERNELS_DRAWN], order[KERNELS_DRAWN:]
    middle, below, above = (column[:, None] for column in _logarithms(ratios.part(some)))
    deviation = random.standard_normal((len(some), DRAWS))
    with np.errstate(over="ignore"):
        factors = np.exp(middle + deviation * np.where(deviation < 0, below, above))
    changed = random.random(factors.shape) < ratios.probability[some, None]
    total += np.nansum(np.where(changed, shares[some, None] * (factors - 1), 0.0), axis=0)
    if len(rest):
        total += mean[rest].sum() + np.sqrt(variance[rest].sum()) * random.standard_normal(DRAWS)
    return total


def _moments(ratios: Ratios, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and variance of each kernel's contribution to the program's ratio; 0 if unknown.

    A changed kernel contributes share · (F − 1). The logarithm of its ratio F is m + b z for z < 0 and
    m + a z for z > 0, with a standard normal z. The moments of F are

        E Fⁿ = exp(n m) (exp(n² b² / 2) Φ(−n b) + exp(n² a² / 2) Φ(n a)).
    """
    from scipy.special import log_ndtr  # noqa: PLC0415 -- a sixth of a web process's start-up time

    middle, below, above = _logarithms(ratios)

    def power(n: int) -> FloatArray:
        down = n * middle + (n * below) ** 2 / 2 + log_ndtr(-n * below)
        up = n * middle + (n * above) ** 2 / 2 + log_ndtr(n * above)
        return np.asarray(np.exp(down) + np.exp(up))

    with np.errstate(over="ignore", invalid="ignore"):
        first, second = power(1), power(2)
        mean = ratios.probability * shares * (first - 1)
        variance = ratios.probability * shares**2 * (second - 2 * first + 1) - mean**2
    known = ~np.isnan(middle) & (shares > 0)
    variance = np.where(known, np.where(np.isnan(variance), np.inf, np.maximum(variance, 0.0)), 0.0)
    return np.where(known, mean, 0.0), variance


def _logarithms(ratios: Ratios) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the logarithms of the ratios, and their standard deviations below and above."""
    with np.errstate(divide="ignore", invalid="ignore"):
        middle, lower, upper = (np.log(each) for each in (ratios.ratio, ratios.lower, ratios.upper))
        below, above = (middle - lower) / QUANTILE, (upper - middle) / QUANTILE
    return middle, np.nan_to_num(np.maximum(below, 0.0)), np.nan_to_num(np.maximum(above, 0.0))


def ratio_of_draws(
    before: FloatArray, after: FloatArray, shift: float = 1.0
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the medians of after / before and both ends of their 95 % intervals, (K,) each.

    Args:
        before, after: S independent draws of the values of K kernels, (K, S) each. S may differ.
        shift: the ratio that all kernels share. The results are divided by this ratio.
    """
    size = min(before.shape[1], after.shape[1])
    pairings = np.arange(0, size, max(size // PAIRINGS, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        old, new = (np.log(np.maximum(draws[:, :size], 0.0)) for draws in (before, after))
    ratios = np.concatenate([np.roll(new, step, axis=1) - old for step in pairings], axis=1) - np.log(shift)
    with np.errstate(invalid="ignore", over="ignore"):
        middle, lower, upper = np.exp(np.quantile(ratios, [0.5, 0.025, 0.975], axis=1))
    return middle, lower, upper
