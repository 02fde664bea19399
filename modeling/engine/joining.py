"""Put the arrays of several groups of kernels together."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modeling.engine.validation import IntArray


def in_turn(counts: Sequence[int]) -> list[IntArray]:
    """Return the places of groups of kernels that follow each other, given the number of kernels of each."""
    return np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])


def put_together(arrays: Sequence[NDArray[Any]], places: Sequence[IntArray], fill: float = 0) -> NDArray[Any]:
    """Return one array whose rows `places[n]` are those of `arrays[n]`.

    Arrays that are smaller than others along further axes are filled up with `fill`. Nothing is copied twice,
    because models of many kernels take most of the memory.
    """
    shapes = {array.shape[1:] for array in arrays}
    whole: NDArray[Any] = np.empty(
        (sum(map(len, arrays)), *map(max, zip(*shapes, strict=True))), np.result_type(*arrays)
    )
    if len(shapes) > 1:
        whole[:] = fill
    for array, place in zip(arrays, places, strict=True):
        room: tuple[Any, ...] = tuple(map(slice, array.shape[1:]))
        whole[(place, *room)] = array
    return whole
