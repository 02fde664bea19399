"""Infer the parameters that functions depend on from posteriors, for programs without a profile."""

from itertools import combinations

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LEAST_PROBABILITY = 0.1
"""Smallest probability with which a function is assumed to depend on a parameter or on a product. It is low,
because a missing combination gives a wrong law.
"""

FEWEST_VALUES = 3
"""Fewest measured values of a parameter that show whether a function depends on it."""

Terms = frozenset[frozenset[int]]
"""Sets of indices of parameters. Parameters of one set multiply each other; different sets add up."""


def inferred_terms(models: Models, points: FloatArray) -> list[Terms]:
    """Return the terms of each kernel's probable laws, from models of P points with m parameters (P, m).

    A parameter with fewer than three measured values is assumed to multiply all others.
    """
    exponents, probability = _laws(models)
    present = np.any(exponents != 0, axis=-1)
    values = np.array([len(np.unique(column)) for column in points.T], dtype=np.int_)
    return [_terms(law, weight, values) for law, weight in zip(present, probability, strict=True)]


def _laws(models: Models) -> tuple[FloatArray, FloatArray]:
    """Return the exponents of probable laws, and their probabilities."""
    if models.posterior is None:
        return np.asarray(models.exponents)[:, None], np.ones((len(models), 1))
    weights = models.posterior.probability
    return models.posterior.exponents, weights / weights.sum(axis=1, keepdims=True)


def _terms(present: BoolArray, probability: FloatArray, values: IntArray) -> Terms:
    """Return the terms of one kernel. `present` marks the parameters in each term of each law."""
    count = present.shape[-1]
    unknown = [at for at in range(count) if values[at] < FEWEST_VALUES]
    single = np.asarray(probability @ np.any(present, axis=1))
    used = sorted({*unknown, *np.flatnonzero(single >= LEAST_PROBABILITY).tolist()})
    together = {
        frozenset(pair)
        for pair in combinations(used, 2)
        if {*pair} & {*unknown}
        or probability @ np.any(np.all(present[:, :, list(pair)], axis=2), axis=1) >= LEAST_PROBABILITY
    }
    met = frozenset().union(*together)
    return frozenset(together | {frozenset([at]) for at in used if at not in met})
