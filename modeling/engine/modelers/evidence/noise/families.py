"""Families of multiplicative noise: the likelihood of repetitions around a law, with the noise level
integrated out. The level of a family is the scale of the noise. Its logarithm has a uniform prior. The
integrated likelihood depends on the law through a power of one statistic of the ratios repetition / law.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import gammaln

from modeling.engine.modelers.evidence.noise.runs import RESOLUTION, Runs
from modeling.engine.validation import FloatArray

_LEVELS = np.exp(np.linspace(0.0, 3.0, 31))
_TWO = 2.0 - 1e-9
_NARROW = 1e-15

MEDIAN_VARIANCE = 1.3
"""Variance of the median of n values with a double exponential distribution, in units of scale² / n. The
exact value is 1.76 for n = 5, 1.45 for n = 10, 1.33 for n = 20, and tends to 1.
"""


class Noise(Protocol):
    """A family of noise, or deviations by Gaussian processes (`draws.deviations`)."""

    def weigh(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """Return the log likelihood of laws of K kernels at P points, (P, ..., K), and their noise level,
        (..., K).
        """


class Family(Noise, Protocol):
    """One family of noise."""

    @property
    def name(self) -> str:
        """The name of the family that pages show."""

    @property
    def has_edge(self) -> bool:
        """Whether the ratios of repetitions to their law are bounded. Then the extreme repetitions bound the
        law.
        """

    def locate(self, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """Estimate the values of K kernels at P points without a law. Return the values and their relative
        variance, (P, K) each.
        """

    def log_scatter(self, runs: Runs) -> FloatArray:
        """Return the log likelihood of K kernels' repetitions, (K,), without a law: values are free."""


def _along(runs: FloatArray, law: FloatArray) -> FloatArray:
    """Reshape a statistic (points, kernels) so that it broadcasts against laws (points, ..., kernels)."""
    return runs.reshape(len(runs), *(1,) * (law.ndim - 2), -1)


def _pooled_variance(runs: Runs) -> FloatArray:
    """Return the variance of one repetition's logarithm; NaN where no point has two repetitions."""
    freedom = np.maximum(runs.count - 1, 0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(runs.log_spread.sum(axis=0) / freedom)


def _variance_of_points(variance: FloatArray, runs: Runs) -> FloatArray:
    """Return the relative variance of the mean of each point's repetitions."""
    known = np.where(np.isfinite(variance), variance, 1.0) + RESOLUTION**2
    with np.errstate(divide="ignore"):
        return np.asarray(known / runs.count)


@dataclass(frozen=True)
class Uniform:
    """Repetitions are uniform between (1 − level / 2)·law and (1 + level / 2)·law (protocol of Ritter et al.
    2021).
    """

    name: str = "uniform"
    has_edge: bool = True

    def locate(self, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """See `Family`."""
        level = self._level_of_scatter(runs)
        half = np.minimum(level / 2, 0.999)
        seen = runs.count > 0
        low = np.log(np.where(seen, runs.high, 1.0) / (1 + half))
        high = np.log(np.where(seen, runs.low, 1.0) / (1 - half))
        width = np.maximum(high - low, 0.0)
        floor = level / np.maximum(runs.count, 1) / 4
        variance = (width**2 + floor**2) / 12 + RESOLUTION**2
        return np.exp((low + high) / 2), np.where(seen, variance, np.inf)

    def weigh(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """See `Noise`."""
        total = runs.total
        level = self._level(law, runs)
        inside = np.where(level < _TWO, -np.log(total), -np.inf)
        return inside - total * np.log(level) - _weighted(runs.count, np.log(law)), level

    def log_scatter(self, runs: Runs) -> FloatArray:
        """See `Family`."""
        narrow, seen = self._narrowest(runs)
        levels = np.minimum(narrow * _LEVELS[:, None], _TWO)
        high, count = np.where(seen, runs.high, 1.0), np.maximum(runs.count, 1)
        # At each level, the logarithm of a point's law is in a range: as wide as noise of this level allows,
        # less the distance of the extreme repetitions.
        distance = np.log(high / np.where(seen, runs.low, 1.0))
        free = np.maximum(np.log((2 + levels) / (2 - levels))[:, None] - distance, _NARROW)
        of_range = np.where(seen, np.log(-np.expm1(-count * free)), 0.0).sum(axis=1)
        constant = np.where(seen, count * np.log(high) + np.log(count), 0.0).sum(axis=0)
        log_density = of_range - constant + runs.total * (np.log1p(levels / 2) - np.log(levels))
        return _log_mean(log_density, np.log(levels))

    def _level(self, law: FloatArray, runs: Runs) -> FloatArray:
        inverse = 1 / law
        above = (_along(runs.high, law) * inverse).max(axis=0) - 1
        inverse *= _along(runs.low, law)
        below = 1 - inverse.min(axis=0)
        return np.asarray(np.hypot(2 * np.maximum(above, below), RESOLUTION))

    def _narrowest(self, runs: Runs) -> tuple[FloatArray, np.ndarray]:
        seen = runs.count > 0
        low, high = np.where(seen, runs.low, 1.0), np.where(seen, runs.high, 1.0)
        return (2 * (high - low) / (high + low)).max(axis=0) + RESOLUTION, seen

    def _level_of_scatter(self, runs: Runs) -> FloatArray:
        """Return the posterior mean of each kernel's level, given the extreme repetitions at each point."""
        narrow, seen = self._narrowest(runs)
        low, high = np.where(seen, runs.low, 1.0), np.where(seen, runs.high, 1.0)
        width = 2 * (high - low) / (high + low)
        levels = np.minimum(narrow * _LEVELS[:, None], _TWO)
        count = runs.count
        within = np.where(count > 1, np.log(np.maximum(levels[:, None] - width, 1e-12)), 0.0)
        log_density = (within - count * np.log(levels)[:, None]).sum(axis=1)
        weight = np.exp(log_density - log_density.max(axis=0))
        return np.asarray((weight * levels).sum(axis=0) / weight.sum(axis=0))


@dataclass(frozen=True)
class Normal:
    """Repetitions are normal around the law, with a standard deviation proportional to the law."""

    name: str = "normal"
    has_edge: bool = False

    def locate(self, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """See `Family`."""
        return _safe(runs.mean, runs), _variance_of_points(_pooled_variance(runs), runs)

    def weigh(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """See `Noise`."""
        total = runs.total
        squares = self._squares(law, runs)
        known = _normal_constant(total) - total / 2 * np.log(squares)
        return known - _weighted(runs.count, np.log(law)), np.sqrt(squares / total)

    def log_scatter(self, runs: Runs) -> FloatArray:
        """See `Family`."""
        mean = _safe(runs.mean, runs)
        squares = (runs.count * np.maximum(runs.mean_square / mean**2 - 1, 0)).sum(axis=0)
        return np.asarray(_scatter_of_squares(runs, squares) - (runs.count * np.log(mean)).sum(axis=0))

    def _squares(self, law: FloatArray, runs: Runs) -> FloatArray:
        inverse = 1 / law
        terms = (_along(runs.mean_square, law) * inverse - 2 * _along(runs.mean, law)) * inverse
        return np.asarray(
            np.maximum(_weighted(runs.count, terms) + runs.total, 0.0) + runs.total * RESOLUTION**2
        )


@dataclass(frozen=True)
class LogNormal:
    """The logarithms of repetitions are normal around the law's logarithm."""

    name: str = "log-normal"
    has_edge: bool = False

    def locate(self, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """See `Family`."""
        return np.exp(runs.log_mean), _variance_of_points(_pooled_variance(runs), runs)

    def weigh(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """See `Noise`."""
        total = runs.total
        squares = self._squares(np.log(law), runs)
        known = _normal_constant(total) - total / 2 * np.log(squares)
        return known - _sum_of_logs(runs), np.sqrt(squares / total)

    def log_scatter(self, runs: Runs) -> FloatArray:
        """See `Family`."""
        return _scatter_of_squares(runs, runs.log_spread.sum(axis=0)) - _sum_of_logs(runs)

    def _squares(self, log_law: FloatArray, runs: Runs) -> FloatArray:
        between = _weighted(runs.count, (log_law - _along(runs.log_mean, log_law)) ** 2)
        return np.asarray(between + runs.log_spread.sum(axis=0) + runs.total * RESOLUTION**2)


@dataclass(frozen=True)
class Exponential:
    """Noise can only delay. Delays are exponentially distributed, with a mean proportional to the law."""

    name: str = "one-sided"
    has_edge: bool = True

    def locate(self, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """See `Family`."""
        seen = runs.count > 0
        low = np.where(seen, runs.low, 1.0)
        freedom = np.maximum(np.maximum(runs.count - 1, 0).sum(axis=0), 1)
        delay = (runs.count * np.maximum(runs.mean / low - 1, 0.0) * seen).sum(axis=0) / freedom
        of_point = delay / np.maximum(runs.count, 1) + RESOLUTION
        return low * np.exp(-of_point), np.where(seen, of_point**2, np.inf)

    def weigh(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """See `Noise`."""
        total = runs.total
        possible = (law <= _along(runs.low, law) * (1 + RESOLUTION)).all(axis=0)
        delays = self._delays(law, runs)
        known = gammaln(total) - total * np.log(delays) - _weighted(runs.count, np.log(law))
        return np.where(possible, known, -np.inf), delays / total

    def log_scatter(self, runs: Runs) -> FloatArray:
        """See `Family`."""
        seen = runs.count > 0
        low = np.where(seen, runs.low, 1.0)
        ratio = np.where(seen, runs.mean / low, 1.0)
        count = np.maximum(runs.count, 1)
        delays = np.hypot((count * np.maximum(ratio - 1, 0)).sum(axis=0), runs.total * RESOLUTION)
        freedom = np.maximum(runs.total - seen.sum(axis=0), 1)
        # Without a law, the value at each point is any number below the point's smallest repetition. The
        # likelihood is nearly an exponential function of this value.
        own = np.where(seen, np.log(count * ratio) + count * np.log(low), 0.0).sum(axis=0)
        return np.asarray(gammaln(freedom) - freedom * np.log(delays) - own)

    def _delays(self, law: FloatArray, runs: Runs) -> FloatArray:
        delays = _weighted(runs.count, _along(runs.mean, law) / law) - runs.total
        return np.asarray(np.hypot(delays, runs.total * RESOLUTION))


@dataclass(frozen=True)
class Laplace:
    """The logarithms of repetitions have a double exponential distribution around the law's logarithm."""

    name: str = "heavy-tailed"
    has_edge: bool = False

    def locate(self, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """See `Family`."""
        middle = runs.log_median
        freedom = np.maximum(np.maximum(runs.count - 1, 0).sum(axis=0), 1)
        scale = self._around(middle, runs) / freedom
        return np.exp(middle), _variance_of_points(scale**2, runs) * MEDIAN_VARIANCE

    def weigh(self, law: FloatArray, runs: Runs) -> tuple[FloatArray, FloatArray]:
        """See `Noise`."""
        total = runs.total
        around = np.hypot(self._around(np.log(law), runs), total * RESOLUTION)
        return gammaln(total) - total * np.log(2 * around) - _sum_of_logs(runs), around / total

    def log_scatter(self, runs: Runs) -> FloatArray:
        """See `Family`."""
        seen = (runs.count > 0).sum(axis=0)
        freedom = np.maximum(runs.total - seen, 1)
        around = np.hypot(self._around(runs.log_median, runs), runs.total * RESOLUTION)
        # If the sum of distances grew with the slope s on both sides of the median, the integral over the
        # value at a point would be 2 · level / s. For n repetitions, the slope 2·n / (n + 1) is used: it is 1
        # for one repetition, and tends to 2.
        own = np.where(runs.count > 0, np.log(1 + 1 / np.maximum(runs.count, 1)), 0.0).sum(axis=0)
        constant = gammaln(freedom) - freedom * np.log(2 * around)
        return np.asarray(constant + own - seen * np.log(2) - _sum_of_logs(runs))

    def _around(self, log_law: FloatArray, runs: Runs) -> FloatArray:
        """Return the sum of all repetitions' distances from the law, in logarithms."""
        total = np.zeros(log_law.shape[1:])
        for run in runs.logs:
            distance = np.abs(_along(run, log_law) - log_law)
            total += np.where(np.isnan(distance), 0.0, distance).sum(axis=0)
        return total


FAMILIES: tuple[Family, ...] = (Uniform(), Normal(), LogNormal(), Exponential(), Laplace())


def _weighted(count: FloatArray, terms: FloatArray) -> FloatArray:
    """Sum terms over the points, weighted by the number of repetitions."""
    if (count == count[0, 0]).all():
        return np.asarray(count[0, 0] * terms.sum(axis=0))
    return np.asarray(np.einsum("pk,p...k->...k", count, terms))


def _safe(values: FloatArray, runs: Runs) -> FloatArray:
    return np.where(runs.count > 0, values, 1.0)


def _sum_of_logs(runs: Runs) -> FloatArray:
    return np.asarray((runs.count * runs.log_mean).sum(axis=0))


def _normal_constant(total: FloatArray) -> FloatArray:
    return np.asarray(gammaln(total / 2) - total / 2 * np.log(np.pi) - np.log(2))


def _scatter_of_squares(runs: Runs, squares: FloatArray) -> FloatArray:
    """Return the log likelihood under normal noise without a law, from sums of squared deviations."""
    seen = runs.count > 0
    freedom = np.maximum(runs.total - seen.sum(axis=0), 1)
    constant = gammaln(freedom / 2) - freedom / 2 * np.log(np.pi) - np.log(2)
    own = np.where(seen, 0.5 * np.log(np.maximum(runs.count, 1)), 0.0).sum(axis=0)
    return np.asarray(constant - freedom / 2 * np.log(squares + runs.total * RESOLUTION**2) - own)


def _log_mean(log_density: FloatArray, log_level: FloatArray) -> FloatArray:
    """Return the logarithm of the integral of densities over the log level, by the trapezium rule."""
    step = np.diff(log_level, axis=0)
    widths = np.zeros_like(log_level)
    widths[:-1] += step / 2
    widths[1:] += step / 2
    with np.errstate(divide="ignore"):
        return np.asarray(np.logaddexp.reduce(log_density + np.log(widths), axis=0))
