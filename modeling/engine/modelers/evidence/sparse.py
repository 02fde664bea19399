"""Campaigns whose kernels were each measured at a few of the points only: who is modelled with whom.

What is computed of a kernel takes room and time for all points that it is modelled at. Where most values are
missing, kernels are therefore modelled in groups that were measured at much the same points, at these alone.
"""

import numpy as np

from modeling.engine.validation import BoolArray, IntArray

MISSING_SHARE = 0.5
"""Share of the values that has to be missing."""

GROUP_POINTS = 32
"""Points that a group may have at least: a few kernels alone are not worth a call."""

GROUP_WIDTH = 1.5
"""How many times as many points as the first of its kernels it may have, if these are more."""


def grouped(there: BoolArray) -> list[tuple[IntArray, IntArray]]:
    """Kernels (K, P), measured where they are `there`, in groups, and the numbers of each group's points."""
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
    """Numbers of patterns (N, P) in groups, each of some in a row that have few points together."""
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
