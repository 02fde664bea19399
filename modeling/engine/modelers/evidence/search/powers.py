"""Find products of powers of some parameters, from which the search starts, by a regression of logarithms.

If a law is a product of powers, the logarithms of its values are nearly linear in the logarithms of the
parameters. So forward selection finds the parameters that matter. A search by one factor at a time would miss
a product if none of the factors alone fits the values.
"""

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import MOST_COMBINED, PAIRS
from modeling.engine.modelers.evidence.hypotheses.laws import Laws, Located, scored
from modeling.engine.validation import FloatArray, IntArray

LOGARITHM_POWER = 0.15
"""The logarithm is chosen where this small power is the nearest one to the slope of the regression."""

_LEAST = 1e-9
"""A column is linearly dependent if other columns explain all but this share of its squared norm."""


def products(basis: Basis, located: Located, weights: FloatArray) -> Laws:
    """Return products of powers of one, two, … parameters as laws of one term, in the order of forward
    selection.
    """
    there = np.isfinite(located.variance).astype(float)
    y = _centred(np.log(np.where(there > 0, located.y, 1.0)), there)
    x = _centred(
        np.broadcast_to(np.log(basis.points.T)[:, :, None], (basis.parameter_count, *y.shape)), there
    )
    x[~basis.usable[:, 1:].any(axis=1)] = 0
    chosen = _chosen(x, y, min(MOST_COMBINED, basis.parameter_count))
    classes = np.zeros((1, basis.parameter_count, len(chosen), y.shape[1]), dtype=np.int64)
    every = np.arange(y.shape[1])
    for count in range(1, len(chosen) + 1):
        some = chosen[:count]
        for parameter, slope in zip(some, _slopes(x[some, :, every], y.T), strict=True):
            classes[0, parameter, count - 1, every] = _nearest(basis, parameter, slope)
    return scored(basis, classes, located, weights)


def _centred(values: FloatArray, there: FloatArray) -> FloatArray:
    """Subtract from values their mean over the measured points, and set 0 at all other points."""
    mean = (values * there).sum(axis=-2, keepdims=True) / np.maximum(there.sum(axis=0), 1)
    return np.asarray((values - mean) * there)


def _chosen(x: FloatArray, y: FloatArray, count: int) -> IntArray:
    """Return the indices of the columns of `x` that forward selection chooses to describe `y`."""
    left, every = x.copy(), np.arange(y.shape[1])
    least = _LEAST * np.maximum((x**2).sum(axis=1), _LEAST)
    chosen = np.zeros((count, y.shape[1]), dtype=np.int64)
    for place in range(count):
        norm = (left**2).sum(axis=1)
        along = np.einsum("mpk,pk->mk", left, y)
        gain = np.where(norm > least, along**2 / norm, -1.0)
        gain[chosen[:place], every] = -2.0
        chosen[place] = gain.argmax(axis=0)
        unit = left[chosen[place], :, every].T / np.sqrt(norm[chosen[place], every])
        unit = np.where(gain.max(axis=0) > 0, unit, 0.0)
        left -= np.einsum("mpk,pk->mk", left, unit)[:, None] * unit
    return chosen


def _slopes(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the least-squares coefficients of the columns `x` for `y`."""
    gram = np.einsum("akp,bkp->kab", x, x)
    inverse = np.linalg.pinv(gram, rcond=_LEAST, hermitian=True)
    return np.asarray(np.einsum("kab,bkp,kp->ak", inverse, x, y))


def _nearest(basis: Basis, parameter: IntArray, slope: FloatArray) -> IntArray:
    """Return the usable class (plain power or logarithm) nearest to the `slope` of each kernel."""
    power = np.where((PAIRS == (0, 1)).all(axis=1), LOGARITHM_POWER, PAIRS[:, 0])
    plain = (PAIRS[:, 1] == 0) | (PAIRS == (0, 1)).all(axis=1)
    plain[0] = False
    off = np.where(basis.usable[parameter] & plain, np.abs(slope[:, None] - power), np.inf)
    return np.asarray(np.where(np.isfinite(off).any(axis=1), off.argmin(axis=1), 0))
