"""Smooth processes around a law: covariances of deviations in the logarithms of values and of parameters.

The errors of measured kernels around a law are not independent: caches, protocols, topology and contention
affect neighbouring points alike. So around the law there is a process in log x of some kind, `size` and
length, plus an independent error of each point, the `nugget` (Kennedy and O'Hagan, Journal of the Royal
Statistical Society B 63, 2001). The evidence of the campaign weighs a grid of sizes and nuggets.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from modeling.engine.validation import FloatArray, IntArray

LENGTHS = (1.5, 5.0, 15.0, 50.0)
"""Lengths of the processes in log x: a factor of 4.5, of 150, and two that are longer than any campaign,
where the process is a slowly changing slope."""

SHORT_LENGTH = 0.25
"""Length of one more process, for one parameter with values as dense as numbers of threads 20, 21, 22 ….

Without it, what changes within a factor of 1.3 was taken for each point's own error, and predictions lay
below the last measured values of kernels that grew by more with every value. Where values are less dense it
is left out (`Processes.told_by`): with it everywhere, forecasts of the public campaigns two steps ahead err
by 10.4 instead of 9.2 %.
"""

POINTS_WITHIN_LENGTH = 2
"""Fewest points within the length of a process; with fewer, it looks like each point's own error."""

FEWER_LENGTHS = (2.0, 10.0)
"""Lengths with several parameters, each of which may have a process of its own."""

SIZES = (0.01, 0.03, 0.08, 0.2, 0.5)
"""Standard deviations of the processes."""

NUGGETS = (0.0015, 0.005, 0.015, 0.04, 0.1, 0.25)
"""Standard deviations of each point's own error."""

COUNTED_NUGGETS = (1e-5, 1e-4)
"""Nuggets of values that were computed or counted rather than measured; these have no process around their
law."""

MIDDLE_SIZE, MIDDLE_NUGGET, LOG_SPREAD = 0.05, 0.015, 1.5
"""Prior medians of size and nugget, and the standard deviation of their logarithms: a factor of 4.5 either
way, so that a campaign of a few kernels outweighs the prior."""

LOG_NO_PROCESS = np.log(0.4)
"""Log prior weight of having no process, relative to each kind of process."""

_SHORT = len(LENGTHS)
"""The number of the short process among the kinds for one parameter."""


@dataclass(frozen=True)
class Kind:
    """A kind of process with a length: of one parameter, of all together, or a sum of one for each
    parameter."""

    parameters: tuple[int, ...]
    length: float
    together: bool = False

    def covariance(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """Covariance (N, M) of a process of size 1 between points with logarithms (N, m) and (M, m)."""
        some = list(self.parameters)
        gaps = np.abs(one[:, None, some] - other[None, :, some]) / self.length
        if self.together:
            return matern(np.sqrt((gaps**2).sum(axis=-1)))
        return np.asarray(matern(gaps).sum(axis=-1))

    def directions(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Orthonormal directions (N, r) in which a process of size 1 moves points with logarithms (N, m), and
        its variances along them, (r,): the eigenvectors and eigenvalues of its covariance.

        A process of one parameter moves all points with the same value alike, so that r is at most the
        number of different values of all its parameters: 15 on a grid of 125 points.
        """
        if self.together:
            variances, vectors = np.linalg.eigh(self.covariance(at, at))
            return vectors, np.maximum(variances, 0.0)
        roots = [self._root(at[:, parameter]) for parameter in self.parameters]
        vectors, deviations, _ = np.linalg.svd(np.concatenate(roots, axis=1), full_matrices=False)
        return vectors, deviations**2

    def _root(self, x: FloatArray) -> FloatArray:
        """A matrix (N, r) that gives the covariance of a process of one parameter, with logarithms x (N,),
        if it is multiplied by its transpose."""
        values, of_point = np.unique(x, return_inverse=True)
        variances, vectors = np.linalg.eigh(matern(np.abs(values[:, None] - values) / self.length))
        return np.asarray((vectors * np.sqrt(np.maximum(variances, 0.0)))[of_point])


def matern(distance: FloatArray) -> FloatArray:
    """Matérn correlation of smoothness 3/2, whose slopes change gradually, as those of measured series do."""
    scaled = np.sqrt(3) * distance
    return np.asarray((1 + scaled) * np.exp(-scaled))


@dataclass(frozen=True)
class Processes:
    """The N processes that are weighed with m parameters.

    Their `kind` (−1: none), `size`, `nugget` and log prior probability are (N,) each.
    """

    kinds: tuple[Kind, ...]
    kind: IntArray
    size: FloatArray
    nugget: FloatArray
    log_prior: FloatArray

    def __len__(self) -> int:
        return len(self.kind)

    def covariances(self, at: FloatArray) -> FloatArray:
        """Covariances of processes of size 1 of each kind between points with logarithms (N, m), and of none
        at the end, (kinds + 1, N, N)."""
        gaps = np.abs(at[:, None] - at)
        lengths = np.unique([kind.length for kind in self.kinds])
        apart = matern(gaps[..., None] / lengths)
        found = np.zeros((len(self.kinds) + 1, len(at), len(at)))
        for number, kind in enumerate(self.kinds):
            if kind.together:
                found[number] = kind.covariance(at, at)
            else:
                of_length = apart[..., np.searchsorted(lengths, kind.length)]
                found[number] = of_length[..., list(kind.parameters)].sum(axis=-1)
        return found

    def told_by(self, points: FloatArray) -> "Processes":
        """The same where points (P, m) tell the short process from each point's own error, and otherwise
        with a prior probability of 0 for it."""
        gaps = np.diff(np.unique(np.log(points[:, 0])))
        dense = len(gaps) > 0 and np.median(gaps) * POINTS_WITHIN_LENGTH <= SHORT_LENGTH
        if dense or points.shape[1] > 1:
            return self
        log_prior = np.where(self.kind == _SHORT, -np.inf, self.log_prior)
        return replace(self, log_prior=log_prior - np.logaddexp.reduce(log_prior))


@cache
def processes(parameters: int) -> Processes:
    """The processes for a number of parameters. Posteriors store their numbers, so their order must not
    change."""
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
    return (*alone, *added, Kind(every, FEWER_LENGTHS[1], together=True))
