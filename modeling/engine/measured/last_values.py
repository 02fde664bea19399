"""The growth of kernels between their last two points, far enough apart, on each line along a parameter."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.measured.layout import Axis, axes
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LEAST_STEP = 1.2
"""Smallest ratio of the two parameter values between which growth is computed. Between closer values, noise
is larger than growth.
"""

NONE = -1
"""The index that means "no point"."""


@dataclass(frozen=True)
class LastValues:
    """Two points of each of K kernels on each of L lines, whose points differ in one parameter only.

    The first of the two is the last point on the line at which the kernel was measured. The other is the last
    one before it whose parameter value is smaller by at least the factor `LEAST_STEP`.
    """

    points: FloatArray  # (P, m)
    parameter: IntArray  # (L,) index of the parameter that varies on each line
    any_point: IntArray  # (L,) index of any one point on each line
    last: IntArray  # (K, L) index of the kernel's last point on the line, `NONE` if there are no two points
    before: IntArray  # (K, L) index of the other point, or `NONE`

    @classmethod
    def of(cls, points: FloatArray, there: BoolArray) -> "LastValues":
        """Find both points for each kernel and line.

        `there` (K, P) marks the points (P, m) at which each kernel was measured.
        """
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
        """Return only the lines on which one of these parameters varies."""
        lines = np.isin(self.parameter, parameters)
        return LastValues(
            self.points,
            self.parameter[lines],
            self.any_point[lines],
            self.last[:, lines],
            self.before[:, lines],
        )

    def slopes(self, values: FloatArray) -> FloatArray:
        """Return the slopes of log `values` (K, P) over the log parameter between both points, (K, L).

        A slope is NaN if there are no two points.
        """
        kernel = np.arange(len(self.last))[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            grown = np.log(values[kernel, self.last] / values[kernel, self.before])
        return grown / self.steps

    def slope_errors(self, errors: FloatArray) -> FloatArray:
        """Return the standard errors of `slopes`, (K, L). `errors` (K, P) are those of the log values."""
        kernel = np.arange(len(self.last))[:, None]
        return np.hypot(errors[kernel, self.last], errors[kernel, self.before]) / self.steps

    @property
    def steps(self) -> FloatArray:
        """The differences of the log parameter between both points, (K, L); NaN without two points."""
        step = np.log(self.points[self.last, self.parameter] / self.points[self.before, self.parameter])
        return np.where(self.known, step, np.nan)


def _pairs(x: FloatArray, axis: Axis, there: BoolArray) -> tuple[IntArray, IntArray]:
    """Return `last` and `before` of `LastValues`, (K, L) each, for the L lines along one parameter.

    `x` (P,) are the values of this parameter.
    """
    order = np.lexsort((x, axis.line_of_point))
    x, line = np.log(x[order]), axis.line_of_point[order]
    # The parameter is scaled so that line l lies between l and l + 1; one search then serves all lines.
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
