"""The terms x^i · log2^j(x) of the performance model normal form: their exponents and values."""

from fractions import Fraction

import numpy as np

from modeling.engine.validation import FloatArray

Pair = tuple[float, float]


def _pairs(polynomial: str, logarithms: range) -> list[Pair]:
    return [(float(Fraction(i)), float(j)) for i in polynomial.split() for j in logarithms]


EXPONENTS: list[Pair] = sorted(
    _pairs("0 1/4 1/3 1/2 2/3 3/4 1 3/2 2 5/2", range(3))
    + _pairs("5/4 4/3 3", range(2))
    + _pairs("4/5 5/3 7/4 9/4 7/3 8/3 11/4", range(1))
)[1:]
"""The 42 pairs (i, j) of Ritter et al. 2021, eq. 2, without the constant (0, 0)."""

FALLING_PAIRS: list[Pair] = [(-i, 0.0) for i, j in EXPONENTS if i > 0 and j == 0]
"""The pairs (i, j) of falling terms."""

COMMON_PAIRS: list[Pair] = [(0, 1), (1 / 2, 0), (1, 0), (1, 1), (2, 0), (3, 0), (-1 / 2, 0), (-1, 0), (-2, 0)]
"""The pairs (i, j) for a parameter with three values, too few to distinguish more pairs."""

LEAD_MULTIPLE = 4.0
"""Lead terms are determined at this multiple of the largest values (Reisert et al. 2017, section 4.1)."""

_APART = np.array([1.0, 1000.0])
"""The product with a pair (i, j) is a number that differs between pairs."""


def evaluate(exponents: FloatArray, points: FloatArray) -> FloatArray:
    """Return the values of terms Π_l x[l]^i[l] · log2(x[l])^j[l] at Q points, (..., Q).

    Args:
        exponents: (..., m, 2) exponents i and j of m parameters.
        points: (Q, m) positive parameter values x.
    """
    product = np.ones((*exponents.shape[:-2], len(points)))
    for parameter in range(points.shape[1]):
        pairs = exponents[..., parameter, :]
        _, first, which = np.unique(pairs @ _APART, return_index=True, return_inverse=True)
        rows = term_rows(pairs.reshape(-1, 2)[first], points[:, parameter])
        product *= rows[which.reshape(pairs.shape[:-1])]
    return product


def term_rows(pairs: FloatArray, x: FloatArray) -> FloatArray:
    """Return the values of x^i · log2^j(x), (H, P), for H pairs (i, j) and P values of one parameter x."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        rows: FloatArray = x ** pairs[:, :1] * np.log2(x) ** pairs[:, 1:]
    return rows
