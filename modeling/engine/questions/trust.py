"""Grades of trust in predictions at a target, and their reasons.

Near the measured points, predictions follow the measured values, even if the law does not fit. Far from these
points, predictions follow the law. So the law and the prediction are judged separately.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modeling.engine.measured.near_points import near_points
from modeling.engine.measured.relations import Relations
from modeling.engine.questions.identifiability import KNOWN_GROWTH, WIDEST_FACTOR
from modeling.engine.results.models import FAILED, MISFIT, NO_DATA, OK, TOO_FEW_VALUES, Models
from modeling.engine.results.region import Region
from modeling.engine.validation import BoolArray, FloatArray, IntArray

RELIABLE, USABLE, GUESS, UNKNOWN = "reliable", "usable", "a guess", "cannot be told"
GRADES = (RELIABLE, USABLE, GUESS, UNKNOWN)

RELIABLE_FACTOR, USABLE_FACTOR = 1.25, 2.0
"""Largest factors from a reliable or usable prediction to the farther end of its 95 % interval."""

RELIABLE_DISTANCE, USABLE_DISTANCE = 8.0, 64.0
"""Largest distances of targets of reliable or usable predictions, as multiples of the measured range."""

MISFIT_SMAPE = 0.2
"""Largest SMAPE of a law that fits its own points: a factor of 1.22, about `RELIABLE_FACTOR`. Half this value
would reject kernels with noise of ±10 %. Twice this value would accept laws that are 50 % too large.
"""

MISFIT_DISTANCE = 8.0
"""If the law does not fit, a target's distance beyond the measured range is multiplied by this."""

_ROUNDING = 1 + 1e-9


@dataclass(frozen=True)
class Trust:
    """Grades of the predictions of K kernels at a target with m parameters, and their reasons."""

    grade: IntArray  # (K,) index in `GRADES`
    off: FloatArray  # (K,) factor from the prediction to the farther end of its interval, or NaN
    distance: FloatArray  # (K,) distance of the target, as a multiple of the measured range; 1 within it
    farthest: IntArray  # (K,) index of the parameter with the largest distance
    misfit: BoolArray  # (K,) whether the law does not fit
    unknown: BoolArray  # (K, m) whether the target is beyond the range of a parameter with unknown growth
    broken: BoolArray  # (K, m) whether the target breaks the relation of a bound parameter
    region: Region  # where the kernels were measured

    def relations(self, kernel: int) -> Relations:
        """Return the relations that hold at the measured points of this kernel."""
        found: Relations = self.region.places[self.region.of[kernel]].relations
        return found


def judge(
    models: Models,
    target: FloatArray,
    certainty: FloatArray | None,
    estimates: tuple[FloatArray, FloatArray, FloatArray],
) -> Trust:
    """Grade the predictions of K kernels at a target.

    Args:
        models: models of K kernels.
        target: (m,) values of m parameters.
        certainty: (K, m) the `identifiability.lead_certainty`; None without a posterior.
        estimates: predictions, and lower and upper ends of their 95 % intervals, (K,) each; NaN if unknown.
    """
    region = models.measured
    broken = region.broken(target[None])[:, 0]
    outside = np.maximum(target / region.upper, region.lower / target)
    outside[region.together & ~broken] = 0.0  # bound parameters follow from others
    beyond = outside > _ROUNDING
    distance = np.where(beyond.any(axis=1), outside.max(axis=1), 1.0)
    off, misfit = _off(*estimates), np.asarray(models.status == MISFIT)
    if certainty is None:  # the interval is valid only if the law has the right terms
        unknown, most = np.zeros(beyond.shape, bool), beyond.any(axis=1).astype(int)
    else:
        unknown, most = (certainty <= KNOWN_GROWTH) & beyond, np.zeros(len(models), int)
    reach = distance * np.where(misfit & (distance > 1), MISFIT_DISTANCE, 1.0)
    unfounded = _unfounded(models, beyond) | broken.any(axis=1)
    grade = np.max(
        [
            np.searchsorted([RELIABLE_FACTOR, USABLE_FACTOR, WIDEST_FACTOR], off),  # NaN comes last
            np.searchsorted([RELIABLE_DISTANCE, USABLE_DISTANCE], reach / _ROUNDING),
            np.maximum(unknown.any(axis=1), most),
            np.where(unfounded, len(GRADES) - 1, 0),
        ],
        axis=0,
    )
    broken &= region.together
    return Trust(grade, off, distance, outside.argmax(axis=1), misfit, unknown, broken, region)


def status(models: Models, points: FloatArray, values: FloatArray) -> NDArray[np.str_]:
    """Return the status of each of K models, (K,): `MISFIT` instead of `OK` if the law does not fit.

    `values` (K, P) were measured at P points (P, m), NaN where missing. Only the `near_points` count.
    """
    large = near_points(points, np.ones(len(points), dtype=bool))
    law, measured = models.law(points[large]), values[:, large]
    with np.errstate(divide="ignore", invalid="ignore"):
        error = 2 * np.abs(measured - law) / (np.abs(measured) + np.abs(law))
    known = ~np.isnan(error)
    smape = np.where(known, error, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.where((smape > MISFIT_SMAPE) & (models.status == OK), MISFIT, models.status)


def _unfounded(models: Models, beyond: BoolArray) -> BoolArray:
    """Return which predictions have no support in the data, (K,). `beyond` marks extrapolated parameters."""
    nothing = np.isin(models.status, (NO_DATA, FAILED))
    return np.asarray(nothing | ((models.status == TOO_FEW_VALUES) & beyond.any(axis=1)))


def _off(predicted: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the `identifiability.spread` of each prediction; NaN if it is unknown."""
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.where(lower > 0, np.maximum(upper / predicted, predicted / lower), np.inf)
    off = np.where((predicted == lower) & (predicted == upper), 1.0, off)
    return np.where(np.isfinite(predicted + lower + upper), off, np.nan)
