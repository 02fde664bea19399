"""The evidence modeler with a trend: how kernels continue right beyond their largest values.

A law fitted to all values predicts the next one worse, in many campaigns, than a line through the last two,
and much better in others. Which of them to trust is learned from the campaign (`trending.forecasts`).
"""

from dataclasses import replace

import numpy as np

from modeling.engine.modelers.segmented.modeler import SegmentedEvidence
from modeling.engine.modelers.trending.forecasts import learned
from modeling.engine.modelers.trending.growth import Growth
from modeling.engine.results.common import Common
from modeling.engine.results.models import Models
from modeling.engine.validation import BoolArray, FloatArray

NEGLIGIBLE_WEIGHT = 0.02
"""Sum of a parameter's weights below which kernels continue by their laws along it, which saves time."""


class TrendingEvidence(SegmentedEvidence):
    """The evidence modeler whose predictions follow the campaign's trends beyond the largest values.

    With several parameters only kernels that deviate from their laws have a trend. A law of many points on
    several lines is wrong on all lines at once where noise made it so, and a trend that corrects it there by
    chance seems to be right many times: intervals of single kernels on laws held 80 instead of 95 %. With one
    parameter too few points tell which kernels deviate.

    Parameters
    ----------
    points : (P, m)
    trend : whether they do; without it, predictions beyond the largest values are those of laws and their
        deviations, as for comparisons of laws.

    """

    def __init__(self, points: FloatArray, *, trend: bool = True) -> None:
        super().__init__(points)
        self.trend = trend

    def __call__(self, values: FloatArray, common: Common | None = None) -> Models:
        """Model the kernels of `values` (K, P, R) by what they have in `common`, or by what is theirs."""
        models = super().__call__(values, common)
        known = models.common
        if not self.trend or known is None or known.once:
            return models
        if common is None:
            some = values[_may_have_trends(models)]
            known = replace(known, trend=learned(self.points, some, known))
        return replace(with_trend(models, self.points, values, known.trend), common=known)


def with_trend(models: Models, points: FloatArray, values: FloatArray, weights: tuple[float, ...]) -> Models:
    """The models of kernels of `values` (K, P, R), which continue as the weights of each parameter say, two
    for one after the other."""
    of_parameter = np.array(weights).reshape(-1, 2)
    followed = np.flatnonzero(of_parameter.sum(axis=1) >= NEGLIGIBLE_WEIGHT)
    some = _may_have_trends(models)
    if models.posterior is None or not len(followed) or not some.any():
        return models
    trend = Growth.of(models.part(np.flatnonzero(some)), points, values[some], followed).trend(of_parameter)
    return replace(models, posterior=replace(models.posterior, trend=trend.spread(some)))


def _may_have_trends(models: Models) -> BoolArray:
    """Whether kernels may continue otherwise than by their laws, (K,)."""
    if models.posterior is None or models.posterior.exponents.shape[3] == 1:
        return np.ones(len(models), dtype=bool)
    deviates = models.posterior.deviates
    return np.zeros(len(models), dtype=bool) if deviates is None else deviates
