"""Load formulas of stored laws without their errors. They predict, but have no intervals of their own."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from modeling.engine.results.models import OK, Models
from modeling.engine.validation import FloatArray, IntArray

_ERRORS = ("smape", "relative_error", "r_squared", "rss", "cv_smape", "holdout_error", "noise")


def formulas_only(
    constants: Sequence[float],
    coefficients: Sequence[Sequence[float]],
    exponents: Sequence[Sequence[float]],
    points_used: IntArray,
    like: tuple[FloatArray, FloatArray],
) -> Models:
    """Return formulas as models whose errors are NaN.

    `exponents` are (terms, parameters, 2) flattened. `like` are the ends of the campaign's range.
    """
    count, terms = len(constants), max(map(len, coefficients), default=0)
    lower, upper = like
    unknown: dict[str, Any] = dict.fromkeys(_ERRORS, np.full(count, np.nan))
    return Models(
        constant=np.array(constants, float),
        coefficients=padded(coefficients, (terms,)),
        exponents=padded(exponents, (terms, len(lower), 2)),
        covariance=np.full((count, terms + 1, terms + 1), np.nan),
        degrees_of_freedom=np.zeros(count, int),
        status=np.full(count, OK),
        points_used=points_used,
        lower=lower,
        upper=upper,
        **unknown,
    )


def padded(lists: Sequence[Sequence[float]], shape: tuple[int, ...]) -> FloatArray:
    """Return lists of different lengths as one array, filled with zeros at the end."""
    sizes = np.array([len(numbers) for numbers in lists], int)
    table = np.zeros((len(lists), int(np.prod(shape))))
    table[np.arange(table.shape[1]) < sizes[:, None]] = list(chain.from_iterable(lists))
    return table.reshape(len(lists), *shape)
