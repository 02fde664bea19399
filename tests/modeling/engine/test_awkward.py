"""Awkward arrays, as real campaigns contain them, never stop a modeler and never get an impossible answer."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from modeling.engine import MODELERS, compare, fit, holdout_error, noise
from modeling.engine.questions.stability import stability
from modeling.engine.validation import FloatArray

NAN = np.nan


def crossed(*axes: list[float]) -> FloatArray:
    """Return all combinations of the parameters' values."""
    return np.array(list(product(*axes)), dtype=float)


POINTS = {
    "five values": crossed([4, 8, 16, 32, 64]),
    "200 values": np.arange(1.0, 201.0)[:, None],
    "one point": crossed([4]),
    "two points": crossed([4, 8]),
    "less than 1": crossed([0.1, 0.2, 0.4, 0.8, 1.6]),
    "two parameters": crossed([4, 8, 16, 32, 64], [10, 20, 30, 40]),
    "lines that cross": np.array([(2.0**i, 10) for i in range(2, 7)] + [(4.0, 10 * i) for i in range(2, 6)]),
    "one varies": crossed([4, 8, 16, 32, 64], [10]),
    "three parameters": crossed([4, 8, 16, 32], [1, 2, 3], [10, 20]),
    "four parameters": crossed([1, 2, 4], [1, 2], [5, 6], [10, 20]),
}


def uniform(count: int, runs: int, low: float = 1.0, high: float = 1.1) -> FloatArray:
    """Return repetitions with uniform noise."""
    return np.random.default_rng(20).uniform(low, high, (count, runs))


def where(
    chosen: Callable[[FloatArray], FloatArray], one: float, other: float | FloatArray = 0.0
) -> FloatArray:
    """Return an array like `other`, with the value `one` at the chosen places."""
    array = np.asarray(other)
    return np.where(chosen(np.arange(array.size).reshape(array.shape)), one, array)


SERIES: dict[str, Callable[[int, int], FloatArray]] = {
    "zeros": lambda count, runs: np.zeros((count, runs)),
    "the same": lambda count, runs: np.full((count, runs), 7.0),
    "nothing": lambda count, runs: np.full((count, runs), NAN),
    "nothing but a zero": lambda count, runs: where(lambda i: i == 0, 0.0, np.full((count, runs), NAN)),
    "one value": lambda count, runs: where(lambda i: i == count // 2, 3.0, np.full((count, runs), NAN)),
    "one not 0": lambda count, runs: where(lambda i: i == count - 1, 3.0, np.zeros((count, runs))),
    "every other 0": lambda count, runs: where(lambda i: i % 2 == 0, 0.0, uniform(count, runs)),
    "many missing": lambda count, runs: where(lambda i: i % 3 != 0, NAN, uniform(count, runs)),
    "tiny": lambda count, runs: uniform(count, runs) * 1e-300,
    "huge": lambda count, runs: uniform(count, runs) * 1e300,
    "small integers": lambda count, runs: np.floor(uniform(count, runs, 0, 3)),
    "an outlier": lambda count, runs: where(lambda i: i == count // 3, 1e9, uniform(count, runs)),
    "24 decades": lambda count, runs: 10 ** uniform(count, runs, -12, 12),
    "falling": lambda count, runs: uniform(count, runs) / np.arange(1, count + 1)[:, None],
    "rising exactly": lambda count, runs: np.arange(1.0, count + 1)[:, None].repeat(runs, axis=1) ** 2,
}

COSTLY = ("zeros", "the same", "one not 0", "many missing", "24 decades", "falling")
"""Names of series that take long to model."""


@pytest.mark.parametrize("points", POINTS.values(), ids=POINTS)
@pytest.mark.parametrize("modeler", MODELERS)
def test_every_single_kernel_gets_a_possible_answer(modeler: str, points: FloatArray) -> None:
    ahead = 4 * points.max(axis=0)[None]
    names = SERIES if len(points) < 30 and points.shape[1] < 3 else COSTLY
    for number, name in enumerate(names):
        values = SERIES[name](len(points), 1 + 3 * (number % 2))[None]
        models = fit(points, values, modeler=modeler)
        predicted = models.predict(ahead)
        assert not (predicted < 0).any(), name
        for lower, upper in (models.interval(ahead), models.prediction_interval(ahead)):
            assert not (lower > upper).any(), name
        assert len(models.expressions("abcd"[: points.shape[1]])) == 1
        assert not (holdout_error(points, values, modeler=modeler) < 0).any(), name
        if name in ("zeros", "the same"):
            np.testing.assert_allclose(predicted, values[:, :1, 0], rtol=1e-5, err_msg=name)


@pytest.mark.parametrize("name", ["five values", "one point", "two points", "lines that cross"])
@pytest.mark.parametrize("runs", [1, 3])
def test_all_kernels_together_get_possible_answers(name: str, runs: int) -> None:
    points = POINTS[name]
    values = np.stack([series(len(points), runs) for series in SERIES.values()])
    models = fit(points, values)
    empty = np.array([series == "nothing" for series in SERIES])
    assert (np.isnan(models.predict(points)) == empty[:, None]).all()
    if len(points) * runs > 1:  # Stability needs more than a single value.
        assert stability(points, values, models).known.shape == (len(SERIES),)
    assert noise(values).level.shape == (len(SERIES),)
    changes = compare((points, values), (points, values), target=points.max(axis=0))
    assert not np.isin(changes.kind, ("factor", "law")).any()


@pytest.mark.parametrize("modeler", ["regression", "refinement"])
@pytest.mark.parametrize("parameters", [2, 3, 4])
def test_falling_laws_never_become_negative(modeler: str, parameters: int) -> None:
    points = crossed(*([1, 2, 4], [1, 2, 3], [5, 6, 7], [10, 20, 30])[:parameters])
    rng = np.random.default_rng(11)
    shape = (2, 40, parameters)
    truth = np.exp((rng.uniform(-2, 0, shape) * (rng.uniform(size=shape) < 0.7)) @ np.log(points.T)).sum(
        axis=0
    )
    by_number = 1 / np.arange(1, len(points) + 1)
    values = np.vstack([truth, by_number])[:, :, None] * rng.uniform(0.97, 1.03, (41, len(points), 3))
    models = fit(points, values, modeler=modeler)
    assert (models.predict(points.max(axis=0) * [[1.0], [4.0], [100.0]]) >= 0).all()


@pytest.mark.parametrize("modeler", ["evidence", "regression", "refinement"])
def test_a_single_value_has_no_interval(modeler):
    points = np.array([[64.0]])
    models = fit(points, np.array([[[2.0]], [[5.0]]]), modeler=modeler)
    np.testing.assert_allclose(models.predict(points)[:, 0], [2.0, 5.0], rtol=2e-3)
    assert np.isnan(models.interval(points, 0.95)).all()
    assert np.isnan(models.prediction_interval(points, 0.95)).all()
