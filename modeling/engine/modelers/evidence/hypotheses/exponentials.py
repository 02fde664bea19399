"""Exponential functions of log probabilities."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

N = TypeVar("N", np.float32, np.float64)

_LEAST = {4: -80.0, 8: -300.0}
"""The smallest logarithm, by the number of bytes of a number. Smaller ones are raised to it. Results near the
smallest numbers of a format take the processor up to 20 times as long, and probabilities do not need them.
"""


def exponential(logarithms: NDArray[N], out: NDArray[N] | None = None) -> NDArray[N]:
    """Return the exponential function of log probabilities. It is tiny but positive for −∞."""
    raised = np.maximum(logarithms, _LEAST[logarithms.itemsize], out=out)
    return np.asarray(np.exp(raised, out=raised))
