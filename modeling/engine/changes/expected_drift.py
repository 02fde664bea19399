"""What is expected of the drift between two campaigns, before the levels of their kernels are compared.

If the levels of all kernels differ, this is drift, or nearly all kernels have different factors: other flags
of a compiler, for example, change every kernel by a different factor. Levels alone cannot distinguish the two
causes, because both have the same likelihood. But drift is seldom many times as large as the noise of the
machine, and factors of 1/2 or 2 are usual after a change of flags. So the prior decides.
"""

from dataclasses import dataclass

import numpy as np

from modeling.engine.changes.level_mixture import LEAST_DENSITY
from modeling.engine.validation import FloatArray

DRIFT_SPREAD = 1.0
"""Standard deviation of the logarithm of the scale of drift, which has a log-normal prior. The median of
the prior is the scale in earlier campaigns. If there are none, it is the usual scatter, because a machine
that varies from point to point also varies from campaign to campaign.
"""

REWRITTEN_PRIOR = 0.02
"""Prior probability that nearly all kernels have other factors. Of 56 kernels whose factors from -O0 to -O2
differ by more than 20 % from the usual one, 45 are reported if the noise of repetitions is 2 %, and 3 if it
is 5 %. With a probability of 0, 1 would be reported.
"""

REWRITTEN_SCALE, REWRITTEN_SPREAD = 0.5, 0.5
"""Median of the scale of factors if nearly all kernels have one, and the standard deviation of its logarithm
(a log-normal prior). Optimization changes most kernels by a factor between 1.5 and 10.
"""

REWRITTEN_SAME = 0.05
"""Share of unchanged kernels if nearly all kernels have other factors."""


@dataclass(frozen=True)
class ExpectedDrift:
    """The prior of the scale of the differences between kernels."""

    scale: float  # median of the scale of drift
    largest: (
        float | None
    )  # `scale`, but at least the noise; None if nothing shows how much the machine varies

    @property
    def at_rest(self) -> tuple[FloatArray, FloatArray]:
        """Three scales that drift may have if the differences are factors, with their probabilities.

        Their logarithms have the mean and variance of the log-normal prior (Gauss–Hermite quadrature).
        """
        spread = DRIFT_SPREAD * np.sqrt(3)
        return (self.largest or self.scale) * np.exp(spread * np.array([-1.0, 0.0, 1.0])), np.array(
            [1, 4, 1]
        ) / 6

    def log_prior(self, scales: FloatArray) -> FloatArray:
        """Return the log prior of the scales of differences, up to a constant."""
        prior = _log_normal(scales, self.scale, DRIFT_SPREAD) + self._of_factors(scales)
        return np.asarray(np.log(np.maximum(prior, LEAST_DENSITY)))

    def rewritten(self, scales: FloatArray) -> FloatArray:
        """Return the probability that differences of each scale are factors, not drift.

        The density of drift is the larger one of two: around `scale` or around `largest`.
        """
        factors = self._of_factors(scales)
        usual = (self.scale, self.largest or self.scale)
        drift = np.max([_log_normal(scales, scale, DRIFT_SPREAD) for scale in usual], axis=0)
        return np.asarray(factors / np.maximum(factors + drift, LEAST_DENSITY))

    def _of_factors(self, scales: FloatArray) -> FloatArray:
        known = self.largest is not None
        return known * REWRITTEN_PRIOR * _log_normal(scales, REWRITTEN_SCALE, REWRITTEN_SPREAD)


def expected_drift(scale: float, noise: float | None) -> ExpectedDrift:
    """Return the prior of drift with the given median.

    Args:
        scale: the scale of drift in earlier campaigns, or else the usual scatter.
        noise: the usual standard deviation of a log ratio due to noise; None if nothing shows how much values
            on the machine vary.
    """
    return ExpectedDrift(scale, None if noise is None else max(scale, noise))


def _log_normal(values: FloatArray, median: float, spread: float) -> FloatArray:
    """Return the density of the logarithms of values, up to a constant."""
    return np.asarray(np.exp(-0.5 * (np.log(values / median) / spread) ** 2) / spread)
