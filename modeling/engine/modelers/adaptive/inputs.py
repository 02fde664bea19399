"""Turn a series of values along one parameter into inputs of the network (Ritter et al. 2021, section IV-C).

A value v at x becomes v̂ = v / x. The positions x are normalised to [0, 1]. Each value is given to one of
eleven input neurons, which represent fixed positions. Neurons without a value get 0.

Unlike in the paper, the neurons get log2 v̂ with the mean of the series subtracted. So the unit of a metric
does not matter, and relative noise is equally strong at all values.
"""

from functools import cache
from itertools import combinations

import numpy as np

from modeling.engine.validation import FloatArray, IntArray

POSITIONS = np.array([1 / 64, 1 / 32, 1 / 16, 1 / 8, 2 / 8, 3 / 8, 4 / 8, 5 / 8, 6 / 8, 7 / 8, 1])
"""The normalised positions of the eleven input neurons."""

FEWEST, MOST = 5, len(POSITIONS)
"""The smallest and the largest number of values of a parameter that the network accepts."""

UNIT = 4.0
"""Divisor of the logarithms, with which the tanh neurons are neither all saturated nor all linear."""


def slots(x: FloatArray) -> IntArray:
    """Choose a neuron for each of X rising values of a parameter, 5 ≤ X ≤ 11. Return the rising indices of
    the neurons, (..., X). Their distances from the positions of the values have the smallest sum.
    """
    first, last = x[..., :1], x[..., -1:]
    position = (x - first) / (last - first)
    choices = _choices(x.shape[-1])
    distance = np.zeros((*x.shape[:-1], len(choices)))
    for number in range(x.shape[-1]):
        distance += np.abs(position[..., number, None] - POSITIONS[choices[:, number]])
    return np.asarray(choices[np.argmin(distance, axis=-1)])


def network_inputs(x: FloatArray, y: FloatArray, w: FloatArray) -> FloatArray:
    """Return the network's inputs for series of K kernels, (K, 11); 0 for neurons without a value.

    Args:
        x: X rising values of the parameter, 5 ≤ X ≤ 11, (X,).
        y: the values of the kernels, positive where `w` is 1, (X, K).
        w: 1 where there is a value and 0 elsewhere, (X, K) or (X, 1).
    """
    return placed(slots(x)[None], scaled(x[:, None], y, w).T)


def scaled(x: FloatArray, y: FloatArray, w: FloatArray) -> FloatArray:
    """Return log2(y / x) minus its mean over the first axis, divided by `UNIT`; 0 where `w` is 0."""
    logs = np.log2(np.where(w > 0, y, 1.0) / x) * w
    return np.asarray((logs - logs.sum(axis=0) / w.sum(axis=0)) * w / UNIT)


def placed(slots_of: IntArray, values: FloatArray) -> FloatArray:
    """Return the inputs of K series, (K, 11). `values` (K, X) has X values of each series, and `slots_of`,
    (K, X) or (1, X), their neurons.
    """
    neurons = np.zeros((len(values), len(POSITIONS)))
    np.put_along_axis(neurons, np.broadcast_to(slots_of, values.shape), values, axis=1)
    return neurons


@cache
def _choices(count: int) -> IntArray:
    """Return all choices of `count` of the eleven neurons, in rising order."""
    return np.array(list(combinations(range(len(POSITIONS)), count)))
