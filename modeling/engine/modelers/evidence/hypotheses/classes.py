"""The classes (exponent pairs) that a term may have in a parameter, and how many terms a law may have."""

import numpy as np

from modeling.engine.laws.terms import EXPONENTS, FALLING_PAIRS
from modeling.engine.validation import BoolArray, FloatArray

PAIRS: FloatArray = np.array([(0.0, 0.0), *EXPONENTS, *FALLING_PAIRS])
"""Exponent pairs (i, j) of all classes. Class 0, the pair (0, 0), means that the term does not depend on the
parameter.
"""

FALLING_CLASSES: BoolArray = np.asarray((PAIRS < 0).any(axis=1))
"""Whether the values of each class fall as the parameter grows, (classes,)."""


def classes_of(*pairs: tuple[float, float]) -> tuple[int, ...]:
    """Return the indices of the classes with these exponents (i, j)."""
    return tuple(PAIRS.tolist().index(list(pair)) for pair in pairs)


(DIVIDED,) = classes_of((-1, 0))
"""The class 1/p of work that is divided among MPI processes."""

SLOWLY = classes_of((0, 1), (1 / 2, 0), (1, 0))
"""Classes of slow growth, such as that of communication. With few MPI processes, a term of such a class may
be hidden under divided work.
"""

MOST_COMBINED = 4
"""Largest number of parameters for which the likely classes of all parameters are combined (`search.few`).

The time grows like the number of these classes to the power of m. With more parameters, only those that
matter to the kernel are combined.
"""

MOST_TERMS = 6
"""The largest number of terms of a law with more than `MOST_COMBINED` parameters. Such laws are built by
adding one factor after the other.
"""

MOST_FACTORS = MOST_COMBINED * (MOST_COMBINED + 1)
"""The largest number of factors of any law: a law of `MOST_COMBINED` parameters may have one term more than
parameters, and each term may contain all of them.
"""

POINTS_A_COEFFICIENT = 3
"""Laws with one term more than parameters are tried if there are this many points for each of their
coefficients except the constant. With two points per coefficient, the additional term could follow the noise.
"""

FEWEST_LINE_POINTS = 3
"""The smallest number of points on a line that distinguishes classes. With two points, a law a + b·g(x) of
every class g passes through both.
"""


def points_for_more(parameters: int) -> int:
    """Return the smallest number of points from which laws with one term more than parameters are tried."""
    return POINTS_A_COEFFICIENT * (min(parameters, MOST_COMBINED) + 1)


def places(parameters: int) -> int:
    """Return the largest number of terms of a law in which no parameter occurs in two terms."""
    return parameters if parameters <= MOST_COMBINED else min(parameters, MOST_TERMS)
