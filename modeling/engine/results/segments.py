"""Segments: laws that hold only on a part of a parameter's measured range."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from modeling.engine.validation import FloatArray, IntArray


class HasParts(Protocol):
    """A class that can be reduced to some kernels, such as `Models`."""

    def part(self, kernels: IntArray) -> Self:
        """Return only these kernels."""


M = TypeVar("M", bound=HasParts)


@dataclass(frozen=True)
class Segments(Generic[M]):
    """The N segments before the last one, of kernels with several laws along one parameter.

    The last segment covers the largest values, and its law is the kernel's law in `Models`. A law ends at the
    geometric mean of the last value of its segment and the first value of the next segment.
    """

    kernel: IntArray  # (N,) index of the kernel
    number: IntArray  # (N,) 0 for a kernel's smallest values, then 1, …
    parameter: IntArray  # (N,) index of the parameter along which the law changes
    first: FloatArray  # (N,) smallest measured value in the segment
    last: FloatArray  # (N,) largest measured value in the segment
    following: FloatArray  # (N,) smallest measured value in the next segment
    probability: FloatArray  # (N,) probability that the kernel has several segments
    models: M  # of N kernels, one for each segment

    @property
    def boundary(self) -> FloatArray:
        """Parameter value at which the next segment's law begins, (N,)."""
        return np.sqrt(self.last * self.following)

    def by_kernel(self) -> Iterator[tuple[int, IntArray]]:
        """Yield each kernel's index and the indices of its segments, the smallest values first."""
        for kernel in np.unique(self.kernel).tolist():
            rows = np.flatnonzero(self.kernel == kernel)
            yield kernel, rows[np.argsort(self.number[rows])]

    def put(self, values: FloatArray, points: FloatArray, ask: Callable[[M, FloatArray], FloatArray]) -> None:
        """Replace `values` of K kernels at those points of (Q, m) that lie before the last segment.

        `values` has the shape (K, ..., Q) for Q points. `ask` computes such values from models and points.
        """
        before = points.T[self.parameter] < self.boundary[:, None]
        some = np.flatnonzero(before.any(axis=0))
        if not len(some):
            return
        earlier = ask(self.models, points[some])
        before = before[:, some].reshape(len(before), *[1] * (values.ndim - 2), -1)
        for number in np.unique(self.number)[::-1]:
            rows = np.flatnonzero(self.number == number)
            own = values[self.kernel[rows]]
            own[..., some] = np.where(before[rows], earlier[rows], own[..., some])
            values[self.kernel[rows]] = own

    def part(self, kernels: IntArray) -> "Segments[M] | None":
        """Return the segments of these kernels, in the kernels' order; None if there are none."""
        place = np.full(int(max(self.kernel.max(), kernels.max(initial=0))) + 1, -1)
        place[kernels] = np.arange(len(kernels))
        rows = np.flatnonzero(place[self.kernel] >= 0)
        if not len(rows):
            return None
        rows = rows[np.lexsort((self.number[rows], place[self.kernel[rows]]))]
        some = {
            field.name: getattr(self, field.name)[rows]
            for field in fields(self)
            if field.name not in {"kernel", "models"}
        }
        return Segments(kernel=place[self.kernel[rows]], models=self.models.part(rows), **some)
