"""The last two measured values on each line along a parameter, and how kernels grew between them."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.measured.layout import Axis, axes
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LEAST_STEP = 1.2
"""Smallest ratio of two parameter values from which a kernel's growth is computed. Between closer values, the
noise is larger than the growth.
"""

NONE = -1
"""The point number of a kernel that was not measured at two values."""


@dataclass(frozen=True)
class LastValues:
    """The last value on each of L lines, and an earlier value, of K kernels measured at points (P, m).

    Points on a line differ in one parameter alone, whose index is in `parameter` (L,). `any_point` (L,) has
    the number of one point on each line. `last` and `before` (K, L) are numbers of points. They are `NONE` if
    a kernel was not measured at two values on the line.
    """

    points: FloatArray
    parameter: IntArray
    any_point: IntArray
    last: IntArray
    before: IntArray

    @classmethod
    def of(cls, points: FloatArray, there: BoolArray) -> "LastValues":
        """Return the last values of kernels. `there` (K, P) marks the points (P, m) at which each kernel was
        measured.
        """
        along = axes(points)
        pairs = [_pairs(points[:, number], axis, there) for number, axis in enumerate(along)]
        last, before = (np.concatenate([pair[which] for pair in pairs], axis=1) for which in (0, 1))
        firsts = [np.unique(axis.line_of_point, return_index=True)[1] for axis in along]
        parameter = np.repeat(np.arange(len(along)), [len(first) for first in firsts])
        return cls(points, parameter, np.concatenate(firsts), last, before)

    @property
    def known(self) -> BoolArray:
        """Whether kernels were measured at two values, (K, L)."""
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
        """Return the slopes of log `values` (K, P) against the log parameter between both points, (K, L); NaN
        if there is only one point.
        """
        kernel = np.arange(len(self.last))[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            grown = np.log(values[kernel, self.last] / values[kernel, self.before])
        return grown / self.steps

    def slope_errors(self, errors: FloatArray) -> FloatArray:
        """Return the standard errors of `slopes`, (K, L), from those of the logarithms of the values, (K,
        P).
        """
        kernel = np.arange(len(self.last))[:, None]
        return np.hypot(errors[kernel, self.last], errors[kernel, self.before]) / self.steps

    @property
    def steps(self) -> FloatArray:
        """Return the logarithm of the ratio of the parameter's values at both points, (K, L); NaN if there is
        only one point.
        """
        step = np.log(self.points[self.last, self.parameter] / self.points[self.before, self.parameter])
        return np.where(self.known, step, np.nan)


def _pairs(x: FloatArray, axis: Axis, there: BoolArray) -> tuple[IntArray, IntArray]:
    """Return, for each line along a parameter, the point with the last value and the point with an earlier
    value, (K, L) each.
    """
    order = np.lexsort((x, axis.line_of_point))
    x, line = np.log(x[order]), axis.line_of_point[order]
    # The values of each line lie between two whole numbers, so all lines can be searched at once.
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
