"""Model all kernels of a campaign in one call. New modelers are registered here."""

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
"""The largest number of values in one portion of kernels, for all modelers but `DEFAULT_MODELER`."""


MODELERS: dict[str, Callable[..., Modeler]] = {
    "evidence": TrendingEvidence,
    "regression": Regression,
    "refinement": Refinement,
    ADAPTIVE_MODELER: Adaptive,
}
"""The classes of the modelers, by name. Their arguments are the points (P, m) and the modeler's options."""


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

    If parameters were always varied together, such as ranks = 8 · nodes, laws contain only one of these
    parameters, and `Models.region` says which points keep the relation.

    Properties that kernels share, such as the frequency of each family of noise, are learned from
    `leading_kernels`, and used for all kernels. So a caller may model a campaign in portions of
    `portion_kernels`: the leading kernels first, then the others with `common` from the models of the leading
    kernels. The models are the same as if all kernels were modelled in one call.

    Args:
        points: (P, m) positive parameter values, one row per measurement point.
        values: (K, P, R) repetitions of K kernels in any unit, NaN where missing.
        modeler: name of an entry of `MODELERS`.
        common: properties that kernels share, from `Models.common` of other kernels of the campaign. If
            given, the model of each kernel is independent of the other kernels in `values`.
        first: index of the parameter that laws contain if other parameters were always varied together with
            it.
        processes: indices of the parameters that are numbers of processes, ranks, nodes or threads. In the
            default modeler, laws that grow faster than linearly with these parameters have a small prior
            probability. Other modelers ignore this argument.
        **options: options of the modeler, see its class.

    Raises:
        ValueError: names the wrong argument, what was found and what was expected. A kernel without data,
            with zeros or with too few points raises no error; the status of its model says so.
    """
    checked = check_points(points)
    array = check_values(values, len(checked))
    if modeler not in MODELERS:
        raise ValueError(f"modeler: found {modeler!r}, expected one of {', '.join(sorted(MODELERS))}")
    model = AlongRelations(_maker(modeler, options), checked, first, processes)
    models = _modelled(model, array, common, _at_once(model, array, checked.shape[1], modeler))
    # If no kernel has more than one value, no model gets an interval. This is decided for the whole campaign,
    # whose models are stored together: either all of them have a posterior or none has.
    once = models.common is not None and models.common.once
    return _without_interval(models) if once else models


def portion_kernels(
    points_count: int, parameters: int, repetitions: int, *, modeler: str = DEFAULT_MODELER
) -> int:
    """Return the number of kernels to model in one portion, at least 1.

    With this number, `fit` and `holdout_error` usually take 2 to 4 seconds of one core, and less than 300 MB
    in addition to the values.
    """
    if modeler == DEFAULT_MODELER:
        return kernels_at_once(points_count, parameters, repetitions)
    return max(1, VALUES_AT_ONCE // (points_count * repetitions))


def _maker(modeler: str, options: dict[str, Any]) -> Callable[[FloatArray, tuple[int, ...]], Modeler]:
    """Return a function that makes a modeler for points (P, m), given which parameters are numbers of
    processes.
    """

    def make(points: FloatArray, processes: tuple[int, ...]) -> Modeler:
        known = {"processes": processes} if modeler == DEFAULT_MODELER else {}
        return MODELERS[modeler](points, **known, **options)

    return make


def _modelled(model: Modeler, values: FloatArray, common: Common | None, sizes: tuple[int, int]) -> Models:
    """Model values (K, P, R): first `sizes[0]` leading kernels, then the others in portions of `sizes[1]`."""
    leading, at_once = sizes
    leads = leading_kernels(len(values), leading)
    first = model(values[leads], common)
    others = np.setdiff1d(np.arange(len(values)), leads)
    if not len(others):
        return first
    portions = np.split(others, range(at_once, len(others), at_once))
    return join([first, *(model(values[portion], first.common) for portion in portions)], [leads, *portions])


def _without_interval(models: Models) -> Models:
    """Return the models without a posterior: a kernel's only value does not show how large its noise is."""
    return replace(models, posterior=None)


def unmodelled(points: ArrayLike, kernels: int, *, modeler: str = DEFAULT_MODELER) -> Models:
    """Return models with the status `FAILED`, for kernels whose modeler crashed.

    They have the same fields as the modeler's other models, so that all can be stored together.
    """
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
    """Predict each kernel at its largest point from its other points, and return the relative errors, (K,).

    An error is NaN if the kernel has no other point, or if 0 was measured at its largest point. The arguments
    are those of `fit`, and so are the exceptions raised.
    """
    checked = check_points(points)
    array = check_values(values, len(checked))
    model = AlongRelations(_maker(modeler, options), checked, processes=processes)
    step = _at_once(model, array, checked.shape[1], modeler)[1]
    parts = [_error_ahead(model, part) for part in np.split(array, range(step, len(array), step))]
    return np.concatenate(parts)


def _error_ahead(model: AlongRelations, values: FloatArray) -> FloatArray:
    """Compute `holdout_error` for the kernels of values (K, P, R)."""
    measured = ~np.isnan(values).all(axis=2)
    largest, kernels = largest_point(model.points, measured.T.astype(float)), np.arange(len(values))
    rest = values.copy()
    rest[kernels, largest] = np.nan
    predicted = model.expected(rest, largest)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = aggregate(runs_first(values[kernels, largest][:, None]), "median")[0]
        return np.where(value > 0, np.abs(predicted - value) / value, np.nan)


def _at_once(model: Modeler, values: FloatArray, parameters: int, modeler: str) -> tuple[int, int]:
    """Return the number of kernels of values (K, P, R) to model first, and the number of kernels in each
    later portion.

    Later portions are larger if each kernel was measured at only a few of the points.
    """
    kernels, points, repetitions = values.shape
    first = portion_kernels(points, parameters, repetitions, modeler=modeler)
    held = int(np.isfinite(values).any(axis=2).sum()) // max(kernels, 1) + 1
    others = portion_kernels(min(held, points), parameters, repetitions, modeler=modeler)
    others = min(others, max(first, VALUES_AT_ONCE // (points * repetitions)))
    return min(first, model.kernels_at_once), min(others, model.kernels_at_once)
