"""How well forecasts agreed with the values measured later."""

import numpy as np
import pytest

from modeling.engine import Scores, by_distance, calibrate
from modeling.engine.questions.calibration import misses


def scores(measured, predicted=10.0, lower=8.0, upper=12.5, distance=4.0):
    columns = np.broadcast_arrays(*np.atleast_1d(distance, predicted, lower, upper, measured))
    return Scores(*(np.array(column, float) for column in columns))


def test_counts_and_errors():
    found = calibrate(scores([10.0, 9.0, 20.0]))
    assert (found.count, found.inside) == (3, pytest.approx(2 / 3))
    assert found.error == pytest.approx(1 / 9)
    assert not found.enough


def test_a_miss_is_measured_in_half_widths_on_its_side():
    assert misses(scores([8.0, 12.5, 10.0, 12.5**2 / 10])) == pytest.approx([1, 1, 0, 2])


def test_correct_intervals_are_not_widened():
    random = np.random.default_rng(3)
    widened = 0
    for _ in range(200):
        measured = 10 * np.exp(random.normal(0, np.log(1.25) / 1.96, 60))
        widened += calibrate(scores(measured)).widening > 1
    assert widened <= 20


def test_intervals_half_as_wide_as_they_should_be_are_doubled():
    measured = 10 * np.exp(np.random.default_rng(1).normal(0, 2 * np.log(1.25) / 1.96, 2_000))
    found = calibrate(scores(measured))
    assert found.inside == pytest.approx(0.67, abs=0.03)
    assert found.widening == pytest.approx(2, rel=0.1)


def test_the_factor_needs_some_scores_and_has_a_limit():
    assert calibrate(scores(np.full(29, 1e6))).widening == 1
    assert calibrate(scores(np.full(30, 1e6))).widening == 10


def test_unknown_values_are_not_counted():
    found = calibrate(scores([np.nan, 10.0, 0.0, 10.0], upper=[12.5, np.nan, 12.5, 12.5]))
    assert found.count == 1
    nothing = calibrate(scores(np.zeros(0)))
    assert (nothing.count, nothing.widening) == (0, 1)
    assert np.isnan(nothing.inside)


def test_a_miss_of_an_interval_without_width_is_infinite():
    assert misses(scores([11.0], lower=10.0, upper=10.0)).tolist() == [np.inf]
    assert calibrate(scores(np.full(40, 11.0), lower=10.0, upper=10.0)).widening == 10


def test_by_distance():
    found = by_distance(scores(np.full(6, 10.0), distance=[1, 1.5, 2, 3, 16, 400]))
    assert [(begin, each.count) for begin, each in found] == [(0, 1), (1, 2), (2, 1), (8, 1), (16, 1)]
