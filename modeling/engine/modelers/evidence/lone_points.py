"""Models of kernels that were measured at only one of the campaign's points. The measurements determine the
law's value at this point, and the law's shape follows the prior.
"""

from dataclasses import replace

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.results.posterior import Posterior
from modeling.engine.validation import FloatArray, IntArray

_GOLDEN = (np.sqrt(5) - 1) / 2


def shaped(sizes: Models, shapes: Models, points: FloatArray, which: IntArray) -> Models:
    """Return models of K kernels that combine the values of constant laws (`sizes`) with the shapes of other
    laws.

    The models `shapes` have one kernel for each of N points (N, m), and kernel k of `sizes` was measured at
    the point with the index `which[k]`. Draws of sizes and shapes are paired in a pseudo-random order, which
    is always the same.
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
    """Return the values (S,) of all draws of the posterior of one kernel at a point (m,)."""
    return posterior.part(np.array([number])).laws(point[None])[0, :, 0]
