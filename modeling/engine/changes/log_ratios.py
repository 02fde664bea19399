"""Logarithms of after / before at the common points of two campaigns, with their noise."""

from dataclasses import dataclass, fields, replace

import numpy as np

from modeling.engine.changes.located import placed
from modeling.engine.changes.locations import Location
from modeling.engine.changes.repetitions import Ordered
from modeling.engine.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class LogRatios:
    """Logarithms of after / before of K kernels at C common points."""

    d: FloatArray  # (C, K), 0 where unknown
    known: BoolArray  # (C, K)
    nothing: BoolArray  # (C, K) whether the value is 0 both before and after
    noise: FloatArray  # (C, K) variance of `d` due to the noise of the repetitions

    def shifted(self, points: FloatArray) -> "LogRatios":
        """Return the log ratios minus the shifts of C single points, (C,)."""
        return replace(self, d=np.where(self.known, self.d - points[:, None], 0.0))

    def part(self, kernels: IntArray) -> "LogRatios":
        """Return the log ratios of these kernels."""
        return LogRatios(*(getattr(self, field.name)[:, kernels] for field in fields(self)))


def common_places(old: FloatArray, new: FloatArray) -> IntArray:
    """Return the indices (C, 2) of C common points, in the points (P, m) before and after."""
    place = {tuple(point): index for index, point in enumerate(old.tolist())}
    pairs = [
        (place[key], index) for index, point in enumerate(new.tolist()) if (key := tuple(point)) in place
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def log_ratios(old: Ordered, new: Ordered, location: Location) -> LogRatios:
    """Return the log ratios of repetitions before and after at the same points."""
    sides = placed(old, location), placed(new, location)
    before, after = (side.location.T for side in sides)
    known = (before > 0) & (after > 0)
    usable = np.where(before > 0, before, 1.0), np.where(after > 0, after, 1.0)
    d = np.where(known, np.log(usable[1]) - np.log(usable[0]), 0.0)
    noise = sides[0].noise + sides[1].noise
    return LogRatios(d, known, (before == 0) & (after == 0), noise.T)
