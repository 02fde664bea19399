"""What the laws of an earlier version say about a version that was measured at few points, or not at all.

The earlier laws are taken as likely, not as true: between versions a kernel may change by a factor, and the
exponent of each parameter may change. Both changes are normal, with mean zero, and added to the posterior of
the earlier version. Then the new version's own points are taken in, one after the other (a Kalman filter,
Evensen 2003). Where these points contradict the earlier laws, the laws are not used.
"""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.design.beliefs import Beliefs, Field, log_draws
from modeling.engine.results.models import Models
from modeling.engine.validation import FloatArray

FACTOR = 0.1
"""Standard deviation of the logarithm of the factor by which a version differs from the one before:
compilers, libraries and machines move most versions by less than 10 %. It is argued, not tuned. Of 40
simulated versions that do differ by 10 %, 88 % lie within two standard deviations of what the carried laws
predict at the target, 72 % with half of it and 93 % with twice it. Plans that halve the interval take three
times the core hours with half of it, and a third with twice it, as the interval that they start from is that
much wider (`tests/benchmarks/planner_constants.py`)."""

EXPONENT = 0.15
"""Standard deviation of the change of each exponent: one version in ten with an exponent that is changed by
a half, the others as before. It is argued, not tuned. Of the same 40 versions, the truth is 1.75 standard
deviations off (root mean square), 2.15 with half of it and 1.61 with twice it, for the same core hours: the
few exponents that do change are hardly foreseen with any."""

CONTRADICTED = 4.0
"""Mean squared deviation of the new version's points from the earlier laws, in units of its expectation, from
which the laws are not used: points that lie two standard deviations off on average."""


@dataclass(frozen=True)
class Earlier:
    """Points (P, m) and values (K, P, R) of an earlier version, and its models of the K kernels."""

    points: FloatArray
    values: FloatArray
    models: Models


@dataclass(frozen=True)
class Carried:
    """What the earlier laws say about the new version, and how far its points deviate from them: the mean
    square, in units of its expectation.

    `misfit` is 0 where the new version has no point yet.
    """

    beliefs: Beliefs
    misfit: float

    @property
    def contradicted(self) -> bool:
        """Whether the new version's points show that the earlier laws do not hold for it."""
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
    """Beliefs about a new version at candidates (C, m) and a target (m,).

    `medians` (K, P) are the new version's values at its points (P, m), NaN where missing; `noise` (K,) is the
    variance of the logarithm of one of them.
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
    """The field with a changed factor and changed exponents, around the middle of the points (P, m) that were
    measured."""
    away = np.log(field.points) - np.log(measured).mean(axis=0)
    changes = np.vstack([np.full((1, len(away)), FACTOR), EXPONENT * away.T])
    draws = np.concatenate([field.draws, np.broadcast_to(changes, (len(field.own), *changes.shape))], axis=1)
    return replace(field, draws=draws, variance=field.variance + (changes**2).sum(axis=0))


def _part(field: Field, count: int) -> Field:
    """The field at its first points only."""
    return Field(
        draws=field.draws[:, :, :count],
        own=field.own[:, :count],
        points=field.points[:count],
        variance=field.variance[:, :count],
        told=tuple(each[:, :count] for each in field.told),
    )


def _weighted(numbers: FloatArray, weight: FloatArray) -> float:
    return float((numbers * weight).sum() / weight.sum())
