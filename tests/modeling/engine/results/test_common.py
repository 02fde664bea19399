"""Properties that the kernels of a campaign share."""

import pytest

from modeling.engine.results.common import Common


def test_families_of_noise_have_the_frequencies_that_repetitions_show_until_laws_are_known():
    assert Common((0.5, 0.3, 0.2)).by_family == (0.5, 0.3, 0.2)


def test_families_of_noise_share_the_kernels_that_follow_laws():
    """The last frequency is that of kernels that deviate."""
    common = Common((0.5, 0.3, 0.2), by_evidence=(0.6, 0.15, 0.05, 0.2))
    assert common.by_family == pytest.approx((0.75, 0.1875, 0.0625))
