"""The inputs of the network, compared with plain loops and with the paper's description."""

import math
from itertools import permutations

import numpy as np
import pytest

from modeling.engine.modelers.adaptive.inputs import POSITIONS, UNIT, network_inputs, slots

SERIES = [
    (4, 8, 16, 32, 64),
    (10, 20, 30, 40, 50),
    (8, 64, 512, 4096, 32768),
    (1, 2, 3, 4, 5, 6),
    (3, 4, 90, 91),
]


def nearest_of_all(series: tuple[float, ...]) -> float:
    """Return the smallest total distance between values and neurons, found by trying all assignments.

    Each value gets a neuron of its own.
    """
    positions = [(x - series[0]) / (series[-1] - series[0]) for x in series]
    return min(
        sum(abs(a - POSITIONS[slot]) for a, slot in zip(positions, chosen, strict=True))
        for chosen in permutations(range(11), len(series))
    )


@pytest.mark.parametrize("series", SERIES)
def test_values_go_to_the_nearest_neurons_and_each_is_used_once(series: tuple[float, ...]) -> None:
    chosen = slots(np.array(series, float)).tolist()

    assert sorted(set(chosen)) == chosen  # The neurons are in ascending order, and none is used twice.
    positions = [(x - series[0]) / (series[-1] - series[0]) for x in series]
    distance = sum(abs(a - POSITIONS[slot]) for a, slot in zip(positions, chosen, strict=True))
    assert distance == pytest.approx(nearest_of_all(series))


def test_eleven_values_use_all_neurons() -> None:
    assert slots(np.arange(1.0, 12.0)).tolist() == list(range(11))


def by_loop(x: list[float], y: list[float | None]) -> list[float]:
    """Return the inputs of one kernel, computed value by value."""
    neurons = [0.0] * 11
    logs = {at: math.log2(value / at) for at, value in zip(x, y, strict=True) if value is not None}
    mean = sum(logs.values()) / len(logs)
    for at, slot in zip(x, slots(np.array(x)).tolist(), strict=True):
        if at in logs:
            neurons[slot] = (logs[at] - mean) / UNIT
    return neurons


def test_inputs_are_those_of_a_plain_loop_and_missing_values_are_masked() -> None:
    x = [4.0, 8.0, 16.0, 32.0, 64.0, 100.0]
    rng = np.random.default_rng(3)
    y = rng.uniform(1, 100, (6, 20))
    w = (rng.uniform(size=y.shape) > 0.2).astype(float)

    found = network_inputs(np.array(x), y * w, w)

    for kernel in range(20):
        column = [float(v) if there else None for v, there in zip(y[:, kernel], w[:, kernel], strict=True)]
        assert found[kernel] == pytest.approx(by_loop(x, column))


def test_the_unit_of_a_metric_does_not_matter() -> None:
    x, y = np.array([4.0, 8, 16, 32, 64]), np.array([[3.0, 5, 4, 9, 12]]).T
    ones = np.ones_like(y)

    assert network_inputs(x, y, ones) == pytest.approx(network_inputs(x, 1e9 * y, ones))
