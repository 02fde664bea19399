"""The growth of laws: lead terms and classes of growth.

The lead term of a parameter contains the parameter, and contributes most far beyond the measured values.
"""

import numpy as np
from numpy.typing import NDArray

from modeling.engine.laws.terms import EXPONENTS
from modeling.engine.validation import BoolArray, FloatArray

NOT_IDENTIFIABLE = "not identifiable"
"""The class of kernels with too little data for a law, and of kernels whose modeler crashed."""

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
"""Lead exponents that differ by at most this count as the same (Ritter et al. 2021)."""


TOWARDS_LIMIT = (0.0, -1.0)
"""The exponents (i, j) of a falling lead term that is subtracted: the law rises towards a limit."""


_RISING = np.unique([*(i for i, _ in EXPONENTS), *np.arange(1, 61) / 20])
LEADS: FloatArray = np.unique([-_RISING, _RISING])
"""The powers of lead terms as pages show them: those of the exponent pairs and multiples of 1/20."""


def as_leads(powers: FloatArray) -> FloatArray:
    """Return the nearest of `LEADS`, so that similar powers count as the same one."""
    return np.asarray(LEADS[np.searchsorted((LEADS[1:] + LEADS[:-1]) / 2, powers)])


def lead_exponents(contributions: FloatArray, exponents: FloatArray) -> FloatArray:
    """Return the exponents of each parameter's lead term, (K, m, 2); 0 if no term contains the parameter.

    A subtracted falling lead term has the exponents `TOWARDS_LIMIT`.

    Args:
        contributions: (K, T) values of T terms of K kernels far beyond the measured values.
        exponents: (K, T, m, 2) exponents of m parameters.
    """
    leads, contribution = _lead(contributions, exponents)
    return limited(leads, contribution < 0)


def signed_leads(contributions: FloatArray, exponents: FloatArray) -> FloatArray:
    """Return `lead_exponents`, with (−1, 0) for a rising lead term that is subtracted: such a law falls."""
    leads, contribution = _lead(contributions, exponents)
    subtracted = contribution < 0
    falling = (subtracted & ~falls(leads))[:, :, None]
    return np.where(falling, (-1.0, 0.0), limited(leads, subtracted))


def limited(leads: FloatArray, subtracted: BoolArray) -> FloatArray:
    """Return lead exponents (..., 2), with `TOWARDS_LIMIT` for falling terms that are `subtracted` (...)."""
    return np.where((falls(leads) & subtracted)[..., None], TOWARDS_LIMIT, leads)


def falls(leads: FloatArray) -> BoolArray:
    """Return whether each lead term with the exponents (..., 2) falls."""
    return np.asarray((leads < 0).any(axis=-1))


def _lead(contributions: FloatArray, exponents: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the exponents and the contribution of each parameter's lead term."""
    kernels, terms, parameters, _ = exponents.shape
    if not terms:
        return np.zeros((kernels, parameters, 2)), np.zeros((kernels, parameters))
    contained = (exponents != 0).any(axis=3) & (contributions != 0)[:, :, None]
    lead = np.where(contained, np.abs(contributions)[:, :, None], -1.0).argmax(axis=1)[:, None]
    has_lead = np.take_along_axis(contained, lead, axis=1)[:, 0]
    leads = np.take_along_axis(exponents, lead[..., None], axis=1)[:, 0]
    contribution = np.take_along_axis(contributions, lead[:, 0], axis=1)
    return np.where(has_lead[:, :, None], leads, 0.0), np.where(has_lead, contribution, 0.0)


def classes(leads: FloatArray, identifiable: BoolArray) -> NDArray[np.str_]:
    """Return the class of growth of each kernel's fastest growing parameter, (K,).

    Args:
        leads: (K, m, 2) result of `signed_leads` for K kernels and m parameters.
        identifiable: (K,) False for the class `NOT_IDENTIFIABLE`.
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
