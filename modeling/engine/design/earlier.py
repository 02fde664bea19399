"""Use the laws of an earlier version for a version that was measured at few points, or not at all.

Between versions a kernel may change by a factor, and the exponent of each parameter may change. Both changes
are assumed to be normal with mean zero, and are added to the posterior of the earlier version. Then the
posterior is updated by the new version's own points, one after the other (a Kalman filter, Evensen 2003). If
these points contradict the earlier laws, the laws are not used.
"""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.design.beliefs import Beliefs, Field, log_draws
from modeling.engine.results.models import Models
from modeling.engine.validation import FloatArray, IntArray

FACTOR = 0.1
"""Standard deviation of the logarithm of the factor by which a version differs from the one before.
Compilers, libraries and machines change the times of most versions by less than 10 %. The value was not
tuned. Of 40 simulated versions that differ by 10 %, 88 % lie within two of the predicted standard deviations
of their prediction. With half this value 72 % do, and plans that halve the interval, which is then narrower
from the beginning, take three times the core hours. With twice this value 93 % do, and such plans take a
third of the core hours (`tests/benchmarks/planner_constants.py`).
"""

EXPONENT = 0.15
"""Standard deviation of the change of each exponent between two versions. It describes versions of which one
in ten changes an exponent by a half, and was not tuned. In the 40 versions of `FACTOR`, the true values
differ from the predictions by 1.75 standard deviations (root mean square). With half this value they differ
by 2.15, and with twice this value by 1.61.
"""

CONTRADICTED = 4.0
"""Limit on the mean square of the deviations of the new version's points from the earlier laws, divided by
its expectation. Beyond it, the earlier laws are not used: the points deviate by more than two standard
deviations.
"""


@dataclass(frozen=True)
class Earlier:
    """The points (P, m) and values (K, P, R) of an earlier version, and the models of its K kernels."""

    points: FloatArray
    values: FloatArray
    models: Models

    def part(self, kernels: IntArray) -> "Earlier":
        """Return the version with only some kernels."""
        return Earlier(self.points, self.values[kernels], self.models.part(kernels))


@dataclass(frozen=True)
class Carried:
    """The prediction of the earlier laws for the new version, and how well these laws fit the new version's
    points.

    `misfit` is the mean square of the deviations of these points from the laws, divided by its expectation.
    It is 0 if the new version has no point yet.
    """

    beliefs: Beliefs
    misfit: float

    @property
    def contradicted(self) -> bool:
        """Return whether the new version's points show that the earlier laws do not hold for it."""
        return self.misfit > CONTRADICTED


def carried_over(
    earlier: Earlier,
    candidates: FloatArray,
    target: FloatArray,
    *,
    points: FloatArray,
    medians: FloatArray,
    noise: FloatArray,
) -> Carried:
    """Predict a new version at candidates (C, m) and a target (m,) from the earlier version.

    `medians` (K, P) are the new version's values at its points (P, m), NaN where missing. `noise` (K,) is the
    variance of the logarithm of such a value.
    """
    asked = np.vstack([candidates, target])
    everywhere = np.vstack([asked, points])
    logs, own = log_draws(earlier.models, everywhere)
    field = _changed(Field.of(logs, own, everywhere), earlier.points)
    mean = logs.mean(axis=1)
    squares = []
    for number in range(len(points)):
        at = len(asked) + number
        seen = np.isfinite(medians[:, number]) & (medians[:, number] > 0)
        if not seen.any():
            continue
        missing = np.where(seen, noise, np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            surprise = np.where(seen, np.log(medians[:, number]) - mean[:, at], 0.0)
        spread = np.where(seen, field.variance[:, at] + noise, 1.0)
        squares.append(_weighted(surprise**2 / spread, np.exp(mean[:, at]) * seen))
        field = field.after(at, missing)
        mean = mean + field.told[-1] * (surprise / np.sqrt(spread))[:, None]
    there = _part(field, len(asked))
    level = np.exp(mean[:, len(candidates)] - mean[:, len(candidates)].max())
    beliefs = Beliefs(
        there, there.covariance(len(candidates)), (level / level.sum()) ** 2, mean[:, len(candidates)]
    )
    return Carried(beliefs, float(np.mean(squares)) if squares else 0.0)


def _changed(field: Field, measured: FloatArray) -> Field:
    """Return the field with the additional uncertainty of the factor and the exponents of the new version.

    A change of an exponent leaves the value at the middle of the measured points (P, m) unchanged.
    """
    away = np.log(field.points) - np.log(measured).mean(axis=0)
    changes = np.vstack([np.full((1, len(away)), FACTOR), EXPONENT * away.T])
    draws = np.concatenate([field.draws, np.broadcast_to(changes, (len(field.own), *changes.shape))], axis=1)
    return replace(field, draws=draws, variance=field.variance + (changes**2).sum(axis=0))


def _part(field: Field, count: int) -> Field:
    """Return the field at its first `count` points only."""
    return Field(
        draws=field.draws[:, :, :count],
        own=field.own[:, :count],
        points=field.points[:count],
        variance=field.variance[:, :count],
        told=tuple(each[:, :count] for each in field.told),
    )


def _weighted(numbers: FloatArray, weight: FloatArray) -> float:
    return float((numbers * weight).sum() / weight.sum())
