"""Series that the tests share."""

import numpy as np

from modeling.engine import fit
from modeling.engine.validation import FloatArray

P = np.array([4.0, 8, 16, 32, 64])
LINE = P[:, None]
GRID = np.array([(p, n) for p in (4.0, 8, 16, 32, 64) for n in (10.0, 20, 30, 40, 50)])
CUBE = np.array(
    [(p, n, k) for p in (2.0, 4, 8, 16, 32) for n in (10.0, 20, 30, 40, 50) for k in (1.0, 2, 3, 4, 5)]
)


def noisy(
    truth: FloatArray, width: float, kernels: int = 1, repetitions: int = 5, seed: int = 0
) -> FloatArray:
    """Repetitions (kernels, P, repetitions) of a truth (P,), uniform within ± width / 2."""
    factor = np.random.default_rng(seed).uniform(
        1 - width / 2, 1 + width / 2, (kernels, len(truth), repetitions)
    )
    return truth[None, :, None] * factor


def regression(points, values, **options):
    """The baseline's models."""
    return fit(points, values, **{"modeler": "regression"} | options)
