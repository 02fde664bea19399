"""The values of all classes (exponent pairs) at the points of a campaign."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modeling.engine.laws.terms import term_rows
from modeling.engine.modelers.evidence.hypotheses import prior
from modeling.engine.modelers.evidence.hypotheses.classes import (
    EVERY_PAIR,
    FEWEST_LINE_POINTS,
    FIRST_RANGE,
    MOST_COMBINED,
    MOST_WITH_RANGES,
    PAIRS,
)
from modeling.engine.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Basis:
    """The values of all classes at points. Each class is divided by its mean, so that coefficients are
    comparable.

    Attributes:
        points: the values of m parameters at P points, (P, m).
        among: the number of all parameters if the basis lacks some parameters, otherwise 0.
        whole: the basis at all points of the campaign if this one lacks some points. Means and usable classes
            come from `whole`.
        processes: indices of the parameters that are numbers of MPI processes.
    """

    points: FloatArray
    among: int = 0
    whole: "Basis | None" = None
    processes: tuple[int, ...] = ()

    def only(self, parameters: IntArray) -> "Basis":
        """Return the basis of the parameters with these indices."""
        whole = None if self.whole is None else self.whole.only(parameters)
        processes = tuple(np.flatnonzero(np.isin(parameters, self.processes)).tolist())
        return Basis(self.points[:, parameters], self.among or self.parameter_count, whole, processes)

    def part(self, rows: IntArray) -> "Basis":
        """Return the basis at the points with the indices `rows`."""
        return Basis(self.points[rows], self.among, self.campaign, self.processes)

    @property
    def campaign(self) -> "Basis":
        """Return the basis at all points of the campaign."""
        return self.whole or self

    @property
    def parameter_count(self) -> int:
        """The number of parameters."""
        return int(self.points.shape[1])

    @property
    def independent(self) -> bool:
        """Whether laws with linearly dependent terms are excluded, as for more than `MOST_COMBINED`
        parameters.
        """
        return (self.among or self.parameter_count) > MOST_COMBINED

    @cached_property
    def tables(self) -> list[FloatArray]:
        """Return the values of each parameter's classes at P points, (classes, P); 1 where a class is not
        usable.
        """
        return [
            np.where(usable[:, None], rows / scale[:, None], 1.0)
            for rows, usable, scale in zip(self._rows, self.usable, self.scales, strict=True)
        ]

    @cached_property
    def squares(self) -> list[FloatArray]:
        """Return the squares of `tables`."""
        return [table * table for table in self.tables]

    @cached_property
    def lines(self) -> list[list[IntArray]]:
        """Return the lines along each parameter: sets of points that differ in this parameter only. Lines
        with the same values are in one array of indices of points, (lines, points).
        """
        return [_lines(self.points, parameter) for parameter in range(self.parameter_count)]

    @cached_property
    def is_cross(self) -> bool:
        """Whether several parameters vary, but each point differs from a common one in one at most."""
        usual = [values[counts.argmax()] for values, counts in map(_counted, self.points.T)]
        varied = self.points != usual
        return bool((varied.sum(axis=1) <= 1).all() and (varied.any(axis=0).sum() > 1))

    @cached_property
    def usable(self) -> BoolArray:
        """Return whether each class is finite and varies over the values of each of m parameters, (m,
        classes). Class 0, no dependence, is always usable. A logarithm is not usable if the parameter has
        values below 1.
        """
        if self.whole is not None:
            return self.whole.usable
        found = np.stack([np.isfinite(rows).all(axis=1) & _varies(rows) for rows in self._rows])
        found[:, 0] = True
        changes_sign = (self.points < 1).any(axis=0)
        found[np.ix_(changes_sign, PAIRS[:, 1] > 0)] = False
        return np.asarray(found)

    @cached_property
    def scales(self) -> FloatArray:
        """Return the mean of each class over the points, for each of m parameters, (m, classes)."""
        if self.whole is not None:
            return self.whole.scales
        with np.errstate(invalid="ignore"):
            means = np.stack([rows.mean(axis=1) for rows in self._rows])
        return np.where(self.usable, means, 1.0)

    @cached_property
    def log_prior(self) -> FloatArray:
        """Return the log prior probabilities of the classes of m parameters, (m, classes)."""
        return prior.log_prior(self.usable, self.among or self.parameter_count, self.processes)

    def columns(self, classes: IntArray) -> FloatArray:
        """Return the values of T terms at P points, (T, P, ...). `classes` (T, m, ...) has the classes of m
        parameters. A term without factors has the value 0.
        """
        product = np.empty((len(classes), len(self.points), *classes.shape[2:]))
        product[:] = (classes != 0).any(axis=1)[:, None]
        if self.parameter_count <= MOST_COMBINED:
            factors = [self._rows_of(own, parameter) for parameter, own in enumerate(classes.swapaxes(0, 1))]
        else:
            factors = [(self.stacked, rows) for rows in _factors(classes)]
        for table, rows in factors:
            for number, own in enumerate(rows):
                product[number] *= table.take(own, axis=1)
        return product

    def sizes(self, classes: IntArray) -> FloatArray:
        """Return the means by which `columns` divides the values of T terms, (T, ...). `classes` (T, m, ...)
        has the classes of m parameters.
        """
        size = np.ones((len(classes), *classes.shape[2:]))
        for parameter in range(self.parameter_count):
            used, own = _used(classes[:, parameter])
            size *= self._means(used, parameter)[own]
        return np.asarray(size)

    def terms(self, classes: IntArray, at: FloatArray) -> FloatArray:
        """Return the values of T terms at one point `at` (m,), (T, ...), divided as by `columns`."""
        value = (classes != 0).any(axis=1).astype(float)
        for parameter, x in enumerate(at):
            used, own = _used(classes[:, parameter])
            value *= (term_rows(EVERY_PAIR[used], x[None])[:, 0] / self._means(used, parameter))[own]
        return np.asarray(value)

    @property
    def has_ranges(self) -> bool:
        """Whether laws may have the classes of ranges of powers: in campaigns of few parameters."""
        return self.parameter_count <= MOST_WITH_RANGES and not self.among

    @cached_property
    def every_log_prior(self) -> FloatArray:
        """Return `log_prior`, followed by that of the ranges of powers if laws may have them."""
        if not self.has_ranges:
            return self.log_prior
        of_ranges = prior.log_prior_of_ranges(self.log_prior, self.processes)
        return np.concatenate([self.log_prior, of_ranges], axis=1)

    def _means(self, classes: IntArray, parameter: int) -> FloatArray:
        """Return the means by which the values of N classes of a parameter are divided, (N,)."""
        if classes[-1] < FIRST_RANGE:
            return np.asarray(self.scales[parameter, classes])
        means = term_rows(EVERY_PAIR[classes], self.campaign.points[:, parameter]).mean(axis=1)
        known = classes < FIRST_RANGE
        means[known] = self.scales[parameter, classes[known]]
        return np.asarray(means)

    def _rows_of(self, classes: IntArray, parameter: int) -> tuple[FloatArray, IntArray]:
        """Return the values of N classes at P points, (P, N), and the index of each of the given `classes`
        among the N.
        """
        used, own = _used(classes)
        table = self.tables[parameter]
        if used[-1] >= FIRST_RANGE:
            rows = term_rows(EVERY_PAIR[used], self.points[:, parameter])
            rows /= self._means(used, parameter)[:, None]
            known = used < FIRST_RANGE
            rows[known] = table[used[known]]
            table = rows
        return np.ascontiguousarray(table.T), own

    @cached_property
    def stacked(self) -> FloatArray:
        """Return the values of the classes of all m parameters at P points in one table, (P, m · classes)."""
        return np.ascontiguousarray(np.concatenate(self.tables).T)

    @cached_property
    def _rows(self) -> list[FloatArray]:
        return [term_rows(PAIRS, x) for x in self.points.T]


def _counted(x: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the different values and how often each occurs."""
    values, counts = np.unique(x, return_counts=True)
    return values, counts


def _used(classes: IntArray) -> tuple[IntArray, IntArray]:
    """Return rising classes that include the given ones, and the index of each given class among them."""
    if classes.max(initial=0) < FIRST_RANGE:
        return np.arange(FIRST_RANGE), classes
    used, own = np.unique(classes, return_inverse=True)
    return used, own.reshape(classes.shape)


def _factors(classes: IntArray) -> IntArray:
    """Return the columns of `Basis.stacked` with the factors of terms, filled up with column 0."""
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
    """Return the lines along one parameter (see `Basis.lines`)."""
    line = np.unique(np.delete(points, parameter, axis=1), axis=0, return_inverse=True)[1].ravel()
    order = np.lexsort((points[:, parameter], line))
    together: dict[tuple[float, ...], list[IntArray]] = {}
    for members in np.split(order, np.flatnonzero(np.diff(line[order])) + 1):
        together.setdefault(tuple(points[members, parameter].tolist()), []).append(members)
    return [np.stack(same) for values, same in together.items() if len(values) >= FEWEST_LINE_POINTS]
