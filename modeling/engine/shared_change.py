"""What all kernels of two campaigns share when they are compared: typical noise, drift, unseen scatter.

Each of these is a median over kernels of a number that every kernel has by itself. So kernels may come in
portions: a few numbers of each are kept, and whatever the portions, what is shared is the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from modeling.engine.change_evidence import (
    CAMPAIGN_DRIFT,
    ENOUGH_KERNELS,
    KERNEL_DRIFT,
    LARGEST_CAMPAIGN_DRIFT,
    LARGEST_KERNEL_DRIFT,
    POINT_DRIFT,
    UNSEEN_NOISE,
    Directions,
    scatter,
    typical,
)
from modeling.engine.log_ratios import LogRatios
from modeling.engine.validation import FloatArray


@dataclass(frozen=True)
class Drift:
    """What all kernels of a campaign share: its shift, and the variances of that estimate and of kernels."""

    shift: float
    shift_variance: float
    kernel_variance: float


@dataclass(frozen=True)
class Shared:
    """What is taken as known when one kernel is judged."""

    noise: tuple[float, float]  # typical variance of a repetition's logarithm, before and after
    drift: Drift
    unseen: float  # typical variance of log ratios that the repetitions do not show


@dataclass(frozen=True)
class Summary:
    """The numbers of K kernels that what is shared is told from, (K,) each."""

    variances: tuple[FloatArray, FloatArray]  # of the repetitions' logarithms, before and after
    freedom: tuple[FloatArray, FloatArray]  # their degrees of freedom
    repeated: bool  # whether any point was measured more than once
    points: FloatArray  # common points at which the log ratio is known
    mean: FloatArray  # of the log ratios there
    noise: tuple[
        FloatArray, FloatArray, FloatArray
    ]  # mean variance there: a part, and rates of `Shared.noise`
    scatter: FloatArray  # variance of the log ratios around a smooth change
    scatter_freedom: FloatArray


def summary(ratios: LogRatios, directions: Directions) -> Summary:
    """What is kept of some kernels."""
    of_kernel = [side.freedom.sum(axis=1) for side in ratios.sides]
    own = [
        side.squares.sum(axis=1) / np.maximum(freedom, 1.0)
        for side, freedom in zip(ratios.sides, of_kernel, strict=True)
    ]
    points = ratios.known.sum(axis=0).astype(float)
    count = np.maximum(points, 1.0)
    (before, before_rate), (after, after_rate) = (side.noise_rates() for side in ratios.sides)
    noise = [
        (part.T * ratios.known).sum(axis=0) / count for part in (before + after, before_rate, after_rate)
    ]
    variance, freedom = scatter(ratios.d, ratios.known, directions)
    return Summary(
        variances=(own[0], own[1]),
        freedom=(of_kernel[0], of_kernel[1]),
        repeated=any(side.repeated for side in ratios.sides),
        points=points,
        mean=ratios.d.sum(axis=0) / count,
        noise=(noise[0], noise[1], noise[2]),
        scatter=variance,
        scatter_freedom=freedom,
    )


def shared(summaries: Iterable[Summary]) -> Shared:
    """What all kernels of at least one summary share."""
    every = _joined(list(summaries))
    noise = [typical(*each) for each in zip(every.variances, every.freedom, strict=True)]
    repeated = every.noise[0] + every.noise[1] * noise[0] + every.noise[2] * noise[1]
    told = 0.0 if every.repeated else UNSEEN_NOISE**2
    if every.scatter_freedom.any():
        told = typical(every.scatter, every.scatter_freedom)
    shown = float(np.median(repeated)) if len(repeated) else 0.0
    unseen = max(told - shown, POINT_DRIFT**2)
    return Shared((noise[0], noise[1]), _drift(every, repeated), unseen)


def _drift(every: Summary, repeated: FloatArray) -> Drift:
    """Estimate what moved a whole campaign, by the kernels' median: most kernels did not change.

    `repeated` is the mean variance of a kernel's log ratios by its repetitions, (K,).
    """
    usable = every.points > 0
    if usable.sum() < ENOUGH_KERNELS:
        return Drift(0.0, CAMPAIGN_DRIFT**2, KERNEL_DRIFT**2)
    count, means = every.points[usable], every.mean[usable]
    centre = float(np.median(means))
    spread = (1.4826 * float(np.median(np.abs(means - centre)))) ** 2
    sampling = float(np.median((repeated[usable] + POINT_DRIFT**2) / count))
    kernel_variance = float(np.clip(spread - sampling, KERNEL_DRIFT**2, LARGEST_KERNEL_DRIFT**2))
    shift = float(np.clip(centre, -LARGEST_CAMPAIGN_DRIFT, LARGEST_CAMPAIGN_DRIFT))
    return Drift(shift, np.pi / 2 * (kernel_variance + sampling) / len(means), kernel_variance)


def _joined(parts: list[Summary]) -> Summary:
    columns: dict[str, Any] = {}
    for name in (each.name for each in fields(Summary)):
        values = [getattr(part, name) for part in parts]
        if name == "repeated":
            columns[name] = any(values)
        elif isinstance(values[0], tuple):
            columns[name] = tuple(map(np.concatenate, zip(*values, strict=True)))
        else:
            columns[name] = np.concatenate(values)
    return Summary(**columns)
