"""Find the best term of one parameter for many kernels, by cross-validation (docs/methods.md#regression)."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.modelers.leastsquares import TINY, reciprocal
from modeling.engine.validation import BoolArray, FloatArray, IntArray

NEGLIGIBLE_SHARE = 5e-4
"""A term or a constant below this share of the values counts as absent (Extra-P's figure)."""

LEAST_FREE_LEVERAGE = 1e-11
"""Smallest value of 1 − leverage. Below it, rounding determines the residual of a left-out point."""

MOST_MATRIX_VALUES = 40
"""Largest number of values of a parameter for which one matrix product computes the errors of all kernels."""


@dataclass(frozen=True)
class CandidateTerms:
    """Terms of one parameter at its values.

    Attributes:
        x: the X values of the parameter, (X,).
        rows: the values of H terms, (H, X).
        numbers: the indices of the terms among all terms, (H,).
        sinks: whether the terms fall, (H,). The constant of a law with such a term may not be negative.
    """

    x: FloatArray
    rows: FloatArray
    numbers: IntArray
    sinks: BoolArray

    def but(self, keep: BoolArray) -> "CandidateTerms":
        """Return only the candidates marked in `keep`."""
        return CandidateTerms(self.x, self.rows[keep], self.numbers[keep], self.sinks[keep])


@dataclass(frozen=True)
class Folds:
    """H laws constant + coefficient · term for each of K kernels. Each of X points is left out in turn.

    Attributes:
        error: value − prediction at the point left out, (H, X, K).
        constants: the constants fitted without this point, (H, X, K).
        constant: the constant fitted to all points, (H, K).
        coefficient: the coefficient fitted to all points, (H, K).
    """

    error: FloatArray
    constants: FloatArray
    constant: FloatArray
    coefficient: FloatArray


def best_terms(candidates: CandidateTerms, y: FloatArray, w: FloatArray, any_sign: bool) -> IntArray:
    """Return the index of the best of all terms for each of K kernels, (K,), or 0 if the constant is best.
    The X values of K kernels are `y` (X, K). They are 0 where `w`, (X, K) or (X, 1), is 0. As in Extra-P, the
    cross-validated SMAPE of a law is compared with the in-sample SMAPE of the constant alone.
    """
    rows = candidates.rows / np.abs(candidates.rows).max(axis=1, keepdims=True)
    kernels = np.arange(y.shape[1])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        folds = _fit_folds(rows, y, w)
        _drop_negligible_constants(folds, y, w)
        coefficient = folds.coefficient
        if candidates.sinks.any():
            coefficient = _forbid_negative_constants(folds, candidates.sinks, rows, y, w)
        smape = _smape(folds.error, y)
        refused = np.isnan(smape) if any_sign else np.isnan(smape) | (coefficient <= 0)
        smape[refused] = np.inf
        best = np.argmin(smape, axis=0)
        idle = np.flatnonzero(_share(rows[best].T, y, coefficient[best, kernels]) < NEGLIGIBLE_SHARE)
        if len(idle):
            share = _share(rows.T[:, :, None], y[:, None, idle], coefficient[:, idle])
            smape[:, idle] = np.where(share < NEGLIGIBLE_SHARE, np.inf, smape[:, idle])
            best[idle] = np.argmin(smape[:, idle], axis=0)
        better = smape[best, kernels] < _constant_smape(y, w)
    return np.where(better, candidates.numbers[best], 0)


def _fit_folds(rows: FloatArray, y: FloatArray, w: FloatArray) -> Folds:
    """Fit each law without each point. The result is NaN where a term is constant over the remaining points.
    Errors and coefficients are linear in the values. So if all kernels have the same points, laws are fitted
    to unit vectors, and the results are multiplied by the values.
    """
    X, K = y.shape
    if w.shape[1] > 1 or X > MOST_MATRIX_VALUES:
        return _fit_folds_of(rows, y, w)
    unit = _fit_folds_of(rows, np.diag(w[:, 0]), w)
    return Folds(
        error=(unit.error.reshape(-1, X) @ y).reshape(-1, X, K),
        constants=(unit.constants.reshape(-1, X) @ y).reshape(-1, X, K),
        constant=unit.constant @ y,
        coefficient=unit.coefficient @ y,
    )


def _fit_folds_of(rows: FloatArray, y: FloatArray, w: FloatArray) -> Folds:
    """Fit each law without each point, in closed form."""
    count = w.sum(axis=0)
    mean = y.sum(axis=0) / count
    row_mean = rows @ w / count
    centred = (rows[:, :, None] - row_mean[:, None, :]) * w
    length = np.sqrt(np.einsum("hpk,hpk->hk", centred, centred))
    unit = centred * reciprocal(length)[:, None, :]
    free = 1 - 1 / count - unit * unit
    free *= np.where(np.where(w > 0, free, 1).min(axis=1) < LEAST_FREE_LEVERAGE, np.nan, 1)[:, None, :]
    deviation = (y - mean) * w
    slope = np.einsum("hpk,pk->hk", np.broadcast_to(unit, (*unit.shape[:2], y.shape[1])), deviation)
    error = (deviation - unit * slope[:, None, :]) * (w / free)
    offset = row_mean * reciprocal(length)
    constant = mean - offset * slope
    constants = constant[:, None, :] + error * (offset[:, None, :] * unit - 1 / count)
    return Folds(error, constants, constant, slope * reciprocal(length))


def _drop_negligible_constants(folds: Folds, y: FloatArray, w: FloatArray) -> None:
    """Add to `folds.error` the constants that are negligible relative to the smallest fitted value."""
    limit = NEGLIGIBLE_SHARE * np.abs(_smallest_of_others(np.where(w > 0, y, np.inf)))
    negligible = np.abs(folds.constants) < limit
    if negligible.any():
        np.add(folds.error, folds.constants, out=folds.error, where=negligible & (w > 0))


def _smallest_of_others(y: FloatArray) -> FloatArray:
    """Return, for each point, the smallest value of all other points."""
    before = np.full((len(y) + 1, y.shape[1]), np.inf)
    after = before.copy()
    before[1:] = np.minimum.accumulate(y, axis=0)
    after[:-1] = np.minimum.accumulate(y[::-1], axis=0)[::-1]
    smallest: FloatArray = np.minimum(before[:-1], after[1:])
    return smallest


def _forbid_negative_constants(
    folds: Folds, sinks: BoolArray, rows: FloatArray, y: FloatArray, w: FloatArray
) -> FloatArray:
    """Where the constant of a falling law is negative, use the errors of the law without a constant. Return
    the coefficients of all laws.
    """
    below = sinks[:, None] & (folds.constant < 0)
    rows = rows[:, :, None] * w
    square = np.einsum("hpk,hpk->hk", rows, rows)
    through_zero = np.einsum("hpk,pk->hk", np.broadcast_to(rows, folds.error.shape), y) / square
    residual = y - rows * through_zero[:, None, :]
    np.copyto(folds.error, residual / (1 - rows * rows / square[:, None, :]), where=below[:, None, :])
    return np.where(below, through_zero, folds.coefficient)


def _smape(error: FloatArray, y: FloatArray) -> FloatArray:
    """Sum |error| / (|value| + |prediction|), which is |error / (2·value − error)| but at most 1."""
    ratio = (2 * y + TINY) - error
    np.divide(error, ratio, out=ratio)
    np.abs(ratio, out=ratio)
    np.minimum(ratio, 1.0, out=ratio)
    return np.asarray(ratio.sum(axis=1))


def _constant_smape(y: FloatArray, w: FloatArray) -> FloatArray:
    mean = y.sum(axis=0) / w.sum(axis=0)
    error = np.abs(y - mean) / (np.abs(y) + np.abs(mean) + TINY)
    return np.asarray((error * w).sum(axis=0))


def _share(term: FloatArray, y: FloatArray, coefficient: FloatArray) -> FloatArray:
    """Return the largest share of a term in a value. Points are the first axis."""
    share = np.abs(term) * np.abs(1 / np.where(y == 0, TINY, y))
    return np.asarray(share.max(axis=0) * np.abs(coefficient))
