"""Probabilities that a kernel grows no faster than a bound, or that its value is below a bound."""

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
"""Largest number of elements of a temporary array."""

_ROUNDING = 1e-9


def growth_probability(models: Models, most: ArrayLike) -> FloatArray:
    """Return the probability that each of K kernels grows no faster than x^i · log^j(x), (K,).

    The lead exponents of each draw are compared with i and j. Draws that hardly rise count as constant.

    Args:
        models: models of K kernels.
        most: (m, 2) largest exponents i and j of m parameters x; NaN for a parameter without a bound.

    Returns:
        The probabilities; NaN without enough data, or if a bounded parameter never varied alone.

    Raises:
        ValueError: `most` has another shape.
    """
    bounds = np.asarray(most, dtype=float)
    if bounds.shape != (len(models.upper), 2):
        raise ValueError(f"most: found shape {bounds.shape}, expected {(len(models.upper), 2)}")
    bounded = ~np.isnan(bounds).any(axis=1)
    never_alone = models.measured.bound

    def holds(posterior: Posterior) -> BoolArray:
        leads = lead_draws(posterior, models.upper)  # (kernels, draws, parameters, 2)
        power, logarithm = leads[..., 0] - bounds[:, 0], leads[..., 1] - bounds[:, 1]
        same = np.abs(power) <= _ROUNDING
        faster = (power > _ROUNDING) | (same & (logarithm > _ROUNDING))
        return np.asarray(~(faster & bounded & _rises(posterior, models.upper)).any(axis=2))

    return _probability(models, holds, unknown=(never_alone & bounded).any(axis=1))


def below_probability(models: Models, point: ArrayLike, value: float) -> FloatArray:
    """Return the probability that each of K kernels has at most the `value` at a point (m,), as (K,).

    It is NaN without a posterior, with too little data for a law, or if nothing is known (`Models.unknown`).

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
    """Return the probability of a property. `holds` finds the draws with it. NaN for `unknown` kernels."""
    if models.posterior is None:
        return np.full(len(models), np.nan)
    shares = [holds(part.posterior).mean(axis=1) for part in _parts(models) if part.posterior is not None]
    return np.where(unknown, np.nan, _probabilities_of(models, np.concatenate(shares or [np.zeros(0)])))


def _probabilities_of(models: Models, share: FloatArray) -> FloatArray:
    """Return the probabilities from shares of draws, never 0 or 1; NaN for kernels without a law."""
    supported = ~np.isin(models.status, (NO_DATA, TOO_FEW_VALUES, FAILED))
    return np.where(supported, (INDEPENDENT_DRAWS * share + 0.5) / (INDEPENDENT_DRAWS + 1), np.nan)


def _rises(posterior: Posterior, upper: FloatArray) -> BoolArray:
    """Return whether draws rise noticeably beyond the largest value of each parameter."""
    points = np.tile(LEAD_MULTIPLE * upper, (len(upper) + 1, 1))
    points[np.arange(1, len(points)), np.arange(len(upper))] = upper
    values = posterior.laws(points)
    return np.asarray(values[..., :1] - values[..., 1:] > FLAT_CHANGE * np.abs(values[..., 1:]))


def _parts(models: Models) -> list[Models]:
    """Divide the models into groups of kernels, to limit memory."""
    if models.posterior is None:
        return [models]
    draws, terms = models.posterior.coefficients.shape[1:]
    step = max(1, NUMBERS_AT_ONCE // (2 * draws * terms * len(models.upper)))
    return [models.part(part) for part in np.split(np.arange(len(models)), range(step, len(models), step))]
