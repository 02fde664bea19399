"""Synthetic examples that the network learns from (Ritter et al. 2021, sections IV-D and IV-E)."""

from dataclasses import dataclass

import numpy as np

from modeling.engine.laws.synthetic import LARGEST_COEFFICIENT, SMALLEST_COEFFICIENT
from modeling.engine.laws.terms import EXPONENTS
from modeling.engine.measured.repetitions import aggregate
from modeling.engine.modelers.adaptive.inputs import FEWEST, MOST, placed, scaled, slots
from modeling.engine.validation import FloatArray, IntArray

CLASSES: FloatArray = np.array([(0.0, 0.0), *EXPONENTS])
"""Exponent pairs (i, j) that the network distinguishes, (43, 2). The first one is the constant."""

REPETITIONS = 5
"""The largest number of repetitions of a point in the examples for pre-training."""

AT_A_SERIES = 8
"""The number of functions measured at the same series. With more functions, there are fewer series."""


@dataclass(frozen=True)
class Examples:
    """N inputs of the network as float32, (N, 11), and the class of the law behind each input, (N,)."""

    inputs: np.ndarray
    classes: IntArray


def generic_examples(count: int, rng: np.random.Generator) -> Examples:
    """Draw examples for pre-training: laws c_0 + c_1·x^i·log2^j(x) over series of all kinds
    (`random_series`). Classes are drawn uniformly, coefficients uniformly from [0.001, 1000], and the noise's
    width uniformly from [0, 100 %]. Each value is a median of one to five repetitions.
    """
    parts = []
    for number in range(FEWEST, MOST + 1):
        series = -(-count // (AT_A_SERIES * (MOST - FEWEST + 1)))
        parts.append(_examples_at(random_series(series, number, rng), rng))
    chosen = rng.permutation(sum(len(part.classes) for part in parts))[:count]
    return Examples(
        inputs=np.concatenate([part.inputs for part in parts])[chosen],
        classes=np.concatenate([part.classes for part in parts])[chosen],
    )


def _examples_at(series: FloatArray, rng: np.random.Generator) -> Examples:
    """Make examples of functions measured at series, with `AT_A_SERIES` functions at each series."""
    x = np.repeat(series, AT_A_SERIES, axis=0)
    classes = rng.integers(len(CLASSES), size=len(x))
    y = _measured(_laws(x, classes, rng), rng)
    neurons = np.repeat(slots(series), AT_A_SERIES, axis=0)
    values = scaled(x.T, y, np.ones_like(y)).T
    return Examples(placed(neurons, values).astype(np.float32), classes)


def _laws(x: FloatArray, classes: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return the values of laws with the exponents of `classes` and random coefficients."""
    constant, coefficient = rng.uniform(SMALLEST_COEFFICIENT, LARGEST_COEFFICIENT, (2, len(x), 1))
    i, j = CLASSES[classes].T[:, :, None]
    return np.asarray(constant + coefficient * x**i * np.log2(x) ** j)


def _measured(truth: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the medians of noisy repetitions of true values. Each law has its own width of noise."""
    half = rng.uniform(0, 0.5, len(truth))
    factors = 1 + half * rng.uniform(-1, 1, (REPETITIONS, *truth.T.shape))
    repeated = np.arange(REPETITIONS)[:, None] < rng.integers(1, REPETITIONS + 1, len(truth))
    return aggregate(np.where(repeated[:, None, :], truth.T * factors, np.nan), "median")


def random_series(count: int, number: int, rng: np.random.Generator) -> FloatArray:
    """Draw series of a parameter's values, (count, number), in equal numbers from four kinds. The kinds are
    linear series such as (100, 200, …), small linear series such as (5, 10, …), small exponential series such
    as (8, 64, …), and values drawn uniformly.
    """
    step = np.arange(number)
    kinds = [
        _linear(rng.integers(10, 1001, (count, 1)), rng.choice([0.25, 0.5, 1.0, 2.0], (count, 1)), step),
        _linear(rng.integers(1, 11, (count, 1)), rng.choice([0.5, 1.0, 1.0, 2.0], (count, 1)), step),
        2.0 ** rng.integers(0, 11, (count, 1)) * _factors(count, number, rng) ** step,
        _uniform(count, number, rng),
    ]
    return np.asarray(np.stack(kinds)[np.arange(count) % len(kinds), np.arange(count)])


def _linear(first: IntArray, growth: FloatArray, step: IntArray) -> FloatArray:
    """Return series that begin at `first` and grow in steps of `first` times `growth`, but at least by 1."""
    return np.asarray(first + np.maximum(np.round(first * growth), 1.0) * step)


def _factors(count: int, number: int, rng: np.random.Generator) -> FloatArray:
    """Draw the ratio of neighbouring values of each exponential series; above 2 only for short series."""
    possible = np.array([2.0, 2.0, 3.0, 4.0, 8.0] if number <= LONGEST_OF_LARGE_FACTORS else [2.0])
    return np.asarray(rng.choice(possible, (count, 1)))


LONGEST_OF_LARGE_FACTORS = 7
"""The largest number of values of a series with ratios up to 8, so that values stay realistic."""


def _uniform(count: int, number: int, rng: np.random.Generator) -> FloatArray:
    """Draw rising values at random distances, over one to four decades."""
    gaps = rng.uniform(0.05, 1, (count, number)).cumsum(axis=1)
    largest = 10 ** rng.uniform(1, 4, (count, 1))
    return np.asarray(1 + largest * (gaps - gaps[:, :1] * rng.uniform(0, 1, (count, 1))) / gaps[:, -1:])
