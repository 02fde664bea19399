"""The threshold of a verdict: a kernel is reported as changed if its probability of being the same is
below it.
"""

import numpy as np

from modeling.engine.validation import FloatArray

FALSE_DISCOVERIES = 0.03
"""False discovery rate: expected share of unchanged kernels among those reported as changed. With 0.05, 3
of 1,000 unchanged kernels next to changed ones are reported under uniform noise of 50 %, instead of 1.3.
"""

MOST_DOUBT = 0.15
"""If a kernel is unchanged with more than this probability, it is not reported as changed. Without this
limit, a campaign with many certain changes would also report many doubtful ones within the false discovery
rate. With 0.25, 3 % more of the changes of an exponent by 1/4 are found under 3 % of drift, but 1.5 times as
many false ones are reported.
"""


def largest_doubt(same: FloatArray) -> float:
    """Return the largest bound below which the mean of the probabilities of being the same (K,) is at most
    `FALSE_DISCOVERIES` (Müller et al. 2004, Optimal sample size for multiple testing).
    """
    ordered = np.sort(same)
    passed = np.flatnonzero(np.cumsum(ordered) <= FALSE_DISCOVERIES * np.arange(1, len(ordered) + 1))
    if not len(passed):
        return 0.0
    rounding = 1 + 1e-6  # portions differ in their rounding errors
    return min(float(ordered[passed[-1]]) * rounding, MOST_DOUBT)
