"""Check the arguments of callers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int_]
BoolArray = NDArray[np.bool_]


def check_points(points: ArrayLike, name: str = "points") -> FloatArray:
    """Return P points of m parameters as floats (P, m).

    Raises:
        ValueError: another shape, or numbers that are not positive and finite.
    """
    array = as_floats(points, name)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{name}: found shape {array.shape}, expected (points, parameters) with at least one of each"
        )
    if not (np.isfinite(array).all() and (array > 0).all()):
        worst = array[~(np.isfinite(array) & (array > 0))][0]
        raise ValueError(f"{name}: found {worst}, expected positive finite parameter values")
    return array


def check_values(values: ArrayLike, point_count: int, name: str = "values") -> FloatArray:
    """Return R repetitions of K kernels at P points as floats (K, P, R); NaN means missing.

    Raises:
        ValueError: another shape, or an infinite value.
    """
    array = as_floats(values, name)
    if array.ndim != 3 or array.shape[1] != point_count or array.shape[2] == 0:
        raise ValueError(
            f"{name}: found shape {array.shape}, expected (kernels, {point_count} points, repetitions)"
        )
    if np.isinf(array).any():
        raise ValueError(f"{name}: found an infinite value, expected numbers, or NaN for what is missing")
    return array


def check_evaluation_points(points: ArrayLike, parameter_count: int) -> FloatArray:
    """Return Q points of m parameters as floats (Q, m). A single point may have the shape (m,)."""
    array = as_floats(points, "points")
    array = check_points(array[None, :] if array.ndim == 1 else array)
    if array.shape[1] != parameter_count:
        raise ValueError(f"points: found {array.shape[1]} parameters, expected {parameter_count}")
    return array


def check_names(names: Sequence[str], parameter_count: int) -> None:
    """Raise ValueError if there are not as many names as parameters."""
    if len(names) != parameter_count:
        raise ValueError(f"names: found {names!r}, expected {parameter_count} names of parameters")


def check_level(level: float) -> None:
    """Raise ValueError unless the probability of an interval lies between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"level: found {level}, expected a probability between 0 and 1")


def as_floats(array: ArrayLike, name: str) -> FloatArray:
    """Return an array as float64. Its `name` is in the ValueError if the type is wrong."""
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}, expected an array of numbers") from error
