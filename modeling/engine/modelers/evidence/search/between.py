"""Powers between those of the exponent pairs, such as x^0.4, for one parameter.

A kernel may grow with any power. If only the powers of the exponent pairs were possible, another one would be
taken for a law that is similar at the measured points but not far beyond, and the interval would be too
narrow. Therefore laws c₀ + c₁·x^i with powers i around the best one are added. Each stands for a *range* of
powers, about as wide as the standard deviation of the power. So the sum of their evidence is an integral over
the power. A power has a much smaller standard deviation in a law without the constant c₀, so there are ranges
around the best power of either law. Powers in the ranges of both laws count twice.

Only rising powers are between those of the exponent pairs. Falling values of real kernels are mostly divided
work plus overhead. A power that is fitted to them, such as −1.02, predicts too narrow intervals.
"""

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import (
    EVERY_PAIR,
    FIRST_RANGE,
    LARGEST_POWER,
    LEAST_POWER,
    WIDTHS,
    range_classes,
)
from modeling.engine.modelers.evidence.hypotheses.gaussian import solve
from modeling.engine.modelers.evidence.hypotheses.laws import (
    LAWS_KEPT,
    Laws,
    Located,
    best_weights,
    merged,
    rescored,
    scored,
)
from modeling.engine.validation import FloatArray, IntArray

FEWEST_VALUES = 5
"""Kernels with fewer values have only the powers of the exponent pairs."""

HOPELESS_SHARE = 0.003
"""If the law with the best power has less than this share of the evidence of the best other law, no powers
between those of the exponent pairs are tried.
"""

RANGES_ASIDE = 3
"""The number of ranges on either side of the best power."""

STEPS, LARGEST_STEP = 4, 0.3
"""The number of steps of Newton's method towards the best power, and the largest change of the power."""


def with_powers_between(basis: Basis, located: Located, laws: Laws) -> Laws:
    """Merge the laws of K kernels with laws of ranges of powers. Without a single parameter, return the same
    laws.
    """
    begun = _begun(basis, laws)
    some = np.flatnonzero((begun > 0) & (np.isfinite(located.variance).sum(axis=0) >= FEWEST_VALUES))
    if not basis.has_ranges or not len(some):
        return laws
    near, known = located.part(some), laws.part(some)
    weights = best_weights(basis, known, near)
    alone = _best_power(basis, near, weights, begun[some], constant=False)
    beside = _best_power(basis, near, weights, begun[some], constant=True)
    # A constant ≥ 0 makes the term steeper.
    beside = (np.maximum(beside[0], alone[0]), beside[1])
    best = _scored(basis, near, weights, [_ranges(*each, aside=0) for each in (alone, beside)], known)
    likely = np.flatnonzero(best.log_evidence.max(axis=0) > known.log_evidence[0] + np.log(HOPELESS_SHARE))
    if not len(likely):
        return laws
    ranges = [_ranges(each[0][likely], each[1][likely]) for each in (alone, beside)]
    near, known, some = near.part(likely), known.part(likely), some[likely]
    found = merged(known, _scored(basis, near, weights[:, likely], ranges, known), LAWS_KEPT)
    again = np.flatnonzero(found.classes[0, 0, 0] >= FIRST_RANGE)
    if len(again):
        found.put(again, rescored(basis, found.part(again), near.part(again)))
    wide = laws.widened(len(found.log_evidence))
    wide.put(some, found.widened(len(wide.log_evidence)))
    return wide


def _scored(basis: Basis, located: Located, weights: FloatArray, ranges: list[IntArray], laws: Laws) -> Laws:
    """Return laws of the classes `ranges`, with as many places for terms as `laws`."""
    classes = np.concatenate(ranges)
    found = np.zeros((*laws.classes.shape[:2], *classes.shape), dtype=np.int64)
    found[0, 0] = classes
    return scored(basis, found, located, weights)


def _begun(basis: Basis, laws: Laws) -> FloatArray:
    """Return the powers from which the search starts, (K,): the slopes of the terms of the best laws at the
    largest value, or 0 for constant laws.
    """
    pairs = EVERY_PAIR[laws.classes[:, 0, 0].max(axis=0)]
    return np.asarray(pairs[:, 0] + pairs[:, 1] / np.maximum(np.log(basis.campaign.points.max()), 1.0))


def _best_power(
    basis: Basis, located: Located, weights: FloatArray, power: FloatArray, *, constant: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the power of the law c₀ + c₁·x^i that fits best, (K,), and its standard deviation, (K,)."""
    x = np.log(basis.points[:, :1])
    x = x - x.mean()
    root = np.sqrt(weights)
    values = root * located.y
    moments_of = [root] if constant else []
    for _ in range(STEPS):
        term = root * np.exp(x * power)
        columns = [*moments_of, term, term * x]
        fit = solve(
            [[(one * other).sum(axis=0) for other in columns[: n + 1]] for n, one in enumerate(columns)],
            [(one * values).sum(axis=0) for one in columns],
            (values * values).sum(axis=0),
        )
        size = np.maximum(np.abs(fit.coefficients[-2]), 1e-12)
        step = np.clip(np.nan_to_num(fit.coefficients[-1] / size), -LARGEST_STEP, LARGEST_STEP)
        deviation = fit.deviations[-1] / size
        power = np.clip(power + step, LEAST_POWER, LARGEST_POWER)
    return power, deviation


def _ranges(power: FloatArray, deviation: FloatArray, aside: int = RANGES_ASIDE) -> IntArray:
    """Return the classes of ranges around the powers of K kernels, (ranges, K)."""
    wide = np.clip(np.nan_to_num(deviation), WIDTHS[-1], WIDTHS[0])
    level = np.rint(np.log2(WIDTHS[0] / wide)).astype(int)
    places = np.arange(-aside, aside + 1)[:, None]
    return range_classes(power + places * WIDTHS[level], level)
