"""Segments: laws that hold only on a part of a parameter's measured range."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from modeling.engine.validation import FloatArray, IntArray


class HasParts(Protocol):
    """A class such as `Models`, from which the models of some kernels can be selected."""

    def part(self, kernels: IntArray) -> Self:
        """Return only these kernels."""


M = TypeVar("M", bound=HasParts)


@dataclass(frozen=True)
class Segments(Generic[M]):
    """All segments but the last of each kernel whose law changes along one parameter: N in total.

    The last segment of a kernel covers the parameter's largest values. Its law is the kernel's law in
    `Models`. The law changes at the geometric mean of the last measured value of a segment and the first one
    of the next segment.
    """

    kernel: IntArray  # (N,) index of the segment's kernel
    number: IntArray  # (N,) 0 for the segment of a kernel's smallest values, then 1, …
    parameter: IntArray  # (N,) index of the parameter along which the law changes
    first: FloatArray  # (N,) smallest measured value in the segment
    last: FloatArray  # (N,) largest measured value in the segment
    following: FloatArray  # (N,) smallest measured value in the next segment
    probability: FloatArray  # (N,) that the kernel has more than one segment
    models: M  # of N kernels, one for each segment

    @property
    def boundary(self) -> FloatArray:
        """The parameter value at which the law of the next segment begins, (N,)."""
        return np.sqrt(self.last * self.following)

    def by_kernel(self) -> Iterator[tuple[int, IntArray]]:
        """Yield the index of each kernel with the indices of its segments, the smallest values first."""
        for kernel in np.unique(self.kernel).tolist():
            rows = np.flatnonzero(self.kernel == kernel)
            yield kernel, rows[np.argsort(self.number[rows])]

    def put(self, values: FloatArray, points: FloatArray, ask: Callable[[M, FloatArray], FloatArray]) -> None:
        """Replace values (K, ..., Q) of the last segments at those points (Q, m) that are in other segments.

        `ask` computes values: it takes models and points, and returns (K, ..., Q).
        """
        earlier = ask(self.models, points)
        before = points.T[self.parameter] < self.boundary[:, None]
        before = before.reshape(len(before), *[1] * (values.ndim - 2), -1)
        for number in np.unique(self.number)[::-1]:
            rows = np.flatnonzero(self.number == number)
            kernels = self.kernel[rows]
            values[kernels] = np.where(before[rows], earlier[rows], values[kernels])

    def part(self, kernels: IntArray) -> "Segments[M] | None":
        """Return only the segments of these kernels, in the kernels' order; None if there are none."""
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
