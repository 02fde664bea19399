"""Model kernels by only the parameters that they are known to depend on, unless measurements contradict.

Source: Schmid et al., Performance-Detective, ICS 2022, section 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modeling.engine.design.deduced.additive import without_products
from modeling.engine.fitting import fit
from modeling.engine.results.common import Common
from modeling.engine.results.lifted import lifted
from modeling.engine.results.models import NO_DATA, OK, TOO_FEW_VALUES, Models, join
from modeling.engine.results.region import Region
from modeling.engine.validation import BoolArray, FloatArray, IntArray, check_points, check_values

FOLLOWED = "profile"
"""Value of `Models.method`: the law uses only the parameters that the kernel is known to depend on."""

CONTRADICTED = "contradicts the profile"
"""Value of `Models.method`: measurements show a dependence that the profile excludes."""

ADDED = "profile, added"
"""Value of `Models.method`: products of parameters that never meet in the profile were excluded."""

PRODUCT = "contradicts the sum"
"""Value of `Models.method`: measurements show a product of parameters that never meet in the profile."""

LEAST_AGREEMENT = 0.01
"""Measurements contradict the profile if the laws that agree with it have a total probability below this. By
chance, one kernel in a hundred contradicts the profile; with 0.1, one in ten would.
"""


@dataclass(frozen=True)
class Merged:
    """Values at points of fewer parameters. Points that differed only in removed parameters are one point.

    Attributes:
        points: (N, n) N points of the n remaining parameters, or of one constant parameter.
        values: (K, N, R) R repetitions of K kernels at these points, padded with NaN.
    """

    points: FloatArray
    values: FloatArray


def only(points: FloatArray, parameters: IntArray) -> FloatArray:
    """Return P points (P, m) with only these parameters, or with one constant parameter if there are none."""
    return points[:, parameters] if len(parameters) else np.ones((len(points), 1))


def merged(points: FloatArray, values: FloatArray, parameters: IntArray) -> Merged:
    """Merge R repetitions of K kernels (K, P, R) at P points (P, m) into points of only these parameters."""
    own, which = np.unique(only(points, parameters), axis=0, return_inverse=True)
    runs = [_measured(values[:, which.ravel() == number]) for number in range(len(own))]
    together = np.full((len(values), len(own), max(1, *(here.shape[1] for here in runs))), np.nan)
    for number, here in enumerate(runs):
        together[:, number, : here.shape[1]] = here
    return Merged(own, together)


def _measured(values: FloatArray) -> FloatArray:
    """Return R repetitions at P points (K, P, R) as N repetitions at one point (K, N), without empty ones."""
    runs = values.reshape(len(values), -1)
    return np.asarray(runs[:, ~np.isnan(runs).all(axis=0)])


def fit_profiled(
    points: ArrayLike,
    values: ArrayLike,
    depends_on: BoolArray,
    meet: BoolArray | None = None,
    *,
    common: Common | None = None,
    first: int = 0,
    processes: Sequence[int] = (),
) -> Models:
    """Model K kernels by the default modeler, each by only the parameters that `depends_on` (K, m) marks.

    Laws multiply only parameters that `meet` (K, m, m) marks. If measurements contradict, a kernel keeps its
    general model. `Models.method` tells these cases apart. Other arguments are those of `fit`.
    """
    checked = check_points(points)
    array = check_values(values, len(checked))
    models = fit(checked, array, common=common, first=first, processes=processes)
    method = np.full(len(models), "", dtype=f"<U{len(CONTRADICTED)}")
    varied = np.ptp(checked, axis=0) > 0
    known = np.asarray(depends_on | ~varied).all(axis=1) | (models.status == NO_DATA)
    method[~known & contradicts(models, depends_on)] = CONTRADICTED
    parts, kernels = [], []
    for used in np.unique(depends_on[~known & (method == "")], axis=0):
        some = np.flatnonzero((depends_on == used).all(axis=1) & ~known & (method == ""))
        fewer = _fewer(checked, array[some], np.flatnonzero(used), processes, models)
        if fewer is not None:
            parts.append(fewer)
            kernels.append(some)
            method[some] = FOLLOWED
    rest = np.setdiff1d(np.arange(len(models)), np.concatenate([np.empty(0, np.int_), *kernels]))
    whole = join([models.part(rest), *parts], [rest, *kernels]) if parts else models
    found = replace(whole, method=method, common=models.common)
    return _multiplied(found, checked, array, meet)


def _multiplied(models: Models, points: FloatArray, values: FloatArray, meet: BoolArray | None) -> Models:
    """Return models whose laws multiply only parameters that meet, and set their `method`."""
    if meet is None or models.method is None:
        return models
    open_ = (models.method != CONTRADICTED) & (models.status != NO_DATA)
    meet = meet | ~open_[:, None, None]
    added = without_products(models, points, values, meet, LEAST_AGREEMENT)
    method = models.method.copy()
    method[added.agreement < LEAST_AGREEMENT] = PRODUCT
    method[added.changed & (method == "")] = ADDED
    return replace(added.models, method=method)


def contradicts(models: Models, depends_on: BoolArray) -> BoolArray:
    """Return which of K kernels show a dependence that `depends_on` (K, m) does not have, (K,)."""
    if models.posterior is None:
        return np.zeros(len(models), dtype=bool)
    weight = models.posterior.probability
    uses = (models.posterior.exponents != 0).any(axis=(2, 4))  # (kernels, laws, parameters)
    # If ranks and nodes were always varied together, a law of ranks agrees with a dependence on nodes.
    stands_for = models.measured.power != 0  # (kernels, parameters, parameters)
    allowed = depends_on | (depends_on[:, :, None] & stands_for).any(axis=1)
    agrees = ~(uses & ~allowed[:, None]).any(axis=2)
    return np.asarray((weight * agrees).sum(axis=1) < LEAST_AGREEMENT * weight.sum(axis=1))


def _fewer(
    points: FloatArray, values: FloatArray, parameters: IntArray, processes: Sequence[int], like: Models
) -> Models | None:
    """Return models by only these parameters, in the form of the models `like` by all parameters.

    The result is None if only one of the two has a posterior.
    """
    data = merged(points, values, parameters)
    models = fit(data.points, data.values, processes=np.flatnonzero(np.isin(parameters, processes)).tolist())
    if (models.posterior is None) != (like.posterior is None):
        return None
    if len(parameters):
        return lifted(models, parameters, like)
    constant: NDArray[np.str_] = np.where(models.status == TOO_FEW_VALUES, OK, models.status)
    everywhere = replace(
        models, status=constant, region=Region.everywhere(like.lower[:1], like.upper[:1], len(models))
    )
    return lifted(everywhere, np.zeros(1, np.int_), like)
