"""The layout of points: the lines of points along one parameter, and the largest point."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from modeling.engine.validation import BoolArray, FloatArray, IntArray

Groups = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Axis:
    """How the points lie along one parameter: points that differ in this parameter only are on one line."""

    x: FloatArray  # (X,) distinct values of the parameter, ascending
    value_of_point: NDArray[np.intp]  # (P,) index in `x` of each point's value
    line_of_point: NDArray[np.intp]  # (P,) number of each point's line

    def at_value(self, y: FloatArray) -> FloatArray:
        """Return the sums of y (P, K) over the points with the same value of the parameter, (X, K)."""
        return _sums(y, *self._by_value)

    def on_line(self, y: FloatArray) -> FloatArray:
        """Return the sums of y (P, K) over the points on the same line, (lines, K)."""
        return _sums(y, *self._by_line)

    def average(self, y: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Average each kernel over its longest lines (docs/methods.md#lines-along-a-parameter).

        Of several longest lines, only those with the same values of the parameter as the first one are
        averaged. Otherwise neighbouring values would be averages over different lines.

        Args:
            y: (P, K), the kernels' values; 0 where `w` is 0.
            w: (P, K), 1 where a kernel was measured and 0 elsewhere; (P, 1) if this is the same for all.

        Returns:
            The averages (X, K), and 1 where there is one and 0 elsewhere, (X, K) or (X, 1).
        """
        if len(self.x) == len(y) and not self.line_of_point.any():
            order, _ = self._by_value
            return y[order], w[order]
        used = w * self._longest(w)[self.line_of_point]
        count = self.at_value(used)
        total = self.at_value(y * used)
        return np.divide(total, count, out=np.zeros(total.shape), where=count > 0), np.minimum(count, 1.0)

    def lines_averaged(self, w: FloatArray) -> FloatArray:
        """Return the number of lines that `average` uses, (K,) or (1,)."""
        return np.asarray(self._longest(w).sum(axis=0))

    def value_counts(self, w: FloatArray) -> FloatArray:
        """Return the number of distinct values of the parameter on the averaged lines, (K,) or (1,)."""
        counts: FloatArray = self.average(w, w)[1].sum(axis=0)
        return counts

    def _longest(self, w: FloatArray) -> FloatArray:
        """Return 1 for the lines that `average` uses and 0 for the others, (lines, K)."""
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
    """Return the axes of all parameters of points (P, m)."""
    return [_axis(points, parameter) for parameter in range(points.shape[1])]


def _axis(points: FloatArray, parameter: int) -> Axis:
    x, value = np.unique(points[:, parameter], return_inverse=True)
    others = np.delete(points, parameter, axis=1)
    _, line = np.unique(others, axis=0, return_inverse=True)
    line = line.reshape(-1)
    return Axis(
        x=x,
        value_of_point=value,
        line_of_point=line,
    )


def _groups(member: NDArray[np.intp]) -> Groups:
    """Sort the points by the number of their group, `member` (P,).

    Returns the order of the points, and the positions in it at which each group begins.
    """
    order = np.argsort(member, kind="stable")
    return order, np.flatnonzero(np.diff(member[order], prepend=-1))


def _sums(y: FloatArray, order: NDArray[np.intp], begins: NDArray[np.intp]) -> FloatArray:
    """Sum y (P, K) over each group of points, (groups, K)."""
    return np.asarray(np.add.reduceat(y[order], begins, axis=0))


def largest_point(points: FloatArray, w: FloatArray) -> NDArray[np.intp]:
    """Return the index of each kernel's largest measured point, (K,).

    This is the point of `points` (P, m) with the largest product of all parameters. `w` (P, K) is 0 where a
    kernel was not measured.
    """
    rank = np.log(points).sum(axis=1)
    which: NDArray[np.intp] = np.argmax(np.where(w > 0, rank[:, None], -np.inf), axis=0)
    return which


def patterns(there: BoolArray) -> Iterator[tuple[BoolArray, IntArray]]:
    """Group kernels by the points at which they were measured, which `there` (P, K) marks.

    Yields each distinct set of points, as a mask (P,), with the indices of its kernels. Kernels without any
    point are left out.
    """
    if not there.shape[1]:
        return
    if there.all():
        yield there[:, 0], np.arange(there.shape[1])
        return
    distinct, which = np.unique(there, axis=1, return_inverse=True)
    for number, pattern in enumerate(distinct.T):
        if pattern.any():
            yield pattern, np.flatnonzero(which.ravel() == number)
