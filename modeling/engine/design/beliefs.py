"""Present knowledge of each kernel's log values at the candidates and at the target: a normal distribution.

The distribution comes from the posterior's draws and from the kernels' deviations from their laws. So the
information of a run has a closed form: preposterior analysis (Raiffa and Schlaifer, Applied Statistical
Decision Theory, 1961) with the update of an ensemble Kalman filter (Evensen 2003).
"""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.results.posterior import between
from modeling.engine.validation import FloatArray, IntArray

LEVEL = 0.95
"""Draws outside their interval of this probability are moved to its ends, so that a few do not dominate.
With 0.9, a rival law with a probability of 5 % would be ignored.
"""

OWN = 0.005
"""Smallest relative standard deviation of a kernel's values from its law. No law is exact."""

ALIKE = 0.7
"""Distance, in log x, over which deviations from a law are correlated: a factor of two in x."""


@dataclass(frozen=True)
class Field:
    """Normal distributions of the logarithms of K kernels at Q points of m parameters.

    Attributes:
        draws: (K, S, Q) differences of S draws from their mean, divided by √(S − 1).
        own: (K, Q) standard deviations from the laws. Deviations at neighbouring points are correlated.
        points: (Q, m).
        variance: (K, Q) present variances.
        told: an array (K, Q) for each planned run, whose outer product with itself lowers the covariance.
    """

    draws: FloatArray
    own: FloatArray
    points: FloatArray
    variance: FloatArray
    told: tuple[FloatArray, ...] = ()

    @classmethod
    def of(
        cls, logs: FloatArray, own: FloatArray, points: FloatArray, shared: FloatArray | None = None
    ) -> "Field":
        """Build the distributions from logarithms of S draws of K kernels at Q points (K, S, Q).

        `shared` (K, N, Q) are standard deviations of the fully correlated errors of N groups of runs.
        """
        draws = logs - logs.mean(axis=1, keepdims=True)
        draws /= np.sqrt(max(logs.shape[1] - 1, 1))
        if shared is not None:
            draws = np.concatenate([draws, shared], axis=1)
        return cls(draws, own, points, (draws**2).sum(axis=1) + own**2)

    def covariance(self, at: int) -> FloatArray:
        """Return the covariance of all points with the point of index `at`, (K, Q)."""
        column = np.einsum("ksq,ks->kq", self.draws, self.draws[:, :, at])
        column += self.own * self.own[:, at, None] * alike(self.points, self.points[at])
        for each in self.told:
            column -= each * each[:, at, None]
        return np.asarray(column)

    def after(self, at: int, noise: FloatArray) -> "Field":
        """Return the distributions after a run at a point. `noise` (K,) is the variance of the log run."""
        column = self.covariance(at)
        told = column / np.sqrt(column[:, at] + noise)[:, None]
        return replace(self, variance=self.variance - told**2, told=(*self.told, told))


@dataclass(frozen=True)
class Beliefs:
    """The knowledge at C candidates and at the target, which is the last point of the field.

    Attributes:
        field: distributions of the logarithms of K kernels.
        aim: (K, C + 1) covariance of every point with the target.
        weight: (K,) squared share of each kernel in the total at the target.
        mean: (K,) mean of the logarithms at the target.
    """

    field: Field
    aim: FloatArray
    weight: FloatArray
    mean: FloatArray

    @property
    def candidates(self) -> FloatArray:
        """Return the C candidates with m parameters, (C, m)."""
        return self.field.points[:-1]

    @property
    def target(self) -> FloatArray:
        """Return the target with m parameters, (m,)."""
        return np.asarray(self.field.points[-1])

    def open(self) -> float:
        """Return the variance of the log total at the target."""
        return float(self.weight @ self.aim[:, -1])

    def gains(self, noise: FloatArray) -> FloatArray:
        """Return the expected decrease of `open` by a run at each of C candidates, (C,).

        `noise` (K,) is the variance of a log run of each kernel.
        """
        total = self.field.variance[:, :-1] + noise[:, None]
        return np.asarray(self.weight @ (self.aim[:, :-1] ** 2 / total))

    def after(self, candidate: int, noise: FloatArray) -> "Beliefs":
        """Return the knowledge after a run at a candidate. Variances do not depend on the measured value."""
        field = self.field.after(candidate, noise)
        told = field.told[-1]
        return replace(self, field=field, aim=self.aim - told * told[:, -1:])


def beliefs_of(
    models: Models, candidates: FloatArray, target: FloatArray, shared: FloatArray | None = None
) -> Beliefs:
    """Return what models of K kernels imply at C candidates (C, m) and at a target (m,).

    `shared` (K, N, C + 1) are standard deviations of the errors that N groups of runs cause at these points.
    """
    points = np.vstack([candidates, target])
    logs, own = log_draws(models, points)
    field = Field.of(logs, own, points, shared)
    mean = logs[:, :, -1].mean(axis=1)
    level = np.exp(mean - mean.max())
    return Beliefs(field, field.covariance(len(candidates)), (level / level.sum()) ** 2, mean)


def log_draws(models: Models, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return `clipped` logs of S draws (K, S, Q), and standard deviations from laws (K, Q), at Q points."""
    if models.posterior is None:
        raise ValueError("models: found models without a posterior, expected those of the default modeler")
    values, laws = models.draws(points), models.posterior.laws(points)
    least = np.finfo(float).tiny + 1e-6 * np.median(values, axis=1, keepdims=True)
    with np.errstate(over="ignore", invalid="ignore"):
        whole, plain = (np.log(np.clip(some, least, np.finfo(float).max)) for some in (values, laws))
    own = np.hypot(clipped(whole - plain).std(axis=1), OWN)
    # `plain` ignores the segments of segmented kernels; `whole` does not.
    centred = clipped(whole if models.segments is not None else plain)
    return centred, own


def clipped(draws: FloatArray) -> FloatArray:
    """Clip S draws of K kernels at Q points (K, S, Q) to their interval of the probability `LEVEL`."""
    lower, upper = between(draws, LEVEL)
    return np.clip(draws, lower[:, None], upper[:, None])


def alike(points: FloatArray, point: FloatArray) -> FloatArray:
    """Return the correlations of deviations at Q points (Q, m) with those at one point (m,), as (Q,)."""
    distance = np.sqrt((np.log(points / point) ** 2).sum(axis=1))
    return np.asarray(np.exp(-distance / ALIKE))


def heaviest(levels: FloatArray, count: int) -> IntArray:
    """Return the ascending indices of the `count` largest of K values (K,)."""
    known = np.where(np.isfinite(levels), levels, -np.inf)
    order = np.argsort(-known, kind="stable")[:count]
    return np.sort(order[np.isfinite(known[order])])
