"""Decide whether data determine a law: its growth with each parameter, and its value at a target."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from modeling.engine.laws.growth import LEADS, SAME_EXPONENT
from modeling.engine.laws.terms import LEAD_MULTIPLE
from modeling.engine.modelers.evidence.hypotheses.classes import MOST_COMBINED
from modeling.engine.results.models import NO_DATA, TOO_FEW_VALUES, Models
from modeling.engine.results.posterior import Posterior
from modeling.engine.results.rivals import lead_draws
from modeling.engine.validation import BoolArray, FloatArray, IntArray

KNOWN_GROWTH = 0.5
"""Growth with a parameter is known if its `lead_certainty` is larger than this."""

WIDEST_FACTOR = 10.0
"""Largest factor between a known prediction and either end of its interval."""

FLAT_CHANGE = 0.05
"""A law is flat if it changes by at most this share from the largest measured value to four times it."""

NUMBERS_AT_ONCE = 2_000_000
"""Largest number of elements of a temporary array."""

_ROUNDING = 1e-9


def lead_certainty(models: Models, points: FloatArray | None = None) -> FloatArray | None:
    """Return how certain the growth of K kernels with each of m parameters is, (K, m).

    This is the largest probability that the exponent of the parameter's lead term lies within 1/4 of one
    value. Draws that are flat along the parameter (see `FLAT_CHANGE`) have the exponent 0. For segmented
    kernels, the law of the last segment counts.

    - With more than `MOST_COMBINED` parameters, some may always vary together at the `points` (P, m). Their
      certainty is at most the largest of these probabilities: that none matters, and for each that it alone
      matters.
    - A parameter that is bound to others (`Models.region`) has the smallest certainty of those others.
    - If no parameter has enough values for a law, the certainty is 0.

    The result is None without a posterior.
    """
    if models.posterior is None:
        return None
    draws, terms = models.posterior.coefficients.shape[1:]
    step = max(1, NUMBERS_AT_ONCE // (2 * draws * terms * len(models.upper)))
    groups = _together(points) if points is not None and points.shape[1] > MOST_COMBINED else []
    parts = [
        _of_part(models.posterior.part(part), models.upper, groups)
        for part in np.split(np.arange(len(models)), range(step, len(models), step))
    ]
    determined = ~np.isin(models.status, (NO_DATA, TOO_FEW_VALUES))
    return models.measured.with_bound(np.concatenate(parts)) * determined[:, None]


def _together(points: FloatArray) -> list[IntArray]:
    """Return the groups of parameters that always vary together, as indices."""
    patterns = [np.unique(x, return_inverse=True)[1].ravel() for x in points.T]
    first = [np.unique(pattern, return_index=True)[1][pattern] for pattern in patterns]
    group = np.unique(np.stack(first), axis=0, return_inverse=True)[1].ravel()
    groups = [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]
    return [each for each in groups if len(each) > 1 and first[each[0]].any()]


def _of_part(posterior: Posterior, upper: FloatArray, groups: Sequence[IntArray]) -> FloatArray:
    near = (np.abs(LEADS[:, None] - LEADS) <= SAME_EXPONENT + _ROUNDING).astype(float)
    exponents = np.where(_moves(posterior, upper), lead_draws(posterior, upper)[..., 0], 0.0)
    place = np.searchsorted(LEADS, exponents - _ROUNDING)  # (kernels, draws, parameters)
    kernels, draws, m = place.shape
    number = (np.arange(kernels)[:, None, None] * m + np.arange(m)) * len(LEADS) + place
    counts = np.bincount(number.ravel(), minlength=kernels * m * len(LEADS)).reshape(kernels, m, -1)
    certainty = np.asarray((counts @ near).max(axis=2) / draws)
    for group in groups:
        matters = exponents[..., group] != 0  # (kernels, draws, parameters of the group)
        none, alone = ~matters.any(axis=2), matters & (matters.sum(axis=2, keepdims=True) == 1)
        known = np.maximum(none.mean(axis=1), alone.mean(axis=1).max(axis=1))
        certainty[:, group] = np.minimum(certainty[:, group], known[:, None])
    return certainty


def _moves(posterior: Posterior, upper: FloatArray) -> BoolArray:
    """Return whether draws change noticeably beyond the largest value of each parameter."""
    points = np.tile(LEAD_MULTIPLE * upper, (len(upper) + 1, 1))
    points[np.arange(1, len(points)), np.arange(len(upper))] = upper
    values = posterior.values(points)
    return np.asarray(np.abs(values[..., :1] - values[..., 1:]) > FLAT_CHANGE * np.abs(values[..., 1:]))


def spread(predicted: float, lower: float, upper: float) -> float:
    """Return the factor from a prediction to the farther end of its interval, or infinity if an end is 0."""
    if predicted == lower == upper:
        return 1.0
    return max(upper / predicted, predicted / lower) if predicted > 0 and lower > 0 else inf


Target = tuple[float | None, float | None, float | None]
"""The prediction at a target, and the lower and upper end of its interval; None means unknown."""

NOT_KNOWN: Target = (None, None, None)


@dataclass(frozen=True)
class UnknownGrowth:
    """A parameter with unknown growth, by index, and its `lead_certainty`."""

    parameter: int
    certainty: float


@dataclass(frozen=True)
class WideInterval:
    """An interval at the target that is too wide. The factor is its `spread`, or None without an interval."""

    factor: float | None


Doubt = UnknownGrowth | WideInterval


def doubts(certainty: Sequence[float], target: Target = NOT_KNOWN) -> list[Doubt]:
    """Return the reasons why a law is not identifiable from its data. An empty list means that it is
    identifiable.

    Args:
        certainty: `lead_certainty` of each parameter; empty if it is unknown.
        target: the prediction at a target, with its interval.
    """
    found: list[Doubt] = [UnknownGrowth(at, certainty[at]) for at in _unknown(certainty)]
    factor = _off(target)
    if factor == inf and None in target:
        found.append(WideInterval(None))
    elif factor > WIDEST_FACTOR:
        found.append(WideInterval(factor))
    return found


def _unknown(certainty: Sequence[float]) -> list[int]:
    """Return the indices of the parameters with unknown growth."""
    return [at for at, share in enumerate(certainty) if share <= KNOWN_GROWTH]


def _off(target: Target) -> float:
    """Return the `spread` of a prediction: infinite without an interval, 1 without a prediction."""
    predicted, lower, upper = target
    if predicted is None:
        return 1.0
    return inf if lower is None or upper is None else spread(predicted, lower, upper)
