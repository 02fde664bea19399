"""The way in: one call models all kernels of a campaign. New modelers are registered here."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.evidence.modeler import Evidence
from modeling.engine.layout import largest_point
from modeling.engine.models import FAILED, Models, join
from modeling.engine.observations import observe
from modeling.engine.refinement import Refinement
from modeling.engine.regression import Regression
from modeling.engine.segmented_evidence import SegmentedEvidence
from modeling.engine.validation import FloatArray, check_points, check_values

DEFAULT_MODELER = "evidence"

VALUES_AT_ONCE = 4_000_000
"""Numbers of the kernels that are handed over in one call, a tenth of what is held then."""


class Modeler(Protocol):
    """Models any kernels measured at the points that it was made for."""

    @property
    def kernels_at_once(self) -> int:
        """How many kernels to hand over in one call, so that the work stays in the processor's cache."""

    def __call__(self, values: FloatArray) -> Models:
        """Model the kernels of `values` (K, P, R)."""


MODELERS: dict[str, Callable[..., Modeler]] = {
    "evidence": SegmentedEvidence,
    "regression": Regression,
    "refinement": Refinement,
}
"""Name → what makes the modeler from the points (P, m) and its options."""


def fit(points: ArrayLike, values: ArrayLike, *, modeler: str = DEFAULT_MODELER, **options: Any) -> Models:
    """Model every kernel of a campaign.

    Parameters
    ----------
    points : (P, m) positive parameter values, one row per measurement point.
    values : (K, P, R) repetitions of K kernels in any unit, NaN where missing.
    modeler : name of an entry of `MODELERS`.
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
    step = _step(model, array)
    found = join([model(array[start : start + step]) for start in range(0, max(len(array), 1), step)])
    return _without_interval(found) if _measured_once(array) else found


def _measured_once(values: FloatArray) -> bool:
    """Whether no kernel of values (K, P, R) has more than one."""
    return bool((np.isfinite(values).sum(axis=(1, 2)) <= 1).all())


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
    step = _step(model, values)
    parts = [model.expected(values[start : start + step]) for start in range(0, len(values), step)]
    return np.concatenate(parts) if parts else np.zeros((0, len(points)))


def _step(model: Modeler, values: FloatArray) -> int:
    """How many kernels of values (K, P, R) to hand over in one call: fewer where repetitions are many."""
    return min(model.kernels_at_once, max(1, VALUES_AT_ONCE // max(values[:1].size, 1)))
