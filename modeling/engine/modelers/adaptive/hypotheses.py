"""Choose laws among the classes that the network finds most probable (Ritter et al. 2021, section IV-D).

The classes of all parameters are combined by sums and products, and least squares give the coefficients. In
one step this differs from the paper, which chooses the law by cross-validation and so follows the noise if
the noise is high. Here the probability of a law is the network's probability of its classes, times the law's
likelihood at all points. The law is chosen for which the probability that it is true, plus `NEAR_WORTH` times
the probability that it is near the true law, is largest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.laws.terms import term_rows
from modeling.engine.measured.observations import Observations
from modeling.engine.modelers.adaptive.examples import CLASSES
from modeling.engine.modelers.leastsquares import LeastSquares, reciprocal, smape, solve
from modeling.engine.modelers.single import LEAST_FREE_LEVERAGE
from modeling.engine.modelers.structures import Structure
from modeling.engine.validation import BoolArray, FloatArray, IntArray

CLASSES_TRIED = 8
"""Number of each parameter's most probable classes that are combined, if there are several parameters.
With three classes, as in the paper, and 100 % of noise, 8 percentage points fewer of the exponents of two
parameters are within 1/4 of the truth.
"""

CANDIDATES = 48
"""The number of the most probable combinations of classes that are fitted. With one parameter, all classes
are. With half this number, the error at P4+ (four steps beyond the data) is 3.5 instead of 1.9 % for three
parameters and 50 % of noise. With more combinations, results are the same and take longer.
"""

NEAR = 0.25 + 1e-9
"""Two laws are near each other if their powers differ by at most this (Ritter et al. 2021, section V)."""

NEAR_WORTH = 2.0
"""Weight of being near the true law, relative to being the true law, for laws of several parameters. For a
single parameter the weight is 1. A larger weight improves exponents but worsens predictions: with twice
the weight, 1 to 2 percentage points more exponents of one parameter are within 1/4 of the truth, but with
50 % of noise the error at P4+ rises from 6.8 to 8 %, above that of the paper. With a weight of 0, the most
probable law is chosen; the error is then 5 %, and 10 percentage points fewer exponents are near the truth.
"""

MOST_COMBINED = 3
"""Largest number of parameters for which all sums of products are tried. With more parameters, only the sum
of all parameters' terms and their product are tried.
"""

KERNELS_AT_ONCE = 1024
"""The number of kernels that are fitted together, so that their columns at some hundred points fit into
the processor's cache.
"""

LAWS_AT_ONCE = 1024
"""The number of laws that are fitted in one call. With half as many (more calls) and with twice as many
(more memory), fitting takes a tenth longer.
"""

IMPOSSIBLE = 1e-12
"""The smallest probability of a class, so that logarithms are finite. Smaller probabilities in single
precision are rounding errors.
"""


@dataclass(frozen=True)
class Best:
    """The best laws of K kernels: exponents (K, m, m, 2), 0 for unused terms and parameters, and errors
    (K,).
    """

    exponents: FloatArray
    cv_smape: FloatArray


@dataclass(frozen=True)
class Candidates:
    """N combinations of classes for each of K kernels: `classes` (N, m, K), and the network's log
    probabilities of the combinations, (N, K).
    """

    classes: IntArray
    log_probabilities: FloatArray


def best_laws(probabilities: FloatArray, observations: Observations) -> Best:
    """Find each kernel's law among those of its most probable classes.

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
    """Find the laws of `best_laws` by choosing the structure and the classes of the terms in turn.

    The first structure is the best one for two choices of classes: each parameter's most probable classes,
    and the most probable combination. If another structure suits the chosen classes better, it is tried too,
    and the better of both laws is taken.
    """
    tables = [term_rows(CLASSES, x) for x in observations.points.T]
    candidates = likely_classes(probabilities)
    first = [central_classes(probabilities), candidates.classes[0]]
    structure = _structure(tables, first, observations)
    classes, best = _joined(tables, candidates, structure, observations)
    again = _structure(tables, [classes], observations)
    changed = np.flatnonzero(again != structure)
    if len(changed):
        some, part = _of_kernels(candidates, changed), observations.part(changed)
        _, other = _joined(tables, some, again[changed], part)
        better = np.flatnonzero(other.cv_smape < best.cv_smape[changed])
        best.cv_smape[changed[better]] = other.cv_smape[better]
        best.exponents[changed[better]] = other.exponents[better]
    return best


def _joined(
    tables: list[FloatArray], candidates: Candidates, chosen: IntArray, observations: Observations
) -> tuple[IntArray, Best]:
    """Return the candidates' best classes (m, K) for the chosen structures (K,), and their laws.

    If all laws of a kernel are refused, its law is a constant.
    """
    m, K = candidates.classes.shape[1:]
    found, best = np.zeros((m, K), int), Best(np.zeros((K, m, m, 2)), constant_error(observations))
    for number, structure in enumerate(sums_of_products(m)):
        kernels = np.flatnonzero(chosen == number)
        if not len(kernels):
            continue
        part, some = observations.part(kernels), _of_kernels(candidates, kernels)
        classes = _central(some, _squares(tables, some.classes, structure, part), part)
        error = cross_validated(_columns(tables, classes, structure), part)
        lawful = np.isfinite(error)
        found[:, kernels] = classes
        best.cv_smape[kernels[lawful]] = error[lawful]
        best.exponents[kernels[lawful]] = law_exponents(classes[:, lawful], structure)
    return found, best


def _of_kernels(candidates: Candidates, kernels: IntArray) -> Candidates:
    return Candidates(candidates.classes[:, :, kernels], candidates.log_probabilities[:, kernels])


def central_classes(probabilities: FloatArray) -> IntArray:
    """Return the class of each parameter (m, K) for which the probability of the class and of all classes
    near it is largest.
    """
    return np.asarray((probabilities + probabilities @ CLASSES_NEAR).argmax(axis=2))


CLASSES_NEAR: FloatArray = (np.abs(CLASSES[:, None, 0] - CLASSES[:, 0]) <= NEAR).astype(float)
"""Whether the powers of two classes are near each other, (43, 43)."""


def likely_classes(probabilities: FloatArray) -> Candidates:
    """Return the most probable combinations of classes, at most `CANDIDATES`, given probabilities (m, K, 43).

    Parameters are joined one by one. This loses no combination, because the most probable combinations
    consist of the most probable combinations of fewer parameters.
    """
    m, K, count = probabilities.shape
    tried = count if m == 1 else CLASSES_TRIED
    classes, logs = np.zeros((1, 0, K), int), np.zeros((1, K))
    for found in probabilities:
        order = np.argsort(-found.T, axis=0, kind="stable")[:tried]
        added = np.log(np.maximum(np.take_along_axis(found.T, order, axis=0), IMPOSSIBLE))
        joint = (logs[:, None] + added).reshape(-1, K)
        kept = np.argsort(-joint, axis=0, kind="stable")[:CANDIDATES]
        before, own = np.divmod(kept, len(order))
        earlier = np.take_along_axis(classes, before[:, None], axis=0)
        classes = np.concatenate([earlier, np.take_along_axis(order, own, axis=0)[:, None]], axis=1)
        logs = np.take_along_axis(joint, kept, axis=0)
    return Candidates(classes, logs)


def _structure(tables: list[FloatArray], classes: list[IntArray], observations: Observations) -> IntArray:
    """Return the structure (K,) that predicts left-out points best with any of the choices of classes, (m,
    K) each.
    """
    structures = sums_of_products(len(tables))
    if len(structures) == 1:
        return np.zeros(len(observations.scale), int)
    errors = [
        [cross_validated(_columns(tables, each, structure), observations) for each in classes]
        for structure in structures
    ]
    return np.asarray(np.min(errors, axis=1).argmin(axis=0))


def _squares(
    tables: list[FloatArray], classes: IntArray, structure: Structure, observations: Observations
) -> FloatArray:
    """Return the sums of squared relative residuals (N, K) of laws with classes (N, m, K). They are infinite
    for refused laws.
    """
    N, m, K = classes.shape
    relative, signs = observations.w / observations.unit, np.sign(observations.y)
    parts = []
    for some in np.array_split(classes, -(-N * K // LAWS_AT_ONCE)):
        count = len(some)
        weights = np.tile(relative, count)
        terms = _columns(tables, some.swapaxes(0, 1).reshape(m, count * K), structure)
        found = sum_of_squares([weights, *(terms * weights)], np.tile(signs, count))
        parts.append(found.reshape(count, K))
    return np.concatenate(parts)


def sum_of_squares(columns: Sequence[FloatArray], values: FloatArray) -> FloatArray:
    """Return the least sum of squares (K,) of values − Σ coefficient · column. It is infinite if a
    coefficient other than the first one is negative.

    Values and columns are (P, K). Normal equations take a third of the time of `leastsquares.solve`, and
    their rounding errors are far smaller than the differences between repetitions. A column that depends on
    earlier ones gets no coefficient.
    """
    n = len(columns)
    gram = np.zeros((n + 1, n + 1, values.shape[1]))
    known = [*columns, values]
    for row in range(n + 1):
        for column in range(row + 1):
            gram[row, column] = np.einsum("pk,pk->k", known[row], known[column])
    size = np.sqrt(np.einsum("aak->ak", gram))
    gram *= reciprocal(size)[:, None] * reciprocal(size)
    lower = np.zeros_like(gram)
    for row in range(n + 1):
        for column in range(row):
            left = gram[row, column] - np.einsum("ak,ak->k", lower[row, :column], lower[column, :column])
            lower[row, column] = left * reciprocal(lower[column, column])
        rest = gram[row, row] - np.einsum("ak,ak->k", lower[row, :row], lower[row, :row])
        lower[row, row] = np.sqrt(np.where(rest > DEPENDENT, rest, 0.0)) if row < n else rest
    coefficients = np.zeros((n, lower.shape[2]))
    for row in range(n - 1, -1, -1):
        later = np.einsum("ak,ak->k", lower[row + 1 : n, row], coefficients[row + 1 :])
        coefficients[row] = (lower[n, row] - later) * reciprocal(lower[row, row])
    squares = np.maximum(lower[n, n], 0.0) * size[n] ** 2
    return np.where((coefficients[1:] < 0).any(axis=0) | ~np.isfinite(squares), np.inf, squares)


DEPENDENT = 1e-11
"""Smallest share of a column's squared length that is independent of earlier columns. Below it the column's
coefficient would be determined by rounding.
"""


def _central(candidates: Candidates, squares: FloatArray, observations: Observations) -> IntArray:
    """Return the classes (m, K) of the candidates that are most probably true, or near the truth.

    Under noise of relative standard error σ, a law has the likelihood exp(−Σ r² / 2σ²). If all laws miss the
    values by more than the noise, the smallest mean square of residuals is taken as σ². With a single
    parameter, the network's probabilities already include the likelihood, because the network has seen all
    the data.
    """
    N, m, _ = candidates.classes.shape
    lawful = np.isfinite(squares)
    logs = np.where(lawful, candidates.log_probabilities, -np.inf)
    if m > 1:
        freedom = np.maximum(observations.w.sum(axis=0) - m - 1, 1)
        least = np.where(lawful, squares, np.inf).min(axis=0)
        variance = np.maximum(observations.blur**2, np.where(np.isfinite(least), least, 1.0) / freedom)
        logs -= np.where(lawful, squares, 0.0) / (2 * np.maximum(variance, LEAST_VARIANCE))
    weights = np.exp(logs - np.maximum(logs.max(axis=0), -MOST_LOG))
    near = np.stack([(weights * _near(candidates.classes, number)).sum(axis=0) for number in range(N)])
    good = weights + (NEAR_WORTH if m > 1 else 1.0) * near
    best = np.where(lawful, good, -1.0).argmax(axis=0)
    return np.asarray(np.take_along_axis(candidates.classes, best[None, None], axis=0)[0])


LEAST_VARIANCE = 1e-12
"""Variance of the relative residuals due to rounding, for a law that describes all values exactly."""

MOST_LOG = 1e300
"""This value replaces infinity if all laws of a kernel are refused."""


def _near(classes: IntArray, number: int) -> BoolArray:
    """Return which candidates (N, m, K) are near the candidate with the given number, (N, K): all their
    powers are near each other.
    """
    powers = CLASSES[classes, 0]
    return np.asarray((np.abs(powers - powers[number]) <= NEAR).all(axis=1))


def sums_of_products(parameters: int) -> list[Structure]:
    """Return the structures in which each parameter is in one term: all of them for few parameters,
    otherwise the product and the sum of all parameters.
    """
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
    """Return the exponents (K, m, m, 2) of laws with these classes (m, K) in a structure."""
    m, K = classes.shape
    exponents = np.zeros((K, m, m, 2))
    for term, mask in enumerate(structure):
        for parameter in range(m):
            if mask >> parameter & 1:
                exponents[:, term, parameter] = CLASSES[classes[parameter]]
    return exponents


def _columns(tables: list[FloatArray], classes: IntArray, structure: Structure) -> FloatArray:
    """Return the terms (T, P, K) of a structure. A term whose parameters are all constant is 0."""
    columns = []
    for mask in structure:
        members = [parameter for parameter in range(len(classes)) if mask >> parameter & 1]
        term = np.ones(())
        for parameter in members:
            term = term * tables[parameter][classes[parameter]].T
        columns.append(term * (classes[members] != 0).any(axis=0))
    return np.stack(columns)


def cross_validated(terms: FloatArray, observations: Observations) -> FloatArray:
    """Return the SMAPE (K,) of predictions of every point by the law fitted to the other points; infinite for
    refused laws.

    `terms` are (T, P, K). Residuals are divided by the values. A law is refused if a term is subtracted, or
    if the law cannot be fitted without some point.
    """
    y, unit = observations.y, observations.unit
    w = np.broadcast_to(observations.w, y.shape)
    found = _fit(terms, observations)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        free = 1 - found.leverages
        error = smape(np.where(w > 0, unit * found.residuals / free, 0.0), y) / w.sum(axis=0)
    refused = _unstable(found, w, free) | _subtracts(found) | ~np.isfinite(error)
    return np.where(refused, np.inf, error)


def _fit(terms: FloatArray, observations: Observations) -> LeastSquares:
    """Fit a constant and terms (T, P, K) by least squares of residuals divided by the values."""
    w = np.broadcast_to(observations.w, observations.y.shape)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = np.abs(terms).max(axis=1, keepdims=True)
        columns = np.concatenate([w[None], np.where(size > 0, terms / size, 0.0) * w])
        return solve(columns / observations.unit, observations.y / observations.unit)


def _subtracts(found: LeastSquares) -> BoolArray:
    """Return whether a term is subtracted, (K,)."""
    return np.asarray((found.coefficients[1:] < 0).any(axis=0))


def _unstable(found: LeastSquares, w: FloatArray, free: FloatArray) -> BoolArray:
    return np.asarray(
        ((free < LEAST_FREE_LEVERAGE) & (w > 0)).any(axis=0) | ~np.isfinite(found.residuals).all(axis=0)
    )


def constant_error(observations: Observations) -> FloatArray:
    """Return the cross-validated SMAPE of a constant, (K,)."""
    empty = np.zeros((0, *observations.y.shape))
    return cross_validated(empty, observations)
