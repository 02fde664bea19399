"""Model kernels by the parameters that were varied freely, if others were only varied together with these.

Off the relation of the points, such as ranks = 8 · nodes, nothing was measured. So a modeler gets the points
without the bound parameters, and laws do not depend on these. `Models.region` says where such laws hold.
"""

from collections.abc import Callable
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
    """A modeler of kernels measured at points (P, m), which models them by free parameters.

    `make` makes a modeler for points of fewer parameters. Laws are written in the parameter with the index
    `first` if others are bound to it.
    """

    def __init__(self, make: Callable[[FloatArray], Modeler], points: FloatArray, first: int = 0) -> None:
        self.make, self.points, self.first = make, points, first
        self.free = np.flatnonzero(~relations(points, first).together)
        self.model = make(points[:, self.free])

    @property
    def kernels_at_once(self) -> int:
        """The number of kernels to model in one call."""
        return self.model.kernels_at_once

    def __call__(self, values: FloatArray, common: Common | None = None) -> Models:
        """Model the kernels of `values` (K, P, R); `common` has the properties that they share."""
        region = Region.measured(self.points, _described(values), self.first)
        models = self.model(values, common)
        if len(self.free) < self.points.shape[1]:
            models = replace(lifted(models, self.free, self._nothing), common=models.common)
        return replace(self._bound_further(models, values, region), region=region)

    def expected(self, values: FloatArray, at: IntArray) -> FloatArray:
        """Predict one value for each kernel, (K,), at the point with the given index; see
        `Evidence.expected`.
        """
        if isinstance(self.model, Evidence):
            return self.model.expected(values, at)
        models = self.model(values)
        return np.asarray(models.predict(self.points[:, self.free])[np.arange(len(at)), at])

    def _bound_further(self, models: Models, values: FloatArray, region: Region) -> Models:
        """Model those kernels again that were measured only at some points, at which more parameters are
        bound.

        Frequencies of processes and trends are properties of all free parameters, so these kernels do not
        share them.
        """
        rest, parts, order = np.arange(len(models)), [], []
        shared = models.common and replace(models.common, by_process=(), by_growth=(), trend=())
        for known, kernels in region.bound_places():
            free = np.flatnonzero(~known.together)
            if len(free) == len(self.free):
                continue
            rows = np.flatnonzero(_described(values[kernels[:1]])[0])
            own = self.make(self.points[np.ix_(rows, free)])(values[np.ix_(kernels, rows)], shared)
            parts.append(lifted(own, free, models))
            order.append(kernels)
            rest = np.setdiff1d(rest, kernels)
        if not parts:
            return models
        whole = join([models.part(rest), *parts]).part(np.argsort(np.concatenate([rest, *order])))
        return replace(whole, common=models.common)

    @cached_property
    def _nothing(self) -> Models:
        """Return a model of all parameters without any value, which shows the sizes of such models."""
        return self.make(self.points)(np.full((1, len(self.points), 1), np.nan))


def _described(values: FloatArray) -> BoolArray:
    """Return whether the law of each kernel of values (K, P, R) describes each point, (K, P): those that are
    not 0, or all if there are no others.
    """
    there, positive = np.asarray(~np.isnan(values).all(axis=2)), np.asarray((values > 0).any(axis=2))
    return np.asarray(np.where(positive.any(axis=1, keepdims=True), positive, there))
