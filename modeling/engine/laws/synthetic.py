"""Generate synthetic campaigns with known laws (docs/methods.md#synthetic-campaigns)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine.laws.terms import EXPONENTS
from modeling.engine.validation import FloatArray

SERIES: tuple[tuple[float, ...], ...] = (
    (4, 8, 16, 32, 64),
    (10, 20, 30, 40, 50),
    (8, 64, 512, 4096, 32768),
    (2, 8, 32, 128, 512),
    (100, 200, 300, 400, 500),
)
"""The series of parameter values of Ritter et al. 2021, section V."""

SMALLEST_COEFFICIENT, LARGEST_COEFFICIENT = 0.001, 1000.0


@dataclass(frozen=True)
class Functions:
    """The laws of K kernels: constant + Σ_t coefficient[t] · Π_l x[l]^i[t, l] · log2(x[l])^j[t, l].

    There are T terms t and m parameters x[l]. Terms with coefficients of 0 fill shorter laws.
    """

    constant: FloatArray  # (K,)
    coefficients: FloatArray  # (K, T)
    exponents: FloatArray  # (K, T, m, 2): i and j

    def evaluate(self, points: FloatArray) -> FloatArray:
        """Return the values of the K laws at Q points (Q, m), as (K, Q)."""
        logs = np.log2(points)
        terms = np.prod(
            points.T ** self.exponents[..., 0, None] * logs.T ** self.exponents[..., 1, None], axis=2
        )
        values: FloatArray = self.constant[:, None] + np.einsum("kt,ktq->kq", self.coefficients, terms)
        return values


def random_functions(count: int, parameters: int, rng: np.random.Generator) -> Functions:
    """Draw `count` laws. Each parameter occurs in one random term of a law.

    Exponents are uniform over (0, 0) and `terms.EXPONENTS`. Coefficients are uniform from 0.001 to 1000.
    """
    pairs = np.array([(0.0, 0.0), *EXPONENTS])
    drawn = pairs[rng.integers(len(pairs), size=(count, parameters))]
    owner = rng.integers(parameters, size=(count, parameters))
    belongs = owner[:, None, :] == np.arange(parameters)[:, None]  # (laws, terms, parameters)
    coefficients = rng.uniform(SMALLEST_COEFFICIENT, LARGEST_COEFFICIENT, (count, parameters))
    return Functions(
        constant=rng.uniform(SMALLEST_COEFFICIENT, LARGEST_COEFFICIENT, count),
        coefficients=np.where(belongs.any(axis=2), coefficients, 0.0),
        exponents=np.where(belongs[..., None], drawn[:, None], 0.0),
    )


def grid(series: Sequence[Sequence[float]]) -> FloatArray:
    """Return all P combinations of the values of m parameters, (P, m)."""
    axes = np.meshgrid(*(np.asarray(values, dtype=np.float64) for values in series), indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)


def continued(values: Sequence[float], steps: int) -> FloatArray:
    """Return the next `steps` values of a series with equal differences or equal ratios.

    Raises:
        ValueError: neither the differences nor the ratios are equal.
    """
    series = np.asarray(values, dtype=np.float64)
    ahead = np.arange(1, steps + 1)
    if np.allclose(np.diff(series), series[1] - series[0]):
        return np.asarray(series[-1] + ahead * (series[1] - series[0]))
    if np.allclose(series[1:] / series[:-1], series[1] / series[0]):
        return np.asarray(series[-1] * (series[1] / series[0]) ** ahead)
    raise ValueError(f"values: found {list(values)}, expected equal steps or equal factors")


def measure(truth: FloatArray, rng: np.random.Generator, *, noise: float, repetitions: int = 5) -> FloatArray:
    """Multiply the true values of K kernels at P points (K, P) by uniform noise.

    Return R repetitions, (K, P, R). A noise of 0.1 means ±5 %.
    """
    factors = rng.uniform(1 - noise / 2, 1 + noise / 2, (*truth.shape, repetitions))
    return truth[:, :, None] * factors
