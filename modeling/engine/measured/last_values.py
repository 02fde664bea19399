"""The last two values of each parameter, and how kernels grew between them."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.measured.layout import Axis, axes
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LEAST_STEP = 1.2
"""Smallest ratio of two values that tell how a kernel grows: between closer ones, noise decides."""

NONE = -1
"""Number of the point of kernels that were not measured at two values."""


@dataclass(frozen=True)
class LastValues:
    """Numbers of the points with the last value of each parameter, and with one before it, (K, m) each.

    Both points differ in that parameter alone. Among several such pairs, it is the one with the largest
    values of the other parameters. `NONE` where there is no pair.
    """

    last: IntArray
    before: IntArray

    @classmethod
    def of(cls, points: FloatArray, there: BoolArray) -> "LastValues":
        """The last values of kernels measured at some of the points (P, m), those that are `there`
        (K, P)."""
        pairs = [_pairs(points, parameter, axis, there) for parameter, axis in enumerate(axes(points))]
        return cls(*(np.stack([pair[which] for pair in pairs], axis=1) for which in (0, 1)))

    def slopes(self, points: FloatArray, values: FloatArray) -> FloatArray:
        """Growth of `values` (K, P) between the two points in logarithms, (K, m); NaN where there are
        none."""
        kernel, parameter = np.arange(len(self.last))[:, None], np.arange(points.shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            grown = np.log(values[kernel, self.last] / values[kernel, self.before])
            step = np.log(points[self.last, parameter] / points[self.before, parameter])
            return np.where(self.last == NONE, np.nan, grown / step)

    def slope_errors(self, points: FloatArray, errors: FloatArray) -> FloatArray:
        """Standard errors of these slopes, (K, m), by those of the logarithms of values (K, P)."""
        kernel, parameter = np.arange(len(self.last))[:, None], np.arange(points.shape[1])
        both = np.hypot(errors[kernel, self.last], errors[kernel, self.before])
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.log(points[self.last, parameter] / points[self.before, parameter])
            return np.where(self.last == NONE, np.nan, both / step)


def _pairs(points: FloatArray, parameter: int, axis: Axis, there: BoolArray) -> tuple[IntArray, IntArray]:
    """The points with the last value of one parameter and with one before it, (K,) each."""
    x, line = np.log(points[:, parameter]), axis.line_of_point
    order = np.lexsort((x, line))
    x, line = x[order], line[order]
    # Each line's values are between two whole numbers, so that all lines are searched at once.
    scale = 2 * (np.ptp(x) + 1)
    ends = np.searchsorted(
        line + (x - x.min()) / scale, line + (x - x.min() - np.log(LEAST_STEP)) / scale, side="right"
    )
    begin = np.searchsorted(line, line)
    number = np.where(there[:, order], np.arange(len(order)), NONE)
    latest = np.maximum.accumulate(number, axis=1)
    before = np.where(ends > begin, latest[:, ends - 1], NONE)
    before = np.where((before >= begin) & (number != NONE), before, NONE)
    others = np.log(np.delete(points, parameter, axis=1)).sum(axis=1)[order]
    rank = np.lexsort((others, x)).argsort()
    last = np.where(before == NONE, NONE, rank).argmax(axis=1)
    kernel = np.arange(len(there))
    chosen = before[kernel, last]
    return np.where(chosen == NONE, NONE, order[last]), np.where(chosen == NONE, NONE, order[chosen])
