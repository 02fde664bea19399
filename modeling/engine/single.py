"""The best term of one parameter for many kernels, by leave-one-out cross-validation (METHODS §2.1)."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.leastsquares import reciprocal
from modeling.engine.validation import BoolArray, FloatArray, IntArray

NEGLIGIBLE = 5e-4
"""Share of the values below which a term, or a constant, counts as absent (Extra-P's figure)."""

UNSTABLE = 1e-11
"""1 − leverage under which rounding decides a left-out point's residual; such a term is not tried."""

TINY = 1e-300
"""Keeps 0 / 0 at 0 where a value and its prediction are both 0."""


@dataclass(frozen=True)
class Candidates:
    """Terms of one parameter at its values x (X,).

    `rows` (H, X) are their values, `numbers` (H,) what they go by elsewhere, `sinks` (H,) tells which
    fall: beside these a negative constant would pull the law below 0 far out, so it is 0 instead.
    """

    x: FloatArray
    rows: FloatArray
    numbers: IntArray
    sinks: BoolArray

    def but(self, keep: BoolArray) -> "Candidates":
        """Only those to keep."""
        return Candidates(self.x, self.rows[keep], self.numbers[keep], self.sinks[keep])


def best_terms(candidates: Candidates, y: FloatArray, w: FloatArray, any_sign: bool) -> IntArray:
    """Number of the best term for each kernel, (K,), 0 where the constant is best.

    `y` (X, K), 0 where `w` (X, K) or (X, 1) is 0. A law c_0 + c_1 · term competes with its
    cross-validated SMAPE against the constant's in-sample one, as in Extra-P.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        smape = _cross_validated(candidates, y, w, any_sign)
        best = np.argmin(smape, axis=0)
        least = smape[best, np.arange(len(best))]
        return np.where(least < _constant_smape(y, w), candidates.numbers[best], 0)


def _constant_smape(y: FloatArray, w: FloatArray) -> FloatArray:
    count = w.sum(axis=0)
    mean = y.sum(axis=0) / count
    error = 2 * np.abs(y - mean) / (np.abs(y) + np.abs(mean) + TINY)
    smape: FloatArray = (error * w).sum(axis=0) / count
    return smape


def _cross_validated(candidates: Candidates, y: FloatArray, w: FloatArray, any_sign: bool) -> FloatArray:
    """SMAPE of every term's left-out predictions, (H, K), infinite where the term is refused.

    Removing a point changes a least squares fit in closed form: the left-out residual is the ordinary
    one divided by 1 − leverage.
    """
    count = w.sum(axis=0)
    rows = candidates.rows / np.abs(candidates.rows).max(axis=1, keepdims=True)
    mean = y.sum(axis=0) / count
    row_mean = rows @ w / count
    centred = (rows[:, :, None] - row_mean[:, None, :]) * w
    length = np.sqrt(np.einsum("hpk,hpk->hk", centred, centred))
    unit = centred * reciprocal(length)[:, None, :]
    slope = _project(unit, (y - mean) * w)
    free = 1 - 1 / count - unit * unit
    error = unit * -slope[:, None, :]
    error += (y - mean) * w
    error *= w / free
    offset = row_mean * reciprocal(length)
    _drop_negligible_constants(error, mean - offset * slope, offset[:, None, :] * unit - 1 / count, y, w)
    coefficient = slope / length
    if candidates.sinks.any():
        below = candidates.sinks[:, None] & (mean < offset * slope)
        _forbid_negative_constants((error, coefficient), below, rows, y, w)
    refused = (np.where(w > 0, free, 1).min(axis=1) < UNSTABLE) | ~_contributes(rows, y, coefficient)
    if not any_sign:
        refused |= coefficient <= 0
    smape: FloatArray = _smape(error, y) / count
    smape[refused | np.isnan(smape)] = np.inf
    return smape


def _project(unit: FloatArray, y: FloatArray) -> FloatArray:
    """Slopes on normalised terms, (H, K)."""
    slopes: FloatArray
    slopes = unit[:, :, 0] @ y if unit.shape[2] == 1 else np.einsum("hpk,pk->hk", unit, y)
    return slopes


def _drop_negligible_constants(
    error: FloatArray, constant: FloatArray, change: FloatArray, y: FloatArray, w: FloatArray
) -> None:
    """Take a fold's constant as 0 where it is negligible beside the fold's smallest value.

    `constant` (H, K) is that of all points; leaving one out changes it by `change` · its error.
    """
    folds = error * change
    folds += constant[:, None, :]
    limit = NEGLIGIBLE * np.abs(_smallest_of_others(np.where(w > 0, y, np.inf)))
    negligible = np.abs(folds) < limit
    if negligible.any():
        np.add(error, folds, out=error, where=negligible & (w > 0))


def _forbid_negative_constants(
    fitted: tuple[FloatArray, FloatArray], where: BoolArray, rows: FloatArray, y: FloatArray, w: FloatArray
) -> None:
    """Replace errors (H, X, K) and coefficients (H, K) by those of laws without a constant."""
    error, coefficient = fitted
    rows = rows[:, :, None] * w
    square = np.einsum("hpk,hpk->hk", rows, rows)
    through_zero = _project(rows, y) / square
    residual = y - rows * through_zero[:, None, :]
    np.copyto(error, residual / (1 - rows * rows / square[:, None, :]), where=where[:, None, :])
    np.copyto(coefficient, through_zero, where=where)


def _smallest_of_others(y: FloatArray) -> FloatArray:
    """For each point the smallest value of all other points, (X, K)."""
    padded = np.full((len(y) + 1, y.shape[1]), np.inf)
    before, after = padded.copy(), padded.copy()
    before[1:] = np.minimum.accumulate(y, axis=0)
    after[:-1] = np.minimum.accumulate(y[::-1], axis=0)[::-1]
    smallest: FloatArray = np.minimum(before[:-1], after[1:])
    return smallest


def _contributes(rows: FloatArray, y: FloatArray, slope: FloatArray) -> BoolArray:
    """Whether a term makes a noticeable share of a value anywhere, (H, K)."""
    share = np.abs(rows)[:, :, None] * np.abs(1 / np.where(y == 0, TINY, y))
    return np.asarray(share.max(axis=1) * np.abs(slope) >= NEGLIGIBLE)


def _smape(error: FloatArray, y: FloatArray) -> FloatArray:
    """Sum over points of 2·|error| / (|value| + |prediction|), (H, K)."""
    size = np.abs(y - error)
    size += np.abs(y) + TINY
    np.abs(error, out=error)
    error /= size
    total: FloatArray = error.sum(axis=1)
    return total * 2
