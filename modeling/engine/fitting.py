"""The way in: one call models all kernels of a campaign. New modelers are registered here."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.measured.layout import largest_point
from modeling.engine.measured.repetitions import aggregate, runs_first
from modeling.engine.modelers.evidence.modeler import Evidence
from modeling.engine.modelers.refinement import Refinement
from modeling.engine.modelers.regression import Regression
from modeling.engine.modelers.segmented.modeler import SegmentedEvidence
from modeling.engine.portions import kernels_at_once, leading_kernels
from modeling.engine.results.common import Common
from modeling.engine.results.models import FAILED, Models, join
from modeling.engine.validation import FloatArray, check_points, check_values

DEFAULT_MODELER = "evidence"

VALUES_AT_ONCE = 2_000_000
"""Numbers of the kernels in a portion of modelers that weigh no laws."""


class Modeler(Protocol):
    """Models any kernels measured at the points that it was made for."""

    @property
    def kernels_at_once(self) -> int:
        """How many kernels to hand over in one call at most: their work stays in the processor's cache."""

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
    found = _modelled(model, array, common, _at_once(model, array, checked.shape[1], modeler))
    # All of a campaign's models have a posterior, or none has: they are read together.
    once = found.common is not None and found.common.once
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


def _modelled(model: Modeler, values: FloatArray, common: Common | None, sizes: tuple[int, int]) -> Models:
    """Models of values (K, P, R), so many leading ones first, and then so many at once."""
    leading, at_once = sizes
    leads = leading_kernels(len(values), leading)
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
    model = MODELERS[modeler](checked)
    step = _at_once(model, array, checked.shape[1], modeler)[1]
    parts = [_error_ahead(model, checked, part) for part in np.split(array, range(step, len(array), step))]
    return np.concatenate(parts)


def _error_ahead(model: Modeler, points: FloatArray, values: FloatArray) -> FloatArray:
    """The same for the kernels of values (K, P, R)."""
    there = ~np.isnan(values).all(axis=2)
    largest, kernels = largest_point(points, there.T.astype(float)), np.arange(len(values))
    rest = values.copy()
    rest[kernels, largest] = np.nan
    if isinstance(model, Evidence):
        predicted = model.expected(rest, largest)
    else:
        predicted = model(rest).predict(points)[kernels, largest]
    with np.errstate(invalid="ignore", divide="ignore"):
        value = aggregate(runs_first(values[kernels, largest][:, None]), "median")[0]
        return np.where(value > 0, np.abs(predicted - value) / value, np.nan)


def _at_once(model: Modeler, values: FloatArray, parameters: int, modeler: str) -> tuple[int, int]:
    """How many kernels of values (K, P, R) to model first, and how many others at once.

    These are more where each was measured at a few of the points only.
    """
    kernels, points, repetitions = values.shape
    first = portion_kernels(points, parameters, repetitions, modeler=modeler)
    held = int(np.isfinite(values).any(axis=2).sum()) // max(kernels, 1) + 1
    others = portion_kernels(min(held, points), parameters, repetitions, modeler=modeler)
    others = min(others, max(first, VALUES_AT_ONCE // (points * repetitions)))
    return min(first, model.kernels_at_once), min(others, model.kernels_at_once)
