"""The classes (exponent pairs) that a term may have in a parameter, and how many terms a law may have."""

import numpy as np

from modeling.engine.laws.terms import EXPONENTS, FALLING_PAIRS
from modeling.engine.validation import BoolArray, FloatArray

PAIRS: FloatArray = np.array([(0.0, 0.0), *EXPONENTS, *FALLING_PAIRS])
"""The exponent pair (i, j) of each class. Terms of class 0, the pair (0, 0), are constant."""

FALLING_CLASSES: BoolArray = np.asarray((PAIRS < 0).any(axis=1))
"""Whether a factor of each class falls as the parameter grows, (classes,)."""


def classes_of(*pairs: tuple[float, float]) -> tuple[int, ...]:
    """Return the indices of the classes with these exponents (i, j)."""
    return tuple(PAIRS.tolist().index(list(pair)) for pair in pairs)


(DIVIDED,) = classes_of((-1, 0))
"""The class 1/p of work that is divided among MPI processes."""

SLOWLY = classes_of((0, 1), (1 / 2, 0), (1, 0))
"""Classes of slow growth. With few MPI processes, divided work may hide a term of such a class."""

MOST_COMBINED = 4
"""The largest number of parameters for which the likely classes of all parameters are combined
(`search.few`). With more parameters, only some parameters of each kernel are combined.
"""

MOST_TERMS = 6
"""The largest number of terms of a law with more than `MOST_COMBINED` parameters."""

MOST_FACTORS = MOST_COMBINED * (MOST_COMBINED + 1)
"""The largest number of factors of any law: `MOST_COMBINED` parameters in `MOST_COMBINED` + 1 terms."""

POINTS_A_COEFFICIENT = 3
"""A longer law (see `search`) needs this many points for each coefficient except the constant."""

FEWEST_LINE_POINTS = 3
"""The smallest number of points on a line that distinguishes classes. Laws of every class fit two points."""


def points_for_more(parameters: int) -> int:
    """Return the smallest number of points for longer laws (see `search`)."""
    return POINTS_A_COEFFICIENT * (min(parameters, MOST_COMBINED) + 1)


def places(parameters: int) -> int:
    """Return the largest number of terms of a law in which no parameter occurs in two terms."""
    return parameters if parameters <= MOST_COMBINED else min(parameters, MOST_TERMS)
