"""Extend models of some parameters to all parameters of a campaign, with the same predictions."""

from dataclasses import replace
from functools import cache

import numpy as np

from modeling.engine.deviations.deviation import NO_PROCESS, Deviation
from modeling.engine.deviations.processes import Kind, processes
from modeling.engine.deviations.trend import TREND_LENGTH, Trend
from modeling.engine.results.models import Models
from modeling.engine.results.posterior import Posterior
from modeling.engine.validation import FloatArray, IntArray

BEYOND_ALL = 1e3
"""Stands for the log of an added parameter's largest value. No value reaches it, so no trend begins."""


def lifted(models: Models, parameters: IntArray, like: Models) -> Models:
    """Extend models of some parameters to all m parameters of a campaign. Added exponents are 0.

    Args:
        models: models of some parameters.
        parameters: ascending indices of these parameters among all m.
        like: models of all m parameters. The result gets their number of terms and measured range.

    Raises:
        ValueError: `models` have more terms than `like`, or only one of the two has a posterior.
    """
    terms, count = like.exponents.shape[1:3]
    if models.exponents.shape[1] > terms or (models.posterior is None) != (like.posterior is None):
        raise ValueError("models: found models of another modeler, expected those of the same one")
    segments = models.segments
    if segments is not None:
        segments = replace(
            segments,
            parameter=parameters[segments.parameter],
            models=lifted(segments.models, parameters, like),
        )
    return replace(
        models,
        coefficients=_wide(models.coefficients, 1, terms),
        exponents=_spread(_wide(models.exponents, 1, terms), 2, parameters, count),
        covariance=_wide(_wide(models.covariance, 1, terms + 1), 2, terms + 1),
        lower=like.lower,
        upper=like.upper,
        posterior=None
        if models.posterior is None
        else _posterior(models.posterior, parameters, terms, count),
        leads=None if models.leads is None else _spread(models.leads, 1, parameters, count),
        segments=segments,
        common=like.common,
        region=models.measured.lifted(parameters, like.lower, like.upper),
    )


def _posterior(posterior: Posterior, parameters: IntArray, terms: int, count: int) -> Posterior:
    return replace(
        posterior,
        exponents=_spread(_wide(posterior.exponents, 2, terms), 3, parameters, count),
        coefficients=_wide(posterior.coefficients, 2, terms + 1),
        deviation=None if posterior.deviation is None else _deviation(posterior.deviation, parameters, count),
        trend=None if posterior.trend is None else _trend(posterior.trend, parameters, count),
    )


def _deviation(deviation: Deviation, parameters: IntArray, count: int) -> Deviation:
    """Return the deviations at points of all parameters. Added parameters are 1 at all points."""
    numbers = np.array([*_numbers(tuple(parameters.tolist()), count), NO_PROCESS])  # the last has index −1
    points = _spread(deviation.points, 2, parameters, count)
    points[np.isnan(deviation.values)] = np.nan
    return replace(deviation, points=points, process=numbers[deviation.process].astype(np.int16))


def _trend(trend: Trend, parameters: IntArray, count: int) -> Trend:
    """Return the trends of all parameters. No trend begins along the added parameters."""
    slope, level = (
        _spread(_spread(surface, 1, parameters, count), 2, parameters, count)
        for surface in (trend.slope, trend.level)
    )
    smallest, largest = (np.full((len(slope), count), BEYOND_ALL) for _ in range(2))
    smallest[:, parameters], largest[:, parameters] = trend.smallest, trend.largest
    length = np.full((len(slope), count), TREND_LENGTH)
    length[:, parameters] = trend.length
    return Trend(slope, level, smallest, largest, length)


@cache
def _numbers(parameters: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Return, for each process of `parameters`, the index of the most similar one for `count` parameters."""
    one, other = processes(len(parameters)), processes(count)
    kinds = np.array([_kind(kind, parameters, other.kinds) for kind in one.kinds] + [NO_PROCESS])[one.kind]
    found = []
    for kind, size, nugget in zip(kinds, one.size, one.nugget, strict=True):
        same = (other.kind == kind) & (other.size == size) & (other.nugget == nugget)
        found.append(int(np.flatnonzero(same)[0]))
    return tuple(found)


def _kind(kind: Kind, parameters: tuple[int, ...], others: tuple[Kind, ...]) -> int:
    """Return the index in `others` of the kind of the same parameter (or of all) with the nearest length."""
    mapped = tuple(parameters[at] for at in kind.parameters)
    every = tuple(range(max(max(other.parameters) for other in others) + 1))
    among = mapped if len(mapped) == 1 else every
    near = [
        (abs(np.log(other.length / kind.length)), number)
        for number, other in enumerate(others)
        if other.parameters == among and other.together == kind.together
    ]
    return min(near)[1]


def _wide(array: FloatArray, axis: int, size: int) -> FloatArray:
    """Append zeros until the axis has the length `size`."""
    shape = list(array.shape)
    shape[axis] = size - shape[axis]
    return np.concatenate([array, np.zeros(shape)], axis=axis)


def _spread(array: FloatArray, axis: int, parameters: IntArray, count: int) -> FloatArray:
    """Extend an axis from `parameters` to all `count` parameters, with zeros for the others."""
    moved = np.moveaxis(array, axis, -1)
    whole = np.zeros((*moved.shape[:-1], count))
    whole[..., parameters] = moved
    return np.moveaxis(whole, -1, axis)
