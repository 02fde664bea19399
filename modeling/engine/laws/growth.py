"""How fast a law grows: its lead terms, and the classes of growth.

The lead term of a parameter is the term that contains the parameter and contributes most to a kernel far
beyond the measured values.
"""

import numpy as np
from numpy.typing import NDArray

from modeling.engine.validation import BoolArray, FloatArray

NOT_IDENTIFIABLE = "not identifiable"
"""The class of a kernel that was measured at too few values of every parameter or not at all, or whose
modeler crashed.
"""

CLASSES = (
    "constant",
    "falling",
    "saturating",
    "logarithmic",
    "sublinear",
    "linear",
    "linearithmic",
    "superlinear",
    NOT_IDENTIFIABLE,
)


SAME_EXPONENT = 0.25
"""Exponents of lead terms that differ by at most this count as the same, as in Ritter et al. 2021."""


TOWARDS_LIMIT = (0.0, -1.0)
"""These exponents (i, j) replace those of a falling lead term that is subtracted from the constant.

Such a law rises towards the constant, so it grows more slowly than a logarithm, whatever the term's own
exponents are.
"""


def lead_exponents(contributions: FloatArray, exponents: FloatArray) -> FloatArray:
    """Return the exponents (K, m, 2) of the lead term of each parameter, 0 if no term contains it.

    They are `TOWARDS_LIMIT` if the lead term falls and is subtracted.

    Args:
        contributions: (K, T), the values of the terms far beyond the measured values.
        exponents: (K, T, m, 2).
    """
    leads, contribution = _lead(contributions, exponents)
    return limited(leads, contribution < 0)


def signed_leads(contributions: FloatArray, exponents: FloatArray) -> FloatArray:
    """Return `lead_exponents`, but those of 1/x for a rising lead term that is subtracted: the law falls."""
    leads, contribution = _lead(contributions, exponents)
    subtracted = contribution < 0
    falling = (subtracted & ~falls(leads))[:, :, None]
    return np.where(falling, (-1.0, 0.0), limited(leads, subtracted))


def limited(leads: FloatArray, subtracted: BoolArray) -> FloatArray:
    """Return lead exponents (..., 2), replaced by `TOWARDS_LIMIT` where a falling term is subtracted.

    `subtracted` (...) marks the lead terms that are subtracted.
    """
    return np.where((falls(leads) & subtracted)[..., None], TOWARDS_LIMIT, leads)


def falls(leads: FloatArray) -> BoolArray:
    """Return whether each lead term falls, (...), from the exponents (..., 2)."""
    return np.asarray((leads < 0).any(axis=-1))


def _lead(contributions: FloatArray, exponents: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lead exponents (K, m, 2) and the contributions of the lead terms, (K, m)."""
    kernels, terms, parameters, _ = exponents.shape
    if not terms:
        return np.zeros((kernels, parameters, 2)), np.zeros((kernels, parameters))
    contained = (exponents != 0).any(axis=3) & (contributions != 0)[:, :, None]  # (K, T, m)
    lead = np.where(contained, np.abs(contributions)[:, :, None], -1.0).argmax(axis=1)[:, None]  # (K, 1, m)
    has_lead = np.take_along_axis(contained, lead, axis=1)[:, 0]
    leads = np.take_along_axis(exponents, lead[..., None], axis=1)[:, 0]
    contribution = np.take_along_axis(contributions, lead[:, 0], axis=1)
    return np.where(has_lead[:, :, None], leads, 0.0), np.where(has_lead, contribution, 0.0)


def classes(leads: FloatArray, identifiable: BoolArray) -> NDArray[np.str_]:
    """Return the class of growth of each kernel, (K,), which is that of its fastest growing parameter.

    Args:
        leads: (K, m, 2), as from `signed_leads`.
        identifiable: (K,), False for the kernels of the class `NOT_IDENTIFIABLE`.
    """
    i, j = leads[..., 0], leads[..., 1]
    grows = (i > 0) | ((i == 0) & (j > 0))
    fastest = np.where(grows, i, -1.0).max(axis=1)
    saturates = (leads == TOWARDS_LIMIT).all(axis=2).any(axis=1)
    with_log = (grows & (i == fastest[:, None]) & (j > 0)).any(axis=1)
    named: NDArray[np.str_] = np.select(
        [
            ~identifiable,
            (leads == 0).all(axis=(1, 2)),
            ~grows.any(axis=1) & saturates,
            ~grows.any(axis=1),
            fastest == 0,
            fastest < 1,
            (fastest == 1) & ~with_log,
            fastest == 1,
        ],
        [
            NOT_IDENTIFIABLE,
            "constant",
            "saturating",
            "falling",
            "logarithmic",
            "sublinear",
            "linear",
            "linearithmic",
        ],
        "superlinear",
    )
    return named
