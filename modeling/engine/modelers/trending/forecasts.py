"""How far kernels of a campaign continue by their laws, learned from forecasts of its own largest values.

Some kernels are modelled without their largest values, and these are predicted. The weights of the growth
between the last two values, and of no growth any more, beside the law's, are those that predict the held-out
values best (stacking; docs/methods.md#trends).
"""

import numpy as np

from modeling.engine.measured.last_values import LastValues
from modeling.engine.modelers.segmented.modeler import SegmentedEvidence
from modeling.engine.modelers.trending.growth import Growth, errors_of_medians, medians
from modeling.engine.results.common import Common
from modeling.engine.validation import FloatArray, IntArray

FORECASTS = 32
"""How often a kernel is modelled without the largest value of the only parameter, which takes as long as
modelling so many more kernels. Half as many learn nearly the same weights. Of m parameters each gets its m-th
part of the m-th part, 8 of two and 3 of three, because every line along it has a forecast: with m times as
many, errors of RELeARN and LULESH are the same, and 500 kernels of three parameters take 8 % longer."""

ORIGINS = 3
"""From how many of a parameter's values kernels are forecast at most, one after the other, where there are
too few for `FORECASTS`. With 1, what happened once at the last value was taken for a trend, and errors of the
public campaigns without their two largest values were 9.9 instead of 9.5 %; with 5, older values that no
longer count made it 9.9 again."""

LEAST_VALUES = 4
"""Fewest values of a parameter whose largest one is predicted from the others: a law needs three."""

LEAST_POINTS = 4
"""Fewest points without the largest value. Three points lie on so many laws that forecasts from these say
nothing of those from four: with three, LULESH's kernels were predicted with errors of 10 instead of 8 %."""

FROM_LAW = 0.7
"""Probability, before any forecast is scored, that kernels continue by their laws. It matters for campaigns
of a few kernels: with 0.3 the errors of the 22 public campaigns are 0.1 points smaller, but single noisy
kernels that follow a law are predicted worse."""

AGAINST_NO_GROWTH = 3.0
"""Decrease of the prior of a weight, in logarithms, from nothing to the full weight of no growth at all,
because kernels are measured along parameters on which some depend. It matters as little as `FROM_LAW`."""

MOST_EVIDENCE = 20
"""Most forecasts that count: kernels of a campaign do not err independently. Between 8 and 80 the public
campaigns' errors hardly change."""

LARGEST_ERROR, LEAST_ERROR = 0.5, 1e-3
"""Bounds of errors in logarithms: larger ones say no more, and the mean of smaller ones is by chance."""

LAW_PREFERRED = 0.5
"""Probability of the law's own forecast above which kernels continue by their laws alone. With 0.7, weights
that chance had made let intervals of noisy kernels on laws hold 92 % of the truth; with less, trends are
followed later, and errors of the public campaigns are the same within 0.3 points."""

NEAR = 1.05
"""Ratio of a forecast value to the one before, up to which errors count as far as they are larger than noise
explains. Where values are dense, noise would choose the weights of kernels that follow laws. Where they are
not, the noise of single runs is known by the laws alone, and errors that laws explain by noise may be a
trend: without this bound, errors of the public campaigns at their two largest values are 10.6 instead of
9.2 %."""

MEAN_ABSOLUTE = np.sqrt(2 / np.pi)
"""Mean absolute value of normal errors with a standard deviation of 1."""

_STEPS = np.linspace(0, 1, 11)
_GRID = np.array([(two, none) for two in _STEPS for none in _STEPS if two + none < 1 + 1e-9])
"""Pairs of weights: of the growth between the last two values, and of none. The rest is the law's."""

_LAW = 0
"""The number of the pair with which kernels continue by their laws."""


def learned(points: FloatArray, values: FloatArray, common: Common) -> tuple[float, ...]:
    """The weights of the growth between the last two values, and of none, for one parameter after the other,
    that would have predicted the largest values of `values` (K, P, R) best; none if too little was
    measured."""
    varied = [len(np.unique(of_parameter)) >= LEAST_VALUES for of_parameter in points.T]
    most = max(FORECASTS // max(sum(varied), 1) ** 2, 1)
    weights = [
        _weights(_errors(points, values, parameter, common, most)) if several else None
        for parameter, several in enumerate(varied)
    ]
    if not any(weights):
        return ()
    return tuple(weight for pair in weights for weight in pair or (0.0, 0.0))


def _weights(error: FloatArray) -> tuple[float, float] | None:
    """The weights that forecasts with such errors (N, pairs of weights) speak for; None without any."""
    if not len(error):
        return None
    of_pairs, of_noise = np.maximum(error[:, :-1].mean(axis=0), LEAST_ERROR), error[:, -1].mean()
    beyond_noise = max(1 - (of_noise / of_pairs[_LAW]) ** 2, 0.0)
    evidence = -min(len(error), MOST_EVIDENCE) * beyond_noise * np.log(of_pairs)
    chance = _PRIOR * np.exp(evidence - evidence.max())
    chance /= chance.sum()
    if chance[_LAW] > LAW_PREFERRED:
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
    """Errors (N, pairs of weights) of forecasts of a parameter's largest values, for which kernels of
    `values` (K, P, R) are modelled at most so many times. The last column has the errors that noise
    explains, 0 where values are not `NEAR`.
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
    """Numbers of at most so many kernels of `values` (K, P, R) whose values at the largest one of a parameter
    can be forecast from the others."""
    x, there = points[:, parameter], np.asarray((values > 0).any(axis=2))
    inside = x < x.max()
    ends = LastValues.of(points[inside], there[:, inside]).along(np.array([parameter]))
    enough = there[:, inside].sum(axis=1) >= LEAST_POINTS
    some = np.flatnonzero(enough & ends.known.any(axis=1) & there[:, ~inside].any(axis=1))
    return np.asarray(some[np.unique(np.linspace(0, len(some) - 1, min(most, len(some))).astype(int))])


def _errors_at_largest(points: FloatArray, values: FloatArray, parameter: int, common: Common) -> FloatArray:
    """Errors in logarithms, (N, pairs of weights), at the largest value of a parameter, without which the
    kernels of `values` (K, P, R) are modelled."""
    x, there = points[:, parameter], np.asarray((values > 0).any(axis=2))
    inside = x < x.max()
    known, ahead = values[:, inside], points[~inside]
    models = SegmentedEvidence(points[inside])(known, common)
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
