"""The measurements of the same kernels in two campaigns, and their common points."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.changes.change_evidence import change_columns
from modeling.engine.changes.locations import NUMBERS_AT_ONCE
from modeling.engine.changes.log_ratios import common_places
from modeling.engine.changes.repetitions import Ordered, ordered
from modeling.engine.changes.shared_change import Shared
from modeling.engine.validation import FloatArray, IntArray, check_points, check_values

Measured = tuple[ArrayLike, ArrayLike]
"""P points of m parameters (P, m), and R repetitions of K kernels at these points (K, P, R)."""

Sides = tuple[Ordered, Ordered]
"""The repetitions of the same kernels before and after."""


@dataclass(frozen=True)
class Pair:
    """The measurements of the same kernels before and after, with C common points."""

    old: tuple[FloatArray, FloatArray]
    new: tuple[FloatArray, FloatArray]
    places: IntArray  # (C, 2) indices of the common points before and after
    columns: FloatArray  # (C, r) the r directions of `change_columns`

    @property
    def common_points(self) -> FloatArray:
        """The common points of m parameters, (C, m)."""
        return self.old[0][self.places[:, 0]]

    def sides(self) -> Iterator[Sides]:
        """Yield the repetitions at the common points, for some kernels at a time to limit memory."""
        kernels, rank = len(self.old[1]), self.columns.shape[1]
        repetitions = max(values.shape[2] for _, values in (self.old, self.new))
        step = max(1, NUMBERS_AT_ONCE // max(len(self.places) * repetitions, rank**2, 1))
        for start in range(0, max(kernels, 1), step):
            some = slice(start, start + step)
            yield (
                ordered(self.old[1][some][:, self.places[:, 0]]),
                ordered(self.new[1][some][:, self.places[:, 1]]),
            )

    def unshifted(
        self, kernels: IntArray, known: Shared
    ) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        """Return points and values of some kernels before and after, with the shift removed."""
        shift = np.full(len(self.new[0]), known.shift[0])
        shift[self.places[:, 1]] += known.points
        points, values = self.new
        return (self.old[0], self.old[1][kernels]), (points, values[kernels] / np.exp(shift)[:, None])


def checked_pair(before: Measured, after: Measured) -> Pair:
    """Return the checked measurements; raise ValueError if kernels or parameters differ in number."""
    pairs = []
    for measured, name in ((before, "before"), (after, "after")):
        points = check_points(measured[0], f"{name} points")
        pairs.append((points, check_values(measured[1], len(points), f"{name} values")))
    old, new = pairs
    if len(old[1]) != len(new[1]) or old[0].shape[1] != new[0].shape[1]:
        raise ValueError(
            f"after: found {len(new[1])} kernels and {new[0].shape[1]} parameters, "
            f"expected {len(old[1])} and {old[0].shape[1]} as before"
        )
    places = common_places(old[0], new[0])
    points = old[0][places[:, 0]]
    columns = change_columns(points) if len(points) else np.zeros((0, 0))
    return Pair(old, new, places, columns)
