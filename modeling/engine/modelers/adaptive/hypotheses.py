"""Choose laws among the classes that the network finds most probable (Ritter et al. 2021, section IV-D).

The classes of all parameters are combined by sums and products. The paper chooses the law by
cross-validation, which follows strong noise. Here the probability of a law is the network's probability of
its classes. With several parameters, it is multiplied by the law's likelihood. The chosen law has the largest
sum of its own probability and `NEAR_WORTH` times the probability of all laws near it.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.laws.terms import term_rows
from modeling.engine.measured.observations import Observations
from modeling.engine.modelers.adaptive.candidates import (
    Candidates,
    central_classes,
    likely_classes,
    near_candidates,
)
from modeling.engine.modelers.adaptive.examples import CLASSES
from modeling.engine.modelers.adaptive.fits import (
    constant_error,
    cross_validated,
    law_exponents,
    residual_squares,
    term_values,
)
from modeling.engine.modelers.structures import Structure, all_sums_of_products
from modeling.engine.validation import FloatArray, IntArray

NEAR_WORTH = 2.0
"""Factor on the probability of all laws near a law, itself included, when a law of several parameters is
chosen. For a single parameter the factor is 1.

A larger number improves exponents but worsens predictions. For a single parameter, 2 instead of 1 brings 1 to
2 percentage points more exponents within 1/4 of the truth. But at 50 % of noise, the error at the fourth
value beyond the measured range rises from 6.8 to 8 %, above the paper's error. With 0 this error is 5 %, and
10 percentage points fewer exponents are near the truth.
"""

MOST_COMBINED = 3
"""Largest number of parameters for which all sums of products are tried."""

KERNELS_AT_ONCE = 1024
"""The number of kernels that are fitted together, so that their columns fit into the processor's cache."""

LEAST_VARIANCE = 1e-12
"""Lower limit of the variance of relative residuals, due to rounding."""

MOST_LOG = 1e300
"""This number replaces infinity in the logarithms of probabilities if all laws of a kernel are refused."""


@dataclass(frozen=True)
class Best:
    """The best laws of K kernels: exponents of m terms of m parameters, (K, m, m, 2), 0 for unused ones, and
    cross-validated SMAPE, (K,).
    """

    exponents: FloatArray
    cv_smape: FloatArray


def best_laws(probabilities: FloatArray, observations: Observations) -> Best:
    """Find the best law of K kernels among laws of their most probable classes. `probabilities` (m, K, 43)
    has the probability of each class for m parameters.
    """
    parts = []
    for begin in range(0, len(observations.scale), KERNELS_AT_ONCE):
        kernels = np.arange(begin, min(begin + KERNELS_AT_ONCE, len(observations.scale)))
        parts.append(_best_laws(probabilities[:, kernels], observations.part(kernels)))
    return Best(
        np.concatenate([part.exponents for part in parts]), np.concatenate([part.cv_smape for part in parts])
    )


def _best_laws(probabilities: FloatArray, observations: Observations) -> Best:
    """Find the laws of some kernels, by choosing the structure and the classes of the terms in turn.

    The first structure suits the central classes or the most probable ones, whichever it fits better. If
    another structure suits the chosen classes better, laws are chosen again. The better law is returned.
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
    """Join each kernel's candidates by the structure with the index `chosen`. Return the best classes and
    laws.
    """
    m, K = candidates.classes.shape[1:]
    found, best = np.zeros((m, K), int), Best(np.zeros((K, m, m, 2)), constant_error(observations))
    for number, structure in enumerate(sums_of_products(m)):
        kernels = np.flatnonzero(chosen == number)
        if not len(kernels):
            continue
        part, some = observations.part(kernels), _of_kernels(candidates, kernels)
        classes = _central(some, residual_squares(tables, some.classes, structure, part), part)
        error = cross_validated(term_values(tables, classes, structure), part)
        lawful = np.isfinite(error)
        found[:, kernels] = classes
        best.cv_smape[kernels[lawful]] = error[lawful]
        best.exponents[kernels[lawful]] = law_exponents(classes[:, lawful], structure)
    return found, best


def _of_kernels(candidates: Candidates, kernels: IntArray) -> Candidates:
    return Candidates(candidates.classes[:, :, kernels], candidates.log_probabilities[:, kernels])


def _structure(tables: list[FloatArray], classes: list[IntArray], observations: Observations) -> IntArray:
    """Return the index of the structure that predicts left-out points best with any of the `classes`."""
    structures = sums_of_products(len(tables))
    if len(structures) == 1:
        return np.zeros(len(observations.scale), int)
    errors = [
        [cross_validated(term_values(tables, each, structure), observations) for each in classes]
        for structure in structures
    ]
    return np.asarray(np.min(errors, axis=1).argmin(axis=0))


def _central(candidates: Candidates, squares: FloatArray, observations: Observations) -> IntArray:
    """Return the classes of the candidate with the largest worth (`NEAR_WORTH`).

    Under noise with the relative standard error σ, a law has the likelihood exp(−Σ r² / 2σ²), with relative
    residuals r. If all laws miss the values by more than the noise, σ² is the smallest mean square of
    residuals. With one parameter the likelihood is omitted, because the network's probabilities are based on
    all values already.
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
    near = np.stack(
        [(weights * near_candidates(candidates.classes, number)).sum(axis=0) for number in range(N)]
    )
    good = weights + (NEAR_WORTH if m > 1 else 1.0) * near
    best = np.where(lawful, good, -1.0).argmax(axis=0)
    return np.asarray(np.take_along_axis(candidates.classes, best[None, None], axis=0)[0])


def sums_of_products(parameters: int) -> list[Structure]:
    """Return the structures in which each parameter is in one term. With more than `MOST_COMBINED`
    parameters, these are only the product and the sum.
    """
    if parameters <= MOST_COMBINED:
        return all_sums_of_products(parameters)
    single = [1 << parameter for parameter in range(parameters)]
    return [(sum(single),), tuple(single)]
