"""Smooth processes around a law: covariances of deviations in the logarithms of values and of parameters.

The errors of measured kernels around a law are not independent, because caches, protocols, topology and
contention affect neighbouring points alike. So an error is modelled as the sum of a process in log x and an
independent error of each point, the `nugget` (Kennedy and O'Hagan, Journal of the Royal Statistical Society B
63, 2001). A process has a kind, a `size` and a length. A grid of sizes and nuggets is weighed by the evidence
of the campaign.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from modeling.engine.validation import FloatArray, IntArray

LENGTHS = (1.5, 5.0, 15.0, 50.0)
"""Lengths of the processes in log x: factors of 4.5 and 150 in x, and two lengths that exceed the range of
any campaign. Within a campaign, a process of these lengths is a slope that changes slowly.
"""

SHORT_LENGTH = 0.25
"""Length of one more process, for one parameter with dense values, such as 20, 21, 22 … threads. Without
it, changes within a factor of 1.3 in x were attributed to each point's own error, and predictions lay
below the last measured values of kernels whose growth increased with every value. It is left out if values
are less dense (`Processes.told_by`). If it were always used, forecasts of the public campaigns two steps
ahead would have an error of 10.4 instead of 9.2 %.
"""

POINTS_WITHIN_LENGTH = 2
"""The smallest number of points within the length of a process. With fewer points, the process cannot be
distinguished from each point's own error.
"""

FEWER_LENGTHS = (2.0, 10.0)
"""Lengths of the processes if there are several parameters. Each parameter may have a process of its own."""

TOGETHER_LENGTHS = (10.0, 2.0, 4.0)
"""Lengths of the processes of two parameters together. With more parameters only the first one is used,
because the others would take up to a third more time, and no public campaign shows whether they help.

The short ones describe kernels that change their behaviour at some combinations of values, such as
collectives whose algorithm depends on the number of processes and on the message size. Without them,
predictions of such kernels missed their own measured points by up to 77 %, because the deviations were
attributed to each point's own error, and the intervals of 58 public collectives were 1.6 times as wide.
"""

SIZES = (0.01, 0.03, 0.08, 0.2, 0.5)
"""Standard deviations of the processes."""

NUGGETS = (0.0015, 0.005, 0.015, 0.04, 0.1, 0.25)
"""Standard deviations of each point's own error."""

COUNTED_NUGGETS = (1e-5, 1e-4)
"""Nuggets of values that were computed or counted, not measured. Such values deviate from their law by
rounding only.
"""

MIDDLE_SIZE, MIDDLE_NUGGET, LOG_SPREAD = 0.05, 0.015, 1.5
"""Prior medians of size and nugget, and the standard deviation of their logarithms: a factor of 4.5 up or
down, so that a campaign of a few kernels outweighs the prior.
"""

LOG_NO_PROCESS = np.log(0.4)
"""Log prior weight of the absence of a process, relative to each kind of process."""

_SHORT = len(LENGTHS)
"""The index of the process of `SHORT_LENGTH` among the kinds of processes for one parameter."""


@dataclass(frozen=True)
class Kind:
    """A kind of process with a length: a process of one parameter, one of all parameters together, or a sum
    of one process for each parameter.
    """

    parameters: tuple[int, ...]
    length: float
    together: bool = False

    def covariance(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """Return the covariance (N, M) of a process of size 1 between points with logarithms (N, m) and (M,
        m).
        """
        some = list(self.parameters)
        gaps = np.abs(one[:, None, some] - other[None, :, some]) / self.length
        if self.together:
            return matern(np.sqrt((gaps**2).sum(axis=-1)))
        return np.asarray(matern(gaps).sum(axis=-1))

    def directions(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the eigenvectors (N, r) and eigenvalues (r,) of the covariance of a process of size 1.

        They are the orthonormal directions in which the process moves points with logarithms (N, m), and its
        variances along them. A process of one parameter moves all points that share its value by the same
        amount, so r is at most the number of different values of all parameters, for example 15 on a grid of
        125 points.
        """
        if self.together:
            variances, vectors = np.linalg.eigh(self.covariance(at, at))
            return vectors, np.maximum(variances, 0.0)
        roots = [self._root(at[:, parameter]) for parameter in self.parameters]
        vectors, deviations, _ = np.linalg.svd(np.concatenate(roots, axis=1), full_matrices=False)
        return vectors, deviations**2

    def _root(self, x: FloatArray) -> FloatArray:
        """Return a root (N, r) of the covariance of a process of one parameter at points with logarithms x
        (N,).

        The root times its transpose is the covariance.
        """
        values, of_point = np.unique(x, return_inverse=True)
        variances, vectors = np.linalg.eigh(matern(np.abs(values[:, None] - values) / self.length))
        return np.asarray((vectors * np.sqrt(np.maximum(variances, 0.0)))[of_point])


def matern(distance: FloatArray) -> FloatArray:
    """Return the Matérn correlation of smoothness 3/2. Its slopes change gradually, as those of measured
    series do.
    """
    scaled = np.sqrt(3) * distance
    return np.asarray((1 + scaled) * np.exp(-scaled))


@dataclass(frozen=True)
class Processes:
    """The N processes that are weighed with m parameters.

    The `kind` (−1: none), `size`, `nugget` and log prior probability are (N,) each.
    """

    kinds: tuple[Kind, ...]
    kind: IntArray
    size: FloatArray
    nugget: FloatArray
    log_prior: FloatArray

    def __len__(self) -> int:
        return len(self.kind)

    def covariances(self, one: FloatArray, others: FloatArray | None = None) -> FloatArray:
        """Return the covariances between points with logarithms (N, m) and others (M, m), by default the same
        ones, of a process of size 1 of each kind, (kinds + 1, N, M).

        The last covariance is 0. This entry is for draws without a process.
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

    def told_by(self, points: FloatArray) -> "Processes":
        """Return the processes, with the prior probability 0 for the short one unless the points (P, m) are
        dense enough.

        Otherwise the short process cannot be distinguished from each point's own error.
        """
        gaps = np.diff(np.unique(np.log(points[:, 0])))
        dense = len(gaps) > 0 and np.median(gaps) * POINTS_WITHIN_LENGTH <= SHORT_LENGTH
        if dense or points.shape[1] > 1:
            return self
        log_prior = np.where(self.kind == _SHORT, -np.inf, self.log_prior)
        return replace(self, log_prior=log_prior - np.logaddexp.reduce(log_prior))


@cache
def processes(parameters: int) -> Processes:
    """Return the processes for a number of parameters.

    Posteriors store the numbers of processes, so the order of processes must not change.
    """
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
