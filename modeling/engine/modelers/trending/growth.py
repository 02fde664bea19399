"""The growth of kernels at their largest values, compared with the growth of their models' predictions."""

from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.deviations.trend import TREND_LENGTH, Trend
from modeling.engine.measured.last_values import LastValues
from modeling.engine.measured.repetitions import aggregate, runs_first
from modeling.engine.results.models import Models
from modeling.engine.results.posterior import log_run_factors
from modeling.engine.validation import BoolArray, FloatArray, IntArray

AHEAD = 1.4
"""The growth of predictions is measured from the largest parameter value to this multiple of it. With 4, the
public campaigns' errors would be 0.2 percentage points larger.
"""

STEPS = 3.0
"""Length of a trend, as a multiple of the distance of the last two parameter values in log x. It is at most
`TREND_LENGTH`. Between 2 and 4, the errors of the public campaigns hardly change.
"""

STEEPEST, FARTHEST = 1.4, 1.0
"""Limits on the logarithm of the factor by which a trend changes predictions. `STEEPEST` limits the change of
this logarithm over the distance of the last two parameter values. `FARTHEST` limits this logarithm at the
largest parameter value.

`STEEPEST` limits the effect of one wrong value to a factor of 4. With a factor of 7, errors fall from 29 to
24 % for times that double with every value of a parameter. But errors rise from 4.9 to 5.8 % for RELeARN at
512 MPI processes.
"""

MOST_DOUBTS = 3.0
"""Limit on the change of a slope by a trend, for kernels that follow their law, as a multiple of
the standard deviation of the law's slope over its draws. So a law whose growth is known precisely is
followed, even if trends predict most kernels better. For kernels that deviate, it would raise the errors
of public campaigns of MPI collectives by half.

Without this limit, a campaign of kernels b/p + c·p up to p = 32 with noise of 0.5 % is predicted 13 % too
low at p = 64, because their values up to p = 16 do not show the growing term. The limit raises the error at
the second value beyond the data of public campaigns by 0.3 percentage points.
"""

LEAST_SCATTER = 1e-3
"""Lower limit of the ratio of a repetition to the median of many. It keeps logarithms finite."""

SAME_EVERYWHERE = 0.1
"""Penalty on the squared slopes of the planes that describe how trends depend on the other parameters. It is
relative to the squared distances of trends from the plane, and evens the trends of noisy lines.
"""

_RUN_QUANTILES = (np.arange(15) + 0.5) / 15


@dataclass(frozen=True)
class Growth:
    """Growth of K kernels at their last values on L lines. `slopes`, `begins` and `lengths` are NaN for
    kernels without two values on the line.

    Attributes:
        along: the parameter along which each line is, (L,).
        slopes: the slope between the last two values and the slope 0, minus the slope of predictions, in
            logarithms, (2, K, L).
        doubts: the standard deviations of the slopes of the laws with their deviations, (K, L).
        begins: the logarithms of the ratios of the last values to the predictions, (K, L).
        lengths: the lengths of the trends in log x, (K, L).
        places: the logarithms of m parameters at some point of each line, (L, m).
        smallest: the logarithms of the smallest parameter values of each kernel, (K, m); 0 without points.
        largest: the logarithms of the largest parameter values of each kernel, (K, m); 0 without points.
    """

    along: IntArray
    slopes: FloatArray
    doubts: FloatArray
    begins: FloatArray
    lengths: FloatArray
    places: FloatArray
    smallest: FloatArray
    largest: FloatArray

    @classmethod
    def of(cls, models: Models, points: FloatArray, values: FloatArray, parameters: IntArray) -> "Growth":
        """Compute the growth of K kernels with R repetitions at P points, (K, P, R), along some of m
        parameters. `points` is (P, m).
        """
        there = np.asarray((values > 0).any(axis=2))
        middle = medians(values, there)
        ends = LastValues.of(points, there).along(parameters)
        here, slope, doubt = _predicted(models, ends)
        with np.errstate(divide="ignore", invalid="ignore"):
            begins = np.log(np.take_along_axis(middle, ends.last, axis=1) / here)
        error = errors_of_medians(models, values)
        more = _beyond_noise(ends.slopes(middle) - slope, ends.slope_errors(error))
        slopes = np.stack([more, -slope])
        lengths = np.minimum(STEPS * ends.steps, TREND_LENGTH)
        known = ends.known & np.isfinite(slopes).all(axis=0) & np.isfinite(begins)
        measured = np.where(there[..., None], np.log(points), np.nan)
        return cls(
            along=ends.parameter,
            slopes=np.where(known, np.clip(slopes, -STEEPEST / ends.steps, STEEPEST / ends.steps), np.nan),
            doubts=doubt,
            begins=np.where(known, np.clip(begins, -FARTHEST, FARTHEST), np.nan),
            lengths=np.where(known, lengths, np.nan),
            places=np.log(points[ends.any_point]),
            smallest=np.nan_to_num(np.fmin.reduce(measured, axis=1)),
            largest=np.nan_to_num(np.fmax.reduce(measured, axis=1)),
        )

    def limited(self, some: BoolArray) -> "Growth":
        """Return the same growth, with slopes of the kernels marked in `some` (K,) that differ by at most
        `MOST_DOUBTS` from the laws' slopes.
        """
        most = np.where(some[:, None], MOST_DOUBTS * self.doubts, np.inf)
        return replace(self, slopes=np.clip(self.slopes, -most, most))

    def trend(self, weights: FloatArray) -> Trend:
        """Return the trend of the kernels if the two slopes along each of m parameters have these weights,
        (m, 2).
        """
        of_line = weights[self.along]
        slope = np.einsum("wkl,lw->kl", self.slopes, of_line)
        level = self.begins * of_line.sum(axis=1)
        return Trend(self._planes(slope), self._planes(level), self.smallest, self.largest, self._lengths())

    def _lengths(self) -> FloatArray:
        """Return the mean length of the trends along each parameter, (kernels, parameters)."""
        lengths = np.full(self.largest.shape, TREND_LENGTH)
        for parameter in np.unique(self.along):
            of_lines = self.lengths[:, self.along == parameter]
            known = np.isfinite(of_lines)
            mean = np.where(known, of_lines, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
            lengths[:, parameter] = np.where(known.any(axis=1), mean, TREND_LENGTH)
        return lengths

    def _planes(self, heights: FloatArray) -> FloatArray:
        """Fit a plane over the other parameters to the heights of the lines along each (see `Trend`)."""
        kernels, parameters = self.largest.shape
        planes = np.zeros((kernels, parameters, parameters))
        for parameter in np.unique(self.along):
            lines = self.along == parameter
            below = self.places[lines] - self.largest[:, None]
            below[..., parameter] = 1.0
            planes[:, parameter] = _plane(heights[:, lines], below, parameter)
        return planes


def _plane(y: FloatArray, x: FloatArray, constant: int) -> FloatArray:
    """Fit a plane to the values of `y` that are not NaN. The column `constant` of `x` is 1."""
    known = np.isfinite(y)
    weighed = np.where(known[..., None], x, 0.0)
    costs = np.full(x.shape[2], SAME_EVERYWHERE)
    costs[constant] = np.finfo(float).eps
    matrix = np.einsum("kli,klj->kij", weighed, weighed) + np.diag(costs)
    sums = np.einsum("kli,kl->ki", weighed, np.where(known, y, 0.0))
    return np.asarray(np.linalg.solve(matrix, sums[..., None])[..., 0])


def _predicted(models: Models, ends: LastValues) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the predictions at the last values on lines, the log-log slopes of predictions there, and the
    standard deviations of the slopes over the draws; ∞ without draws.
    """
    here, slope, doubt = np.full((3, *ends.last.shape), np.nan)
    for parameter in np.unique(ends.parameter):
        lines = ends.parameter == parameter
        numbers, which = np.unique(ends.last[:, lines], return_inverse=True)
        which = which.reshape(len(here), -1)
        at = ends.points[numbers]
        beyond = at.copy()
        beyond[:, parameter] *= AHEAD
        both = np.concatenate([at, beyond])
        draws = models.draws(both)
        predicted = models.predict(both, draws).reshape(len(here), 2, -1)
        draws = draws.reshape(len(here), -1, 2, len(at))
        with np.errstate(divide="ignore", invalid="ignore"):
            grown = np.log(predicted[:, 1] / predicted[:, 0]) / np.log(AHEAD)
            deviation = np.std(np.log(draws[:, :, 1] / draws[:, :, 0]), axis=1) / np.log(AHEAD)
        here[:, lines] = np.take_along_axis(predicted[:, 0], which, axis=1)
        slope[:, lines] = np.take_along_axis(grown, which, axis=1)
        doubt[:, lines] = np.inf if models.posterior is None else np.take_along_axis(deviation, which, axis=1)
    return here, slope, doubt


def medians(values: FloatArray, there: BoolArray) -> FloatArray:
    """Return the medians of K kernels at P points, (K, P), of R repetitions, (K, P, R); NaN where there is
    none.
    """
    return np.where(there, aggregate(runs_first(values), "median").T, np.nan)


def errors_of_medians(models: Models, values: FloatArray) -> FloatArray:
    """Return the standard deviations of the logarithms of K kernels' medians at P points, (K, P), by the
    models' noise. `values` (K, P, R) has R repetitions.
    """
    posterior = models.posterior
    if posterior is None:
        return np.zeros(values.shape[:2])
    runs = np.maximum(
        log_run_factors(posterior.family, posterior.level, _RUN_QUANTILES), np.log(LEAST_SCATTER)
    )
    count = np.isfinite(values).sum(axis=2)
    of_median = np.where(count > 2, np.pi / 2, 1.0) / np.maximum(count, 1)
    return np.asarray(np.sqrt(np.einsum("ksq,ksq->k", runs, runs)[:, None] / runs[0].size * of_median))


def _beyond_noise(difference: FloatArray, error: FloatArray) -> FloatArray:
    """Multiply differences by difference² / (difference² + error²): noise may explain the rest."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = difference**2 / (difference**2 + error**2)
        return np.where(difference == 0, 0.0, difference * share)
