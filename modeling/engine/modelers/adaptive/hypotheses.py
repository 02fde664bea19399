"""Laws that are made of the classes which the network finds most probable (Ritter et al. 2021, section IV-D).

The most probable classes of each parameter are combined with each other by sums and products. Least squares
give the coefficients, and the smallest cross-validated SMAPE decides.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from modeling.engine.laws.terms import term_rows
from modeling.engine.measured.observations import Observations
from modeling.engine.modelers.adaptive.examples import CLASSES
from modeling.engine.modelers.leastsquares import LeastSquares, smape, solve
from modeling.engine.modelers.single import LEAST_FREE_LEVERAGE
from modeling.engine.modelers.structures import Structure
from modeling.engine.validation import BoolArray, FloatArray, IntArray

TOP = {1: 1, 2: 3, 3: 3, 4: 3, 5: 3}
"""Classes of each parameter that are tried, by the number of parameters; of more than five the most probable
one, as there are 3^m combinations.

The paper tries three of a single parameter, too. Its five values are too few to choose by: with the most
probable class 62 % of exponents are within 1/4 of the truth under 100 % of noise, and 59 % with the best of
three."""

LEAST_ODDS = 0.1
"""Combinations of classes that are less probable than this, relative to the most probable one, are not
tried."""

MOST_COMBINED = 3
"""Parameters of which all sums of products are tried; of more, only the sum and the product of all."""

KERNELS_AT_ONCE = 256
"""Kernels that are fitted together: their columns at some hundred points stay in the processor's cache."""


@dataclass(frozen=True)
class Best:
    """The best laws of K kernels: exponents (K, m, m, 2), 0 for terms and parameters not used, and errors
    (K,)."""

    exponents: FloatArray
    cv_smape: FloatArray


def best_laws(probabilities: FloatArray, observations: Observations) -> Best:
    """Find each kernel's best law among those of its most probable classes.

    Parameters
    ----------
    probabilities : (m, K, 43) of each parameter's classes.
    observations : of the K kernels.

    """
    parts = []
    for begin in range(0, len(observations.scale), KERNELS_AT_ONCE):
        kernels = np.arange(begin, min(begin + KERNELS_AT_ONCE, len(observations.scale)))
        parts.append(_best_laws(probabilities[:, kernels], observations.part(kernels)))
    return Best(
        np.concatenate([part.exponents for part in parts]), np.concatenate([part.cv_smape for part in parts])
    )


def _best_laws(probabilities: FloatArray, observations: Observations) -> Best:
    m, K, _ = probabilities.shape
    tables = [term_rows(CLASSES, x) for x in observations.points.T]
    best = Best(np.zeros((K, m, m, 2)), constant_error(observations))
    for kernels, classes in _likely_classes(probabilities):
        part = observations.part(kernels)
        for structure in sums_of_products(m):
            error = cross_validated(_columns(tables, classes, structure), part)
            better = error < best.cv_smape[kernels]
            best.cv_smape[kernels[better]] = error[better]
            best.exponents[kernels[better]] = law_exponents(classes[:, better], structure)
    return best


def _likely_classes(probabilities: FloatArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Combinations of classes (m, some kernels), with the numbers of the kernels that they are likely for."""
    m = len(probabilities)
    top = TOP.get(m, 1)
    order = np.argsort(-probabilities, axis=2)[:, :, :top]
    found = np.take_along_axis(probabilities, order, axis=2)
    odds = found / found[:, :, :1]
    for ranks in product(range(top), repeat=m):
        joint = np.prod([odds[parameter, :, rank] for parameter, rank in enumerate(ranks)], axis=0)
        kernels = np.flatnonzero(joint >= LEAST_ODDS)
        if len(kernels):
            yield kernels, np.stack([order[parameter, kernels, rank] for parameter, rank in enumerate(ranks)])


def sums_of_products(parameters: int) -> list[Structure]:
    """Structures in which each parameter is in one term: all of few parameters, else the product and the
    sum."""
    single = [1 << parameter for parameter in range(parameters)]
    if parameters == 1:
        return [(1,)]
    if parameters > MOST_COMBINED:
        return [(sum(single),), tuple(single)]
    found: list[Structure] = [()]
    for bit in single:
        found = [
            (*blocks[:place], blocks[place] | bit, *blocks[place + 1 :])
            if place < len(blocks)
            else (*blocks, bit)
            for blocks in found
            for place in range(len(blocks) + 1)
        ]
    return found


def law_exponents(classes: IntArray, structure: Structure) -> FloatArray:
    """Exponents (K, m, m, 2) of laws with these classes (m, K) in a structure."""
    m, K = classes.shape
    exponents = np.zeros((K, m, m, 2))
    for term, mask in enumerate(structure):
        for parameter in range(m):
            if mask >> parameter & 1:
                exponents[:, term, parameter] = CLASSES[classes[parameter]]
    return exponents


def _columns(tables: list[FloatArray], classes: IntArray, structure: Structure) -> FloatArray:
    """Terms (T, P, K) of a structure; one whose parameters are all constant is 0."""
    columns = []
    for mask in structure:
        members = [parameter for parameter in range(len(classes)) if mask >> parameter & 1]
        term = np.ones(())
        for parameter in members:
            term = term * tables[parameter][classes[parameter]].T
        columns.append(term * (classes[members] != 0).any(axis=0))
    return np.stack(columns)


def cross_validated(terms: FloatArray, observations: Observations) -> FloatArray:
    """SMAPE (K,) of every point predicted by the law that the others give; infinite where the law is refused.

    `terms` (T, P, K). Residuals are weighed as shares of the values. A law is refused where a term is
    subtracted, or where without some point it cannot be fitted.
    """
    y = observations.y
    w = np.broadcast_to(observations.w, y.shape)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = np.abs(terms).max(axis=1, keepdims=True)
        columns = np.concatenate([w[None], np.where(size > 0, terms / size, 0.0) * w])
        unit = observations.unit
        found = solve(columns / unit, y / unit)
        free = 1 - found.leverages
        unstable = _unstable(found, w, free)
        error = smape(np.where(w > 0, unit * found.residuals / free, 0.0), y) / w.sum(axis=0)
    refused = unstable | (found.coefficients[1:] < 0).any(axis=0) | ~np.isfinite(error)
    return np.where(refused, np.inf, error)


def _unstable(found: LeastSquares, w: FloatArray, free: FloatArray) -> BoolArray:
    return np.asarray(
        ((free < LEAST_FREE_LEVERAGE) & (w > 0)).any(axis=0) | ~np.isfinite(found.residuals).all(axis=0)
    )


def constant_error(observations: Observations) -> FloatArray:
    """Cross-validated SMAPE (K,) of the mean of all values."""
    empty = np.zeros((0, *observations.y.shape))
    return cross_validated(empty, observations)
