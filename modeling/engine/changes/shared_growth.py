"""The shared growth: powers of the parameters with which the ratios of nearly all kernels grow or fall.

If ratios grow with a parameter, something changed for all kernels, such as a library. The shifts of single
points (`point_shifts`) contain this growth.
"""

from collections.abc import Sequence

import numpy as np

from modeling.engine.changes.log_ratios import LogRatios
from modeling.engine.changes.point_shifts import shared_deviations
from modeling.engine.validation import FloatArray

CERTAINTY = 0.99
"""An exponent is reported if it differs from 0 with at least this probability. With 0.95, one would be
reported for one of twenty pairs of campaigns by chance.
"""

LEAST_EFFECT = 0.05
"""Smallest reported change of the shared ratio over the measured range, as a logarithm."""


def shared_growth(parts: Sequence[LogRatios], points: FloatArray) -> FloatArray:
    """Return exponents of m parameters and both ends of their 95 % intervals, (m, 3); NaN if there is none.

    The exponents are fitted by least squares to the `shared_deviations`.

    Args:
        parts: log ratios of all kernels at C points, in any number of parts.
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
    reported = abs(exponent) > _quantile(CERTAINTY, freedom) * deviation
    reported &= abs(exponent) * np.ptp(logs[:, varying], axis=0) > LEAST_EFFECT
    ends = np.multiply.outer(_quantile(0.95, freedom) * deviation, [0.0, -1.0, 1.0])
    found[varying] = np.where(reported[:, None], exponent[:, None] + ends, np.nan)
    return found


def _quantile(level: float, freedom: int) -> float:
    """Return the upper end of the interval of Student's t distribution with the probability `level`."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- a sixth of a web process's start-up time

    return float(stdtrit(freedom, (1 + level) / 2))
