"""The threshold of a verdict: up to which probability of being the same a kernel is reported as changed."""

import numpy as np

from modeling.engine.validation import FloatArray

FALSE_DISCOVERIES = 0.05
"""False discovery rate: expected share of unchanged kernels among those reported as changed."""

MOST_DOUBT = 0.25
"""Probability of being the same above which no kernel is reported as changed. Without it, many certain
changes would allow as many doubtful ones as the false discovery rate permits; half of it loses 2 % of small
changes."""


def largest_doubt(same: FloatArray) -> float:
    """Return the largest bound on the probabilities of being the same below which their mean is small
    enough.

    The mean of the probabilities (K,) below the bound is at most `FALSE_DISCOVERIES` (Müller et al. 2004,
    Optimal sample size for multiple testing).
    """
    ordered = np.sort(same)
    passed = np.flatnonzero(np.cumsum(ordered) <= FALSE_DISCOVERIES * np.arange(1, len(ordered) + 1))
    if not len(passed):
        return 0.0
    rounding = 1 + 1e-6  # portions differ in their rounding errors
    return min(float(ordered[passed[-1]]) * rounding, MOST_DOUBT)
