"""A modeling task, which is what a campaign's kernels have in common, and training examples for it. The
network is adapted to a task with synthetic functions. They have the points, repetitions and noise of the task
(Ritter et al. 2021, sections IV-E and VI-A).
"""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from modeling.engine.laws.synthetic import random_functions
from modeling.engine.measured.layout import Axis, axes
from modeling.engine.measured.observations import observe
from modeling.engine.modelers.adaptive.examples import CLASSES, Examples
from modeling.engine.modelers.adaptive.inputs import FEWEST, MOST, network_inputs
from modeling.engine.modelers.adaptive.noise import noise_width
from modeling.engine.validation import FloatArray

PER_CLASS = 2000
"""The mean number of examples of each class for an adaptation (Ritter et al. 2021, section VI-A)."""

LEVELS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5)
"""Possible ends of the range of a task's noise, so that campaigns with the same points share a network."""

WITHIN = (0.05, 0.95)
"""Quantiles of the kernels' widths of noise that bound the range of a task's noise."""

LARGEST_SAMPLE = 4_000_000
"""The largest number of elements of one temporary array of examples: 32 MB."""

HELD_OUT = 0.1
"""Share of examples without the task's largest point, because kernels are also modelled without it."""

LINES = 25
"""The largest number of parallel lines over which an example averages. More lines are hardly more exact."""


@dataclass(frozen=True)
class Task:
    """What the kernels of a campaign have in common. The adapted network depends only on these fields.

    Attributes:
        points: the points, each with one value of each parameter.
        repetitions: the number of repetitions at a point.
        lowest_noise: the smallest width of the noise in the examples; 1 is 100 %.
        highest_noise: the largest width of the noise in the examples.
        aggregate: "mean", "median" or "minimum" of a point's repetitions.
        per_class: the mean number of examples of each class.
    """

    points: tuple[tuple[float, ...], ...]
    repetitions: int
    lowest_noise: float
    highest_noise: float
    aggregate: str
    per_class: int = PER_CLASS

    @cached_property
    def digest(self) -> str:
        """Return a name for the task, a hash of its fields."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:32]

    def to_json(self) -> dict[str, Any]:
        """Return the task as plain lists and numbers, the arguments of `Task`. Points must become tuples
        again.
        """
        return asdict(self)


def noise_range(values: FloatArray) -> tuple[float, float]:
    """Return the range of the noise's width for most kernels, widened to bounds in `LEVELS`. `values` (K, P,
    R) has R repetitions of K kernels at P points. Without repetitions, the range is 0 to 100 %.
    """
    levels = noise_width(values)
    finite = levels[np.isfinite(levels)]
    if not len(finite):
        return LEVELS[0], 1.0
    low, high = np.quantile(finite, WITHIN)
    bounds = np.array(LEVELS)
    first = np.searchsorted(bounds, low, side="right") - 1
    last = np.searchsorted(bounds, high, side="left")
    lowest, highest = bounds[min(first, len(bounds) - 2)], bounds[min(max(last, first + 1), len(bounds) - 1)]
    return float(lowest), float(highest)


def suited(axis: Axis) -> bool:
    """Return whether the network can use the values of a parameter."""
    return FEWEST <= len(axis.x) <= MOST


def task_examples(task: Task, rng: np.random.Generator) -> Examples:
    """Draw examples for a task, in random order: equally many for each parameter, and on average `per_class`
    for each class. Each example is a series along one parameter of a random function of all parameters. The
    series is the average over parallel lines, as the modeler computes it for a kernel.
    """
    points = _some_lines(np.array(task.points))
    usable = [number for number, axis in enumerate(axes(points)) if suited(axis)]
    count = -(-task.per_class * len(CLASSES) // max(len(usable), 1))
    at_once = max(1, LARGEST_SAMPLE // (len(points) * task.repetitions))
    parts = [
        _functions_examples(task, points, usable, min(at_once, count - begin), rng)
        for begin in range(0, count, at_once)
    ]
    order = rng.permutation(sum(len(part.classes) for part in parts))
    return Examples(
        np.concatenate([part.inputs for part in parts])[order],
        np.concatenate([part.classes for part in parts])[order],
    )


def _functions_examples(
    task: Task, points: FloatArray, usable: list[int], count: int, rng: np.random.Generator
) -> Examples:
    """Make examples of `count` functions, one for each function and usable parameter."""
    functions = random_functions(count, points.shape[1], rng)
    half = rng.uniform(task.lowest_noise, task.highest_noise, (count, 1, 1)) / 2
    factors = 1 + half * rng.uniform(-1, 1, (count, len(points), task.repetitions))
    values = functions.evaluate(points)[..., None] * np.maximum(factors, SMALLEST_FACTOR)
    whole = observe(points, values, task.aggregate).distinct()
    held_out = rng.uniform(size=count) < HELD_OUT
    w = np.where(held_out, whole.without_largest().w, whole.w)
    observations = replace(whole, y=whole.y * w, w=w)
    inputs, classes = [], []
    for parameter in usable:
        axis = axes(points)[parameter]
        inputs.append(network_inputs(axis.x, *axis.average(observations.y, observations.w)))
        pairs = functions.exponents[:, :, parameter].sum(axis=1)  # a parameter is in one term at most
        classes.append(np.abs(pairs[:, None] - CLASSES).sum(axis=2).argmin(axis=1))
    return Examples(np.concatenate(inputs).astype(np.float32), np.concatenate(classes))


SMALLEST_FACTOR = 0.01
"""Lower limit of the ratio of a repetition to the true value, which keeps values positive."""


def _some_lines(points: FloatArray) -> FloatArray:
    """Select the points of at most `LINES` of each parameter's longest parallel lines."""
    chosen = np.zeros(len(points), bool)
    for axis in axes(points):
        length = np.bincount(axis.line_of_point)
        longest = np.flatnonzero(length == length.max())
        some = longest[np.linspace(0, len(longest) - 1, min(LINES, len(longest))).astype(int)]
        chosen |= np.isin(axis.line_of_point, some)
    return points[chosen]
