"""Models of kernels that were measured at only one of the campaign's points."""

from dataclasses import replace

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.results.posterior import Posterior
from modeling.engine.validation import FloatArray, IntArray

_GOLDEN = (np.sqrt(5) - 1) / 2


def shaped(sizes: Models, shapes: Models, points: FloatArray, which: IntArray) -> Models:
    """Combine the values of K kernels' constant laws (`sizes`) with the shapes of other laws (`shapes`).
    `shapes` has one model for each of N `points` of m parameters, (N, m). Kernel k was measured at the point
    `which[k]`. Draws of sizes and shapes are paired in a fixed pseudo-random order.
    """
    size, shape = sizes.posterior, shapes.posterior
    if size is None or shape is None:
        raise ValueError("posterior: found none, expected one for the sizes and one for the shapes")
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
    """Return the values of all draws of one kernel at a point."""
    return posterior.part(np.array([number])).laws(point[None])[0, :, 0]
