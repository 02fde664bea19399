"""Series and models that several tests of the engine use."""

from dataclasses import fields, replace

import numpy as np

from modeling.engine import Models, fit
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
    """Return repetitions (kernels, P, repetitions) of true values (P,) with uniform noise within
    ± width / 2.
    """
    factor = np.random.default_rng(seed).uniform(
        1 - width / 2, 1 + width / 2, (kernels, len(truth), repetitions)
    )
    return truth[None, :, None] * factor


def regression(points, values, **options):
    """Fit the baseline's models, those of the regression modeler."""
    return fit(points, values, **{"modeler": "regression"} | options)


def law(coefficients, exponents, constant=1.0, **changes):
    """Return a model of one kernel with the given law. Exponents have the shape (T, m, 2)."""
    exponents = np.array([exponents], dtype=float)
    T, m = exponents.shape[1:3]
    one = np.ones(1)
    made = {field.name: one for field in fields(Models)} | {
        "constant": np.array([constant]),
        "coefficients": np.array([coefficients], dtype=float),
        "exponents": exponents,
        "covariance": np.zeros((1, T + 1, T + 1)),
        "degrees_of_freedom": np.array([3]),
        "posterior": None,
        "leads": None,
        "segments": None,
        "common": None,
        "region": None,
        "status": np.array(["ok"]),
        "lower": np.ones(m),
        "upper": np.full(m, 64.0),
    }
    return replace(Models(**made), **changes)
