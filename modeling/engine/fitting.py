"""Model all kernels of a campaign in one call."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.measured.layout import largest_point
from modeling.engine.measured.repetitions import aggregate, runs_first
from modeling.engine.modelers.adaptive.modeler import Adaptive
from modeling.engine.modelers.along_relations import AlongRelations
from modeling.engine.modelers.protocol import Modeler
from modeling.engine.modelers.refinement import Refinement
from modeling.engine.modelers.regression import Regression
from modeling.engine.modelers.trending.modeler import TrendingEvidence
from modeling.engine.portions import kernels_at_once, leading_kernels
from modeling.engine.results.common import Common
from modeling.engine.results.models import FAILED, Models, join
from modeling.engine.validation import FloatArray, check_points, check_values

DEFAULT_MODELER = "evidence"
ADAPTIVE_MODELER = "adaptive"

VALUES_AT_ONCE = 2_000_000
"""Largest number of values in one portion of kernels. The default modeler's limits are in `portions`."""


MODELERS: dict[str, Callable[..., Modeler]] = {
    "evidence": TrendingEvidence,
    "regression": Regression,
    "refinement": Refinement,
    ADAPTIVE_MODELER: Adaptive,
}
"""The modelers' classes by name. Each class takes the points and the modeler's options."""


def fit(
    points: ArrayLike,
    values: ArrayLike,
    *,
    modeler: str = DEFAULT_MODELER,
    common: Common | None = None,
    first: int = 0,
    processes: Sequence[int] = (),
    **options: Any,
) -> Models:
    """Model every kernel of a campaign.

    If parameters always varied together, laws contain only one of them (see `Models.region`).

    Properties that kernels share are learned from the `leading_kernels`. To model a campaign in portions,
    model the leading kernels first. Then model portions of `portion_kernels` with `common` from the first
    models. The models are the same as from one call.

    Args:
        points: (P, m) positive values of m parameters at P points.
        values: (K, P, R) R repetitions of K kernels at P points, in any unit, NaN where missing.
        modeler: a name in `MODELERS`.
        common: properties that kernels share, from `Models.common`.
        first: index of the parameter that laws contain, among parameters that always varied together.
        processes: indices of the parameters that count processes, ranks, nodes or threads. For them, the
            default modeler gives superlinear laws a small prior probability.
        **options: options of the modeler's class.

    Raises:
        ValueError: an argument is wrong. A kernel with too little data is no error; see `Models.status`.
    """
    checked = check_points(points)
    array = check_values(values, len(checked))
    if modeler not in MODELERS:
        raise ValueError(f"modeler: found {modeler!r}, expected one of {', '.join(sorted(MODELERS))}")
    model = AlongRelations(_maker(modeler, options), checked, first, processes)
    models = _modelled(model, array, common, _at_once(model, array, checked.shape[1], modeler))
    # A single value per kernel does not show the noise, so no model gets an interval. The models are stored
    # together: either all of them have a posterior or none has.
    once = models.common is not None and models.common.once
    return _without_interval(models) if once else models


def portion_kernels(
    points_count: int, parameters: int, repetitions: int, *, modeler: str = DEFAULT_MODELER
) -> int:
    """Return how many kernels to model at once, so that this takes seconds at most, and less than 300 MB."""
    if modeler == DEFAULT_MODELER:
        return kernels_at_once(points_count, parameters, repetitions)
    return max(1, VALUES_AT_ONCE // (points_count * repetitions))


def _maker(modeler: str, options: dict[str, Any]) -> Callable[[FloatArray, tuple[int, ...]], Modeler]:
    """Return a function that makes the modeler, given points and the indices of process counts."""

    def make(points: FloatArray, processes: tuple[int, ...]) -> Modeler:
        known = {"processes": processes} if modeler == DEFAULT_MODELER else {}
        return MODELERS[modeler](points, **known, **options)

    return make


def _modelled(model: Modeler, values: FloatArray, common: Common | None, sizes: tuple[int, int]) -> Models:
    """Model at most `sizes[0]` leading kernels, then the others in portions of `sizes[1]`."""
    leading, at_once = sizes
    leads = leading_kernels(len(values), leading)
    first = model(values[leads], common)
    others = np.setdiff1d(np.arange(len(values)), leads)
    if not len(others):
        return first
    portions = np.split(others, range(at_once, len(others), at_once))
    return join([first, *(model(values[portion], first.common) for portion in portions)], [leads, *portions])


def _without_interval(models: Models) -> Models:
    return replace(models, posterior=None)


def unmodelled(points: ArrayLike, kernels: int, *, modeler: str = DEFAULT_MODELER) -> Models:
    """Return models with the status `FAILED`, and with the same fields as the modeler's usual models."""
    checked = check_points(points)
    models = MODELERS[modeler](checked)(np.full((kernels, len(checked), 1), np.nan))
    return replace(models, status=np.full(kernels, FAILED))


def holdout_error(
    points: ArrayLike,
    values: ArrayLike,
    *,
    modeler: str = DEFAULT_MODELER,
    processes: Sequence[int] = (),
    **options: Any,
) -> FloatArray:
    """Predict K kernels at their largest points from their other points; return relative errors, (K,).

    An error is NaN if the kernel has no other point, or if its value at the largest point is not positive.
    Arguments and exceptions are those of `fit`.
    """
    checked = check_points(points)
    array = check_values(values, len(checked))
    model = AlongRelations(_maker(modeler, options), checked, processes=processes)
    step = _at_once(model, array, checked.shape[1], modeler)[1]
    parts = [_error_ahead(model, part) for part in np.split(array, range(step, len(array), step))]
    return np.concatenate(parts)


def _error_ahead(model: AlongRelations, values: FloatArray) -> FloatArray:
    measured = ~np.isnan(values).all(axis=2)
    largest, kernels = largest_point(model.points, measured.T.astype(float)), np.arange(len(values))
    rest = values.copy()
    rest[kernels, largest] = np.nan
    predicted = model.expected(rest, largest)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = aggregate(runs_first(values[kernels, largest][:, None]), "median")[0]
        return np.where(value > 0, np.abs(predicted - value) / value, np.nan)


def _at_once(model: Modeler, values: FloatArray, parameters: int, modeler: str) -> tuple[int, int]:
    """Return the numbers of kernels to model first and in each later portion."""
    kernels, points, repetitions = values.shape
    first = portion_kernels(points, parameters, repetitions, modeler=modeler)
    held = int(np.isfinite(values).any(axis=2).sum()) // max(kernels, 1) + 1
    others = portion_kernels(min(held, points), parameters, repetitions, modeler=modeler)
    others = min(others, max(first, VALUES_AT_ONCE // (points * repetitions)))
    return min(first, model.kernels_at_once), min(others, model.kernels_at_once)
