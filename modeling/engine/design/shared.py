"""The part of a prediction's error that runs of the same job, node or day share.

Modelers treat repetitions as independent. If a job is slow, all its runs are slow, and more runs do not
reduce this error. To first order, the logarithm of a prediction is the sum of the logarithms of all runs,
each times a weight a. Let σ² be the variance of a run, and τ² the part of it between groups. The variance of
the prediction's error is then

    σ² · (sum of a² over all runs) + τ² · (sum of A² over all groups − sum of a² over their runs),

where A is the sum of a over the runs of a group. Modelers already include the first summand; this module
computes the second. (See Searle, Casella and McCulloch, Variance Components, section 3.2.)
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modeling.engine.design.beliefs import LEVEL
from modeling.engine.design.scatter import ALIKE_GROUPS, Scatter
from modeling.engine.laws.terms import evaluate
from modeling.engine.results.models import Models
from modeling.engine.validation import FloatArray, IntArray

Groups = Mapping[str, IntArray]
"""Kind of group, the coarsest first → label of each run, (P, R) or (K, P, R); negative if unknown."""


@dataclass(frozen=True)
class Runs:
    """The runs of K kernels: P points (P, m), R repetitions (K, P, R) with NaN where missing, and groups."""

    points: FloatArray
    values: FloatArray
    groups: Groups


def shared_errors(models: Models, runs: Runs, split: Scatter, at: FloatArray) -> FloatArray:
    """Return standard deviations of the errors that N groups cause in the log laws of K kernels, (K, N, Q).

    The errors of one group at Q points, `at` (Q, m), are fully correlated. Some results are negative, because
    errors may have opposite signs. Only kinds whose groups differ are included, so N may be 0.
    """
    kinds = list(_kinds(runs, split))
    count = sum(1 + int(labels.max()) for _, labels in kinds)
    found = np.zeros((len(models), count, len(at)))
    if not count:
        return found
    deviates = _deviates(models)
    for kernel in range(len(models)):
        points, repetition = np.nonzero(np.isfinite(runs.values[kernel]))
        if not len(points):
            continue
        weights = _weights(models, kernel, runs.points[points], at)
        begin = 0
        for variances, labels in kinds:
            end = begin + 1 + int(labels.max())
            own = labels[kernel, points, repetition]
            size = np.sqrt(np.nan_to_num(variances[kernel]))
            found[kernel, begin:end] = size * _summed(
                weights, own, end - begin, points, across=bool(deviates[kernel])
            )
            begin = end
    return found


def shared_deviation(errors: FloatArray, weight: FloatArray) -> float:
    """Return the standard deviation of the log sum of K kernels. A slow job is assumed to slow all.

    `errors` (K, N) are those of N groups at one point. `weight` (K,) are the kernels' shares of the sum.
    """
    return float(np.sqrt(((weight @ errors) ** 2).sum()))


def _kinds(runs: Runs, split: Scatter) -> Iterator[tuple[FloatArray, NDArray[np.int64]]]:
    """Yield variances between groups and the group of each run, for each kind whose groups differ."""
    differing = set(split.differing())
    shape = runs.values.shape
    whole = [np.broadcast_to(np.asarray(of, np.int64), shape) for of in runs.groups.values()]
    for number, name in enumerate(runs.groups, start=1):
        if name not in differing:
            continue
        labels = np.stack([of.ravel() for of in whole[:number]], axis=1)
        known = (labels >= 0).all(axis=1)
        numbers = np.full(len(labels), -1)
        if known.any():
            numbers[known] = np.unique(labels[known], axis=0, return_inverse=True)[1].ravel()
            yield split.groups[name] * _unsure(split.freedom.get(name, np.inf)), numbers.reshape(shape)


def _unsure(freedom: float) -> float:
    """Return the factor on a variance between groups that widens intervals with few degrees of freedom."""
    if not np.isfinite(freedom):
        return 1.0
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415 -- a sixth of a web process's start-up time

    upper = (1 + LEVEL) / 2
    student = stdtrit(freedom + ALIKE_GROUPS, upper) / ndtri(upper)
    return float((freedom + ALIKE_GROUPS) / max(freedom, 1.0) * student**2)


def _deviates(models: Models) -> NDArray[np.bool_]:
    """Return which kernels deviate from their laws. Their intervals include errors that runs share."""
    found = None if models.posterior is None else models.posterior.deviates
    return np.zeros(len(models), dtype=bool) if found is None else found


def _weights(models: Models, kernel: int, points: FloatArray, at: FloatArray) -> FloatArray:
    """Return the weights of a kernel's runs at `points` in the log predictions `at` other points."""
    rows, aims = (_rows(models, kernel, some) for some in (points, at))
    return np.asarray(rows @ np.linalg.pinv(rows.T @ rows) @ aims.T)


def _rows(models: Models, kernel: int, points: FloatArray) -> FloatArray:
    """Return the derivatives of a kernel's log law by its coefficients, (points, coefficients)."""
    coefficients = models.coefficients[kernel]
    terms = evaluate(models.exponents[kernel : kernel + 1], points)[0].T[:, coefficients != 0]
    columns = np.column_stack([np.ones(len(points)), terms])
    law = models.constant[kernel] + terms @ coefficients[coefficients != 0]
    return np.asarray(columns / np.maximum(np.abs(law), np.finfo(float).tiny)[:, None])


def _summed(
    weights: FloatArray, groups: NDArray[np.int64], count: int, points: IntArray, *, across: bool
) -> FloatArray:
    """Return the error of each group that deviates by 1, in addition to that of independent runs."""
    known = groups >= 0
    summed, alone = np.zeros((2, count, weights.shape[1]))
    np.add.at(summed, groups[known], weights[known])
    np.add.at(alone, groups[known], weights[known] ** 2)
    beyond = np.sqrt(np.maximum(summed**2 - alone, 0.0)) * np.sign(summed)
    if across:
        of_points = np.unique(np.column_stack([groups[known], points[known]]), axis=0)[:, 0]
        beyond[np.bincount(of_points, minlength=count) < 2] = 0.0
    return np.asarray(beyond)
