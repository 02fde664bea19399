"""Check the arguments of callers. All other modules rely on these checks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int_]
BoolArray = NDArray[np.bool_]


def check_points(points: ArrayLike, name: str = "points") -> FloatArray:
    """Return points as (P, m) floats, P and m at least 1, all positive and finite."""
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
    """Return values as (K, P, R) floats without infinities, NaN meaning missing."""
    array = as_floats(values, name)
    if array.ndim != 3 or array.shape[1] != point_count or array.shape[2] == 0:
        raise ValueError(
            f"{name}: found shape {array.shape}, expected (kernels, {point_count} points, repetitions)"
        )
    if np.isinf(array).any():
        raise ValueError(f"{name}: found an infinite value, expected numbers, or NaN for what is missing")
    return array


def check_evaluation_points(points: ArrayLike, parameter_count: int) -> FloatArray:
    """Return points to evaluate a law at, (Q, m); a single point may come as (m,)."""
    array = as_floats(points, "points")
    array = check_points(array[None, :] if array.ndim == 1 else array)
    if array.shape[1] != parameter_count:
        raise ValueError(f"points: found {array.shape[1]} parameters, expected {parameter_count}")
    return array


def check_names(names: Sequence[str], parameter_count: int) -> None:
    """Refuse names of parameters if their number differs from that of the parameters."""
    if len(names) != parameter_count:
        raise ValueError(f"names: found {names!r}, expected {parameter_count} names of parameters")


def check_level(level: float) -> None:
    """Refuse a level (the probability of an interval) outside (0, 1)."""
    if not 0 < level < 1:
        raise ValueError(f"level: found {level}, expected a probability between 0 and 1")


def as_floats(array: ArrayLike, name: str) -> FloatArray:
    """Convert an argument to float64, or say which argument cannot be converted."""
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}, expected an array of numbers") from error
