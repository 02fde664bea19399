"""Fit the coefficients of chosen laws, and compute how well the laws describe and predict the values."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modeling.engine.laws.terms import evaluate
from modeling.engine.measured.observations import Observations
from modeling.engine.modelers.leastsquares import LeastSquares, smape, solve_above_zero
from modeling.engine.modelers.single import LEAST_FREE_LEVERAGE
from modeling.engine.results.models import FEW_VALUES, NO_CROSSED_POINTS, NO_DATA, OK, TOO_FEW_VALUES, Models
from modeling.engine.validation import FloatArray, IntArray

ENOUGH_VALUES = 5
"""The number of values of a parameter that a reliable law needs (Calotoiu et al. 2013)."""

FEWEST_VALUES = 3
"""The smallest number of values of a parameter from which its term can be found."""

DUST_SHARE = 1e-13
"""A constant below this share of the largest value counts as 0, because it may be a rounding error."""


def assess(
    observations: Observations,
    exponents: FloatArray,
    *,
    holdout_error: FloatArray,
    value_counts: FloatArray,
    values_taken: FloatArray | None = None,
    relative: bool = False,
) -> Models:
    """Fit the coefficients of laws with given exponents, and compute the laws' errors.

    Args:
        observations: the values of K kernels.
        exponents: the exponents of laws with T terms of m parameters, (K, T, m, 2).
        holdout_error: the errors at the largest points, (K,), see `holdout_error`.
        value_counts: the number of distinct values of each varied parameter on the lines along it, (varied
            parameters, K or 1).
        values_taken: the numbers of values that decide the status of the laws, by default `value_counts`.
        relative: whether residuals are divided by the values before their squares are minimised.
    """
    columns, size = _columns(observations, exponents)
    fit = _solve(columns, size, observations, exponents, relative)
    points_used = np.broadcast_to(observations.w.sum(axis=0), observations.scale.shape).astype(int)
    freedom = np.maximum(points_used - fit.rank, 0)
    constant, coefficients = _coefficients(fit, size, observations.scale)
    covariance = _covariance(fit, size, observations.scale, freedom)
    if relative:
        fit = replace(fit, residuals=fit.residuals * observations.unit)
    status = _status(points_used, value_counts, value_counts if values_taken is None else values_taken)
    return Models(
        constant=np.where(points_used > 0, constant, np.nan),
        coefficients=coefficients,
        exponents=np.where((coefficients != 0)[:, :, None, None], exponents, 0.0),
        covariance=covariance,
        degrees_of_freedom=freedom,
        status=status,
        points_used=points_used,
        holdout_error=holdout_error,
        noise=observations.noise,
        lower=observations.points.min(axis=0),
        upper=observations.points.max(axis=0),
        **_errors(fit, observations),
    )


def holdout_error(
    observations: Observations, held_out: Observations, exponents: FloatArray, *, relative: bool = False
) -> FloatArray:
    """Return the relative errors of predictions at the largest points of K kernels, (K,), by laws fitted
    without these points. The laws have T terms of m parameters with `exponents` (K, T, m, 2).
    """
    columns, size = _columns(held_out, exponents)
    fit = _solve(columns, size, held_out, exponents, relative)
    terms = np.moveaxis(evaluate(exponents, held_out.points), 0, 2) / size[:, None]
    prediction = fit.coefficients[0] + np.einsum("tk,tpk->pk", fit.coefficients[1:], terms)
    left_out = observations.w != held_out.w
    error = np.abs(prediction - observations.y) / np.where(
        observations.y == 0, np.nan, np.abs(observations.y)
    )
    remaining = held_out.w.sum(axis=0) > 0
    return np.where(remaining, np.where(left_out, error, 0).sum(axis=0), np.nan)


def _columns(observations: Observations, exponents: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the constant and the terms as columns, and the sizes by which the terms were divided."""
    terms = np.moveaxis(evaluate(exponents, observations.points), 0, 2)
    size = np.abs(terms).max(axis=1)
    used = (exponents != 0).any(axis=(2, 3)).T
    columns = np.empty((len(terms) + 1, *observations.y.shape))
    columns[0] = observations.w
    columns[1:] = terms * (used / size)[:, None] * observations.w
    return columns, size


def _solve(
    columns: FloatArray, size: FloatArray, observations: Observations, exponents: FloatArray, relative: bool
) -> LeastSquares:
    """Fit laws with these exponents by least squares. `assess` explains `relative`."""
    sizes = np.concatenate([np.ones((1, size.shape[1])), size])
    falls = np.asarray((exponents < 0).any(axis=(1, 2, 3)))
    if not relative:
        return solve_above_zero(columns, sizes, observations.y, falls)
    return solve_above_zero(columns / observations.unit, sizes, observations.y / observations.unit, falls)


def _coefficients(found: LeastSquares, size: FloatArray, scale: FloatArray) -> tuple[FloatArray, FloatArray]:
    constant = np.where(np.abs(found.coefficients[0]) < DUST_SHARE, 0.0, found.coefficients[0])
    return constant * scale, np.ascontiguousarray((found.coefficients[1:] * scale / size).T)


def _covariance(found: LeastSquares, size: FloatArray, scale: FloatArray, freedom: IntArray) -> FloatArray:
    """Return the covariance of the constant and the coefficients; NaN without degrees of freedom."""
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt((found.residuals**2).sum(axis=0) / freedom) * scale
        deviation[freedom == 0] = np.nan
    unit = np.concatenate([np.ones((1, size.shape[1])), 1 / size])
    half = found.inverse * unit[:, None] * deviation
    return np.asarray(np.einsum("abk,cbk->kac", half, half))


def _status(points_used: IntArray, along_lines: FloatArray, value_counts: FloatArray) -> NDArray[np.str_]:
    """Return the status of each law, from the number of points and the numbers of values."""
    on_lines = along_lines.sum(axis=0) - len(along_lines) + 1
    return np.select(
        [
            points_used == 0,
            np.broadcast_to((value_counts < FEWEST_VALUES).all(axis=0), points_used.shape),
            np.broadcast_to((value_counts < ENOUGH_VALUES).any(axis=0), points_used.shape),
            (len(value_counts) > 1) & (points_used <= on_lines),
        ],
        [NO_DATA, TOO_FEW_VALUES, FEW_VALUES, NO_CROSSED_POINTS],
        OK,
    )


def _errors(found: LeastSquares, observations: Observations) -> dict[str, Any]:
    """Return the in-sample and leave-one-out errors, NaN where there are no values."""
    y, w, r = observations.y, observations.w, found.residuals
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        count = w.sum(axis=0)
        deviation = (y - y.sum(axis=0) / count) * w
        rss, total = (r**2).sum(axis=0), (deviation**2).sum(axis=0)
        free = np.where(w > 0, 1 - found.leverages, 1)
        left_out = np.where(free > LEAST_FREE_LEVERAGE, r / free, np.nan)
        nonzero = y != 0
        relative = np.abs(r) / np.where(nonzero, np.abs(y), np.inf)
        return {
            "smape": smape(r, y) / count,
            "relative_error": relative.sum(axis=0) / nonzero.sum(axis=0),
            "r_squared": np.where(total > 0, 1 - rss / total, np.nan),
            "rss": np.where(count > 0, rss, np.nan) * observations.scale**2,
            "cv_smape": smape(left_out, y) / count,
        }
