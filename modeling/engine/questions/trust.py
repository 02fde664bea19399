"""Grades of trust in predictions, for each kernel at a target, and the reasons for them.

A law is a mean from which a kernel may deviate, so law and prediction are judged separately. Predictions near
the data start from the measured points, so they are reliable even if the law does not fit these points. Far
from the data, predictions approach the law and are as doubtful as the law.
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
"""Largest factors between a reliable, or a usable, prediction and the farther end of its 95 % interval.
Beyond `identifiability.WIDEST_FACTOR` the prediction is unknown.
"""

RELIABLE_DISTANCE, USABLE_DISTANCE = 8.0, 64.0
"""Largest distances of a reliable, or a usable, prediction, as multiples of the range in which the kernel was
measured. Extrapolating by a factor of eight is common practice.
"""

MISFIT_SMAPE = 0.2
"""Smallest SMAPE with which a law does not fit its own points. A reliable prediction may have the same error
(`RELIABLE_FACTOR`), so a law that misses known values by more cannot predict reliably. With half this value,
kernels with noise of ± 10 % would not fit. With twice this value, laws with errors of a half would fit.
"""

MISFIT_DISTANCE = 8.0
"""Factor on the distance of the target if the law does not fit, because far from the data a prediction is
based on the law alone.
"""

_ROUNDING = 1 + 1e-9


@dataclass(frozen=True)
class Trust:
    """The judgement of K kernels at a target of m parameters. `grade` has indices in `GRADES`."""

    grade: IntArray  # (K,)
    off: FloatArray  # (K,) factor from the prediction to the farther end of its interval, or NaN
    distance: FloatArray  # (K,) distance of the target as a multiple of the kernel's range, 1 inside of it
    farthest: IntArray  # (K,) index of the parameter with the largest such multiple
    misfit: BoolArray  # (K,) whether the law does not fit
    unknown: BoolArray  # (K, m) parameters of unknown growth that the target extrapolates
    broken: BoolArray  # (K, m) parameters that were varied only together with others, unlike at the target
    region: Region  # where the kernels were measured

    def relations(self, kernel: int) -> Relations:
        """Return the relations of the points at which a kernel was measured."""
        found: Relations = self.region.places[self.region.of[kernel]].relations
        return found


def judge(
    models: Models,
    target: FloatArray,
    certainty: FloatArray | None,
    estimates: tuple[FloatArray, FloatArray, FloatArray],
) -> Trust:
    """Judge predictions at a target (m,).

    Args:
        models: models of K kernels; their posteriors are not needed.
        target: the target, in the order of the parameters.
        certainty: (K, m), see `identifiability.lead_certainty`; None where laws were not weighed.
        estimates: prediction and both ends of its 95 % interval at the target, (K,) each; NaN: none.
    """
    region = models.measured
    broken = region.broken(target[None])[:, 0]
    outside = np.maximum(target / region.upper, region.lower / target)
    outside[region.together & ~broken] = 0.0  # parameters that follow are as far as those that they follow
    beyond = outside > _ROUNDING
    distance = np.where(beyond.any(axis=1), outside.max(axis=1), 1.0)
    off, misfit = _off(*estimates), np.asarray(models.status == MISFIT)
    if certainty is None:  # the interval is conditional on the form of the law
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
    """Return the status of K models, (K,): `MISFIT` where a law misses its points and nothing else is wrong.

    `values` (K, P) were measured at points (P, m), NaN where missing. If some points have large values of all
    parameters (`near_points`), only these are used, because a law need not hold at small values, where
    overheads dominate.
    """
    large = near_points(points, np.ones(len(points), dtype=bool))
    law, measured = models.law(points[large]), values[:, large]
    with np.errstate(divide="ignore", invalid="ignore"):
        error = 2 * np.abs(measured - law) / (np.abs(measured) + np.abs(law))
    known = ~np.isnan(error)
    smape = np.where(known, error, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.where((smape > MISFIT_SMAPE) & (models.status == OK), MISFIT, models.status)


def _unfounded(models: Models, beyond: BoolArray) -> BoolArray:
    """Return whether the law at the target is not supported by any data, (K,)."""
    nothing = np.isin(models.status, (NO_DATA, FAILED))
    return np.asarray(nothing | ((models.status == TOO_FEW_VALUES) & beyond.any(axis=1)))


def _off(predicted: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the factor from predictions to the farther ends of their intervals, (K,), as in
    `identifiability.spread`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.where(lower > 0, np.maximum(upper / predicted, predicted / lower), np.inf)
    off = np.where((predicted == lower) & (predicted == upper), 1.0, off)
    return np.where(np.isfinite(predicted + lower + upper), off, np.nan)
