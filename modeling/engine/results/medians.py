"""Medians of weighted values."""

import numpy as np

from modeling.engine.validation import FloatArray, IntArray


def weighted_median(values: FloatArray, weights: FloatArray, axis: int) -> FloatArray:
    """Return the weighted medians along an axis, which is removed. `weights` has the shape of `values`."""
    order = np.argsort(values, axis=axis)
    middle = middle_place(np.take_along_axis(weights, order, axis=axis), axis)
    median = np.take_along_axis(np.take_along_axis(values, order, axis=axis), middle, axis=axis)
    return np.asarray(np.squeeze(median, axis=axis))


def middle_place(weights: FloatArray, axis: int) -> IntArray:
    """Return the index of the weighted median of sorted values with these weights.

    Up to this index, the cumulative weight reaches half of the total. The axis gets the length 1.
    """
    reached = np.cumsum(weights, axis=axis)
    half = np.take(reached, [-1], axis=axis) / 2
    return np.asarray((reached < half).sum(axis=axis, keepdims=True))
