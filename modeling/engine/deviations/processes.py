"""Gaussian processes around a law. Values and parameters are logarithms.

Caches, protocols, topology and contention affect neighbouring points alike. So a deviation is modelled as a
Gaussian process in log x plus an independent error of each point (Kennedy and O'Hagan, Journal of the Royal
Statistical Society B 63, 2001). The process has the standard deviation `size`. The independent error has the
standard deviation `nugget`. The evidence of the campaign weighs all kinds, sizes and nuggets.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from modeling.engine.validation import FloatArray, IntArray

LENGTHS = (1.5, 5.0, 15.0, 50.0)
"""Lengths, in log x, of the processes of a single parameter. The last two are nearly straight lines."""

SHORT_LENGTH = 0.25
"""Length, in log x, of one more process if the values of a single parameter are dense, such as 20, 21, 22
threads. Without it, predictions of accelerating kernels are too low. If values are not dense, it would raise
errors in the public campaigns from 9.2 to 10.4 %, at the second value beyond the measured range.
"""

POINTS_WITHIN_LENGTH = 2
"""Values are dense if their median distance in log x, times this number, is at most `SHORT_LENGTH`."""

FEWER_LENGTHS = (2.0, 10.0)
"""Lengths, in log x, of the processes of one parameter each, with several parameters."""

TOGETHER_LENGTHS = (10.0, 2.0, 4.0)
"""Lengths, in log x, of the processes of two parameters together; with more parameters, only the first.
Without the lengths 2 and 4, intervals of 58 public collectives are 1.6 times as wide, and predictions at
measured points err by up to 77 %.
"""

SIZES = (0.01, 0.03, 0.08, 0.2, 0.5)
"""Standard deviations of the processes."""

NUGGETS = (0.0015, 0.005, 0.015, 0.04, 0.1, 0.25)
"""Standard deviations of the points' independent errors."""

COUNTED_NUGGETS = (1e-5, 1e-4)
"""Nuggets of values that were computed or counted. Such values deviate by rounding only."""

MIDDLE_SIZE, MIDDLE_NUGGET, LOG_SPREAD = 0.05, 0.015, 1.5
"""Prior medians of size and nugget, and the standard deviation of their logarithms: a factor of 4.5."""

LOG_NO_PROCESS = np.log(0.4)
"""Log prior weight of no process, relative to all processes with the same nugget together."""

_SHORT = len(LENGTHS)
"""Index of the kind with `SHORT_LENGTH` among the kinds for one parameter."""


@dataclass(frozen=True)
class Kind:
    """A kind of Gaussian process: one of several parameters together, or a sum of one for each parameter."""

    parameters: tuple[int, ...]  # indices of the parameters on which the process depends
    length: float  # in log x
    together: bool = False

    def covariance(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """Return the covariances (N, M) between N points (N, m) and M points (M, m), for the size 1."""
        some = list(self.parameters)
        gaps = np.abs(one[:, None, some] - other[None, :, some]) / self.length
        if self.together:
            return matern(np.sqrt((gaps**2).sum(axis=-1)))
        return np.asarray(matern(gaps).sum(axis=-1))

    def directions(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return eigenvectors (N, r) and r eigenvalues of the covariance of N points (N, m), for the size 1.

        For a sum of processes, r is at most the number of distinct values of all parameters.
        """
        if self.together:
            variances, vectors = np.linalg.eigh(self.covariance(at, at))
            return vectors, np.maximum(variances, 0.0)
        roots = [self._root(at[:, parameter]) for parameter in self.parameters]
        vectors, deviations, _ = np.linalg.svd(np.concatenate(roots, axis=1), full_matrices=False)
        return vectors, deviations**2

    def _root(self, x: FloatArray) -> FloatArray:
        """Return a matrix whose product with its transpose is the covariance along a parameter `x`."""
        values, of_point = np.unique(x, return_inverse=True)
        variances, vectors = np.linalg.eigh(matern(np.abs(values[:, None] - values) / self.length))
        return np.asarray((vectors * np.sqrt(np.maximum(variances, 0.0)))[of_point])


def matern(distance: FloatArray) -> FloatArray:
    """Return the Matérn correlation of smoothness 3/2, for distances relative to the length."""
    scaled = np.sqrt(3) * distance
    return np.asarray((1 + scaled) * np.exp(-scaled))


@dataclass(frozen=True)
class Processes:
    """The N Gaussian processes for a number of parameters. The evidence decides among them."""

    kinds: tuple[Kind, ...]
    kind: IntArray  # (N,) index of each process in `kinds`; −1 for "no process", with the size 0
    size: FloatArray  # (N,) standard deviations of the processes
    nugget: FloatArray  # (N,) standard deviations of the independent errors
    log_prior: FloatArray  # (N,) logarithms of the prior probabilities

    def __len__(self) -> int:
        return len(self.kind)

    def covariances(self, one: FloatArray, others: FloatArray | None = None) -> FloatArray:
        """Return covariances between N points (N, m) and M `others` (M, m), for each kind with the size 1.

        The result is (kinds + 1, N, M). Its last entry is 0, for "no process".
        """
        other = one if others is None else others
        gaps = np.abs(one[:, None] - other)
        lengths = np.unique([kind.length for kind in self.kinds])
        apart = matern(gaps[..., None] / lengths)
        found = np.zeros((len(self.kinds) + 1, len(one), len(other)))
        for number, kind in enumerate(self.kinds):
            if kind.together:
                found[number] = kind.covariance(one, other)
            else:
                of_length = apart[..., np.searchsorted(lengths, kind.length)]
                found[number] = of_length[..., list(kind.parameters)].sum(axis=-1)
        return found

    def for_points(self, points: FloatArray) -> "Processes":
        """Return the processes with prior probabilities for P points (P, m).

        `SHORT_LENGTH` has the probability 0 unless the values of a single parameter are dense.
        """
        gaps = np.diff(np.unique(np.log(points[:, 0])))
        dense = len(gaps) > 0 and np.median(gaps) * POINTS_WITHIN_LENGTH <= SHORT_LENGTH
        if dense or points.shape[1] > 1:
            return self
        log_prior = np.where(self.kind == _SHORT, -np.inf, self.log_prior)
        return replace(self, log_prior=log_prior - np.logaddexp.reduce(log_prior))


@cache
def processes(parameters: int) -> Processes:
    """Return the processes for a number of parameters. Their order is stored, and must not change."""
    kinds = _kinds(parameters)
    usual = [kind for number, kind in enumerate(kinds) if parameters > 1 or number != _SHORT]
    rows = [(-1, 0.0, nugget, LOG_NO_PROCESS) for nugget in (*COUNTED_NUGGETS, *NUGGETS)]
    share = np.log(len(usual))
    for number in range(len(kinds)):
        prior = [-(np.log(size / MIDDLE_SIZE) ** 2) / (2 * LOG_SPREAD**2) for size in SIZES]
        most = np.logaddexp.reduce(prior)
        rows += [
            (number, size, nugget, log_prior - most - share)
            for size, log_prior in zip(SIZES, prior, strict=True)
            for nugget in NUGGETS
        ]
    kind, size, nugget, log_prior = map(np.array, zip(*rows, strict=True))
    measured = np.maximum(nugget, NUGGETS[0])
    log_prior = log_prior - np.log(measured / MIDDLE_NUGGET) ** 2 / (2 * LOG_SPREAD**2)
    return Processes(kinds, kind, size, nugget, log_prior - np.logaddexp.reduce(log_prior))


def _kinds(parameters: int) -> tuple[Kind, ...]:
    every = tuple(range(parameters))
    if parameters == 1:
        return tuple(Kind(every, length) for length in (*LENGTHS, SHORT_LENGTH))
    alone = tuple(Kind((one,), length) for one in every for length in FEWER_LENGTHS)
    added = tuple(Kind(every, length) for length in FEWER_LENGTHS)
    lengths = TOGETHER_LENGTHS if parameters == 2 else TOGETHER_LENGTHS[:1]
    return (*alone, *added, *(Kind(every, length, together=True) for length in lengths))
