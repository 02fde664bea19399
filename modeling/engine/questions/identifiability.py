"""Which laws the data can tell: how a kernel grows with each parameter, and what it takes at a target."""

from collections.abc import Sequence
from math import inf

import numpy as np

from modeling.engine.laws.growth import SAME_EXPONENT
from modeling.engine.laws.terms import LEAD_MULTIPLE
from modeling.engine.modelers.evidence.basis import MOST_COMBINED, PAIRS
from modeling.engine.results.models import NO_DATA, TOO_FEW_VALUES, Models
from modeling.engine.results.posterior import Posterior
from modeling.engine.results.rivals import lead_draws
from modeling.engine.validation import BoolArray, FloatArray, IntArray

KNOWN_GROWTH = 0.5
"""A parameter's growth is known where exponents so near to each other have more than this probability."""

WIDEST_FACTOR = 10.0
"""Factor to either side by which an interval may be wide."""

FLAT_CHANGE = 0.05
"""A law is flat if it changes by no more than this share from the largest value to four times that.

A term that dies away may have any exponent.
"""

LARGEST_FACTOR = 1000.0
"""Factors beyond say no more than this one."""

NUMBERS_AT_ONCE = 2_000_000
"""Numbers of one temporary array."""

_ROUNDING = 1e-9


def lead_certainty(models: Models, points: FloatArray | None = None) -> FloatArray | None:
    """Largest probability, (K, m), of any lead exponent together with those at most 1/4 from it.

    Of many parameters each is unlikely to matter by itself. So where several have always varied together, by
    the campaign's points (P, m), no more is certain of any of them than that none matters, or one alone.

    Where a draw of the law is flat, its exponent counts as 0. Of a segmented kernel it is that of the last
    segment. 0 where no parameter has enough values to tell a law by, whatever was thought beforehand. None
    where the modeler weighs no laws.
    """
    if models.posterior is None:
        return None
    draws, terms = models.posterior.coefficients.shape[1:]
    step = max(1, NUMBERS_AT_ONCE // (2 * draws * terms * len(models.upper)))
    groups = _together(points) if points is not None and points.shape[1] > MOST_COMBINED else []
    parts = [
        _of_part(models.posterior.part(part), models.upper, groups)
        for part in np.split(np.arange(len(models)), range(step, len(models), step))
    ]
    told = ~np.isin(models.status, (NO_DATA, TOO_FEW_VALUES))
    return np.concatenate(parts) * told[:, None]


def _together(points: FloatArray) -> list[IntArray]:
    """Numbers of the parameters that take each their values at the same of the points (P, m), in groups."""
    patterns = [np.unique(x, return_inverse=True)[1].ravel() for x in points.T]
    first = [np.unique(pattern, return_index=True)[1][pattern] for pattern in patterns]
    group = np.unique(np.stack(first), axis=0, return_inverse=True)[1].ravel()
    groups = [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]
    return [each for each in groups if len(each) > 1 and first[each[0]].any()]


def _of_part(posterior: Posterior, upper: FloatArray, groups: Sequence[IntArray]) -> FloatArray:
    powers = np.unique(PAIRS[:, 0])
    near = (np.abs(powers[:, None] - powers) <= SAME_EXPONENT + _ROUNDING).astype(float)
    exponents = np.where(_moves(posterior, upper), lead_draws(posterior, upper)[..., 0], 0.0)
    place = np.searchsorted(powers, exponents - _ROUNDING)  # (K, S, m)
    kernels, draws, m = place.shape
    number = (np.arange(kernels)[:, None, None] * m + np.arange(m)) * len(powers) + place
    counts = np.bincount(number.ravel(), minlength=kernels * m * len(powers)).reshape(kernels, m, -1)
    certainty = np.asarray((counts @ near).max(axis=2) / draws)
    for group in groups:
        matters = exponents[..., group] != 0  # (K, S, parameters)
        none, alone = ~matters.any(axis=2), matters & (matters.sum(axis=2, keepdims=True) == 1)
        known = np.maximum(none.mean(axis=1), alone.mean(axis=1).max(axis=1))
        certainty[:, group] = np.minimum(certainty[:, group], known[:, None])
    return certainty


def _moves(posterior: Posterior, upper: FloatArray) -> BoolArray:
    """Whether draws change noticeably beyond the data along each parameter, the others far out, (K, S, m)."""
    points = np.tile(LEAD_MULTIPLE * upper, (len(upper) + 1, 1))
    points[np.arange(1, len(points)), np.arange(len(upper))] = upper
    values = posterior.values(points)
    return np.asarray(np.abs(values[..., :1] - values[..., 1:]) > FLAT_CHANGE * np.abs(values[..., 1:]))


def spread(predicted: float, lower: float, upper: float) -> float:
    """By what factor the farther end of an interval lies from the prediction; infinite if it is 0."""
    if predicted == lower == upper:
        return 1.0
    return max(upper / predicted, predicted / lower) if predicted > 0 and lower > 0 else inf


Target = tuple[float | None, float | None, float | None]
"""Prediction at a target and both ends of its interval; None: not known."""

NOT_KNOWN: Target = (None, None, None)


def doubts(certainty: Sequence[float], names: Sequence[str], target: Target = NOT_KNOWN) -> list[str]:
    """Why a law is not identifiable from its data, in words; nothing where it is.

    Parameters
    ----------
    certainty : of each parameter, see `lead_certainty`; empty: not known.
    names : of the parameters.
    target : what the law says there.

    """
    reasons = [_unknown_growth(names[at], certainty[at]) for at in _unknown(certainty)]
    factor = _off(target)
    if factor == inf and None in target:
        reasons.append("How far off the truth may lie at the target cannot be told.")
    elif factor > WIDEST_FACTOR:
        far = f"{factor:.2g}" if factor < LARGEST_FACTOR else f"{LARGEST_FACTOR:,.0f} or more"
        reasons.append(f"At the target the truth may lie a factor of {far} off.")
    return reasons


def _unknown_growth(name: str, share: float) -> str:
    if not share:
        return f"How it grows with {name} cannot be told from so few values."
    return (
        f"How it grows with {name} cannot be told: no exponent, with all within 1/4 of it, has more than "
        f"{100 * share:.0f} % of the probability."
    )


def _unknown(certainty: Sequence[float]) -> list[int]:
    """Numbers of the parameters whose effect is not known."""
    return [at for at, share in enumerate(certainty) if share <= KNOWN_GROWTH]


def _off(target: Target) -> float:
    """The spread at a target, infinite where a prediction has no interval, 1 where there is no prediction."""
    predicted, lower, upper = target
    if predicted is None:
        return 1.0
    return inf if lower is None or upper is None else spread(predicted, lower, upper)
