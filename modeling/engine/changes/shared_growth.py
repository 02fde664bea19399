"""The growth that all kernels of two campaigns share: a power of a parameter by which their ratios change.

A slower machine multiplies all values by the same factor. If the factor that nearly all kernels share grows
or falls with a parameter, something else changed, such as a common library. The ratios of the kernels are
divided by the shared factor at each point, so it does not appear in any kernel's own law.
"""

from collections.abc import Sequence

import numpy as np

from modeling.engine.changes.log_ratios import LogRatios
from modeling.engine.changes.point_shifts import shared_deviations
from modeling.engine.validation import FloatArray

CERTAINTY = 0.99
"""An exponent is reported if it differs from 0 with at least this probability. With 0.95, an exponent
would be reported for one of twenty pairs of campaigns in which whole points differ at random, as jobs on
slower nodes do.
"""

LEAST_EFFECT = 0.05
"""Smallest change of the shared factor over the measured range that is reported, in natural logarithms. In
many campaigns smaller changes are certainly there but irrelevant, because caches and clocks differ a little
between sizes.
"""


def shared_growth(parts: Sequence[LogRatios], points: FloatArray) -> FloatArray:
    """Return the exponents (m, 3) of the parameters with both ends of their 95 % intervals; NaN where no
    growth is shared.

    They are fitted by least squares to the logarithms of the factor that all kernels share at each point.
    Their errors follow from the residuals of the fit and from the scatter among kernels.

    Args:
        parts: the log ratios of all kernels at C points.
        points: (C, m) common points.
    """
    found = np.full((points.shape[1], 3), np.nan)
    shared = shared_deviations(parts)
    logs = np.log(points[shared.known])
    varying = np.ptp(logs, axis=0) > 0 if len(logs) else np.zeros(points.shape[1], bool)
    columns = np.column_stack([np.ones(len(logs)), logs[:, varying]])
    freedom = len(columns) - columns.shape[1]
    if freedom < 1 or not varying.any() or np.linalg.matrix_rank(columns) < columns.shape[1]:
        return found
    inverse = np.linalg.pinv(columns)
    solution = inverse @ shared.centre
    squares = float(((shared.centre - columns @ solution) ** 2).sum()) / freedom
    of_points = squares * (inverse**2).sum(axis=1)
    of_kernels = ((inverse @ shared.influence) ** 2).sum(axis=1)
    deviation = np.sqrt(np.maximum(of_points, of_kernels))[1:]
    exponent = solution[1:]
    told = abs(exponent) > _quantile(CERTAINTY, freedom) * deviation
    told &= abs(exponent) * np.ptp(logs[:, varying], axis=0) > LEAST_EFFECT
    ends = np.multiply.outer(_quantile(0.95, freedom) * deviation, [0.0, -1.0, 1.0])
    found[varying] = np.where(told[:, None], exponent[:, None] + ends, np.nan)
    return found


def _quantile(level: float, freedom: int) -> float:
    """Return the end of an interval of Student's t distribution."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- a sixth of a web process's start-up time

    return float(stdtrit(freedom, (1 + level) / 2))
