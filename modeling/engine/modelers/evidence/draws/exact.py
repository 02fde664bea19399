"""The posterior of deviating kernels of one parameter, by enumeration of shapes and Gaussian processes.

The *size* of a law is the factor on its shape (module `shapes`). Its logarithm has a flat prior and is
integrated out. Kernels of one parameter have few points, so the evidence of every shape with every process is
computed in closed form.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from modeling.engine.modelers.evidence.draws.around import Around
from modeling.engine.modelers.evidence.draws.coefficients import balanced
from modeling.engine.modelers.evidence.draws.sampling import DRAWS, Draws
from modeling.engine.modelers.evidence.draws.shapes import Shapes
from modeling.engine.modelers.evidence.hypotheses.exponentials import exponential
from modeling.engine.modelers.evidence.hypotheses.growths import GROWTHS
from modeling.engine.validation import FloatArray, IntArray

HOPELESS_SHAPE = 11.0
"""Shapes are left out if their log evidence under `Around.widest` is more than this below the best one. In
the public campaigns, all shapes left out together have at most a thousandth of any kernel's probability,
which is a seventh of one draw.
"""

HOPELESS_WHILE_LEARNING = 14.0
"""The same limit while frequencies are learned. Some processes and classes of growth are likely
only with shapes that are otherwise hopeless.
"""

KERNELS_AT_ONCE = 64
NUMBERS_AT_ONCE = 1_000_000
"""The largest numbers of kernels, and of components of all shapes times kernels, that are weighed together.
Temporary arrays then fit into the processor's cache.
"""

Evidence = tuple[FloatArray, FloatArray]
"""Log evidence of N processes in K kernels, (N, K), and of classes of growth, (GROWTHS, K), without prior
weights. The processes are in rising order.
"""


def weighed(
    y: FloatArray, shapes: Shapes, around: Around, *, learning: bool
) -> Iterator[tuple[Draws, Evidence | None]]:
    """Yield draws of a few kernels at a time. If `learning`, the evidence of processes and classes of growth
    comes with the draws, otherwise None. `y` (P, K) has the logarithms of K kernels at P points.
    """
    laws, (of_values, of_laws) = around.turned(shapes.logarithms.T), around.widely(y, shapes.logarithms.T)
    of_laws[:, -2] += shapes.log_prior
    limit = HOPELESS_WHILE_LEARNING if learning else HOPELESS_SHAPE
    step = min(1 + NUMBERS_AT_ONCE // max(laws.size, 1), KERNELS_AT_ONCE)
    for first in range(0, y.shape[1], step):
        part = slice(first, first + step)
        kernel, shape = _hopeful(of_values[:, part], of_laws, limit)
        log_weight = around.log_likelihood(
            around.turned(y[:, part]).take(kernel, axis=0), laws.take(shape, axis=0)
        )
        yield _weighed(y[:, part], shapes, around, _Table(kernel, shape, log_weight), learning=learning)


def _hopeful(of_values: FloatArray, of_laws: FloatArray, limit: float) -> tuple[IntArray, IntArray]:
    """Return the pairs of a kernel and a shape whose log evidence is at most `limit` below the best one. The
    two matrices are results of `Around.widely`.
    """
    best = np.full((of_values.shape[1], of_laws.shape[2]), -np.inf)
    for values, laws in zip(of_values, of_laws, strict=True):
        np.maximum(best, values @ laws, out=best)
    hopeful = np.flatnonzero(best > best.max(axis=1, keepdims=True) - limit)
    kernel, shape = np.divmod(hopeful, best.shape[1])
    return kernel, shape


@dataclass(frozen=True)
class _Table:
    """B pairs of kernels and shapes that are not hopeless, in rising order: the indices `kernel` (B,) and
    `shape` (B,), and the log weights of N processes, (N, B), without the prior of the shapes.
    """

    kernel: IntArray
    shape: IntArray
    log_weight: NDArray[np.float32]


def _weighed(
    y: FloatArray, shapes: Shapes, around: Around, table: _Table, *, learning: bool
) -> tuple[Draws, Evidence | None]:
    kernel, shape, weight = table.kernel, table.shape, table.log_weight
    begin, log_prior = np.searchsorted(kernel, np.arange(y.shape[1])), shapes.log_prior[shape]
    most = np.maximum.reduceat(weight.max(axis=0) + log_prior, begin)
    weight += (log_prior - most[kernel]).astype(np.float32)
    exponential(weight, out=weight)
    of_process = np.add.reduceat(weight, begin, axis=1) if learning else None
    # The rows are added up in place, so that the last one is the sum. `np.cumsum` takes ten times as long.
    for before, row in pairwise(weight):
        np.add(row, before, out=row)
    of_shape = weight[-1].astype(float)
    total = np.add.reduceat(of_shape, begin)
    picked, process = _evenly(weight, of_shape / total[kernel], len(begin))
    new = np.diff(picked, axis=1, prepend=-1) > 0
    law, chosen = np.cumsum(new).reshape(new.shape) - 1, picked[new]
    residual = y.T[kernel[chosen]] - shapes.logarithms[shape[chosen]]
    size = (residual @ around.size.T)[law, process] + around.deviation[process] * balanced(DRAWS)
    law, process = np.ascontiguousarray(law.T), np.ascontiguousarray(process.T)
    draws = Draws(
        classes=shapes.classes[:, None, shape[chosen]],
        law=law,
        coefficients=shapes.coefficients[:, shape[chosen]].take(law, axis=1) * np.exp(size.T),
        log_weights=np.broadcast_to(most + np.log(total / DRAWS), law.shape).copy(),
        level=around.some[process].astype(float),
    )
    if of_process is None:
        return draws, None
    of_growth = np.bincount(
        kernel * GROWTHS + shapes.growth[shape], of_shape, minlength=GROWTHS * len(most)
    ).reshape(-1, GROWTHS)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_process = most + np.log(of_process) - around.log_weight[:, None]
        by_process = by_process[np.argsort(around.some)]
        by_growth = most + np.log(of_growth / shapes.frequencies).T
    return draws, (by_process, np.nan_to_num(by_growth, nan=-np.inf))


def _evenly(reached: NDArray[np.float32], share: FloatArray, kernels: int) -> tuple[IntArray, IntArray]:
    """Pick pairs of a shape and a process in proportion to their weights, by systematic sampling over both.
    Return the indices of the shapes and of the processes, (K, DRAWS) each.

    `reached` (N, B) has the cumulated weights of N processes, and `share` (B,) the share of each shape in the
    weight of its kernel.
    """
    marks = (np.arange(kernels)[:, None] + (np.arange(DRAWS) + 0.5) / DRAWS).ravel()
    passed = np.cumsum(share)
    shape = np.searchsorted(passed, marks)
    left = (passed.take(shape) - marks) / share.take(shape)
    limit = reached[-1].take(shape) * (1 - left).astype(np.float32)
    # The first process whose cumulated weight reaches the limit is found by bisection, for all marks at once.
    flat, width, rows = reached.ravel(), reached.shape[1], len(reached)
    place = shape.copy()
    while rows > 1:
        half = rows // 2
        place += (flat.take(place + (half - 1) * width) < limit) * (half * width)
        rows -= half
    process = (place - shape) // width
    return shape.reshape(kernels, DRAWS), process.reshape(kernels, DRAWS)


def joined(parts: Sequence[Draws]) -> Draws:
    """Join the draws of several groups of kernels."""
    begins = np.cumsum([0, *(part.classes.shape[2] for part in parts)])
    return Draws(
        classes=np.concatenate([part.classes for part in parts], axis=2),
        law=np.concatenate([part.law + begin for part, begin in zip(parts, begins, strict=False)], axis=1),
        coefficients=np.concatenate([part.coefficients for part in parts], axis=2),
        log_weights=np.concatenate([part.log_weights for part in parts], axis=1),
        level=np.concatenate([part.level for part in parts], axis=1),
    )
