"""Grades of trust in the predictions of kernels at a target, and the reasons for these grades.

A kernel may deviate from its law, so the law and the prediction are judged separately. Near the measured
points, predictions follow the measured values, so they are reliable even if the law does not fit. Far from
the measured points, predictions follow the law, and are as doubtful as the law.
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
"""Largest factors between a prediction and the farther end of its 95 % interval, with which the prediction is
reliable or usable. Beyond `identifiability.WIDEST_FACTOR` it cannot be told.
"""

RELIABLE_DISTANCE, USABLE_DISTANCE = 8.0, 64.0
"""Largest distances of the target, as multiples of the kernel's measured range, with which a prediction is
reliable or usable. Extrapolating by a factor of eight is common practice.
"""

MISFIT_SMAPE = 0.2
"""A law whose SMAPE at its own points is larger than this does not fit. If all values of a law were wrong by
the same factor, this SMAPE would mean the factor 1.22. That is about the `RELIABLE_FACTOR` of 1.25, by which
a reliable prediction may be wrong. With half this value, kernels with noise of ±10 % would not fit; with
twice this value, laws whose values are half as large again as the measured ones would fit.
"""

MISFIT_DISTANCE = 8.0
"""If the law does not fit, the distance of a target beyond the measured range counts this many times, because
far from the measured points a prediction follows the law.
"""

_ROUNDING = 1 + 1e-9


@dataclass(frozen=True)
class Trust:
    """The grades of the predictions of K kernels at a target, and the reasons for them."""

    grade: IntArray  # (K,) index in `GRADES`
    off: FloatArray  # (K,) factor between the prediction and the farther end of its interval, or NaN
    distance: FloatArray  # (K,) of the target, as a multiple of the kernel's measured range; 1 within it
    farthest: IntArray  # (K,) index of the parameter with the largest such multiple
    misfit: BoolArray  # (K,) whether the law does not fit
    unknown: BoolArray  # (K, m) whether the target is beyond the range of a parameter of unknown growth
    broken: BoolArray  # (K, m) whether the target breaks the relation of a bound parameter
    region: Region  # where the kernels were measured

    def relations(self, kernel: int) -> Relations:
        """Return the relations that hold at the measured points of the kernel with this index."""
        found: Relations = self.region.places[self.region.of[kernel]].relations
        return found


def judge(
    models: Models,
    target: FloatArray,
    certainty: FloatArray | None,
    estimates: tuple[FloatArray, FloatArray, FloatArray],
) -> Trust:
    """Grade the predictions at a target.

    Args:
        models: the models of K kernels, with or without posteriors.
        target: (m,).
        certainty: (K, m), the `identifiability.lead_certainty`; None if the modeler has no posterior.
        estimates: the predictions at the target, and the lower and upper ends of their 95 % intervals, (K,)
            each; NaN if unknown.
    """
    region = models.measured
    broken = region.broken(target[None])[:, 0]
    outside = np.maximum(target / region.upper, region.lower / target)
    outside[region.together & ~broken] = 0.0  # the distances of other parameters determine theirs
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
    """Return the status of K models, (K,): `MISFIT` instead of `OK` if the law does not fit.

    `values` (K, P) were measured at points (P, m), NaN where missing. Only values at the `near_points`, those
    near the largest parameter values, are compared with the law. It need not hold at small parameter values,
    where overheads dominate.
    """
    large = near_points(points, np.ones(len(points), dtype=bool))
    law, measured = models.law(points[large]), values[:, large]
    with np.errstate(divide="ignore", invalid="ignore"):
        error = 2 * np.abs(measured - law) / (np.abs(measured) + np.abs(law))
    known = ~np.isnan(error)
    smape = np.where(known, error, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.where((smape > MISFIT_SMAPE) & (models.status == OK), MISFIT, models.status)


def _unfounded(models: Models, beyond: BoolArray) -> BoolArray:
    """Return whether no data support the prediction at the target, (K,).

    `beyond` (K, m) tells whether the target is beyond the measured range of each parameter.
    """
    nothing = np.isin(models.status, (NO_DATA, FAILED))
    return np.asarray(nothing | ((models.status == TOO_FEW_VALUES) & beyond.any(axis=1)))


def _off(predicted: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return `identifiability.spread` for K predictions with their intervals, (K,); NaN if unknown."""
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.where(lower > 0, np.maximum(upper / predicted, predicted / lower), np.inf)
    off = np.where((predicted == lower) & (predicted == upper), 1.0, off)
    return np.where(np.isfinite(predicted + lower + upper), off, np.nan)
