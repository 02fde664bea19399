"""Model kernels by the parameters that were varied freely, without parameters that are bound by a relation.
For example, ranks = 8 · nodes binds the ranks. Nothing was measured off the relation, so laws do not contain
bound parameters. `Models.region` says where such laws hold.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from modeling.engine.measured.relations import relations
from modeling.engine.modelers.evidence.modeler import Evidence
from modeling.engine.modelers.protocol import Modeler
from modeling.engine.results.common import Common
from modeling.engine.results.lifted import lifted
from modeling.engine.results.models import Models, join
from modeling.engine.results.region import Region
from modeling.engine.validation import BoolArray, FloatArray, IntArray


class AlongRelations:
    """A modeler of kernels whose laws contain only the free parameters.

    Args:
        make: makes a modeler from points of some parameters, and from the indices of numbers of processes
            among these parameters.
        points: the values of m parameters at P points, (P, m).
        first: index of the parameter that laws contain, among parameters that always varied together.
        processes: indices of the parameters that are numbers of processes.
    """

    def __init__(
        self,
        make: Callable[[FloatArray, tuple[int, ...]], Modeler],
        points: FloatArray,
        first: int = 0,
        processes: Sequence[int] = (),
    ) -> None:
        self.make, self.points, self.first, self.processes = make, points, first, processes
        self.free = np.flatnonzero(~relations(points, first).together)
        self.model = self._made(np.arange(len(points)), self.free)

    def _made(self, rows: IntArray, parameters: IntArray) -> Modeler:
        """Return a modeler for some of the points and parameters."""
        processes = np.flatnonzero(np.isin(parameters, self.processes))
        return self.make(self.points[np.ix_(rows, parameters)], tuple(processes.tolist()))

    @property
    def kernels_at_once(self) -> int:
        """The number of kernels to model in one call."""
        return self.model.kernels_at_once

    def __call__(self, values: FloatArray, common: Common | None = None) -> Models:
        """Model K kernels from R repetitions at P points, (K, P, R). `common` has shared properties of the
        kernels.
        """
        region = Region.measured(self.points, _described(values), self.first)
        models = self.model(values, common)
        if len(self.free) < self.points.shape[1]:
            models = replace(lifted(models, self.free, self._nothing), common=models.common)
        return replace(self._bound_further(models, values, region), region=region)

    def expected(self, values: FloatArray, at: IntArray) -> FloatArray:
        """Predict one value for each of K kernels, (K,), from R repetitions at P points, (K, P, R). Kernel k
        is predicted at the point `at[k]` (see `Evidence.expected`).
        """
        if isinstance(self.model, Evidence):
            return self.model.expected(values, at)
        models = self.model(values)
        return np.asarray(models.predict(self.points[:, self.free])[np.arange(len(at)), at])

    def _bound_further(self, models: Models, values: FloatArray, region: Region) -> Models:
        """Model the kernels again that have more bound parameters at their own points than in the campaign.
        Shared frequencies of processes and of classes of growth, and weights of trends, are not used, because
        they belong to the campaign's free parameters.
        """
        rest, parts, order = np.arange(len(models)), [], []
        shared = models.common and replace(models.common, by_process=(), by_growth=(), trend=())
        for known, kernels in region.bound_places():
            free = np.flatnonzero(~known.together)
            if len(free) == len(self.free):
                continue
            rows = np.flatnonzero(_described(values[kernels[:1]])[0])
            own = self._made(rows, free)(values[np.ix_(kernels, rows)], shared)
            parts.append(lifted(own, free, models))
            order.append(kernels)
            rest = np.setdiff1d(rest, kernels)
        if not parts:
            return models
        whole = join([models.part(rest), *parts], [rest, *order])
        return replace(whole, common=models.common)

    @cached_property
    def _nothing(self) -> Models:
        """Return a model of all parameters without any value, which shows the sizes of its arrays."""
        return self.make(self.points, ())(np.full((1, len(self.points), 1), np.nan))


def _described(values: FloatArray) -> BoolArray:
    """Return which points each kernel's law describes: those with positive values; all if there are none."""
    there, positive = np.asarray(~np.isnan(values).all(axis=2)), np.asarray((values > 0).any(axis=2))
    return np.asarray(np.where(positive.any(axis=1, keepdims=True), positive, there))
