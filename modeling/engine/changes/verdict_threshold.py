"""The threshold of verdicts: kernels are reported as changed if they are the same with less probability."""

import numpy as np

from modeling.engine.validation import FloatArray

FALSE_DISCOVERIES = 0.03
"""The false discovery rate: the largest expected share of unchanged kernels among those reported as changed.
With 0.05, 3 instead of 1.3 of 1,000 unchanged kernels are reported under uniform noise of 50 %.
"""

MOST_DOUBT = 0.15
"""A kernel that is the same with more than this probability is never reported. Without this limit, many
doubtful changes would be reported in a campaign with many certain ones. With 0.25, 3 % more of the changes of
an exponent by 1/4 are found under 3 % of drift, but 1.5 times as many false ones are reported.
"""


def largest_doubt(same: FloatArray) -> float:
    """Return the largest probability of being the same with which a kernel is reported as changed.

    It is the largest one with which the mean of `same` over the reported kernels is at most
    `FALSE_DISCOVERIES` (Müller et al. 2004, Optimal sample size for multiple testing), and at most
    `MOST_DOUBT`. `same` (K,) are the kernels' probabilities of being the same.
    """
    ordered = np.sort(same)
    passed = np.flatnonzero(np.cumsum(ordered) <= FALSE_DISCOVERIES * np.arange(1, len(ordered) + 1))
    if not len(passed):
        return 0.0
    rounding = 1 + 1e-6  # portions differ in their rounding errors
    return min(float(ordered[passed[-1]]) * rounding, MOST_DOUBT)
