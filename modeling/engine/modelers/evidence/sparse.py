"""Group the kernels of campaigns in which each kernel was measured at only a few of the points.

A kernel takes memory and time for every point of its group, even if its value there is missing. Where most
values are missing, a group therefore contains kernels that were measured at nearly the same points. The group
is modelled only at these points.
"""

import numpy as np

from modeling.engine.validation import BoolArray, IntArray

MISSING_SHARE = 0.5
"""Kernels are grouped if more than this share of the values is missing. Groups save work on missing values,
but each group costs additional calls. If fewer values are missing, groups could save at most half of the
work. The value is an estimate. Models do not depend on it (tested).
"""

GROUP_POINTS = 32
"""The number of points that every group may have, so campaigns with at most this number of points have a
single group. With a smaller number, groups would have so few kernels that additional calls would cost more
time than groups save.
"""

GROUP_WIDTH = 1.5
"""A group may have this many times as many points as its first kernel, or `GROUP_POINTS` if that is more."""


def grouped(there: BoolArray) -> list[tuple[IntArray, IntArray]]:
    """Return the groups of kernels: the indices of the kernels of each group, and those of its points.
    `there` (K, P) marks where kernels were measured.
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
    """Group consecutive patterns (N, P), which mark points, so that each group has few points together.
    Return the indices of the patterns of each group.
    """
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
