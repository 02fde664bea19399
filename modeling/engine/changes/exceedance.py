"""Compute the probability that kernels, or the whole program, became slower by more than a given factor."""

from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.validation import FloatArray, IntArray

DRAWS = 2_000
"""The number of draws of the program's ratio. A probability of 0.95 then has a standard error of 0.005. With
half as many draws, it would be 0.007.
"""

KERNELS_DRAWN = 200
"""For this number of kernels, those whose contributions to the program's ratio have the largest variances,
the contribution of each kernel is drawn. The sum of all other contributions is drawn from a normal
distribution. Drawing those of 2,000 kernels would take five times as long, and hardly change the result.
"""

PAIRINGS = 8
"""The number of ways in which draws before and after are paired, as in `law_ratio`."""

QUANTILE = 1.959964
"""Half the width of the 95 % interval of the standard normal distribution."""


@dataclass(frozen=True)
class Ratios:
    """The ratios after / before of K kernels that may have changed, as in `Changes`."""

    probability: FloatArray  # (K,) that the kernel changed at all
    ratio: FloatArray  # (K,) at the target
    lower: FloatArray  # (K,) lower end of the 95 % interval of the ratio
    upper: FloatArray  # (K,) upper end

    def part(self, kernels: IntArray | slice) -> "Ratios":
        """Return the ratios of the given kernels only."""
        return Ratios(*(getattr(self, field.name)[kernels] for field in fields(self)))

    @property
    def inverse(self) -> "Ratios":
        """The ratios before / after. They show how much worse kernels became if values are throughputs."""
        with np.errstate(divide="ignore"):
            return Ratios(self.probability, 1 / self.ratio, 1 / self.upper, 1 / self.lower)


def exceeds(ratios: Ratios, factor: float) -> FloatArray:
    """Return the probability, (K,), that a kernel changed and its ratio is larger than `factor` (≥ 1).

    The logarithm of the ratio is assumed to have a two-piece normal distribution: on each side of the
    estimate, its standard deviation follows from the end of the interval on that side. The probability is NaN
    if the ratio is unknown.
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
        ratios: the ratios of the K kernels that may have changed. All others are assumed to be unchanged.
        shares: (K,) shares of the kernels in the program before, at the target; 0 for kernels that are not
            counted.
        added: the values of new kernels minus those of removed ones, as a share of the program before.
        seed: seed of the draws; the same seed gives the same draws.
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
    """Return the mean and variance of each kernel's contribution to the program's ratio, (K,) each; 0 if
    unknown.

    A kernel contributes share · (F − 1) with the probability that it changed, and else 0. F is its ratio,
    whose logarithm is m + b z for z < 0 and m + a z for z > 0, with a standard normal z. Its moments are
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
    """Return the logarithms of the ratios, and their standard deviations below and above, (K,) each."""
    with np.errstate(divide="ignore", invalid="ignore"):
        middle, lower, upper = (np.log(each) for each in (ratios.ratio, ratios.lower, ratios.upper))
        below, above = (middle - lower) / QUANTILE, (upper - middle) / QUANTILE
    return middle, np.nan_to_num(np.maximum(below, 0.0)), np.nan_to_num(np.maximum(above, 0.0))


def ratio_of_draws(
    before: FloatArray, after: FloatArray, shift: float = 1.0
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the medians of after / before and both ends of their 95 % intervals, (K,) each.

    Args:
        before, after: independent draws of the values of the same kernels, (K, S) with any S for either.
        shift: the ratio that all kernels share; the results are divided by it.
    """
    size = min(before.shape[1], after.shape[1])
    pairings = np.arange(0, size, max(size // PAIRINGS, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        old, new = (np.log(np.maximum(draws[:, :size], 0.0)) for draws in (before, after))
    ratios = np.concatenate([np.roll(new, step, axis=1) - old for step in pairings], axis=1) - np.log(shift)
    with np.errstate(invalid="ignore", over="ignore"):
        middle, lower, upper = np.exp(np.quantile(ratios, [0.5, 0.025, 0.975], axis=1))
    return middle, lower, upper
