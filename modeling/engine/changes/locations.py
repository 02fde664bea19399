"""The location of a point's repetitions (one value that stands for all of them), and its variance.

There are three kinds of location:

- The mean of the middle half suits noise that raises values as often as it lowers them.
- The floor estimates the lower bound of the noise. It suits a busy machine, on which only the fastest
  repetitions agree within a percent.
- The midrange, the mean of the smallest and the largest repetition, suits noise with two sharp bounds.

All kernels have the same kind, see `located.best_location`.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from modeling.engine.changes.widths import Widths
from modeling.engine.validation import FloatArray

NUMBERS_AT_ONCE = 2_000_000
"""Largest number of elements of a temporary array."""

SHRINKAGE = 8.0
"""Weight, in degrees of freedom, of a kernel's variance over all points in its variance at one point."""


class Place(StrEnum):
    """The kinds of location, which reduce the repetitions of a point to one value."""

    MIDDLE = "middle half"
    FLOOR = "floor"
    MIDRANGE = "midrange"


@dataclass(frozen=True)
class Location:
    """How repetitions are reduced to one value, at all points of two campaigns.

    `scale` multiplies the location's standard deviation. For floors and midranges, it is the mean gap between
    the two outermost repetitions, divided by the expected gap of exponential (uniform) noise of the same
    spread. For the middle half, see `middle_half.py`.
    """

    place: Place = Place.MIDDLE
    scale: float = 1.0
    widths: Widths = field(default_factory=Widths)  # of uniform noise, only for midranges


@dataclass(frozen=True)
class Located:
    """Locations of the repetitions of K kernels at C points, with their variances; (K, C) each."""

    location: FloatArray
    share: FloatArray  # variance of the location's logarithm, divided by `squares / freedom`
    squares: FloatArray  # sum of squared relative deviations of the repetitions
    freedom: FloatArray  # degrees of freedom of `squares`

    @property
    def noise(self) -> FloatArray:
        """Variance of the location's logarithm, (K, C), shrunk towards that over all points of the kernel."""
        of_kernel = self.freedom.sum(axis=1, keepdims=True)
        kernel = self.squares.sum(axis=1, keepdims=True) / np.maximum(of_kernel, 1.0)
        return np.asarray(self.share * (self.squares + SHRINKAGE * kernel) / (self.freedom + SHRINKAGE))

    def scaled(self, scale: float) -> "Located":
        """Return the locations with standard deviations multiplied by `scale`."""
        return replace(self, squares=scale**2 * self.squares)
