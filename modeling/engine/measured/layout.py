"""The layout of points: the lines of points along one parameter, and the largest point."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from modeling.engine.joining import equal_rows
from modeling.engine.validation import BoolArray, FloatArray, IntArray

Groups = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Axis:
    """How points lie along one parameter. Points that differ in this parameter only form a line."""

    x: FloatArray  # (X,) the X distinct values of the parameter, ascending
    value_of_point: NDArray[np.intp]  # (P,) index in `x` of the value of each of P points
    line_of_point: NDArray[np.intp]  # (P,) number of each point's line

    def at_value(self, y: FloatArray) -> FloatArray:
        """Return the sums of y (P points, K kernels) at each of the X parameter values, (X, K)."""
        return _sums(y, *self._by_value)

    def on_line(self, y: FloatArray) -> FloatArray:
        """Return the sums of y (P points, K kernels) on each line, (lines, K)."""
        return _sums(y, *self._by_line)

    def average(self, y: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Average each kernel over its longest lines (docs/methods.md#lines-along-a-parameter).

        Of the lines with most points, those with the same parameter values as the first one are averaged.

        Args:
            y: (P, K) values of K kernels at P points, 0 where `w` is 0.
            w: (P, K) 1 where a kernel was measured, else 0; (P, 1) if this is the same for all kernels.

        Returns:
            (X, K) averages at X parameter values, and 1 where there is an average, else 0, (X, K) or (X, 1).
        """
        if len(self.x) == len(y) and not self.line_of_point.any():
            order, _ = self._by_value
            return y[order], w[order]
        used = w * self._longest(w)[self.line_of_point]
        count = self.at_value(used)
        total = self.at_value(y * used)
        return np.divide(total, count, out=np.zeros(total.shape), where=count > 0), np.minimum(count, 1.0)

    def lines_averaged(self, w: FloatArray) -> FloatArray:
        """Return the number of lines that `average` uses for each of K kernels, (K,) or (1,)."""
        return np.asarray(self._longest(w).sum(axis=0))

    def value_counts(self, w: FloatArray) -> FloatArray:
        """Return the number of parameter values on the averaged lines of each of K kernels, (K,) or (1,)."""
        counts: FloatArray = self.average(w, w)[1].sum(axis=0)
        return counts

    def _longest(self, w: FloatArray) -> FloatArray:
        """Return 1 for lines that `average` uses and 0 for the others, (lines, kernels)."""
        length = self.on_line(w)
        longest = length == length.max(axis=0)
        first = np.argmax(longest, axis=0)
        on_first = self.at_value(w * (self.line_of_point[:, None] == first))
        shared = self.on_line(w * on_first[self.value_of_point])
        return np.asarray(longest & (shared == length), dtype=float)

    @cached_property
    def _by_value(self) -> Groups:
        return _groups(self.value_of_point)

    @cached_property
    def _by_line(self) -> Groups:
        return _groups(self.line_of_point)


def axes(points: FloatArray) -> list[Axis]:
    """Return the axis of each parameter of P points (P, m)."""
    return [_axis(points, parameter) for parameter in range(points.shape[1])]


def _axis(points: FloatArray, parameter: int) -> Axis:
    x, value = np.unique(points[:, parameter], return_inverse=True)
    line = np.unique(np.delete(points, parameter, axis=1), axis=0, return_inverse=True)[1].ravel()
    return Axis(x=x, value_of_point=value, line_of_point=line)


def _groups(member: NDArray[np.intp]) -> Groups:
    """Return the order of the points by group number, and the positions at which groups begin."""
    order = np.argsort(member, kind="stable")
    return order, np.flatnonzero(np.diff(member[order], prepend=-1))


def _sums(y: FloatArray, order: NDArray[np.intp], begins: NDArray[np.intp]) -> FloatArray:
    """Sum y (points, kernels) over each group of points."""
    return np.asarray(np.add.reduceat(y[order], begins, axis=0))


def largest_point(points: FloatArray, w: FloatArray) -> NDArray[np.intp]:
    """Return the index of the measured point with the largest product of parameters for each kernel, (K,).

    `w` (P, K) is 0 where a kernel was not measured at one of the `points` (P, m).
    """
    rank = np.log(points).sum(axis=1)
    which: NDArray[np.intp] = np.argmax(np.where(w > 0, rank[:, None], -np.inf), axis=0)
    return which


def patterns(there: BoolArray) -> Iterator[tuple[BoolArray, IntArray]]:
    """Group kernels by their measured points, which `there` (P points, K kernels) marks.

    Yields each distinct set of points as a mask (P,), with the indices of its kernels.
    """
    if not there.shape[1]:
        return
    if there.all():
        yield there[:, 0], np.arange(there.shape[1])
        return
    first, which = equal_rows(there.T)
    for number, pattern in enumerate(there.T[first]):
        if pattern.any():
            yield pattern, np.flatnonzero(which == number)
