"""Repetitions, summarised for the likelihoods. In this module a run is a repetition."""

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from modeling.engine.measured.repetitions import runs_first
from modeling.engine.validation import FloatArray, IntArray

RESOLUTION = 1e-5
"""Smaller relative differences contain no information: clocks have ticks, and values are rounded."""


@dataclass(frozen=True)
class Runs:
    """Positive repetitions of K kernels at P points, summarised.

    Repetitions are divided by `scale`. Fields without a shape are (P, K). At points without repetitions,
    `count` is 0 and other fields have no meaning.

    Attributes:
        scale: the geometric mean of each kernel's repetitions, (K,).
        count: the number of repetitions.
        low: the smallest repetition.
        high: the largest repetition.
        mean: the mean of the repetitions.
        mean_square: the mean of the squared repetitions.
        log_mean: the mean of the logarithms of the repetitions.
        log_spread: the sum of squared deviations of the logarithms from `log_mean`.
        logs: the logarithms of R repetitions, (R, P, K); NaN where one is missing.
    """

    scale: FloatArray
    count: FloatArray
    low: FloatArray
    high: FloatArray
    mean: FloatArray
    mean_square: FloatArray
    log_mean: FloatArray
    log_spread: FloatArray
    logs: FloatArray

    @property
    def total(self) -> FloatArray:
        """The number of repetitions of each of K kernels at all points, (K,)."""
        return np.asarray(self.count.sum(axis=0))

    @cached_property
    def log_median(self) -> FloatArray:
        """Return the medians of the logarithms of K kernels at P points, (P, K); 0 where nothing was
        measured.
        """
        ordered = np.sort(self.logs, axis=0)  # NaN last
        count = self.count.astype(int)
        below = np.take_along_axis(ordered, (np.maximum(count - 1, 0) // 2)[None], axis=0)[0]
        above = np.take_along_axis(ordered, (np.minimum(count // 2, len(ordered) - 1))[None], axis=0)[0]
        return np.where(count > 0, (below + above) / 2, 0.0)

    @cached_property
    def variance(self) -> FloatArray:
        """Return the variance of one repetition's logarithm around its point's median for K kernels, (K,). It
        comes from the mean absolute distance, so that a few slow repetitions do not dominate.
        """
        distance = np.abs(self.logs - self.log_median)
        freedom = np.maximum(self.count - 1, 0).sum(axis=0)
        total = np.where(np.isnan(distance), 0.0, distance).sum(axis=(0, 1))
        return np.asarray(np.pi / 2 * (total / np.maximum(freedom, 1)) ** 2)

    @cached_property
    def error(self) -> FloatArray:
        """Return the standard deviation of the logarithm of a point's median for K kernels, (K,): a root mean
        square over the points.
        """
        return np.asarray(np.sqrt(self.variance * np.pi / 2 * self._mean_inverse))

    @cached_property
    def errors(self) -> FloatArray:
        """Return the standard deviation of the logarithm of each point's median for K kernels, (P, K). Their
        root mean square is `error`.
        """
        there = self.count > 0
        inverse = 1 / self.relative_count
        mean = np.where(there, inverse, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        return np.asarray(self.error * np.sqrt(inverse / np.where(there.any(axis=0), mean, 1.0)))

    @cached_property
    def relative_count(self) -> FloatArray:
        """Return each point's number of repetitions relative to the harmonic mean over the kernel's points,
        (P, K), as a power of 2. It is 1 at all points of most kernels, and many kernels have the same powers.
        """
        relative = np.where(self.count > 0, self.count * self._mean_inverse, 1.0)
        return np.asarray(2 ** np.round(np.log2(relative)))

    @cached_property
    def _mean_inverse(self) -> FloatArray:
        """Return the mean of 1 / `count` over the measured points of K kernels, (K,)."""
        there = self.count > 0
        each = np.where(there, 1 / np.maximum(self.count, 1), 0.0)
        return np.asarray(each.sum(axis=0) / np.maximum(there.sum(axis=0), 1))

    def part(self, kernels: IntArray | slice) -> "Runs":
        """Return the repetitions of the given kernels only."""
        if isinstance(kernels, slice):
            return Runs(**{field.name: getattr(self, field.name)[..., kernels] for field in fields(self)})
        # Unlike indexing, `take` keeps the kernels next to each other in memory.
        return Runs(
            **{field.name: getattr(self, field.name).take(kernels, axis=-1) for field in fields(self)}
        )

    def bounds(self, kernels: IntArray) -> "Runs":
        """Return the repetitions of the given kernels without `logs`, which families with an edge do not
        need.
        """
        return replace(self, logs=self.logs[:0]).part(kernels)


def summarise(values: FloatArray) -> Runs:
    """Summarise R repetitions of K kernels at P points, (K, P, R). Values that are not positive count as
    missing.
    """
    runs = runs_first(values)
    with np.errstate(invalid="ignore"):
        logs = np.log(np.where(runs > 0, runs, np.nan))
    there = ~np.isnan(logs)
    count = there.sum(axis=0).astype(float)
    runs_there = np.maximum(count.sum(axis=0), 1)
    middle = np.where(there, logs, 0.0).sum(axis=(0, 1)) / runs_there
    logs -= middle
    some = np.maximum(count, 1)
    log_mean = np.where(there, logs, 0.0).sum(axis=0) / some
    log_spread = np.where(there, (logs - log_mean) ** 2, 0.0).sum(axis=0)
    linear = np.where(there, np.exp(logs), 0.0)
    return Runs(
        scale=np.exp(middle),
        count=count,
        low=np.where(there, linear, np.inf).min(axis=0),
        high=linear.max(axis=0),
        mean=linear.sum(axis=0) / some,
        mean_square=(linear**2).sum(axis=0) / some,
        log_mean=log_mean,
        log_spread=log_spread,
        logs=logs,
    )


def rounded(deviation: FloatArray) -> FloatArray:
    """Round standard deviations to powers of √2, so that many kernels have the same one."""
    known = np.maximum(deviation, RESOLUTION)
    return np.asarray(2 ** (np.round(2 * np.log2(known)) / 2))
