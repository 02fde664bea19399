"""Turn weighted draws into models: formulas, probabilities of laws, and draws for predictions."""

from dataclasses import replace
from typing import Any

import numpy as np

from modeling.engine.deviations.deviation import NO_PROCESS, Deviation, nothing
from modeling.engine.deviations.processes import processes
from modeling.engine.laws.terms import evaluate
from modeling.engine.measured.layout import Axis, axes, patterns
from modeling.engine.measured.near_points import representative_points
from modeling.engine.measured.observations import Observations, observe
from modeling.engine.modelers.assessment import ENOUGH_VALUES, assess
from modeling.engine.modelers.evidence.drawn_laws import DrawnLaws, far_terms
from modeling.engine.modelers.evidence.draws.coefficients import WeightedDraws, balanced, systematic
from modeling.engine.modelers.evidence.formula import formula, without_dust
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import EVERY_PAIR, MOST_COMBINED, places
from modeling.engine.modelers.evidence.noise.runs import Runs, rounded
from modeling.engine.modelers.leastsquares import solve
from modeling.engine.modelers.single import LEAST_FREE_LEVERAGE
from modeling.engine.results.models import Models
from modeling.engine.results.posterior import DEVIATING, ONE_SIDED, Posterior
from modeling.engine.validation import BoolArray, FloatArray, IntArray

DRAWS_STORED = 128
"""The number of draws that a model keeps: 2 to 3 kilobytes of a database row."""

LAWS_STORED = 24
"""The number of laws that a model keeps."""

POINTS_STORED = 128
"""The number of points of a deviating kernel that a model keeps."""

POINTS_OFF_LINES = 4
"""Values off lines count for reliability if a kernel has at least this many points for each varied parameter.
A line is a set of points that differ in one parameter only.

The number comes from synthetic kernels of two parameters, measured near a line with deviations of 4 %. Their
95 % intervals at 16 times the largest value contained 63 % of the true values with six points, 82 % with
seven and 90 % with eight.
"""


def summarised(
    basis: Basis, values: FloatArray, runs: Runs, known: list[tuple[IntArray, WeightedDraws]]
) -> Models:
    """Return models of K kernels from R repetitions at P points, (K, P, R). `known` are groups of kernels
    with their draws. Kernels outside these groups have no positive value.
    """
    kernels, m = len(values), basis.parameter_count
    most = places(m) + 1
    exponents = np.zeros((kernels, most, m, 2))
    coefficients = np.zeros((kernels, most + 1))
    coefficients[:, 0] = np.where((values == 0).any(axis=(1, 2)), 0.0, np.nan)
    posterior = _nothing_known(coefficients[:, 0], m)
    leads = np.zeros((kernels, m, 2))
    for those, quiet in known:
        draws = _of_medians(quiet, runs.total[those])
        laws, scale = DrawnLaws.of(draws), runs.scale[those]
        leads[those], shown = laws.leads(basis)
        laws = laws.with_first(shown)
        best = laws.begin[:-1]
        classes = laws.draws.classes[:, :, best]
        terms = len(classes)
        exponents[those, :terms] = np.moveaxis(EVERY_PAIR[classes], 2, 0)
        middle = formula(basis, runs.part(those), laws.draws, best) * scale
        middle[1:] /= basis.sizes(classes)
        coefficients[those, : terms + 1] = middle.T
        coefficients[those] = without_dust(
            coefficients[those], exponents[those], basis.points, runs.count[:, those].T > 0
        )
        _put(posterior, those, _posterior(basis, laws, scale))
    posterior = _around(basis, runs, posterior)
    return _models(basis, values, (coefficients, exponents, leads), posterior)


def _of_medians(draws: WeightedDraws, runs: FloatArray) -> WeightedDraws:
    """Turn draws of laws into draws of the medians of repetitions. Under one-sided noise, the median is (1 +
    log(2) · level) · law. 1 / level is drawn from a gamma distribution with the number of repetitions as its
    shape, by Wilson and Hilferty's approximation.
    """
    one_sided = (draws.family == ONE_SIDED)[:, None]
    if not one_sided.any():
        return draws
    chance = balanced(len(draws.level))[:, None]
    over_mean = np.maximum(1 - 1 / (9 * runs) + chance / (3 * np.sqrt(runs)), 0.3) ** 3
    level = np.where(one_sided, draws.level / over_mean, draws.level)
    slower = np.where(one_sided, 1 + np.log(2) * level, 1.0)
    return replace(draws, coefficients=draws.coefficients * slower, level=level)


def _posterior(basis: Basis, laws: DrawnLaws, scale: FloatArray) -> Posterior:
    """Pick equally likely draws, evenly spaced in the order of laws' values far beyond the data."""
    draws, begin = laws.draws, laws.begin
    rank = np.arange(len(laws.kernel)) - begin[laws.kernel]
    weights = draws.weights * (rank < LAWS_STORED).take(draws.law)
    far = draws.coefficients[0].copy()
    for coefficient, term in zip(draws.coefficients[1:], far_terms(basis, draws.classes), strict=True):
        far += coefficient * term.take(draws.law)
    # From here on, kernels are the first axis, and draws are numbered over all kernels.
    draw = np.argsort(far.T, axis=1)
    kernels = np.arange(len(draw))[:, None]
    kept = systematic(weights[draw, kernels], DRAWS_STORED)
    draw = np.take_along_axis(draw, kept, axis=1)
    picked = draw * len(draw) + kernels
    law = draws.law.ravel().take(picked)
    sizes = np.concatenate([np.ones((1, len(rank))), basis.sizes(draws.classes)])
    units = scale[laws.kernel] / sizes
    coefficients = draws.coefficients.reshape(len(sizes), -1).take(picked, axis=1)
    coefficients *= units.take(law, axis=1)
    family: Any = draws.family.astype(np.int8)
    most = min(LAWS_STORED, int(np.diff(begin).max()))
    there = np.arange(most) < np.diff(begin)[:, None]
    first = np.where(there, begin[:-1, None] + np.arange(most), begin[:-1, None])
    exponents = np.moveaxis(EVERY_PAIR[draws.classes[:, :, first]], (2, 3), (0, 1))
    return Posterior(
        exponents=exponents,
        probability=np.where(there, laws.probability[first], 0.0),
        law=rank[law].astype(np.int16),
        coefficients=np.moveaxis(coefficients, 0, 2),
        family=family.take(draw),
        level=draws.level.ravel().take(picked),
    )


def _around(basis: Basis, runs: Runs, posterior: Posterior) -> Posterior:
    """Add the deviations of kernels to the posterior, for predictions near measured points. The field `level`
    of draws with deviations is the index of a process at first. It becomes the standard deviation of a new
    repetition's logarithm.
    """
    deviating = posterior.family == DEVIATING
    kernels = np.flatnonzero(deviating.any(axis=1))
    if not len(kernels):
        return posterior
    process = np.where(deviating, posterior.level, NO_PROCESS).astype(np.int16)
    measured = nothing(
        len(process), min(POINTS_STORED, len(basis.points)), basis.parameter_count, process.shape[1]
    )
    own = runs.part(kernels)
    for pattern, which in patterns(own.count > 0):
        rows = representative_points(basis.points, pattern, POINTS_STORED)
        measured.points[kernels[which], : len(rows)] = np.log(basis.points[rows])
        measured.values[kernels[which], : len(rows)] = (
            own.log_median[rows][:, which] + np.log(own.scale[which])
        ).T
        measured.error[kernels[which], : len(rows)] = rounded(own.errors[rows][:, which]).T
    around = Deviation(measured.points, measured.values, measured.error, process)
    nugget = processes(basis.parameter_count).nugget[np.maximum(process[kernels], 0)]
    nugget = np.where(around.repeated[kernels, None], 0.0, nugget)
    level = posterior.level.copy()
    level[kernels] = np.where(deviating[kernels], np.sqrt(nugget**2 + own.variance[:, None]), level[kernels])
    return replace(posterior, level=level, deviation=around)


def _nothing_known(constant: FloatArray, m: int) -> Posterior:
    kernels = len(constant)
    most = places(m) + 1
    coefficients = np.zeros((kernels, DRAWS_STORED, most + 1))
    coefficients[:, :, 0] = constant[:, None]
    probability = np.zeros((kernels, LAWS_STORED))
    probability[:, 0] = 1
    return Posterior(
        exponents=np.zeros((kernels, LAWS_STORED, most, m, 2)),
        probability=probability,
        law=np.zeros((kernels, DRAWS_STORED), dtype=np.int16),
        coefficients=coefficients,
        family=np.zeros((kernels, DRAWS_STORED), dtype=np.int8),
        level=np.zeros((kernels, DRAWS_STORED)),
    )


def _put(whole: Posterior, kernels: IntArray, part: Posterior) -> None:
    """Write `part` into `whole`, which has room for more laws and terms."""
    laws, terms = part.exponents.shape[1:3]
    whole.exponents[kernels, :laws, :terms] = part.exponents
    whole.probability[kernels] = 0
    whole.probability[kernels, :laws] = part.probability
    whole.coefficients[kernels, :, : terms + 1] = part.coefficients
    for name in ("law", "family", "level"):
        getattr(whole, name)[kernels] = getattr(part, name)


def _models(
    basis: Basis, values: FloatArray, shown: tuple[FloatArray, FloatArray, FloatArray], posterior: Posterior
) -> Models:
    """Return models that show the first law of each kernel as a formula."""
    coefficients, exponents, leads = shown
    observations = observe(basis.points, _without_zeros(values), "median")
    points, lines = basis.campaign.points, axes(basis.points)
    varied = [axis for axis, x in zip(lines, points.T, strict=True) if (x != x[0]).any()] or lines
    on_lines = np.stack([axis.value_counts(observations.w) for axis in varied])
    taken = _values_taken(varied, observations.w)
    if len(lines) <= MOST_COMBINED:
        # Values off lines determine a law less well than values on lines. Designs with many parameters seldom
        # have lines.
        enough = observations.w.sum(axis=0) >= POINTS_OFF_LINES * len(varied)
        taken = np.maximum(on_lines, np.where(enough, np.minimum(taken, ENOUGH_VALUES - 1), 0))
    models = assess(
        observations,
        exponents,
        holdout_error=np.full(len(values), np.nan),
        value_counts=on_lines,
        values_taken=taken,
    )
    return replace(
        models,
        lower=points.min(axis=0),
        upper=points.max(axis=0),
        constant=coefficients[:, 0],
        coefficients=coefficients[:, 1:],
        exponents=exponents,
        posterior=posterior,
        leads=leads,
        **formula_errors(observations, coefficients, exponents),
    )


def _values_taken(varied: list[Axis], w: FloatArray) -> FloatArray:
    """Return the number of values of each varied parameter at which each kernel was measured."""
    counts = []
    for axis in varied:
        order = np.argsort(axis.value_of_point, kind="stable")
        begin = np.searchsorted(axis.value_of_point[order], np.arange(len(axis.x)))
        counts.append((np.add.reduceat(w[order], begin, axis=0) > 0).sum(axis=0))
    return np.stack(counts)


def _without_zeros(values: FloatArray) -> FloatArray:
    """Remove points with only zeros, unless the kernel has only zeros. Laws are not fitted to such points."""
    if not (values == 0).any():
        return values
    nothing = (np.nan_to_num(values) == 0).all(axis=2)
    return np.where((nothing & ~nothing.all(axis=1)[:, None])[:, :, None], np.nan, values)


def formula_errors(
    observations: Observations, coefficients: FloatArray, exponents: FloatArray
) -> dict[str, Any]:
    """Return the errors of the formulas of K kernels at the points' medians, (K,) each; NaN where an error is
    undefined.
    """
    y = observations.y * observations.scale
    there = np.broadcast_to(observations.w > 0, y.shape) & (y > 0)
    terms = np.moveaxis(evaluate(exponents, observations.points), 0, 2) * coefficients.T[1:, None]
    law = coefficients[:, 0] + terms.sum(axis=0)
    columns = np.where(there, np.concatenate([np.ones((1, *law.shape)), terms]) / law, 0.0)
    relative = solve(columns, np.where(there, y / law, 0.0))
    spare = 1 - relative.leverages
    left_out = y - law * np.where(spare > LEAST_FREE_LEVERAGE, relative.residuals / spare, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        count = there.sum(axis=0)
        total = (np.where(there, y - np.where(there, y, 0).sum(axis=0) / count, 0.0) ** 2).sum(axis=0)
        rss = (np.where(there, y - law, 0.0) ** 2).sum(axis=0)
        return {
            "smape": _mean(2 * np.abs(y - law) / (y + law), there),
            "relative_error": _mean(np.abs(y - law) / y, there),
            "r_squared": np.where(total > 0, 1 - rss / total, np.nan),
            "rss": np.where(count > 0, rss, np.nan),
            "cv_smape": _mean(2 * np.abs(y - left_out) / (y + np.abs(left_out)), there),
        }


def _mean(values: FloatArray, there: BoolArray) -> FloatArray:
    return np.asarray(np.where(there, values, 0.0).sum(axis=0) / there.sum(axis=0))
