"""The evidence of a kernel's log ratios with and without a change of its law.

A log ratio d of kernel k at the common point c is modelled as

    d[k, c] = level[k] + change of law[k, c] + scatter[k, c] + noise[k, c].

The variance of the noise is estimated from the repetitions. The scatter of a kernel has one of the standard
deviations `SCATTERS`, and a larger one at odd points. Otherwise one bad point would be mistaken for a
change of law.

A change of law is a sum of smooth functions of the log parameters, with unknown coefficients. The values of
one function at the common points are a *direction*.

An *explanation* is `PLAIN` (no change of law) or `LAW`. All summands are Gaussian. So the marginal likelihood
of an explanation has a closed form (Woodbury's identity), which is Gaussian in the level.
"""

import numpy as np

from modeling.engine.changes.covariances import Solved, solve
from modeling.engine.changes.likelihood import (
    LAW,
    NO_PRECISION,
    SCATTERS,
    Levels,
    join_levels,
    level_evidence,
    merge,
)
from modeling.engine.changes.log_ratios import LogRatios
from modeling.engine.validation import FloatArray

ODD_SCALES = (4.0, 16.0)
"""Standard deviations added at an odd point, relative to that of the point's noise and scatter."""

POINTS_PER_ODD = 8
"""At most one in this number of points is odd, but one is always allowed."""

ONE_MORE_PRIOR = 0.2
"""Prior probability of each further odd point after the first, which needs 2 · `POINTS_PER_ODD` points. Half
and twice of it make no difference in the benchmark.
"""

ODD_LOG_EVIDENCE = 2.0
"""Further odd points are searched for if the first one adds more than this to the log evidence."""

LAW_POINTS = 3
"""Fewest common points with which a change of law can be distinguished from scatter."""

SLOPE_SCALE = 0.12
"""Prior standard deviation of the change of an exponent. With half of it, 63 instead of 89 % of exponents
that differ by 1/4 are found among 12 kernels (`tests.benchmarks.constants`). With twice of it, 84 % are, and
28 instead of 24 of 1,000 unchanged kernels on a busy machine are reported.
"""

CURVE_SCALE = 0.1
"""Prior standard deviation of the factors of squares, cubes and products of logarithms in a change of law.
With half of it, 2 % more changes of an exponent by 1/4 are missed if drift is 3 %, and 66 instead of 89 %
are found among 12 kernels. With twice of it, 31 instead of 24 of 1,000 unchanged kernels on a busy machine
are reported.
"""

STEEPER = 5.0
"""For large changes of a law, the prior standard deviations are multiplied by this. Half and twice of it make
no difference in the benchmark.
"""

LARGE_DEVIATION = 0.2
"""Standard deviation of a kernel's log ratios above which large changes of its law are tried, for speed. With
half of it, 82 instead of 89 % of the changed exponents among 12 kernels are found, because unlikely large
changes share the prior. Twice of it makes no difference.
"""

MOST_COLUMNS = 64
"""Largest number of directions. With more than nine parameters, products of two logarithms are left out."""

RATIOS_AT_ONCE = 12_500
"""Number of log ratios computed together. Temporary arrays then fit into the processor's cache."""


def change_columns(points: FloatArray) -> FloatArray:
    """Return the r directions (C, r) in which a change of law moves the log ratios at C points (C, m).

    The directions of each of m parameters are its centred logarithm, the square of this logarithm minus the
    mean of the squares, and its cube minus the cube's slope. Each pair of parameters has the product of the
    logarithms. Directions are multiplied by their prior standard deviations.
    """
    logs = np.log(points)
    centred = logs - logs.mean(axis=0)
    spans = np.ptp(logs, axis=0)
    unit = 2 * centred / np.where(spans > 0, spans, 1.0)
    square, fourth = (unit**2).mean(axis=0), (unit**4).mean(axis=0)
    bends = unit**2 - square
    twists = unit**3 - fourth / np.where(square > 0, square, 1.0) * unit
    columns = [SLOPE_SCALE * centred, CURVE_SCALE * bends, CURVE_SCALE * twists]
    parameters = points.shape[1]
    if parameters * (parameters + 5) / 2 <= MOST_COLUMNS:
        one, other = np.triu_indices(parameters, 1)
        columns.append(CURVE_SCALE * unit[:, one] * unit[:, other])
    return np.concatenate(columns, axis=1)


def levels(ratios: LogRatios, columns: FloatArray) -> Levels:
    """Return the levels under both explanations. `columns` are those of `change_columns`."""
    points, kernels = ratios.d.shape
    step = max(1, RATIOS_AT_ONCE // max(points, 1))
    if kernels <= step:
        return _levels(ratios, columns)
    every = np.arange(kernels)
    return join_levels([_levels(ratios.part(some), columns) for some in np.split(every, every[step::step])])


def _levels(ratios: LogRatios, columns: FloatArray) -> Levels:
    known = ratios.known
    some = np.asarray(known.any(axis=0))
    if not some.any():
        shape = (known.shape[1], 2, 2 * len(SCATTERS))
        return Levels(np.zeros(shape), np.zeros(shape), np.full(shape, 1 / NO_PRECISION), some)
    parts = _all_explained(ratios, columns, 1)
    plain, odd = parts[0, :, :, 0].max(axis=(1, 2)), parts[0, :, :, 1].max(axis=(1, 2))
    several = np.flatnonzero((odd > plain + ODD_LOG_EVIDENCE) & (known.sum(axis=0) >= 2 * POINTS_PER_ODD))
    if len(several):
        count = len(known) // POINTS_PER_ODD
        parts[:, several] = _all_explained(ratios.part(several), columns, count)
    large = np.flatnonzero(_deviation(ratios) > LARGE_DEVIATION)
    if len(large):
        steeper = _explained_by(ratios.part(large), STEEPER * columns, 1)
        both = np.stack([parts[:, large, LAW], steeper])
        both[:, 0] -= np.log(2)
        parts[:, large, LAW] = merge(both.swapaxes(0, 1), axis=1)
    evidence, mean, variance = parts.reshape(3, len(plain), 2, -1)
    evidence[known.sum(axis=0) < LAW_POINTS, LAW] = -np.inf
    return Levels(evidence, mean, variance, some)


def _deviation(ratios: LogRatios) -> FloatArray:
    """Return the standard deviation of each kernel's known log ratios."""
    count = np.maximum(ratios.known.sum(axis=0), 1)
    centred = np.where(ratios.known, ratios.d - ratios.d.sum(axis=0) / count, 0.0)
    return np.asarray(np.sqrt((centred**2).sum(axis=0) / count))


def _all_explained(ratios: LogRatios, columns: FloatArray, odd: int) -> FloatArray:
    """Return the log evidence, mean and variance of the levels, with at most `odd` odd points.

    The axes are: these three quantities, kernels, explanations, without or with odd points, and `SCATTERS`.
    """
    return np.stack([_explained_by(ratios, moved, odd) for moved in (columns[:, :0], columns)], axis=2)


def _explained_by(ratios: LogRatios, columns: FloatArray, odd: int) -> FloatArray:
    """Return the results of `_all_explained` for one explanation. Without columns, it is `PLAIN`."""
    found = [_explained(ratios, ratios.noise + scatter**2, columns, odd) for scatter in SCATTERS]
    return np.array(found).transpose(1, 3, 2, 0)


def _explained(ratios: LogRatios, variance: FloatArray, columns: FloatArray, odd: int) -> FloatArray:
    """Return the log evidence, mean and variance of the level: without odd points, and with 1 to `odd`.

    The result is (3, 2, kernels). Let Σ = diag(variance) + columns · columnsᵀ, a = Σ⁻¹ d and b = Σ⁻¹ 1, and
    let q be the diagonal of Σ⁻¹. As a function of the level, the density of d is proportional to a Gaussian
    with the mean 1ᵀa / 1ᵀb and the variance 1 / 1ᵀb.

    Adding τ to the variance of point c subtracts t b_c² from 1ᵀb, t a_c b_c from 1ᵀa and t a_c² from dᵀa,
    with t = τ / (1 + τ q_c) (the Sherman–Morrison formula). Odd points are found one after the other, the
    likeliest first.
    """
    d, known = ratios.d, ratios.known
    count = known.sum(axis=0)
    prior = np.where(known & (count >= LAW_POINTS), -np.log(np.maximum(count, 1) * len(ODD_SCALES)), -np.inf)
    variance, kernels = variance.copy(), np.arange(d.shape[1])
    found: list[FloatArray] = []
    for _ in range(odd):
        solved = solve(d, known / variance, columns)
        start = -0.5 * ((known * np.log(2 * np.pi * variance)).sum(axis=0) + solved[3])
        if not found:
            found.append(level_evidence(start, *_sums(d, *solved[:2])))
        each = _with_odd_point(d, solved, start + prior, variance)
        found.append(merge(each, axis=1))
        place, scale = np.divmod(each[0].argmax(axis=0), len(ODD_SCALES))
        variance[place, kernels] *= 1 + np.array(ODD_SCALES)[scale] ** 2
        prior = prior + np.log(ONE_MORE_PRIOR)
        prior[place, kernels] = -np.inf
    several = merge(np.stack(found[1:], axis=1), axis=1)
    return np.stack([found[0], several], axis=1)


def _with_odd_point(d: FloatArray, solved: Solved, start: FloatArray, variance: FloatArray) -> FloatArray:
    """Return log evidence, mean and variance of the level with each odd point and scale, (3, N, kernels)."""
    a, b, q, _ = solved
    sums = _sums(d, a, b)
    scales = np.array(ODD_SCALES)[:, None]
    added = scales**2 * variance[:, None]
    inner = 1 + added * q[:, None]
    t = added / inner
    a, b = a[:, None], b[:, None]
    moved = (sums[0] - t * b**2, sums[1] - t * a * b, sums[2] - t * a**2)
    found = level_evidence(start[:, None], *moved, inner)
    return found.reshape(3, -1, d.shape[1])


def _sums(d: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return 1ᵀΣ⁻¹1, 1ᵀΣ⁻¹d and dᵀΣ⁻¹d, given a = Σ⁻¹ d and b = Σ⁻¹ 1."""
    return b.sum(axis=0), a.sum(axis=0), (d * a).sum(axis=0)
