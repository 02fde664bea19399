"""Plausible laws of functions that were not measured yet, from the parameters that they depend on."""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product

import numpy as np

from modeling.engine.design.deduced.information import Laws, Wanted
from modeling.engine.validation import FloatArray

GROWTHS = ((0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 0.0), (0.0, 1.0))
"""Exponents (i, j) of the plausible laws x^i log^j x of a single parameter."""

FEWER_GROWTHS = ((0.5, 0.0), (1.0, 0.0), (2.0, 0.0))
"""Exponents for each of two or three parameters that meet in a function."""

CROSSED = 3
"""Up to this number of parameters, each may have its own growth. With more, all have the same growth."""


def guessed_laws(candidates: FloatArray, wanted: Wanted) -> Iterator[Laws]:
    """Yield the plausible laws of all functions, once for all functions with the same parameters."""
    middle = np.exp(np.log(candidates).mean(axis=0))
    for parameters, count in wanted.functions.items():
        growths = list(_growths(len(parameters)))
        _, first, which = np.unique(candidates[:, parameters], axis=0, return_index=True, return_inverse=True)
        at = np.vstack([candidates[first], wanted.target])
        rows = np.stack([_rows(at, middle, parameters, some) for some in growths])
        yield Laws(rows[:, :-1], rows[:, -1], which.ravel(), count / len(growths))


def _growths(count: int) -> Iterator[tuple[tuple[float, float], ...]]:
    """Return the combinations of growths of `count` parameters."""
    if count <= 1:
        return product(GROWTHS, repeat=count)
    if count <= CROSSED:
        return product(FEWER_GROWTHS, repeat=count)
    return ((growth,) * count for growth in FEWER_GROWTHS)


def _rows(
    points: FloatArray, middle: FloatArray, parameters: Sequence[int], growths: Sequence[tuple[float, float]]
) -> FloatArray:
    """Return the derivatives of a law by its coefficients and exponents, divided by its values."""
    terms = _terms(points, middle, parameters, growths)
    exponents = [terms[:, -1] * np.log(points[:, at] / middle[at]) for at in parameters]
    return np.asarray(np.column_stack([terms, *exponents]) / terms.sum(axis=1, keepdims=True))


def _terms(
    points: FloatArray, middle: FloatArray, parameters: Sequence[int], growths: Sequence[tuple[float, float]]
) -> FloatArray:
    """Return all products of the parameters' growths, the constant first. Each product is 1 at `middle`."""
    single = [
        (points[:, at] / middle[at]) ** power
        * (np.log2(1 + points[:, at]) / np.log2(1 + middle[at])) ** logarithm
        for at, (power, logarithm) in zip(parameters, growths, strict=True)
    ]
    subsets = chain.from_iterable(combinations(single, size) for size in range(len(single) + 1))
    return np.stack([np.prod(some, axis=0) * np.ones(len(points)) for some in subsets], axis=1)
