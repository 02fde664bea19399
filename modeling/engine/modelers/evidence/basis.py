"""Which terms may stand in a law, how likely each is beforehand, and their values at the points."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.laws.terms import EXPONENTS, FALLING, term_rows
from modeling.engine.validation import BoolArray, FloatArray, IntArray

PAIRS: FloatArray = np.array([(0.0, 0.0), *EXPONENTS, *FALLING])
"""Exponent pairs (i, j) of all classes; class 0 is "does not depend on this parameter"."""

CONSTANT = 0.5
"""Prior probability that a kernel does not depend on a parameter."""

ACTIVE = 2.0
"""Parameters that a kernel is expected to depend on, before it is seen, however many there are.

With more than four of them `CONSTANT` would have it depend on ever more, and among twenty some always seem to
matter by chance: each is asked for evidence in proportion to how many there are (Scott and Berger, Annals of
Statistics 38, 2010). Half of it misses weak effects, twice it finds what is not there.
"""

FALLS = 0.10
"""Prior probability that a term falls, given that there is one."""


COMBINED = 4
"""Parameters of which the classes of all are combined in all structures; of more, only those that matter."""

MOST_TERMS = 6
"""Terms of a law that has one for each of more parameters than are combined."""

MOST_FACTORS = COMBINED * (COMBINED + 1)
"""Factors of any law: with one term more than the parameters that are combined, all of these in each."""

POINTS_A_COEFFICIENT = 3
"""Points for every coefficient but the constant that laws with more terms have to rest on."""

LONG = 3
"""Points on a line that can tell classes apart."""

TEXTBOOK = 4.0
"""How much more often whole powers and the plain logarithm occur than any other term."""

WEIGHTS: FloatArray = np.where(
    ((PAIRS[:, 0] % 1 == 0) & (PAIRS[:, 1] == 0)) | (PAIRS == (0.0, 1.0)).all(axis=1), TEXTBOOK, 1.0
)


FALLING_CLASSES: BoolArray = np.asarray((PAIRS < 0).any(axis=1))
"""Which classes fall."""


def classes_of(*pairs: tuple[float, float]) -> tuple[int, ...]:
    """Numbers of the classes with these exponents (i, j)."""
    return tuple(PAIRS.tolist().index(list(pair)) for pair in pairs)


(DIVIDED,) = classes_of((-1, 0))
"""The class of work that is divided."""

SLOWLY = classes_of((0, 1), (1 / 2, 0), (1, 0))
"""Classes whose growth may hide beneath divided work: communication."""


def points_for_more(parameters: int) -> int:
    """How many points laws with one term more than parameters take to be weighed."""
    return POINTS_A_COEFFICIENT * (min(parameters, COMBINED) + 1)


def places(parameters: int) -> int:
    """How many terms a law with no parameter in two terms has at most."""
    return parameters if parameters <= COMBINED else min(parameters, MOST_TERMS)


@dataclass(frozen=True)
class Basis:
    """Values of all classes at points (P, m).

    Classes are divided by their mean over the points, so that coefficients are contributions to a kernel's
    middle size and comparable between classes. `among` is the number of parameters that these were chosen
    from; 0: they are all. Where the points are some of a campaign's, `whole` is the basis at all of these:
    which classes are usable, and what they are divided by, is the same then.
    """

    points: FloatArray
    among: int = 0
    whole: "Basis | None" = None

    def only(self, parameters: IntArray) -> "Basis":
        """The basis of some parameters, as though nothing else had been varied."""
        whole = None if self.whole is None else self.whole.only(parameters)
        return Basis(self.points[:, parameters], self.among or self.parameter_count, whole)

    def part(self, rows: IntArray) -> "Basis":
        """At some of the points, by number."""
        return Basis(self.points[rows], self.among, self.campaign)

    @property
    def campaign(self) -> "Basis":
        """The basis at all points of the campaign."""
        return self.whole or self

    @property
    def parameter_count(self) -> int:
        """How many parameters there are."""
        return int(self.points.shape[1])

    @property
    def independent(self) -> bool:
        """Whether laws with terms that vary together are left out: with many parameters some always do."""
        return (self.among or self.parameter_count) > COMBINED

    @cached_property
    def tables(self) -> list[FloatArray]:
        """Per parameter: classes × points, 1 where a class is not usable."""
        return [
            np.where(usable[:, None], rows / scale[:, None], 1.0)
            for rows, usable, scale in zip(self._rows, self.usable, self.scales, strict=True)
        ]

    @cached_property
    def squares(self) -> list[FloatArray]:
        """The tables' squares."""
        return [table * table for table in self.tables]

    @cached_property
    def lines(self) -> list[list[IntArray]]:
        """Per parameter: numbers of the points on lines along it, (lines, points), by the values it takes."""
        return [_lines(self.points, parameter) for parameter in range(self.parameter_count)]

    @cached_property
    def usable(self) -> BoolArray:
        """Whether a class is finite and not constant at the parameter's values, (m, classes)."""
        if self.whole is not None:
            return self.whole.usable
        found = np.stack([np.isfinite(rows).all(axis=1) & _varies(rows) for rows in self._rows])
        found[:, 0] = True
        changes_sign = (self.points < 1).any(axis=0)
        found[np.ix_(changes_sign, PAIRS[:, 1] > 0)] = False
        return np.asarray(found)

    @cached_property
    def scales(self) -> FloatArray:
        """Means of the classes over the points, (m, classes)."""
        if self.whole is not None:
            return self.whole.scales
        with np.errstate(invalid="ignore"):
            means = np.stack([rows.mean(axis=1) for rows in self._rows])
        return np.where(self.usable, means, 1.0)

    @cached_property
    def log_prior(self) -> FloatArray:
        """Logarithm of each class's prior probability, (m, classes); usable ones share what there is."""
        share = np.zeros(self.usable.shape)
        active = min(1 - CONSTANT, ACTIVE / (self.among or self.parameter_count))
        for direction, probability in ((~FALLING_CLASSES, 1 - FALLS), (FALLING_CLASSES, FALLS)):
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
        if self.parameter_count <= COMBINED:
            factors = [(np.ascontiguousarray(t.T), classes[:, p]) for p, t in enumerate(self.tables)]
        else:
            factors = [(self.stacked, rows) for rows in _factors(classes)]
        for table, rows in factors:
            for number, own in enumerate(rows):
                product[number] *= table.take(own, axis=1)
        return product

    def sizes(self, classes: IntArray) -> FloatArray:
        """What the columns of classes (T, m, ...) were divided by, (T, ...)."""
        size = np.ones((len(classes), *classes.shape[2:]))
        for parameter, scale in enumerate(self.scales):
            size *= scale[classes[:, parameter]]
        return size

    @cached_property
    def stacked(self) -> FloatArray:
        """Values of the classes of all parameters, (P, m · classes)."""
        return np.ascontiguousarray(np.concatenate(self.tables).T)

    @cached_property
    def _rows(self) -> list[FloatArray]:
        return [term_rows(PAIRS, x) for x in self.points.T]


def _factors(classes: IntArray) -> IntArray:
    """Numbers of the factors of terms of classes (T, m, ...) among the classes of all parameters, stacked.

    (factors, T, ...), as many as the longest term has; 0, whose values are 1, where there is no further one.
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
    """Lines of some points along which only one parameter varies, those with the same values together."""
    line = np.unique(np.delete(points, parameter, axis=1), axis=0, return_inverse=True)[1].ravel()
    order = np.lexsort((points[:, parameter], line))
    together: dict[tuple[float, ...], list[IntArray]] = {}
    for members in np.split(order, np.flatnonzero(np.diff(line[order])) + 1):
        together.setdefault(tuple(points[members, parameter].tolist()), []).append(members)
    return [np.stack(same) for values, same in together.items() if len(values) >= LONG]
