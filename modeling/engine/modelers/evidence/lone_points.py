"""Kernels measured at one point: their size is known there, and their law has the prior's shape."""

from dataclasses import replace

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.results.posterior import Posterior
from modeling.engine.validation import FloatArray, IntArray

_GOLDEN = (np.sqrt(5) - 1) / 2


def shaped(sizes: Models, shapes: Models, points: FloatArray, which: IntArray) -> Models:
    """Models of K kernels with the sizes that models of constants have at a point, and the laws of `shapes`.

    `shapes` are models for N points (N, m), and kernel k was measured at the point with number `which[k]`.

    The draws of both are paired in a random order that is always the same.
    """
    size, shape = sizes.posterior, shapes.posterior
    if size is None or shape is None:
        raise ValueError("posterior: found none, expected one of sizes and of shapes")
    own = np.stack([_values(shape, number, point) for number, point in enumerate(points)])
    shuffled = np.argsort(np.arange(own.shape[1]) * _GOLDEN % 1)
    drawn = size.coefficients[:, shuffled, :1]
    posterior = Posterior(
        exponents=shape.exponents[which],
        probability=shape.probability[which],
        law=shape.law[which],
        coefficients=(shape.coefficients / own[:, :, None])[which] * drawn,
        family=size.family[:, shuffled],
        level=size.level[:, shuffled],
    )
    leads = None if shapes.leads is None else shapes.leads[which]
    return replace(sizes, posterior=posterior, leads=leads, lower=shapes.lower, upper=shapes.upper)


def _values(posterior: Posterior, number: int, point: FloatArray) -> FloatArray:
    """Values (S,) of all draws of the posterior of one kernel at a point (m,)."""
    return posterior.part(np.array([number])).laws(point[None])[0, :, 0]
