"""The evidence of changed laws, and the variance of the middle half of repetitions."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from modeling.engine.changes import covariances
from modeling.engine.changes.change_evidence import ODD_SCALES, change_columns, levels
from modeling.engine.changes.likelihood import LAW, PLAIN, SCATTERS
from modeling.engine.changes.log_ratios import LogRatios
from modeling.engine.changes.middle_half import middle_half as ends_and_variance
from modeling.engine.validation import FloatArray
from tests.modeling.engine.changes.measured_twice import PLANE


class TestEvidence:
    """The evidence equals the density of the full Gaussian, integrated numerically over the level."""

    def explained(self, d: FloatArray, noise: FloatArray) -> tuple[Any, FloatArray]:
        columns = change_columns(PLANE)
        known = np.ones(d.shape, bool)
        return levels(LogRatios(d, known, ~known, noise), columns), columns

    def slow(
        self, d: FloatArray, variance: FloatArray, columns: FloatArray, values: FloatArray
    ) -> FloatArray:
        """Return the density of the log ratios at each level."""
        gaussian = multivariate_normal(np.zeros(len(d)), np.diag(variance) + columns @ columns.T)
        density: FloatArray = gaussian.pdf(d - values[:, None])
        return density

    @pytest.mark.parametrize("explanation", [PLAIN, LAW])
    @pytest.mark.parametrize("odd", [False, True])
    @pytest.mark.parametrize("elementwise", [0, covariances.ELEMENTWISE_RANK])
    def test_is_that_of_the_full_gaussian(
        self, explanation: int, odd: bool, elementwise: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(covariances, "ELEMENTWISE_RANK", elementwise)
        rng = np.random.default_rng(9)
        noise, d = rng.uniform(1e-4, 1e-3, (25, 1)), rng.normal(0.1, 0.03, (25, 1))
        found, columns = self.explained(d, noise)
        used = columns if explanation == LAW else columns[:, :0]
        size, values = 4, np.linspace(-1.5, 1.5, 6001)
        variance = noise[:, 0] + SCATTERS[size] ** 2
        density = np.zeros(len(values))
        for place in range(25) if odd else []:
            for scale in ODD_SCALES:
                more = variance * np.where(np.arange(25) == place, 1 + scale**2, 1.0)
                density += self.slow(d[:, 0], more, used, values) / 25 / len(ODD_SCALES)
        density = density if odd else self.slow(d[:, 0], variance, used, values)
        total = np.trapezoid(density, values)
        mean = np.trapezoid(values * density, values) / total
        each = (0, explanation, size + odd * len(SCATTERS))
        np.testing.assert_allclose(found.evidence[each], np.log(total), rtol=1e-4)
        np.testing.assert_allclose(found.mean[each], mean, rtol=1e-3)
        spread = np.trapezoid((values - mean) ** 2 * density, values) / total
        np.testing.assert_allclose(found.variance[each], spread, rtol=1e-3)


def middle_half(count: int) -> slice:
    """Return the slice of `count` sorted repetitions that is averaged."""
    cut = int(ends_and_variance(count)[0][count])
    return slice(cut, count - cut)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_the_variance_of_the_middle_half_is_that_of_uniform_noise(count: int) -> None:
    runs = np.sort(np.random.default_rng(10).uniform(size=(200_000, count)), axis=1)
    averages = runs[:, middle_half(count)].mean(axis=1)
    np.testing.assert_allclose(averages.var() * 12, ends_and_variance(8)[1][count], rtol=0.02)


def test_the_variance_of_the_middle_half_is_the_sum_over_all_pairs_of_ranks() -> None:
    _, variance = ends_and_variance(200)
    for count in range(1, 201):
        rank = np.arange(1, count + 1)[middle_half(count)]
        lesser, greater = np.minimum(rank[:, None], rank), np.maximum(rank[:, None], rank)
        covariance = lesser * (count + 1 - greater) / ((count + 1) ** 2 * (count + 2))
        assert variance[count] == pytest.approx(12 * covariance.mean(), rel=1e-12)
    assert variance[0] == 0
