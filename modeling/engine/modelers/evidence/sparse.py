"""Group kernels that were measured at nearly the same few points of a campaign. A missing value takes as much
memory and time as a measured one. So each group is modelled only at its points.
"""

import numpy as np

from modeling.engine.validation import BoolArray, IntArray

MISSING_SHARE = 0.5
"""The share of missing values above which kernels are grouped. With fewer missing values, groups save at most
half of the work. The value is an estimate. Models do not depend on it (tested).
"""

GROUP_POINTS = 32
"""The number of points that every group may have. Calls for smaller groups would take more time than grouping
saves.
"""

GROUP_WIDTH = 1.5
"""A group has at most this many times the points of its first kernel, or `GROUP_POINTS` if that is more."""


def grouped(there: BoolArray) -> list[tuple[IntArray, IntArray]]:
    """Return the indices of the kernels and of the points of each group. `there` marks the P points at which
    each of K kernels was measured, (K, P).
    """
    kernels, points = there.shape
    if points <= GROUP_POINTS or there.sum() >= (1 - MISSING_SHARE) * there.size:
        return [(np.arange(kernels), np.arange(points))]
    packed, member = np.unique(np.packbits(there, axis=1), axis=0, return_inverse=True)
    patterns = np.unpackbits(packed, axis=1, count=points).astype(bool)
    found = []
    for some in _alike(patterns):
        rows = np.flatnonzero(patterns[some].any(axis=0))
        found.append((np.flatnonzero(np.isin(member.ravel(), some)), rows if len(rows) else np.arange(1)))
    return found


def _alike(patterns: BoolArray) -> list[IntArray]:
    """Group consecutive patterns of measured points so that each group has few points."""
    begins, together, most = [0], patterns[0], 0.0
    for number, pattern in enumerate(patterns):
        wider = together | pattern
        if number > begins[-1] and wider.sum() > max(GROUP_POINTS, most):
            begins.append(number)
            wider = pattern
        if number == begins[-1]:
            most = GROUP_WIDTH * pattern.sum()
        together = wider
    return np.split(np.arange(len(patterns)), begins[1:])
