"""The classes (exponent pairs) that a term may have in a parameter, and how many terms a law may have."""

import numpy as np

from modeling.engine.laws.terms import EXPONENTS, FALLING_PAIRS
from modeling.engine.validation import BoolArray, FloatArray, IntArray

PAIRS: FloatArray = np.array([(0.0, 0.0), *EXPONENTS, *FALLING_PAIRS])
"""The exponent pair (i, j) of each class. Terms of class 0, the pair (0, 0), are constant."""

FINEST_POWERS = 1 / 800
"""The smallest width of a range of powers."""

WIDTHS: FloatArray = FINEST_POWERS * np.array([128.0, 64, 32, 16, 8, 4, 2, 1])
"""The widths of ranges of powers, 0.16 to 1/800."""

LEAST_POWER, LARGEST_POWER = 1 / 8, 3.0
"""Limits of the powers in ranges."""

_FIRST_OF_WIDTH = np.ceil(LEAST_POWER / WIDTHS - 1e-9).astype(int)
_OF_WIDTH = np.floor(LARGEST_POWER / WIDTHS + 1e-9).astype(int) - _FIRST_OF_WIDTH + 1
_RANGES = np.concatenate(
    [
        width * (first + np.arange(count))
        for width, first, count in zip(WIDTHS, _FIRST_OF_WIDTH, _OF_WIDTH, strict=True)
    ]
)

EVERY_PAIR: FloatArray = np.concatenate(
    [PAIRS, *(np.column_stack([powers, 0 * powers]) for powers in (_RANGES, -_RANGES))]
)
"""The exponent pair of each class. After those of `PAIRS`, classes follow that stand for a range of powers
around their own power, first those of rising and then those of falling powers. Only `search.between` uses
these.
"""

MOST_WITH_RANGES = 3
"""The largest number of parameters with which laws may have powers that are in no exponent pair."""

FIRST_RANGE = len(PAIRS)
"""The index of the first class that stands for a range of powers."""

_, _first, _number = np.unique(EVERY_PAIR.round(6), axis=0, return_index=True, return_inverse=True)
SAME: IntArray = np.asarray(_first[_number.ravel()])
"""The first class with the same exponent pair as each class."""

WIDTH: FloatArray = np.tile(np.repeat(WIDTHS, _OF_WIDTH), 2)
"""The width of the range of each class that stands for one."""

FALLING_CLASSES: BoolArray = np.asarray((EVERY_PAIR < 0).any(axis=1))
"""Whether a factor of each class falls as the parameter grows, (classes,)."""

SLOW_CLASSES: BoolArray = np.asarray(
    ~FALLING_CLASSES & ((EVERY_PAIR[:, 0] < 1) | (EVERY_PAIR == (1.0, 0.0)).all(axis=1))
)
SLOW_CLASSES[0] = False
"""Whether a factor of each class rises no faster than the parameter itself, (classes,)."""


def range_classes(power: FloatArray, level: IntArray) -> IntArray:
    """Return the classes of the ranges with the widths `WIDTHS[level]` that contain the powers."""
    place = np.rint(np.abs(power) / WIDTHS[level]).astype(np.int64) - _FIRST_OF_WIDTH[level]
    place = np.clip(place, 0, _OF_WIDTH[level] - 1) + (np.cumsum(_OF_WIDTH) - _OF_WIDTH)[level]
    return np.asarray(FIRST_RANGE + place + len(_RANGES) * (power < 0))


def classes_of(*pairs: tuple[float, float]) -> tuple[int, ...]:
    """Return the indices of the classes with these exponents (i, j)."""
    return tuple(PAIRS.tolist().index(list(pair)) for pair in pairs)


(DIVIDED,) = classes_of((-1, 0))
"""The class 1/p of work that is divided among MPI processes."""

PER_PROCESS = (DIVIDED, *classes_of((-2 / 3, 0), (-1 / 2, 0)))
"""Classes of work that is divided among MPI processes, and of the surfaces of its parts in three and in two
dimensions.
"""

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
