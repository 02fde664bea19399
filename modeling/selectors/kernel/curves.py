"""Sample a law along one or two parameters, and select measurements, for charts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from modeling.engine import INTERVAL_LEVEL, Models
from modeling.selectors.run.campaign import median
from modeling.selectors.run.direction import Direction
from modeling.storage import arrays

SAMPLES = 48
RUN_SAMPLES = 24
"""Number of samples of a new repetition's interval. Each takes 15 times as long as one of the law's."""
GRID = 24


class Estimate(NamedTuple):
    """A prediction with its interval; an end is None if it is not known."""

    predicted: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True)
class Curve:
    """A law along one parameter: ascending values, with an estimate at each."""

    x: tuple[float, ...]
    estimates: tuple[Estimate, ...]


class Ends(NamedTuple):
    """The ends of an interval at a parameter's value; None if they are not known."""

    x: float
    lower: float | None
    upper: float | None


class PointValues(NamedTuple):
    """A measured point: its repetitions, their median, and the law's value."""

    point: tuple[float, ...]
    repetitions: tuple[float, ...]
    median: float | None
    law: float | None

    @property
    def residual(self) -> float | None:
        """Return (median − law) / law."""
        return None if self.median is None else self.deviation(self.median)

    def deviation(self, value: float) -> float | None:
        """Return (value − law) / law; None if the law is unknown or 0."""
        return (value - self.law) / self.law if self.law else None


@dataclass(frozen=True)
class Grid:
    """A law over two parameters: `values` (len(y), len(x)), None if not positive and finite."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    values: tuple[tuple[float | None, ...], ...]


def estimate(models: Models, point: Sequence[float]) -> Estimate | None:
    """Return the prediction at one point; None if it exceeds the range of floats."""
    found = _estimates(models, np.array([point], float))[0]
    return found if math.isfinite(found.predicted) else None


def curve(models: Models, point: Sequence[float], along: Direction, low: float, high: float) -> Curve:
    """Return the prediction on a line through a point, for one parameter from `low` to `high`."""
    x = _places(low, high, SAMPLES)
    return _curve(x, _estimates(models, along.line(point, x)))


def law_curve(models: Models, point: Sequence[float], along: Direction, low: float, high: float) -> Curve:
    """Return the formula's values on the same line as `curve`, without intervals."""
    x = _places(low, high, SAMPLES)
    with np.errstate(over="ignore", invalid="ignore"):
        laws = models.law(along.line(point, x))[0].tolist()
    return _curve(x, [Estimate(law, None, None) for law in laws])


def _places(low: float, high: float, count: int) -> arrays.FloatArray:
    """Return values that are evenly spread in the logarithm."""
    return np.geomspace(low, high, count) if high > low else np.array([low])


def _curve(x: arrays.FloatArray, estimates: Sequence[Estimate]) -> Curve:
    """Return the curve without values that are not finite."""
    pairs = zip(x.tolist(), estimates, strict=True)
    found = [(at, each) for at, each in pairs if math.isfinite(each.predicted)]
    return Curve(tuple(at for at, _ in found), tuple(each for _, each in found))


def run_band(
    models: Models, point: Sequence[float], along: Direction, low: float, high: float
) -> tuple[Ends, ...]:
    """Return the interval of a new repetition on the same line as `curve`."""
    x = _places(low, high, RUN_SAMPLES)
    return tuple(_ends(x, models.prediction_interval, along.line(point, x)))


def intervals_at(models: Models, points: arrays.FloatArray, axis: int) -> list[tuple[Ends, Ends]]:
    """Return the intervals of the law and of a new repetition at points, by the parameter `axis`."""
    both = (_ends(points[:, axis], find, points) for find in (models.interval, models.prediction_interval))
    return list(zip(*both, strict=True))


Interval = Callable[[arrays.FloatArray, float], tuple[arrays.FloatArray, arrays.FloatArray]]


def _ends(x: arrays.FloatArray, interval: Interval, points: arrays.FloatArray) -> list[Ends]:
    with np.errstate(over="ignore", invalid="ignore"):
        lower, upper = (ends[0] for ends in interval(points, INTERVAL_LEVEL))
    rows = zip(x.tolist(), np.maximum(lower, 0.0).tolist(), upper.tolist(), strict=True)
    return [Ends(at, arrays.known(low), arrays.known(high)) for at, low, high in rows]


def point_values(
    models: Models | None, points: Sequence[Sequence[float]], values: arrays.FloatArray
) -> list[PointValues]:
    """Return all measured points with their repetitions (points, repetitions) and the formula's values."""
    laws: list[float | None] = [None] * len(points)
    if models is not None:
        laws = models.law(np.array(points, float))[0].tolist()
    return [
        PointValues(tuple(point), tuple(row[~np.isnan(row)].tolist()), median(row), law)
        for point, row, law in zip(points, values, laws, strict=True)
    ]


def on_line(found: Sequence[PointValues], point: Sequence[float], along: Direction) -> list[PointValues]:
    """Return the measured points on the line through `point` in the direction `along`, ascending."""
    return [found[number] for number in along.measured([each.point for each in found], point)]


def grid(
    models: Models,
    point: Sequence[float],
    axes: tuple[Direction, int],
    x: tuple[float, float],
    y: tuple[float, float],
) -> Grid:
    """Return the law over two parameters, in ranges `x` and `y`, with the other parameters as in `point`.

    `axes` are the direction of the first parameter, and the index of the second, which is independent of it.
    """
    across, up = np.geomspace(*x, GRID), np.geomspace(*y, GRID)
    first, second = axes
    points = np.tile(np.array(point, float), (GRID * GRID, 1))
    points[:, first.axis] = np.tile(across, GRID)
    points[:, second] = np.repeat(up, GRID)
    points = first.relations.kept(points)
    with np.errstate(over="ignore", invalid="ignore"):
        values = models.predict(points)[0].reshape(GRID, GRID)
    return Grid(
        tuple(across.tolist()),
        tuple(up.tolist()),
        tuple(tuple(value if 0 < value < math.inf else None for value in row) for row in values.tolist()),
    )


def _estimates(models: Models, points: arrays.FloatArray) -> list[Estimate]:
    # far from the data a law may exceed the range of floats
    with np.errstate(over="ignore", invalid="ignore"):
        predicted, lower, upper = (column[0] for column in models.estimates(points, INTERVAL_LEVEL))
    rows = zip(predicted.tolist(), np.maximum(lower, 0.0).tolist(), upper.tolist(), strict=True)
    return [Estimate(law, arrays.known(low), arrays.known(high)) for law, low, high in rows]
