"""The classes of growth that a term may have in a parameter, and how many terms a law may have."""

import numpy as np

from modeling.engine.laws.terms import EXPONENTS, FALLING_PAIRS
from modeling.engine.validation import BoolArray, FloatArray

PAIRS: FloatArray = np.array([(0.0, 0.0), *EXPONENTS, *FALLING_PAIRS])
"""Exponent pairs (i, j) of all classes. Class 0 means that the law does not depend on the parameter."""

FALLING_CLASSES: BoolArray = np.asarray((PAIRS < 0).any(axis=1))
"""Whether each class falls."""


def classes_of(*pairs: tuple[float, float]) -> tuple[int, ...]:
    """Numbers of the classes with these exponents (i, j)."""
    return tuple(PAIRS.tolist().index(list(pair)) for pair in pairs)


(DIVIDED,) = classes_of((-1, 0))
"""The class 1/p of work that is divided among processes."""

SLOWLY = classes_of((0, 1), (1 / 2, 0), (1, 0))
"""Classes of slow growth, such as communication, that divided work may hide."""

MOST_COMBINED = 4
"""The number of parameters up to which the classes of all are combined in all structures. Work grows like
42^m, so with more parameters only those that matter are combined."""

MOST_TERMS = 6
"""The largest number of terms of a law that is grown by one factor after the other (more than `MOST_COMBINED`
parameters)."""

MOST_FACTORS = MOST_COMBINED * (MOST_COMBINED + 1)
"""The largest number of factors of any law: one term more than combined parameters, with all of these in
each."""

POINTS_A_COEFFICIENT = 3
"""The number of points that a law with an additional term needs for each coefficient but the constant: with
two, the additional term could pass through the noise of its points."""

FEWEST_LINE_POINTS = 3
"""The smallest number of points on a line that can distinguish classes: a + b·g passes through any two."""


def points_for_more(parameters: int) -> int:
    """The number of points from which laws with one term more than parameters are weighed."""
    return POINTS_A_COEFFICIENT * (min(parameters, MOST_COMBINED) + 1)


def places(parameters: int) -> int:
    """The largest number of terms of a law in which no parameter stands in two terms."""
    return parameters if parameters <= MOST_COMBINED else min(parameters, MOST_TERMS)
