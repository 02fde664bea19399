"""The threshold of a verdict: the probability of being the same up to which a kernel is reported as
changed.
"""

import numpy as np

from modeling.engine.validation import FloatArray

FALSE_DISCOVERIES = 0.03
"""False discovery rate: expected share of unchanged kernels among those reported as changed. At 0.05, next to
changed kernels, 3 of 1,000 unchanged ones are reported under uniform noise of 50 %, instead of 1.3."""

MOST_DOUBT = 0.15
"""Probability of being the same above which no kernel is reported as changed. Without it, many certain
changes would allow as many doubtful ones as the false discovery rate permits; at 0.25, 3 % more of the
changes of an exponent by 1/4 are found under 3 % of drift, and half as many false ones again."""


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
