"""Medians of values with weights, such as the probabilities of the laws that predict them."""

import numpy as np

from modeling.engine.validation import FloatArray, IntArray


def weighted_median(values: FloatArray, weights: FloatArray, axis: int) -> FloatArray:
    """Return the medians along an axis, by weights with the shape of the values. The axis is removed."""
    order = np.argsort(values, axis=axis)
    middle = middle_place(np.take_along_axis(weights, order, axis=axis), axis)
    median = np.take_along_axis(np.take_along_axis(values, order, axis=axis), middle, axis=axis)
    return np.asarray(np.squeeze(median, axis=axis))


def middle_place(weights: FloatArray, axis: int) -> IntArray:
    """Return the first index along an axis at which the sum of the weights so far is at least half of their
    total. The axis keeps the length 1.
    """
    reached = np.cumsum(weights, axis=axis)
    half = np.take(reached, [-1], axis=axis) / 2
    return np.asarray((reached < half).sum(axis=axis, keepdims=True))
