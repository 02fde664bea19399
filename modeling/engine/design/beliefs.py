"""The present knowledge about each kernel at the candidates and at the target: a normal distribution of
logarithms.

Its mean is the mean of the posterior's draws, so every law contributes with its probability. Its covariance
is the covariance of these draws plus that of the kernels' deviations from their laws. A run at a candidate
observes one coordinate of this distribution with noise, so the information that the run will give is known in
closed form before it is made. This is preposterior analysis (Raiffa and Schlaifer, Applied Statistical
Decision Theory, 1961) with the update of an ensemble Kalman filter (Evensen 2003). Draws are clipped, so that
a few enormous ones do not dominate.
"""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.results.posterior import between
from modeling.engine.validation import FloatArray, IntArray

LEVEL = 0.95
"""Level of the interval to whose ends the logarithms of draws are clipped; pages show the same level.
Draws outside of this interval must not determine what is measured. With 0.99 the outermost of 128 draws would
determine it. With 0.9 a rival law with a probability of 5 % would be ignored.
"""

OWN = 0.005
"""Relative standard deviation of any kernel from its law at any point. No law is exact; without this
deviation, more and more runs at one point would seem to give certainty. Half and twice this value make a
difference only if the noise is below 1 %.
"""

ALIKE = 0.7
"""Distance, in units of log x, over which a kernel's deviations from its law are correlated: a factor of
two. The effects of a cache size or a protocol extend over at least this factor. The distance determines how
much the measurement of a neighbouring point reveals about the deviation at the target. With half this
distance, only measurements at the target itself reveal it. With twice this distance, all measurements within
a factor of four do.
"""


@dataclass(frozen=True)
class Field:
    """Normal distributions of the logarithms of K kernels at Q points.

    The initial covariance is the sum of two parts: the covariance of S draws, whose differences from their
    mean are `draws` (K, S, Q), and that of deviations from the laws with standard deviations `own` (K, Q),
    which are correlated between neighbouring `points` (Q, m). Each planned run adds one array (K, Q) to
    `told`, whose outer product with itself is subtracted from the covariance. `variance` (K, Q) is the
    remaining diagonal.
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
        """Build the distributions from logarithms (K, S, Q) of draws.

        `shared` (K, N, Q) are the standard deviations of errors that N groups of runs add, independently of
        the draws. The error of a group at every point is the same random multiple of its row.
        """
        draws = logs - logs.mean(axis=1, keepdims=True)
        draws /= np.sqrt(max(logs.shape[1] - 1, 1))
        if shared is not None:
            draws = np.concatenate([draws, shared], axis=1)
        return cls(draws, own, points, (draws**2).sum(axis=1) + own**2)

    def covariance(self, at: int) -> FloatArray:
        """Return the covariance of all points with one of them, (K, Q)."""
        column = np.einsum("ksq,ks->kq", self.draws, self.draws[:, :, at])
        column += self.own * self.own[:, at, None] * alike(self.points, self.points[at])
        for each in self.told:
            column -= each * each[:, at, None]
        return np.asarray(column)

    def after(self, at: int, noise: FloatArray) -> "Field":
        """Return the distributions after a run at a point, with variances (K,) of its noise."""
        column = self.covariance(at)
        told = column / np.sqrt(column[:, at] + noise)[:, None]
        return replace(self, variance=self.variance - told**2, told=(*self.told, told))


@dataclass(frozen=True)
class Beliefs:
    """The knowledge at C candidates and at the target, which is the last point of the field.

    Attributes:
        field: the distributions of the kernels' logarithms.
        aim: (K, C + 1) covariance of every point with the target.
        weight: (K,) squared share of each kernel in the total at the target. The variance of the total's
            logarithm is the sum of the kernels' variances times these weights.
        mean: (K,) mean of the logarithms at the target.
    """

    field: Field
    aim: FloatArray
    weight: FloatArray
    mean: FloatArray

    @property
    def candidates(self) -> FloatArray:
        """Return the candidates, points (C, m)."""
        return self.field.points[:-1]

    @property
    def target(self) -> FloatArray:
        """Return the target, a point (m,)."""
        return np.asarray(self.field.points[-1])

    def open(self) -> float:
        """Return the variance of the logarithm of the total at the target."""
        return float(self.weight @ self.aim[:, -1])

    def gains(self, noise: FloatArray) -> FloatArray:
        """Return the expected decrease of `open` by a run at each candidate, (C,).

        `noise` (K,) is the variance of the logarithm of a run.
        """
        total = self.field.variance[:, :-1] + noise[:, None]
        return np.asarray(self.weight @ (self.aim[:, :-1] ** 2 / total))

    def after(self, candidate: int, noise: FloatArray) -> "Beliefs":
        """Return what will be known after a run at a candidate. It does not depend on the value that the run
        measures, so it can be computed before the run.
        """
        field = self.field.after(candidate, noise)
        told = field.told[-1]
        return replace(self, field=field, aim=self.aim - told * told[:, -1:])


def beliefs_of(
    models: Models, candidates: FloatArray, target: FloatArray, shared: FloatArray | None = None
) -> Beliefs:
    """Return what the models' posteriors imply at candidates (C, m) and at a target (m,).

    `shared` (K, N, C + 1) are the errors that groups of runs, such as jobs, add at these points.
    """
    points = np.vstack([candidates, target])
    logs, own = log_draws(models, points)
    field = Field.of(logs, own, points, shared)
    mean = logs[:, :, -1].mean(axis=1)
    level = np.exp(mean - mean.max())
    return Beliefs(field, field.covariance(len(candidates)), (level / level.sum()) ** 2, mean)


def log_draws(models: Models, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the clipped logarithms (K, S, Q) of the draws' laws at points (Q, m), and the standard
    deviation of each kernel from its law there, (K, Q).
    """
    if models.posterior is None:
        raise ValueError("models: found models without a posterior, expected those of the default modeler")
    values, laws = models.draws(points), models.posterior.laws(points)
    least = np.finfo(float).tiny + 1e-6 * np.median(values, axis=1, keepdims=True)
    with np.errstate(over="ignore", invalid="ignore"):
        whole, plain = (np.log(np.clip(some, least, np.finfo(float).max)) for some in (values, laws))
    own = np.hypot(clipped(whole - plain).std(axis=1), OWN)
    # Only the draws of segmented kernels follow the segments.
    centred = clipped(whole if models.segments is not None else plain)
    return centred, own


def clipped(draws: FloatArray) -> FloatArray:
    """Clip draws (K, S, Q) to their interval."""
    lower, upper = between(draws, LEVEL)
    return np.clip(draws, lower[:, None], upper[:, None])


def alike(points: FloatArray, point: FloatArray) -> FloatArray:
    """Return the correlation of deviations at points (Q, m) with those at one point, (m,)."""
    distance = np.sqrt((np.log(points / point) ** 2).sum(axis=1))
    return np.asarray(np.exp(-distance / ALIKE))


def heaviest(levels: FloatArray, count: int) -> IntArray:
    """Return the indices of the `count` kernels with the largest values (K,), ascending."""
    known = np.where(np.isfinite(levels), levels, -np.inf)
    order = np.argsort(-known, kind="stable")[:count]
    return np.sort(order[np.isfinite(known[order])])
