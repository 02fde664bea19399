"""Compute the probability that a kernel grows no faster than a bound, or that its value is below a bound.

It is computed from the share of the posterior's draws for which this is true.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.laws.terms import LEAD_MULTIPLE
from modeling.engine.questions.identifiability import FLAT_CHANGE
from modeling.engine.results.models import FAILED, NO_DATA, TOO_FEW_VALUES, Models
from modeling.engine.results.posterior import INDEPENDENT_DRAWS, Posterior
from modeling.engine.results.rivals import lead_draws
from modeling.engine.validation import BoolArray, FloatArray, check_evaluation_points

NUMBERS_AT_ONCE = 2_000_000
"""The largest number of elements of one temporary array. With twice as many, nothing would become faster."""

_ROUNDING = 1e-9


def growth_probability(models: Models, most: ArrayLike) -> FloatArray:
    """Return the probability (K,) that each kernel grows no faster than x^i · log^j(x) with each parameter
    x.

    The exponents i and j are compared with those of the lead term of each draw. A draw counts as not growing,
    whatever its exponents, if it rises by at most `identifiability.FLAT_CHANGE` from the largest measured
    value to four times this value.

    Args:
        models: the models of K kernels.
        most: (m, 2), the largest exponents i and j of each parameter; NaN for a parameter without a bound.

    Returns:
        The probabilities; NaN if the models have no posterior, if a kernel has no law or too few values for
        one, or if a parameter with a bound was not varied, or only together with others.

    Raises:
        ValueError: `most` has another shape.
    """
    bounds = np.asarray(most, dtype=float)
    if bounds.shape != (len(models.upper), 2):
        raise ValueError(f"most: found shape {bounds.shape}, expected {(len(models.upper), 2)}")
    bounded = ~np.isnan(bounds).any(axis=1)
    never_alone = models.measured.bound

    def holds(posterior: Posterior) -> BoolArray:
        leads = lead_draws(posterior, models.upper)  # (K, S, m, 2)
        power, logarithm = leads[..., 0] - bounds[:, 0], leads[..., 1] - bounds[:, 1]
        same = np.abs(power) <= _ROUNDING
        faster = (power > _ROUNDING) | (same & (logarithm > _ROUNDING))
        return np.asarray(~(faster & bounded & _rises(posterior, models.upper)).any(axis=2))

    return _probability(models, holds, unknown=(never_alone & bounded).any(axis=1))


def below_probability(models: Models, point: ArrayLike, value: float) -> FloatArray:
    """Return the probability (K,) that each kernel takes at most `value` at a point (m,).

    It is NaN if the models have no posterior, if a kernel has no law or too few values for one, or if nothing
    is known about the kernel at the point (`Models.unknown`).

    Raises:
        ValueError: as in `Models.predict`.
    """
    wanted = check_evaluation_points(np.asarray(point, dtype=float)[None], len(models.upper))
    if models.posterior is None:
        return np.full(len(models), np.nan)
    share = np.concatenate(
        [(part.draws(wanted)[:, :, 0] <= value).mean(axis=1) for part in _parts(models)] or [np.zeros(0)]
    )
    return np.where(models.unknown(wanted)[:, 0], np.nan, _probabilities_of(models, share))


def _probability(
    models: Models, holds: Callable[[Posterior], BoolArray], *, unknown: BoolArray
) -> FloatArray:
    """Return the probability (K,) of a property; NaN for the kernels marked in `unknown` (K,).

    `holds` returns which draws (K, S) of a posterior have the property.
    """
    if models.posterior is None:
        return np.full(len(models), np.nan)
    shares = [holds(part.posterior).mean(axis=1) for part in _parts(models) if part.posterior is not None]
    return np.where(unknown, np.nan, _probabilities_of(models, np.concatenate(shares or [np.zeros(0)])))


def _probabilities_of(models: Models, share: FloatArray) -> FloatArray:
    """Return the probabilities (K,) that follow from shares of the draws (K,); NaN for kernels without a law.

    This is the inverse of `posterior.share_of_draws`. A probability is never exactly 0 or 1, because there
    are only few independent draws.
    """
    supported = ~np.isin(models.status, (NO_DATA, TOO_FEW_VALUES, FAILED))
    return np.where(supported, (INDEPENDENT_DRAWS * share + 0.5) / (INDEPENDENT_DRAWS + 1), np.nan)


def _rises(posterior: Posterior, upper: FloatArray) -> BoolArray:
    """Return whether draws rise noticeably beyond the largest value of each parameter, (K, S, m).

    The other parameters have `LEAD_MULTIPLE` times their largest values `upper` (m,).
    """
    points = np.tile(LEAD_MULTIPLE * upper, (len(upper) + 1, 1))
    points[np.arange(1, len(points)), np.arange(len(upper))] = upper
    values = posterior.laws(points)
    return np.asarray(values[..., :1] - values[..., 1:] > FLAT_CHANGE * np.abs(values[..., 1:]))


def _parts(models: Models) -> list[Models]:
    """Divide the models into groups of kernels, so that no temporary array becomes large."""
    if models.posterior is None:
        return [models]
    draws, terms = models.posterior.coefficients.shape[1:]
    step = max(1, NUMBERS_AT_ONCE // (2 * draws * terms * len(models.upper)))
    return [models.part(part) for part in np.split(np.arange(len(models)), range(step, len(models), step))]
