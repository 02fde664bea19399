"""The present knowledge of each kernel's value at the candidates and at the target, as a normal distribution
of logarithms.

Its mean is the mean of the posterior's draws, so every law contributes with its probability. Its covariance
is the covariance of these draws plus that of the kernels' deviations from their laws. A run at a candidate
observes one coordinate of this distribution with noise, so the information that it will give has a closed
form. This is preposterior analysis (Raiffa and Schlaifer, Applied Statistical Decision Theory, 1961) with the
update of an ensemble Kalman filter (Evensen 2003). Draws are clipped, so that a few very large ones do not
dominate.
"""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.results.posterior import between
from modeling.engine.validation import FloatArray, IntArray

LEVEL = 0.95
"""Draws are clipped to the ends of their interval of this level, which is also the level of intervals on
pages. With 0.99, the outermost of 128 draws would determine what is measured. With 0.9, a rival law with a
probability of 5 % would be ignored.
"""

OWN = 0.005
"""Smallest relative standard deviation of a kernel from its law. No law is exact; without this deviation,
enough runs at one point would seem to give certainty. Half and twice this value make a difference only if the
noise is below 1 %.
"""

ALIKE = 0.7
"""Distance, in units of log x, over which a kernel's deviations from its law are correlated. It is a factor
of two in x; the effects of a cache size or a protocol extend at least so far. With half this distance, only
runs at the target itself would show the deviation there. With twice this distance, all runs within a factor
of four would.
"""


@dataclass(frozen=True)
class Field:
    """Normal distributions of the logarithms of K kernels at Q points.

    The initial covariance is the sum of two parts. The first is the covariance of S draws; `draws` (K, S, Q)
    are their differences from their mean, divided by √(S - 1). The second is the covariance of the deviations
    from the laws, which have standard deviations `own` (K, Q) and are correlated between neighbouring
    `points` (Q, m). Each planned run adds an array (K, Q) to `told`; its outer product with itself is
    subtracted from the covariance. `variance` (K, Q) is the diagonal of the result.
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

        `shared` (K, N, Q) are the standard deviations of the errors that N groups of runs cause,
        independently of the draws. The errors that a group causes at different points are fully correlated.
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
        """Return the distributions after a run at a point. `noise` (K,) is the variance of the run's
        logarithm.
        """
        column = self.covariance(at)
        told = column / np.sqrt(column[:, at] + noise)[:, None]
        return replace(self, variance=self.variance - told**2, told=(*self.told, told))


@dataclass(frozen=True)
class Beliefs:
    """The knowledge at C candidates and at the target; the target is the last point of the field.

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
        """Return the knowledge after a run at a candidate. The covariances do not depend on the value that
        the run will measure.
        """
        field = self.field.after(candidate, noise)
        told = field.told[-1]
        return replace(self, field=field, aim=self.aim - told * told[:, -1:])


def beliefs_of(
    models: Models, candidates: FloatArray, target: FloatArray, shared: FloatArray | None = None
) -> Beliefs:
    """Return what the models' posteriors imply at candidates (C, m) and at a target (m,).

    `shared` (K, N, C + 1) are the standard deviations of the errors that N groups of runs, such as jobs,
    cause at these points.
    """
    points = np.vstack([candidates, target])
    logs, own = log_draws(models, points)
    field = Field.of(logs, own, points, shared)
    mean = logs[:, :, -1].mean(axis=1)
    level = np.exp(mean - mean.max())
    return Beliefs(field, field.covariance(len(candidates)), (level / level.sum()) ** 2, mean)


def log_draws(models: Models, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the clipped logarithms (K, S, Q) of drawn laws at points (Q, m), and the standard deviations (K,
    Q) of the kernels from their laws at these points.
    """
    if models.posterior is None:
        raise ValueError("models: found models without a posterior, expected those of the default modeler")
    values, laws = models.draws(points), models.posterior.laws(points)
    least = np.finfo(float).tiny + 1e-6 * np.median(values, axis=1, keepdims=True)
    with np.errstate(over="ignore", invalid="ignore"):
        whole, plain = (np.log(np.clip(some, least, np.finfo(float).max)) for some in (values, laws))
    own = np.hypot(clipped(whole - plain).std(axis=1), OWN)
    # The laws in `plain` do not follow the segments of segmented kernels; the draws in `whole` do.
    centred = clipped(whole if models.segments is not None else plain)
    return centred, own


def clipped(draws: FloatArray) -> FloatArray:
    """Clip draws (K, S, Q) to the interval of level `LEVEL`."""
    lower, upper = between(draws, LEVEL)
    return np.clip(draws, lower[:, None], upper[:, None])


def alike(points: FloatArray, point: FloatArray) -> FloatArray:
    """Return the correlation of deviations at points (Q, m) with those at one point, (m,)."""
    distance = np.sqrt((np.log(points / point) ** 2).sum(axis=1))
    return np.asarray(np.exp(-distance / ALIKE))


def heaviest(levels: FloatArray, count: int) -> IntArray:
    """Return the indices of the `count` kernels with the largest values (K,), in the order of the kernels."""
    known = np.where(np.isfinite(levels), levels, -np.inf)
    order = np.argsort(-known, kind="stable")[:count]
    return np.sort(order[np.isfinite(known[order])])
