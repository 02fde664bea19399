"""Groups of kernels for campaigns in which each kernel was measured at a few of the points only.

Modelling a kernel takes memory and time for all points that it is modelled at, missing or not. Where most
values are missing, kernels are therefore modelled in groups that were measured at nearly the same points, at
these points alone.
"""

import numpy as np

from modeling.engine.validation import BoolArray, IntArray

MISSING_SHARE = 0.5
"""Share of missing values from which kernels are grouped. It trades the work on missing values for the calls
that groups cost: below one half groups could save at most half of the work. An estimate, not measured; models
do not depend on it (tested)."""

GROUP_POINTS = 32
"""The number of points that every group may have: groups of a few kernels cost more in calls than they
save."""

GROUP_WIDTH = 1.5
"""The number of points that a group may have, relative to those of its first kernel, if this is more."""


def grouped(there: BoolArray) -> list[tuple[IntArray, IntArray]]:
    """Groups of kernels, by number, and the numbers of each group's points; `there` (K, P) tells where
    kernels were measured."""
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
    """Numbers of patterns (N, P) in groups of consecutive ones, each with few points in total."""
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
