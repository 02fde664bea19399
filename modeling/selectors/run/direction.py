"""Lines along one parameter, and along parameters that were always varied together with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from modeling.engine import Relations, relations
from modeling.storage.arrays import FloatArray


@dataclass(frozen=True)
class Direction:
    """The direction of lines along the parameter `axis`; by `relations`, other parameters change as well."""

    axis: int
    relations: Relations

    @classmethod
    def along(cls, axis: int, points: Sequence[Sequence[float]]) -> Self:
        """Return the direction in a campaign with these points."""
        return cls(axis, relations(np.array(points, float), axis))

    @property
    def others(self) -> list[int]:
        """Return the indices of the parameters that keep their values on a line."""
        return [at for at in np.flatnonzero(~self.relations.together).tolist() if at != self.axis]

    def line(self, point: Sequence[float], x: Sequence[float] | FloatArray) -> FloatArray:
        """Return the points on the line through `point` at which the parameter has the values `x`."""
        points = np.tile(np.array(point, float), (len(x), 1))
        points[:, self.axis] = x
        return self.relations.kept(points)

    def measured(self, points: Sequence[Sequence[float]], point: Sequence[float]) -> list[int]:
        """Return the indices of the points on the line through `point`, in ascending order."""
        fixed = [point[at] for at in self.others]
        line = [number for number, each in enumerate(points) if [each[at] for at in self.others] == fixed]
        return sorted(line, key=lambda number: points[number][self.axis])
