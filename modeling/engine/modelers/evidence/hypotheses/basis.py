"""Which terms a law may have, their prior probabilities, and their values at the points."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.laws.terms import EXPONENTS, FALLING_PAIRS, term_rows
from modeling.engine.validation import BoolArray, FloatArray, IntArray

PAIRS: FloatArray = np.array([(0.0, 0.0), *EXPONENTS, *FALLING_PAIRS])
"""Exponent pairs (i, j) of all classes. Class 0 means that the law does not depend on the parameter."""

NO_DEPENDENCE_PRIOR = 0.5
"""Prior probability that a kernel does not depend on a parameter, where there are at most four: undecided."""

EXPECTED_PARAMETERS = 2.0
"""Prior expected number of parameters that a kernel depends on, however many there are.

With more than four parameters, `NO_DEPENDENCE_PRIOR` alone would make a kernel depend on more and more of
them, and among twenty some always seem to matter by chance. So each has to show evidence in proportion to
their number (Scott and Berger, Annals of Statistics 38, 2010). Half of this value misses weak effects, twice
the value finds effects that are not there.
"""

FALLING_PRIOR = 0.10
"""Prior probability that a term falls, given that there is one.

It trades laws of strong scaling, which have to show a log evidence of log 9 = 2.2 more than rising ones,
for rising laws whose noise happens to fall over a handful of points. With half of it they have to show 0.7
more, with twice of it 0.8 less.
"""


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

TEXTBOOK_WEIGHT = 4.0
"""Prior weight of whole powers and the plain logarithm, relative to any other term. With it common functions
are found as often as by refinement, and rare ones far more often. It is only the start: how common they are
is learned from the campaign (`pooling`)."""

WEIGHTS: FloatArray = np.where(
    ((PAIRS[:, 0] % 1 == 0) & (PAIRS[:, 1] == 0)) | (PAIRS == (0.0, 1.0)).all(axis=1), TEXTBOOK_WEIGHT, 1.0
)


FALLING_CLASSES: BoolArray = np.asarray((PAIRS < 0).any(axis=1))
"""Whether each class falls."""


def classes_of(*pairs: tuple[float, float]) -> tuple[int, ...]:
    """Numbers of the classes with these exponents (i, j)."""
    return tuple(PAIRS.tolist().index(list(pair)) for pair in pairs)


(DIVIDED,) = classes_of((-1, 0))
"""The class 1/p of work that is divided among processes."""

SLOWLY = classes_of((0, 1), (1 / 2, 0), (1, 0))
"""Classes of slow growth, such as communication, that divided work may hide."""


def points_for_more(parameters: int) -> int:
    """The number of points from which laws with one term more than parameters are weighed."""
    return POINTS_A_COEFFICIENT * (min(parameters, MOST_COMBINED) + 1)


def places(parameters: int) -> int:
    """The largest number of terms of a law in which no parameter stands in two terms."""
    return parameters if parameters <= MOST_COMBINED else min(parameters, MOST_TERMS)


@dataclass(frozen=True)
class Basis:
    """Values of all classes at points (P, m).

    Classes are divided by their mean over the points, so that a coefficient is the term's mean contribution,
    which is comparable between classes. `among` is the number of parameters that these were chosen from; 0:
    these are all. Where the points are a part of the campaign's, `whole` is the basis at all points of the
    campaign: it decides which classes are usable and what they are divided by.
    """

    points: FloatArray
    among: int = 0
    whole: "Basis | None" = None

    def only(self, parameters: IntArray) -> "Basis":
        """The basis of some parameters, as if no others had been varied."""
        whole = None if self.whole is None else self.whole.only(parameters)
        return Basis(self.points[:, parameters], self.among or self.parameter_count, whole)

    def part(self, rows: IntArray) -> "Basis":
        """The basis at some of the points, given by number."""
        return Basis(self.points[rows], self.among, self.campaign)

    @property
    def campaign(self) -> "Basis":
        """The basis at all points of the campaign."""
        return self.whole or self

    @property
    def parameter_count(self) -> int:
        """The number of parameters."""
        return int(self.points.shape[1])

    @property
    def independent(self) -> bool:
        """Whether laws with linearly dependent terms are left out. With many parameters some terms always
        are."""
        return (self.among or self.parameter_count) > MOST_COMBINED

    @cached_property
    def tables(self) -> list[FloatArray]:
        """Values of the classes of each parameter, (classes, P); 1 where a class is not usable."""
        return [
            np.where(usable[:, None], rows / scale[:, None], 1.0)
            for rows, usable, scale in zip(self._rows, self.usable, self.scales, strict=True)
        ]

    @cached_property
    def squares(self) -> list[FloatArray]:
        """The squares of `tables`."""
        return [table * table for table in self.tables]

    @cached_property
    def lines(self) -> list[list[IntArray]]:
        """For each parameter, the numbers of the points on lines along it, (lines, points); one array for
        each set of values."""
        return [_lines(self.points, parameter) for parameter in range(self.parameter_count)]

    @cached_property
    def usable(self) -> BoolArray:
        """Whether each class is finite and varies over the parameter's values, (m, classes)."""
        if self.whole is not None:
            return self.whole.usable
        found = np.stack([np.isfinite(rows).all(axis=1) & _varies(rows) for rows in self._rows])
        found[:, 0] = True
        changes_sign = (self.points < 1).any(axis=0)
        found[np.ix_(changes_sign, PAIRS[:, 1] > 0)] = False
        return np.asarray(found)

    @cached_property
    def scales(self) -> FloatArray:
        """Mean of each class over the points, (m, classes)."""
        if self.whole is not None:
            return self.whole.scales
        with np.errstate(invalid="ignore"):
            means = np.stack([rows.mean(axis=1) for rows in self._rows])
        return np.where(self.usable, means, 1.0)

    @cached_property
    def log_prior(self) -> FloatArray:
        """Logarithm of each class's prior probability, (m, classes), divided among the usable classes."""
        share = np.zeros(self.usable.shape)
        active = min(1 - NO_DEPENDENCE_PRIOR, EXPECTED_PARAMETERS / (self.among or self.parameter_count))
        for direction, probability in (
            (~FALLING_CLASSES, 1 - FALLING_PRIOR),
            (FALLING_CLASSES, FALLING_PRIOR),
        ):
            weight = np.where(self.usable & direction, WEIGHTS, 0.0)
            weight[:, 0] = 0.0
            total = np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
            share += active * probability * weight / total
        share[:, 0] = 1 - active
        with np.errstate(divide="ignore"):
            return np.log(share)

    def columns(self, classes: IntArray) -> FloatArray:
        """Values of terms at the points: classes (T, m, ...) → (T, P, ...); 0 for a term without factors."""
        product = np.empty((len(classes), len(self.points), *classes.shape[2:]))
        product[:] = (classes != 0).any(axis=1)[:, None]  # 0 for terms without factors
        if self.parameter_count <= MOST_COMBINED:
            factors = [(np.ascontiguousarray(t.T), classes[:, p]) for p, t in enumerate(self.tables)]
        else:
            factors = [(self.stacked, rows) for rows in _factors(classes)]
        for table, rows in factors:
            for number, own in enumerate(rows):
                product[number] *= table.take(own, axis=1)
        return product

    def sizes(self, classes: IntArray) -> FloatArray:
        """The divisors of the columns of classes (T, m, ...), (T, ...)."""
        size = np.ones((len(classes), *classes.shape[2:]))
        for parameter, scale in enumerate(self.scales):
            size *= scale[classes[:, parameter]]
        return size

    @cached_property
    def stacked(self) -> FloatArray:
        """Values of the classes of all parameters in one table, (P, m · classes)."""
        return np.ascontiguousarray(np.concatenate(self.tables).T)

    @cached_property
    def _rows(self) -> list[FloatArray]:
        return [term_rows(PAIRS, x) for x in self.points.T]


def _factors(classes: IntArray) -> IntArray:
    """Numbers of the factors of terms of classes (T, m, ...) in the table `stacked`.

    Shape (factors, T, ...), with as many factors as the longest term has; shorter terms are filled with
    column 0, whose values are 1.
    """
    begin = len(PAIRS) * np.arange(classes.shape[1]).reshape(-1, *(1,) * (classes.ndim - 2))
    number = np.where(classes > 0, classes + begin, 0)
    longest = int((classes > 0).sum(axis=1).max(initial=0))
    order = np.argsort(number == 0, axis=1, kind="stable")[:, :longest]
    return np.moveaxis(np.take_along_axis(number, order, axis=1), 1, 0)


def _varies(rows: FloatArray) -> BoolArray:
    with np.errstate(invalid="ignore"):
        spread: BoolArray = (rows != rows[:, :1]).any(axis=1)
    return spread


def _lines(points: FloatArray, parameter: int) -> list[IntArray]:
    """Lines of points along which one parameter alone varies; lines with the same values are in one array."""
    line = np.unique(np.delete(points, parameter, axis=1), axis=0, return_inverse=True)[1].ravel()
    order = np.lexsort((points[:, parameter], line))
    together: dict[tuple[float, ...], list[IntArray]] = {}
    for members in np.split(order, np.flatnonzero(np.diff(line[order])) + 1):
        together.setdefault(tuple(points[members, parameter].tolist()), []).append(members)
    return [np.stack(same) for values, same in together.items() if len(values) >= FEWEST_LINE_POINTS]
