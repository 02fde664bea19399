"""The evidence modeler with a trend: how kernels continue right beyond their largest values.

A law fitted to all values predicts the next one worse, in many campaigns, than a line through the last two,
and much better in others. Which of them to trust is learned from the campaign: some of its kernels are
modelled without their largest values, these are predicted, and the weights of both forecasts, and of the
forecast that nothing changes any more, are those that predict them best (stacking; docs/methods.md#trends).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from modeling.engine.deviations.trend import Trend, begun, effective
from modeling.engine.measured.last_values import NONE, LastValues
from modeling.engine.measured.layout import axes
from modeling.engine.modelers.segmented.modeler import SegmentedEvidence
from modeling.engine.results.common import Common
from modeling.engine.results.models import Models
from modeling.engine.results.posterior import run_factors
from modeling.engine.validation import BoolArray, FloatArray, IntArray

FORECAST_KERNELS = 32
"""The number of kernels, for all parameters together, that are modelled without their largest values, which
takes as long as modelling so many more. Half as many learn nearly the same weights."""

LEAST_VALUES = 4
"""Fewest values of a parameter whose largest one is predicted from the others: a law needs three."""

AHEAD = 1.4
"""Ratio to the largest value up to which the growth of predictions is compared with that of a trend. Further
away, with 4, deviations have returned to the law, and the public campaigns' errors are 0.2 points larger."""

FROM_LAW = 0.7
"""Probability, before any forecast is scored, that kernels continue by their laws. It matters for campaigns
of a few kernels: with 0.3 the errors of the 22 public campaigns are 0.1 points smaller, but single noisy
kernels that follow a law are predicted worse."""

AGAINST_NO_GROWTH = 3.0
"""Decrease of the prior of a weight, in logarithms, from nothing to the full weight of no growth at all,
because kernels are measured along parameters on which some depend. It matters as little as `FROM_LAW`."""

NEAREST = 1.05
"""Smallest ratio of the largest value to the one before from which its forecast tells anything of trends."""

KERNELS_WORTH = 20
"""Most kernels that count as evidence: kernels of a campaign do not err independently. Between 8 and 80 the
public campaigns' errors hardly change."""

LARGEST_ERROR, LEAST_ERROR = 0.5, 1e-3
"""Bounds of errors in logarithms: larger ones say no more, and the mean of smaller ones is by chance."""

STEEPEST, FARTHEST = 2.0, 1.0
"""Largest differences, in logarithms, of a trend's slope and of its beginning from those of the predictions.
They bound what one wrong value, or a step such as a cache limit at the last value, may do."""

NEGLIGIBLE_WEIGHT = 0.02
"""Sum of the weights below which kernels continue by their laws, which saves time."""

_RUN_QUANTILES = (np.arange(15) + 0.5) / 15

_STEPS = np.linspace(0, 1, 11)
_GRID = np.array([(two, none) for two in _STEPS for none in _STEPS if two + none < 1 + 1e-9])
"""Pairs of weights: of the growth between the last two values, and of none. The rest is the law's."""

_LAW = 0
"""The number of the pair with which kernels continue by their laws."""


class TrendingEvidence(SegmentedEvidence):
    """The evidence modeler whose predictions follow the campaign's trends beyond the largest values.

    Campaigns of several parameters have none: the last two values on one line say little of other lines, and
    with these trends LULESH's largest process counts were predicted with errors of 17 instead of 9 %.

    Parameters
    ----------
    points : (P, m)
    trend : whether they do; without it, predictions beyond the largest values are those of laws and their
        deviations, as for comparisons of laws.

    """

    def __init__(self, points: FloatArray, *, trend: bool = True) -> None:
        super().__init__(points)
        self.trend = trend and points.shape[1] == 1

    def __call__(self, values: FloatArray, common: Common | None = None) -> Models:
        """Model the kernels of `values` (K, P, R) by what they have in `common`, or by what is theirs."""
        models = super().__call__(values, common)
        known = models.common
        if not self.trend or known is None or known.once:
            return models
        if common is None:
            known = replace(known, trend=learned(self.points, values, known))
        return replace(with_trend(models, self.points, values, known.trend), common=known)


def with_trend(models: Models, points: FloatArray, values: FloatArray, weights: tuple[float, ...]) -> Models:
    """The models of kernels of `values` (K, P, R), which continue as the weights say."""
    if sum(weights) < NEGLIGIBLE_WEIGHT or models.posterior is None:
        return models
    growth = _Growth.of(models, points, values, range(points.shape[1]))
    slope = np.nan_to_num(growth.slopes @ np.array(weights))
    level = np.nan_to_num(growth.begins).sum(axis=1) / np.maximum(growth.known.sum(axis=1), 1) * sum(weights)
    trend = Trend(slope, level, np.where(growth.known, np.log(growth.at), np.inf))
    return replace(models, posterior=replace(models.posterior, trend=trend))


@dataclass(frozen=True)
class _Growth:
    """Growth of K kernels at the largest value `at` of each parameter, (K, m).

    `slopes` (K, m, 2) are those between the last two values and of no growth, relative to the slope of the
    models' predictions, and `begins` (K, m) the logarithms of the ratios of the last values to these; NaN
    where there are no two values. `last` (K, m) are the numbers of the last values' points.
    """

    at: FloatArray
    slopes: FloatArray
    begins: FloatArray
    last: IntArray

    @classmethod
    def of(
        cls, models: Models, points: FloatArray, values: FloatArray, parameters: Sequence[int]
    ) -> "_Growth":
        """The growth of kernels of `values` (K, P, R) with some parameters; NaN with the others."""
        there = np.asarray((values > 0).any(axis=2))
        middle = _medians(values, there)
        ends = LastValues.of(points, there)
        kernels = np.arange(len(values))
        grown, here = np.full((2, *ends.last.shape), np.nan)
        for parameter in parameters:
            last = points[ends.last[:, parameter]]
            beyond = last.copy()
            beyond[:, parameter] *= AHEAD
            known = ends.last[:, parameter] != NONE
            predicted = _at_own(models, np.stack([last, beyond], axis=1), known)
            here[:, parameter], grown[:, parameter] = predicted[:, 0], predicted[:, 1] / predicted[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.log(grown) / np.log(AHEAD)
            begins = np.log(middle[kernels[:, None], ends.last] / here)
        error = _errors_of_medians(models, values)
        more = _beyond_noise(ends.slopes(points, middle) - slope, ends.slope_errors(points, error))
        slopes = np.stack([more, -slope], axis=2)
        known = np.isfinite(slopes).all(axis=2) & np.isfinite(begins)
        return cls(
            at=points[ends.last, np.arange(points.shape[1])],
            slopes=np.where(known[..., None], np.clip(slopes, -STEEPEST, STEEPEST), np.nan),
            begins=np.where(known, np.clip(begins, -FARTHEST, FARTHEST), np.nan),
            last=ends.last,
        )

    @property
    def known(self) -> BoolArray:
        """Whether kernels were measured at two values, (K, m)."""
        return np.asarray(np.isfinite(self.begins))


def _medians(values: FloatArray, there: BoolArray) -> FloatArray:
    """Medians of values (K, P, R), (K, P); NaN where none is there."""
    middle = np.full(there.shape, np.nan)
    middle[there] = np.nanmedian(values[there], axis=1)
    return middle


def _errors_of_medians(models: Models, values: FloatArray) -> FloatArray:
    """Standard deviations of the logarithms of medians of values (K, P, R), (K, P), by the models' noise."""
    posterior = models.posterior
    if posterior is None:
        return np.zeros(values.shape[:2])
    runs = np.log(np.maximum(run_factors(posterior.family, posterior.level, _RUN_QUANTILES), LEAST_ERROR))
    count = np.isfinite(values).sum(axis=2)
    of_median = np.where(count > 2, np.pi / 2, 1.0) / np.maximum(count, 1)
    return np.asarray(np.sqrt((runs**2).mean(axis=(1, 2))[:, None] * of_median))


def _beyond_noise(difference: FloatArray, error: FloatArray) -> FloatArray:
    """The part of a difference that its standard error does not explain: nearly none if that is larger."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = difference**2 / (difference**2 + error**2)
        return np.where(difference == 0, 0.0, difference * share)


def _at_own(models: Models, points: FloatArray, known: BoolArray) -> FloatArray:
    """Predictions (K, Q) at each kernel's own points (K, Q, m); NaN where they are not `known` (K,)."""
    found = np.full(points.shape[:2], np.nan)
    some = np.flatnonzero(known)
    _, first, which = np.unique(
        points[some].reshape(len(some), points.shape[1] * points.shape[2]),
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    for number, one in enumerate(some[first]):
        kernels = some[which.ravel() == number]
        found[kernels] = models.part(kernels).predict(points[one])
    return found


def learned(points: FloatArray, values: FloatArray, common: Common) -> tuple[float, ...]:
    """The weights of the growth between the last two values, and of none, that would have predicted the
    largest values of `values` (K, P, R) best; none if too little was measured."""
    varied = [
        parameter
        for parameter in range(points.shape[1])
        if len(np.unique(points[:, parameter])) >= LEAST_VALUES
    ]
    errors = [
        _errors(points, values, parameter, common, FORECAST_KERNELS // len(varied)) for parameter in varied
    ]
    count = sum(map(len, errors))
    if not count:
        return ()
    evidence = np.zeros(len(_GRID))
    for error in errors:
        mean = np.minimum(np.abs(error), LARGEST_ERROR).sum(axis=0) / max(len(error), 1)
        evidence -= len(error) * min(1, KERNELS_WORTH / count) * np.log(np.maximum(mean, LEAST_ERROR))
    chance = _PRIOR * np.exp(evidence - evidence.max())
    chance /= chance.sum()
    if chance[_LAW] > FROM_LAW:  # no forecast speaks for a trend
        return 0.0, 0.0
    two, none = chance @ _GRID
    return float(two), float(none)


def _prior() -> FloatArray:
    """Probabilities of the pairs of weights before any forecast is scored."""
    chance = np.exp(-AGAINST_NO_GROWTH * _GRID[:, 1])
    chance *= (1 - FROM_LAW) / chance.sum()
    chance[_LAW] += FROM_LAW
    return chance


_PRIOR = _prior()


def _errors(points: FloatArray, values: FloatArray, parameter: int, common: Common, most: int) -> FloatArray:
    """Errors in logarithms, (k, pairs of weights), at the largest value of a parameter, which at `most` so
    many kernels, at least 1, are modelled without."""
    x = points[:, parameter]
    inside = np.flatnonzero(x < x.max())
    there = np.asarray((values > 0).any(axis=2))
    ends = LastValues.of(points[inside], there[:, inside])
    ahead = _ahead(points, parameter, inside, ends.last[:, parameter])
    kernels = np.arange(len(values))
    some = kernels[(ahead != NONE) & there[kernels, ahead]]
    if not len(some):
        return np.empty((0, len(_GRID)))
    some = some[np.unique(np.linspace(0, len(some) - 1, max(most, 1)).astype(int))]
    known = values[np.ix_(some, inside)]
    models = SegmentedEvidence(points[inside])(known, common)
    growth = _Growth.of(models, points[inside], known, [parameter])
    truth = np.nanmedian(values[some, ahead[some]], axis=1)
    predicted = _at_own(models, points[ahead[some]][:, None], np.ones(len(some), dtype=bool))[:, 0]
    distance = np.log(points[ahead[some], parameter] / growth.at[:, parameter])
    grown = (growth.slopes[:, parameter] @ _GRID.T) * effective(distance)[:, None]
    more = grown + (growth.begins[:, parameter] * begun(distance))[:, None] * _GRID.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.log(truth / predicted)[:, None] - more
    return np.asarray(errors[np.isfinite(errors).all(axis=1) & (distance > np.log(NEAREST))])


def _ahead(points: FloatArray, parameter: int, inside: IntArray, last: IntArray) -> IntArray:
    """Numbers (K,) of the points with the largest value of a parameter on the lines of kernels' last ones.

    These are numbers `last` (K,) of the points `inside`. `NONE` where there is no such point.
    """
    axis = axes(points)[parameter]
    outside = np.setdiff1d(np.arange(len(points)), inside)
    of_line = np.full(axis.line_of_point.max() + 1, NONE)
    of_line[axis.line_of_point[outside]] = outside
    return np.where(last == NONE, NONE, of_line[axis.line_of_point[inside[last]]])
