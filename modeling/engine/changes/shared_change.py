"""The properties that all kernels of two campaigns share; given these, each kernel is judged alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

import numpy as np

from modeling.engine.changes.level_mixture import KINDS_OF_FACTORS, TAILS, Spread
from modeling.engine.changes.locations import Location
from modeling.engine.changes.usual_drift import UsualDrift
from modeling.engine.validation import FloatArray, IntArray

SHIFTS: Spread = (np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.03, 0.1, 0.3, 1.0]))
"""Prior of the shift. With few kernels, the kernel with the ratio nearest to 1 counts as unchanged."""


@dataclass(frozen=True)
class Alternatives:
    """N alternatives of the properties that kernels share, (N,) each."""

    probability: FloatArray  # posterior probability of the alternative
    shift: FloatArray
    shift_variance: FloatArray
    drift: FloatArray  # scale of the drift
    tail: IntArray  # index in `Shared.tails`
    factors: FloatArray  # share of kernels with another factor, among those without another law
    kind: IntArray  # index in `KINDS_OF_FACTORS`

    def portions(self, size: int) -> Iterator["Alternatives"]:
        """Yield up to `size` alternatives at a time. Those of a portion have the same tail."""
        for tail in np.unique(self.tail):
            some = np.flatnonzero(self.tail == tail)
            for portion in np.split(some, range(size, len(some), size)):
                yield Alternatives(*(getattr(self, each.name)[portion] for each in fields(self)))


@dataclass(frozen=True)
class Shared:
    """Properties that kernels share. Given these, each kernel can be judged alone."""

    shift: FloatArray  # (3,) mean of the shift, a logarithm, and its lower and upper 95 % bounds
    points: FloatArray  # (C,) additional shifts of single points
    scatter: FloatArray  # (J,) shares of the classes of scatter
    laws: float  # share of the kernels whose law changed
    alternatives: Alternatives
    growth: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))  # (m, 3), see `shared_growth`
    location: Location = field(default_factory=Location)  # how repetitions are reduced to one value
    usual: UsualDrift | None = None  # the drift of earlier campaigns
    at_rest: bool = False  # whether the level of some kernel is that of an unchanged kernel without any shift
    most: float = 0.0  # largest probability of being the same with which a kernel is reported as changed

    @property
    def tails(self) -> tuple[Spread, ...]:
        """Distributions of drift of scale 1."""
        return (self.usual.tail,) if self.usual else TAILS

    @property
    def drift_variance(self) -> float:
        """Variance of a kernel's drift plus that of the shift."""
        known = self.alternatives
        tails = np.array([float(share @ scale**2) for share, scale in self.tails])
        tails = np.array([self.usual.variance]) if self.usual else tails
        mean = known.probability @ known.shift
        spread = known.shift_variance + (known.shift - mean) ** 2
        return float(known.probability @ (tails[known.tail] * known.drift**2 + spread))

    @property
    def likely_drift(self) -> float:
        """Median of the scale of drift. Improbable alternatives with a large drift do not affect it."""
        order = self.alternatives.drift.argsort()
        below = np.cumsum(self.alternatives.probability[order])
        return float(self.alternatives.drift[order][np.searchsorted(below, below[-1] / 2)])


def shares_of(factors: FloatArray, kinds: IntArray, laws: float) -> FloatArray:
    """Return the shares of kernels with each cause in the result of `densities`, (S + 4, N).

    `factors` (N,) are shares of the kernels without another law, `kinds` (N,) indices in `KINDS_OF_FACTORS`.
    `laws` is a share of all kernels.
    """
    same, changed = 1 - factors, factors * KINDS_OF_FACTORS[kinds].T
    return np.vstack([(1 - laws) * same, (1 - laws) * changed, np.full(len(factors), laws)])
