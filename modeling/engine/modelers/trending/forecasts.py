"""Learn the weights of a campaign's trends from forecasts of the campaign's own largest values.

Predictions beyond the data mix three kinds of growth: the law's growth, the growth between the last two
values, and none. Some kernels are modelled without a parameter's largest value. Their values there are
forecast with every pair of weights of a grid. The mean of these pairs is used, weighted by the quality of
their forecasts (stacking; docs/methods.md#trends).
"""

import numpy as np

from modeling.engine.measured.last_values import LastValues
from modeling.engine.modelers.segmented.modeler import SegmentedEvidence
from modeling.engine.modelers.trending.growth import Growth, errors_of_medians, medians
from modeling.engine.results.common import Common
from modeling.engine.validation import FloatArray, IntArray

FORECASTS = 32
"""With one parameter, at most this number of kernels are modelled again for forecasts. Half as many kernels
yield nearly the same weights.

With m parameters of at least `LEAST_VALUES` values, the number of kernels for each parameter is divided by
m². A kernel gives a forecast for every line. Division by m gives the same errors of RELeARN and LULESH, and
takes 8 % longer for 500 kernels of three parameters.
"""

ORIGINS = 3
"""Kernels are forecast at up to this number of a parameter's largest values, each from the smaller ones.
Several are forecast only in campaigns with fewer than `FORECASTS` kernels.

With only the largest value, errors at the two largest values of public campaigns were 9.9 instead of 9.5 %.
With 5 values the errors were also 9.9 %, because growth at small values says little about large ones.
"""

LEAST_VALUES = 4
"""The smallest number of values of a parameter from which trends are learned: three, and one to predict."""

LEAST_POINTS = 4
"""The smallest number of points that must remain without the largest value. With three, LULESH's kernels were
predicted with errors of 10 instead of 8 %.
"""

FROM_LAW, FROM_LAW_DEVIATING = 0.7, 0.3
"""Prior probabilities that laws alone predict best: `FROM_LAW` if no kernel deviates, and
`FROM_LAW_DEVIATING` if all do. The prior is their mean, weighted by the share of deviating kernels.

`FROM_LAW_DEVIATING` is used only if forecasts are not at values `NEAR` the others. With `FROM_LAW` alone,
errors of public campaigns at the first value beyond the data would be up to 1.5 percentage points larger.
With `FROM_LAW_DEVIATING` alone, intervals of single noisy kernels that follow a law would contain only 88
instead of 96 % of the values.
"""

AGAINST_NO_GROWTH = 3.0
"""The prior of the weight w for no growth is proportional to exp(−w times this number). Campaigns vary
parameters on which some kernels depend, so large weights are unlikely.
"""

MOST_EVIDENCE = 20
"""Forecasts count as at most this number of independent forecasts, because the errors of a campaign's kernels
are correlated. Between 8 and 80 the public campaigns' errors hardly change.
"""

LARGEST_ERROR, LEAST_ERROR = 0.5, 1e-3
"""Bounds of the errors of forecasts, in logarithms. Larger or smaller errors tell no more."""

LAW_PREFERRED = 0.5
"""The probability from which the pair of weights (0, 0), the law alone, is used instead of the mean of all
pairs. With 0.7, intervals of noisy kernels contained only 92 % of the true values. Smaller numbers change the
errors of the public campaigns by at most 0.3 percentage points.
"""

NEAR = 1.05
"""The parameter value of a forecast is near the others if it is at most this multiple of the next smaller
value. Noise hides the growth between near values. So forecasts of near values count less, by the share of the
squared error that noise explains.

Other forecasts count in full. If they also counted less, errors at the two largest values of the public
campaigns would be 10.6 instead of 9.2 %.
"""

MEAN_ABSOLUTE = np.sqrt(2 / np.pi)
"""Mean absolute value of a normal variable with mean 0 and standard deviation 1."""

_STEPS = np.linspace(0, 1, 11)
_GRID = np.array([(two, none) for two in _STEPS for none in _STEPS if two + none < 1 + 1e-9])
"""The pairs of weights that are compared, for the growth between the last two values and for no growth. The
growth of the law has the rest of the weight.
"""

_LAW = 0
"""The index in `_GRID` of the pair (0, 0), with which predictions follow the laws alone."""


def learned(points: FloatArray, values: FloatArray, common: Common, deviating: float) -> tuple[float, ...]:
    """Return the weights of trends, learned from forecasts of the largest values.

    Each parameter has two weights: of the growth between the last two values, and of no growth. The result is
    empty if there are too few measurements. `values` (K, P, R) has R repetitions of K kernels at P points,
    and `deviating` is the share of deviating kernels.
    """
    varied = [len(np.unique(of_parameter)) >= LEAST_VALUES for of_parameter in points.T]
    most = max(FORECASTS // max(sum(varied), 1) ** 2, 1)
    weights = [
        _weights(_errors(points, values, parameter, common, most), deviating) if several else None
        for parameter, several in enumerate(varied)
    ]
    if not any(weights):
        return ()
    return tuple(weight for pair in weights for weight in pair or (0.0, 0.0))


def _weights(error: FloatArray, deviating: float) -> tuple[float, float] | None:
    """Return the mean of the pairs of weights, weighted by their probability given the forecasts. The last
    column of `error` has the errors that noise alone explains.
    """
    if not len(error):
        return None
    of_pairs, of_noise = np.maximum(error[:, :-1].mean(axis=0), LEAST_ERROR), error[:, -1].mean()
    beyond_noise = max(1 - (of_noise / of_pairs[_LAW]) ** 2, 0.0)
    far_ahead = of_noise == 0.0
    prior = _prior(FROM_LAW + (FROM_LAW_DEVIATING - FROM_LAW) * deviating * far_ahead)
    evidence = -min(len(error), MOST_EVIDENCE) * beyond_noise * np.log(of_pairs)
    chance = prior * np.exp(evidence - evidence.max())
    chance /= chance.sum()
    if chance[_LAW] > LAW_PREFERRED:
        return 0.0, 0.0
    two, none = chance @ _GRID
    return float(two), float(none)


def _prior(from_law: float) -> FloatArray:
    """Return the prior probabilities of the pairs of weights. That of the law alone is about `from_law`."""
    chance = np.exp(-AGAINST_NO_GROWTH * _GRID[:, 1])
    chance *= (1 - from_law) / chance.sum()
    chance[_LAW] += from_law
    return chance


def _errors(points: FloatArray, values: FloatArray, parameter: int, common: Common, most: int) -> FloatArray:
    """Return the errors of forecasts at a parameter's largest values, for each forecast and pair of weights.
    The last column has the errors that noise alone explains, or 0 for values that are not `NEAR` the others.
    Kernels are modelled at most `most` times in all.
    """
    errors = [np.empty((0, len(_GRID) + 1))]
    x = points[:, parameter]
    for largest in np.unique(x)[LEAST_VALUES - 1 :][::-1][:ORIGINS]:
        until = x <= largest
        some = _that_tell(points[until], values[:, until], parameter, most)
        if not len(some):
            break
        errors.append(_errors_at_largest(points[until], values[np.ix_(some, until)], parameter, common))
        most -= len(some)
    return np.concatenate(errors)


def _that_tell(points: FloatArray, values: FloatArray, parameter: int, most: int) -> IntArray:
    """Return the indices of some kernels with the parameter's largest value and enough other points."""
    x, there = points[:, parameter], np.asarray((values > 0).any(axis=2))
    inside = x < x.max()
    ends = LastValues.of(points[inside], there[:, inside]).along(np.array([parameter]))
    enough = there[:, inside].sum(axis=1) >= LEAST_POINTS
    some = np.flatnonzero(enough & ends.known.any(axis=1) & there[:, ~inside].any(axis=1))
    return np.asarray(some[np.unique(np.linspace(0, len(some) - 1, min(most, len(some))).astype(int))])


def _errors_at_largest(points: FloatArray, values: FloatArray, parameter: int, common: Common) -> FloatArray:
    """Return the errors of forecasts at a parameter's largest value, in logarithms, as `_errors` does."""
    x, there = points[:, parameter], np.asarray((values > 0).any(axis=2))
    inside = x < x.max()
    known, ahead = values[:, inside], points[~inside]
    models = SegmentedEvidence(points[inside]).predicting(known, common)
    growth = Growth.of(models, points[inside], known, np.array([parameter]))
    alone = np.eye(2)[:, None].repeat(points.shape[1], axis=1)
    more = np.log([growth.trend(weights).factors(ahead) for weights in alone])
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond_laws = np.log(medians(values[:, ~inside], there[:, ~inside]) / models.predict(ahead))
    errors = beyond_laws[..., None] - np.einsum("wkq,gw->kqg", more, _GRID)
    noise = MEAN_ABSOLUTE * errors_of_medians(models, values[:, ~inside])
    noise[np.log(x.max()) - growth.largest[:, parameter] > np.log(NEAR)] = 0.0
    told = np.isfinite(errors).all(axis=2)
    each = np.concatenate([np.abs(errors), noise[..., None]], axis=2)
    return np.asarray(np.minimum(each[told], LARGEST_ERROR))
