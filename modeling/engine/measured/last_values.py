"""The growth of kernels between the two points with the largest values on each line along a parameter."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.measured.layout import Axis, axes
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LEAST_STEP = 1.2
"""Growth is computed between parameter values with at least this ratio. Noise hides it at nearer values."""

NONE = -1
"""The index that means "no point"."""


@dataclass(frozen=True)
class LastValues:
    """Two points of each of K kernels on each of L lines. The points of a line differ in one parameter only.

    `last` is the measured point with the largest parameter value on the line. `before` is the next measured
    point whose value is at least `LEAST_STEP` times smaller.
    """

    points: FloatArray  # (P, m) P points of m parameters
    parameter: IntArray  # (L,) index of the parameter that varies on each line
    any_point: IntArray  # (L,) index of some point on each line
    last: IntArray  # (K, L) index of the last point, or `NONE` if there are no two points
    before: IntArray  # (K, L) index of the other point, or `NONE`

    @classmethod
    def of(cls, points: FloatArray, there: BoolArray) -> "LastValues":
        """Find the two points of each kernel. `there` (K, P) marks its measured `points` (P, m)."""
        along = axes(points)
        pairs = [_pairs(points[:, number], axis, there) for number, axis in enumerate(along)]
        last, before = (np.concatenate([pair[which] for pair in pairs], axis=1) for which in (0, 1))
        firsts = [np.unique(axis.line_of_point, return_index=True)[1] for axis in along]
        parameter = np.repeat(np.arange(len(along)), [len(first) for first in firsts])
        return cls(points, parameter, np.concatenate(firsts), last, before)

    @property
    def known(self) -> BoolArray:
        """Whether each kernel has two points on each line, (K, L)."""
        return np.asarray(self.last != NONE)

    def along(self, parameters: IntArray) -> "LastValues":
        """Return only the lines along these parameters."""
        lines = np.isin(self.parameter, parameters)
        return LastValues(
            self.points,
            self.parameter[lines],
            self.any_point[lines],
            self.last[:, lines],
            self.before[:, lines],
        )

    def slopes(self, values: FloatArray) -> FloatArray:
        """Return the slope of log `values` (K, P) over the log parameter, (K, L); NaN without two points."""
        kernel = np.arange(len(self.last))[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            grown = np.log(values[kernel, self.last] / values[kernel, self.before])
        return grown / self.steps

    def slope_errors(self, errors: FloatArray) -> FloatArray:
        """Return the standard errors of `slopes`, (K, L), from those of the log values, (K, P)."""
        kernel = np.arange(len(self.last))[:, None]
        return np.hypot(errors[kernel, self.last], errors[kernel, self.before]) / self.steps

    @property
    def steps(self) -> FloatArray:
        """Difference of the log parameter between the two points, (K, L); NaN without two points."""
        step = np.log(self.points[self.last, self.parameter] / self.points[self.before, self.parameter])
        return np.where(self.known, step, np.nan)


def _pairs(x: FloatArray, axis: Axis, there: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the two points of each kernel on the lines along one parameter with the values `x`."""
    order = np.lexsort((x, axis.line_of_point))
    x, line = np.log(x[order]), axis.line_of_point[order]
    # After this scaling, line l lies between l and l + 1, so one search serves all lines.
    place = line + (x - x.min()) / (2 * (np.ptp(x) + 1))
    ends = np.searchsorted(place, place - np.log(LEAST_STEP) / (2 * (np.ptp(x) + 1)), side="right")
    begins = np.searchsorted(line, np.arange(line[-1] + 1))
    number = np.where(there[:, order], np.arange(len(order)), NONE)
    latest = np.maximum.accumulate(number, axis=1)
    last = latest[:, np.append(begins[1:], len(order)) - 1]
    until = ends[last]
    before = np.where(until > begins, latest[np.arange(len(there))[:, None], until - 1], NONE)
    known = (last >= begins) & (before >= begins)
    return np.where(known, order[last], NONE), np.where(known, order[before], NONE)
