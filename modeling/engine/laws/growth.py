"""How fast a law grows: lead terms, and the names of the classes of growth."""

import numpy as np
from numpy.typing import NDArray

from modeling.engine.validation import BoolArray, FloatArray

NOT_IDENTIFIABLE = "not identifiable"
"""The class of growth of kernels with too few values of a parameter, or with no values."""

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
"""Lead exponents that differ by at most this are treated as the same, as in the accuracy protocol of Ritter
et al. 2021.
"""


TOWARDS_LIMIT = (0.0, -1.0)
"""The exponents (i, j) given to the lead term if the term falls and is subtracted from the constant.

Such a law rises towards the constant, so it grows more slowly than a logarithm, whatever exponents the term
has.
"""


def lead_exponents(contributions: FloatArray, exponents: FloatArray) -> FloatArray:
    """Return the exponents (K, m, 2) of the lead term of each parameter: the term that contains it and
    contributes most. They are `TOWARDS_LIMIT` if this term falls and is subtracted.

    Args:
        contributions: (K, T) of the terms, far outside of the data.
        exponents: (K, T, m, 2).
    """
    leads, contribution = _lead(contributions, exponents)
    return limited(leads, contribution < 0)


def signed_leads(contributions: FloatArray, exponents: FloatArray) -> FloatArray:
    """Return `lead_exponents`, with the exponents of 1/x in place of those of a rising lead term that is
    subtracted.
    """
    leads, contribution = _lead(contributions, exponents)
    subtracted = contribution < 0
    falling = (subtracted & ~falls(leads))[:, :, None]
    return np.where(falling, (-1.0, 0.0), limited(leads, subtracted))


def limited(leads: FloatArray, subtracted: BoolArray) -> FloatArray:
    """Return lead exponents (..., 2) with `TOWARDS_LIMIT` where a falling lead term is `subtracted` (...)."""
    return np.where((falls(leads) & subtracted)[..., None], TOWARDS_LIMIT, leads)


def falls(leads: FloatArray) -> BoolArray:
    """Return whether terms with lead exponents (..., 2) fall, (...)."""
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
    """Return the class (K,) of the fastest growing parameter, from signed lead exponents (K, m, 2)."""
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
