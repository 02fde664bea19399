"""Laws that hold only on a part of the measured range, and the segment that contains a point."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from modeling.engine.validation import FloatArray, IntArray


class HasParts(Protocol):
    """Models of several kernels, of which some can be selected. The class `Models` is one."""

    def part(self, kernels: IntArray) -> Self:
        """Return only these kernels."""


M = TypeVar("M", bound=HasParts)


@dataclass(frozen=True)
class Segments(Generic[M]):
    """The N earlier segments of kernels whose behaviour changes along one parameter, with models `M`.

    A kernel's last segment, from which all extrapolation starts, is in the kernel's own row of `Models`.
    Nothing was measured between the last value of one segment and the first value of the next segment; the
    law changes at the geometric mean of these two values.
    """

    kernel: IntArray  # (N,)
    number: IntArray  # (N,) 0 for a kernel's smallest values, then 1, …
    parameter: IntArray  # (N,) parameter along which the behaviour changes
    first: FloatArray  # (N,) smallest measured value in the segment
    last: FloatArray  # (N,) largest measured value in the segment
    following: FloatArray  # (N,) smallest measured value in the next segment
    probability: FloatArray  # (N,) that the kernel has more than one segment
    models: M  # models of the N segments

    @property
    def boundary(self) -> FloatArray:
        """Return where the next segment's law begins, (N,)."""
        return np.sqrt(self.last * self.following)

    def by_kernel(self) -> Iterator[tuple[int, IntArray]]:
        """Yield every kernel with the indices of its segments, smallest values first."""
        for kernel in np.unique(self.kernel).tolist():
            rows = np.flatnonzero(self.kernel == kernel)
            yield kernel, rows[np.argsort(self.number[rows])]

    def put(self, values: FloatArray, points: FloatArray, ask: Callable[[M, FloatArray], FloatArray]) -> None:
        """Replace the last segments' values (K, ..., Q) at points (Q, m) that lie in earlier segments.

        `ask` computes such values: it takes models and points, and returns (K, ..., Q).
        """
        earlier = ask(self.models, points)
        before = points.T[self.parameter] < self.boundary[:, None]
        before = before.reshape(len(before), *[1] * (values.ndim - 2), -1)
        for number in np.unique(self.number)[::-1]:
            rows = np.flatnonzero(self.number == number)
            kernels = self.kernel[rows]
            values[kernels] = np.where(before[rows], earlier[rows], values[kernels])

    def part(self, kernels: IntArray) -> "Segments[M] | None":
        """Return only the segments of these kernels, in their order; None if there are none."""
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
