"""The kernels with the largest values, which determine what to measure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.design.beliefs import heaviest
from modeling.engine.design.earlier import Carried, Earlier, carried_over
from modeling.engine.design.scatter import UNKNOWN_NOISE, Scatter, scatter
from modeling.engine.design.shared import Groups, Runs, shared_deviation, shared_errors
from modeling.engine.fitting import fit
from modeling.engine.measured.repetitions import aggregate, runs_first
from modeling.engine.results.models import Models
from modeling.engine.validation import FloatArray, IntArray, check_values

KERNELS = 8
"""Number of kernels by which runs are chosen. Half as many would miss kernels with a tenth of the time."""


@dataclass(frozen=True)
class Data:
    """P points (P, m), R repetitions (K, P, R) and models of the K kernels by which runs are chosen.

    `kernels` (K,) are the indices of these kernels among all. `split` is the noise of the runs. `groups` are
    the runs' jobs, nodes or days (see `shared.Groups`).
    """

    kernels: IntArray
    points: FloatArray
    values: FloatArray
    models: Models
    split: Scatter
    groups: Mapping[str, IntArray] = field(default_factory=dict)

    def shared(self, at: FloatArray) -> FloatArray:
        """Return standard deviations of the errors that N groups of runs cause in log laws, (K, N, Q).

        The laws are those of K kernels at Q points of m parameters, `at` (Q, m).
        """
        return shared_errors(self.models, Runs(self.points, self.values, self.groups), self.split, at)

    @property
    def noise(self) -> FloatArray:
        """Return the variance of a log run of each kernel, (K,), if each run is a job of its own."""
        found = self.split.run
        return np.where(np.isfinite(found) & (found > 0), found, UNKNOWN_NOISE**2)


def data_of(
    points: FloatArray, values: ArrayLike, models: Models | None, groups: Mapping[str, ArrayLike] | None
) -> Data:
    """Return the kernels with the largest values, with their models."""
    array = check_values(values, len(points))
    medians = aggregate(runs_first(array), "median").T
    some = heaviest(np.where(np.isfinite(medians), medians, 0.0).max(axis=1), KERNELS)
    chosen = fit(points, array[some]) if models is None else models.part(some)
    if chosen.posterior is None:
        raise ValueError(
            "values: found too few for a posterior over laws, expected several points of a kernel"
        )
    kept = {name: _of_kernels(labels, some) for name, labels in (groups or {}).items()}
    return Data(some, points, array[some], chosen, scatter(array[some], kept), kept)


def carried_data(
    measured: FloatArray, values: ArrayLike, earlier: Earlier, candidates: FloatArray, target: FloatArray
) -> tuple[Data, Carried]:
    """Return the earlier version's largest kernels, and their prediction for the new version."""
    medians = aggregate(runs_first(earlier.values), "median").T
    some = heaviest(np.where(np.isfinite(medians), medians, 0.0).max(axis=1), KERNELS)
    kept = earlier.part(some)
    data = Data(some, kept.points, kept.values, kept.models, scatter(kept.values))
    array = np.asarray(values, dtype=np.float64)
    own = np.empty((len(some), 0))
    if len(measured):
        own = aggregate(runs_first(check_values(array, len(measured))[some]), "median").T
    return data, carried_over(kept, candidates, target, points=measured, medians=own, noise=data.noise)


def _of_kernels(labels: ArrayLike, some: IntArray) -> IntArray:
    array = np.asarray(labels, dtype=np.int_)
    return array[some] if array.ndim > 2 else array


def shared_at_target(
    points: FloatArray, values: FloatArray, models: Models, groups: Groups, target: FloatArray
) -> tuple[float, tuple[str, ...]]:
    """Return the error that jobs, nodes or days cause in the prediction of the total at a target (m,).

    The error is a standard deviation of the logarithm. The second result names the kinds that differ.
    """
    split = scatter(values, groups)
    errors = shared_errors(models, Runs(points, values, groups), split, target[None])[:, :, 0]
    level = models.predict(target[None])[:, 0]
    share = np.where(np.isfinite(level) & (level > 0), level, 0.0)
    if not errors.shape[1] or not share.sum():
        return 0.0, ()
    return shared_deviation(errors, share / share.sum()), tuple(split.differing())
