"""Use the laws of an earlier version for a version that was measured at few points, or not at all.

A kernel's factor and exponents may change between versions, which widens the earlier posterior. The new
version's points then update the posterior one after the other (a Kalman filter, Evensen 2003).
"""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.design.beliefs import Beliefs, Field, log_draws
from modeling.engine.results.models import Models
from modeling.engine.validation import FloatArray, IntArray

FACTOR = 0.1
"""Standard deviation of the log factor between two versions. The value was not tuned. Of 40 simulated
versions that differ by 10 %, 88 % lie within two predicted standard deviations. With half this value 72 % do,
and with twice this value 93 % (`tests/benchmarks/planner_constants.py`).
"""

EXPONENT = 0.15
"""Standard deviation of the change of an exponent between two versions, if one version in ten changes an
exponent by a half. The value was not tuned. Predictions of the 40 versions of `FACTOR` err by 1.75 standard
deviations (root mean square). With half this value they err by 2.15, and with twice this value by 1.61.
"""

CONTRADICTED = 4.0
"""Largest `Carried.misfit` with which the earlier laws are used: a deviation of two standard deviations."""


@dataclass(frozen=True)
class Earlier:
    """An earlier version: P points (P, m), R repetitions of K kernels (K, P, R), and the kernels' models."""

    points: FloatArray
    values: FloatArray
    models: Models

    def part(self, kernels: IntArray) -> "Earlier":
        """Return the version with only some kernels."""
        return Earlier(self.points, self.values[kernels], self.models.part(kernels))


@dataclass(frozen=True)
class Carried:
    """The prediction of the earlier laws for the new version, and how well they fit the new version's points.

    `misfit` is the mean squared deviation of the points, divided by its expectation. It is 0 without points.
    """

    beliefs: Beliefs
    misfit: float

    @property
    def contradicted(self) -> bool:
        """Return whether the new version's points contradict the earlier laws."""
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
    """Predict a new version at C candidates (C, m) and a target (m,) from the earlier version.

    Args:
        earlier: the earlier version, with models of K kernels.
        candidates: (C, m).
        target: (m,).
        points: (P, m) P measured points of the new version.
        medians: (K, P) values at these points, NaN where missing.
        noise: (K,) variance of the logarithm of such a value.
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
    """Add the uncertainty of the new version's factor and exponents to the field."""
    away = np.log(field.points) - np.log(measured).mean(axis=0)
    changes = np.vstack([np.full((1, len(away)), FACTOR), EXPONENT * away.T])
    draws = np.concatenate([field.draws, np.broadcast_to(changes, (len(field.own), *changes.shape))], axis=1)
    return replace(field, draws=draws, variance=field.variance + (changes**2).sum(axis=0))


def _part(field: Field, count: int) -> Field:
    """Return the field at its first `count` points."""
    return Field(
        draws=field.draws[:, :, :count],
        own=field.own[:, :count],
        points=field.points[:count],
        variance=field.variance[:, :count],
        told=tuple(each[:, :count] for each in field.told),
    )


def _weighted(numbers: FloatArray, weight: FloatArray) -> float:
    return float((numbers * weight).sum() / weight.sum())
