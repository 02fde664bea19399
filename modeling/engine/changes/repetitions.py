"""What locations are computed from: middle half, number and outermost of a point's repetitions."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from modeling.engine.changes.locations import NUMBERS_AT_ONCE, Located
from modeling.engine.changes.middle_half import mean_of_middle_half
from modeling.engine.validation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Ordered:
    """Middle half, number and outermost of the positive repetitions (1 if none) of K kernels at C points.

    All fields are (K, C).
    """

    middle: Located  # location by the mean of the middle half, for uniform noise
    relative: FloatArray  # error of the middle half's mean relative to that under uniform noise, or NaN
    count: IntArray  # number of positive repetitions
    smallest: FloatArray
    second: FloatArray  # second smallest, or the only one
    second_largest: FloatArray  # second largest, or the only one
    largest: FloatArray

    @property
    def usable(self) -> BoolArray:
        """Whether points have positive repetitions and a positive middle half, (K, C)."""
        return np.asarray((self.count > 0) & (self.middle.location > 0))

    def first(self, kernels: int) -> "Ordered":
        """Return only the first `kernels` kernels."""
        middle, *others = (getattr(self, each.name) for each in fields(self))
        return Ordered(
            Located(*(getattr(middle, each.name)[:kernels] for each in fields(Located))),
            *(each[:kernels] for each in others),
        )


def ordered(values: FloatArray) -> Ordered:
    """Return what locations are computed from, for R repetitions of K kernels at C points (K, C, R)."""
    step = max(1, NUMBERS_AT_ONCE // max(values.shape[0] * values.shape[2], 1))
    places = range(0, max(values.shape[1], 1), step)
    parts = [_ordered(values[:, start : start + step]) for start in places]
    middle = _joined([part.middle for part in parts])
    others = (
        np.concatenate([getattr(part, each.name) for part in parts], axis=1) for each in fields(Ordered)[1:]
    )
    return Ordered(middle, *others)


def _joined(parts: Sequence[Located]) -> Located:
    return Located(
        *(np.concatenate([getattr(part, each.name) for part in parts], axis=1) for each in fields(Located))
    )


def _ordered(values: FloatArray) -> Ordered:
    ascending = np.sort(values, axis=2)  # NaN last
    positive = np.sort(np.where(values > 0, values, np.nan), axis=2)
    count = (~np.isnan(positive)).sum(axis=2)
    last = np.maximum(count - 1, 0)
    ranks = np.zeros_like(last), np.minimum(1, last), np.maximum(last - 1, 0), last
    ends = (np.take_along_axis(positive, rank[:, :, None], axis=2)[:, :, 0] for rank in ranks)
    return Ordered(*mean_of_middle_half(ascending), count, *(np.where(count > 0, end, 1.0) for end in ends))
