"""The way in: one call models all kernels of a campaign. New modelers are registered here."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.evidence.modeler import Evidence, measured_once
from modeling.engine.evidence.pooling import Common
from modeling.engine.layout import largest_point
from modeling.engine.models import FAILED, Models, join
from modeling.engine.observations import observe
from modeling.engine.portions import kernels_at_once, leading_kernels
from modeling.engine.refinement import Refinement
from modeling.engine.regression import Regression
from modeling.engine.segmented_evidence import SegmentedEvidence
from modeling.engine.validation import FloatArray, check_points, check_values

DEFAULT_MODELER = "evidence"

VALUES_AT_ONCE = 2_000_000
"""Numbers of the kernels in a portion of modelers that weigh no laws."""


class Modeler(Protocol):
    """Models any kernels measured at the points that it was made for."""

    @property
    def kernels_at_once(self) -> int:
        """How many kernels to hand over in one call, so that the work stays in the processor's cache."""

    def __call__(self, values: FloatArray, common: Common | None = None) -> Models:
        """Model the kernels of `values` (K, P, R) by what they have in `common`, or by what is theirs."""


MODELERS: dict[str, Callable[..., Modeler]] = {
    "evidence": SegmentedEvidence,
    "regression": Regression,
    "refinement": Refinement,
}
"""Name → what makes the modeler from the points (P, m) and its options."""


def fit(
    points: ArrayLike,
    values: ArrayLike,
    *,
    modeler: str = DEFAULT_MODELER,
    common: Common | None = None,
    **options: Any,
) -> Models:
    """Model every kernel of a campaign.

    What kernels share, as how often each kind of noise occurs, is learnt of `leading_kernels` (as many as
    `portion_kernels` tells) and given to all others. So a campaign may be modelled in portions: those kernels
    first, then any others with the `common` of these models, and each model is as if all were made at once.

    Parameters
    ----------
    points : (P, m) positive parameter values, one row per measurement point.
    values : (K, P, R) repetitions of K kernels in any unit, NaN where missing.
    modeler : name of an entry of `MODELERS`.
    common : `Models.common` of other kernels of the campaign; with it each kernel is modelled by itself.
    **options : the modeler's own, see its class.

    Raises
    ------
    ValueError
        Names the argument that does not fit, what was found and what was expected. One kernel's bad
        luck (no data, zeros, too few points) never raises: the model's status tells.

    """
    checked = check_points(points)
    array = check_values(values, len(checked))
    if modeler not in MODELERS:
        raise ValueError(f"modeler: found {modeler!r}, expected one of {', '.join(sorted(MODELERS))}")
    model = MODELERS[modeler](checked, **options)
    at_once = min(model.kernels_at_once, _portion(array, checked.shape[1], modeler))
    found = _modelled(model, array, common, at_once)
    once = found.common is not None and found.common.once and measured_once(array)
    return _without_interval(found) if once else found


def portion_kernels(
    points_count: int, parameters: int, repetitions: int, *, modeler: str = DEFAULT_MODELER
) -> int:
    """How many kernels to model in one portion, at least 1.

    Their `fit` and `holdout_error` then take 2 to 4 seconds of one core, as a rule, and less than 300 MB
    beyond their values.
    """
    if modeler == DEFAULT_MODELER:
        return kernels_at_once(points_count, parameters, repetitions)
    return max(1, VALUES_AT_ONCE // (points_count * repetitions))


def _portion(values: FloatArray, parameters: int, modeler: str) -> int:
    """How many kernels of values (K, P, R) make a portion."""
    return portion_kernels(values.shape[1], parameters, values.shape[2], modeler=modeler)


def _modelled(model: Modeler, values: FloatArray, common: Common | None, at_once: int) -> Models:
    """Models of values (K, P, R), the leading ones first, and then so many at once."""
    leads = leading_kernels(len(values), at_once)
    first = model(values[leads], common)
    parts = []
    for begin in range(0, len(values), at_once):
        kernels = np.arange(begin, min(begin + at_once, len(values)))
        known, others = np.flatnonzero(np.isin(leads, kernels)), np.setdiff1d(kernels, leads)
        part = first.part(known)
        if len(others):
            part = join([part, model(values[others], first.common)])
        parts.append(part.part(np.argsort(np.concatenate([leads[known], others]))))
    return join(parts) if parts else first


def _without_interval(models: Models) -> Models:
    """The models without their posterior: nothing shows the noise of a single value."""
    return replace(models, posterior=None)


def unmodelled(points: ArrayLike, kernels: int, *, modeler: str = DEFAULT_MODELER) -> Models:
    """Models of so many kernels that a modeler failed on: like those of kernels without data.

    They have what the modeler's other models have, so that all can be stored and read together.
    """
    checked = check_points(points)
    models = MODELERS[modeler](checked)(np.full((kernels, len(checked), 1), np.nan))
    return replace(models, status=np.full(kernels, FAILED))


def holdout_error(points: ArrayLike, values: ArrayLike, *, modeler: str = DEFAULT_MODELER) -> FloatArray:
    """Relative error, (K,), at each kernel's largest point of what all other points give.

    By the modeler's `expected` where it has one, else by a whole fit. Arguments and errors as of `fit`; NaN
    where nothing is left, or was measured as 0.
    """
    checked = check_points(points)
    array = check_values(values, len(checked))
    there = ~np.isnan(array).all(axis=2)
    largest = largest_point(checked, there.T.astype(float))
    kernels = np.arange(len(array))
    rest = array.copy()
    rest[kernels, largest] = np.nan
    predicted = _expected(checked, rest, modeler)[kernels, largest]
    with np.errstate(invalid="ignore", divide="ignore"):
        measured = observe(checked, array, "median")
        value = (measured.y * measured.scale)[largest, kernels]
        return np.where(value > 0, np.abs(predicted - value) / value, np.nan)


def _expected(points: FloatArray, values: FloatArray, modeler: str) -> FloatArray:
    """What a modeler says at the points, (K, P)."""
    model = MODELERS[modeler](points)
    if not isinstance(model, Evidence):
        return fit(points, values, modeler=modeler).predict(points)
    step = min(model.kernels_at_once, _portion(values, points.shape[1], modeler))
    parts = [model.expected(values[start : start + step]) for start in range(0, len(values), step)]
    return np.concatenate(parts) if parts else np.zeros((0, len(points)))
