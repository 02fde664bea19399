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
from modeling.engine.validation import FloatArray

NEGLIGIBLE_WEIGHT = 0.02
"""Sum of a parameter's weights below which kernels continue by their laws along it, which saves time."""


class TrendingEvidence(SegmentedEvidence):
    """The evidence modeler whose predictions follow the campaign's trends beyond the largest values.

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
            known = replace(known, trend=learned(self.points, values, known))
        return replace(with_trend(models, self.points, values, known.trend), common=known)


def with_trend(models: Models, points: FloatArray, values: FloatArray, weights: tuple[float, ...]) -> Models:
    """The models of kernels of `values` (K, P, R), which continue as the weights of each parameter say, two
    for one after the other."""
    of_parameter = np.array(weights).reshape(-1, 2)
    followed = np.flatnonzero(of_parameter.sum(axis=1) >= NEGLIGIBLE_WEIGHT)
    if not len(followed) or models.posterior is None:
        return models
    trend = Growth.of(models, points, values, followed).trend(of_parameter)
    return replace(models, posterior=replace(models.posterior, trend=trend))
