"""At small values, where overheads dominate, predictions follow the measured values."""

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.deviations.below import Below

BYTES = 2.0 ** np.arange(24)
RNG = np.random.default_rng(5)


def latency(size, noise=0.004):
    """Return the time of a message in seconds.

    Below 1 KiB it takes 1 µs plus 1 ns a byte. Larger messages use another protocol, which takes 6 µs plus
    0.16 ns a byte.
    """
    law = np.where(size < 1024, 1e-6 + 1e-9 * size, 6e-6 + 1.6e-10 * size)
    return law * np.exp(noise * RNG.normal(size=size.shape))


@pytest.fixture(scope="module")
def measured():
    return latency(BYTES)


@pytest.fixture(scope="module")
def models(measured):
    return fit(BYTES[:, None], measured[None, :, None])


def test_predictions_follow_the_measured_values(models, measured):
    predicted = models.predict(BYTES[:, None])[0]
    assert np.abs(predicted / measured - 1).max() < 0.05
    low, high = (each[0] for each in models.prediction_interval(BYTES[:, None], 0.95))
    assert ((low <= measured) & (measured <= high)).mean() > 0.9
    assert np.median(high / low) < 1.2


def test_predictions_follow_them_between_points_too(models):
    between = 3 * 2.0 ** np.arange(2, 8)
    predicted = models.predict(between[:, None])[0]
    assert predicted == pytest.approx(1e-6 + 1e-9 * between, rel=0.2)


def test_larger_values_are_not_affected(models, measured):
    beyond = 2.0 ** np.array([24.0, 26, 28])
    law = 6e-6 + 1.6e-10 * beyond
    assert models.predict(beyond[:, None])[0] == pytest.approx(law, rel=0.05)
    only = BYTES >= 2**17  # Only the largest sizes are measured.
    others = fit(BYTES[only, None], measured[None, only, None])
    assert models.predict(beyond[:, None])[0] == pytest.approx(others.predict(beyond[:, None])[0], rel=0.02)


def test_noise_is_not_followed():
    x = 2.0 ** np.arange(16)
    law = 0.5 * x
    models = fit(x[:, None], (law * np.exp(0.1 * RNG.normal(size=(20, 16))))[..., None])
    at = models.predict(x[:6, None])
    # The mean error would be 0.08 if predictions went through every point.
    assert np.abs(np.log(at / law[:6])).mean() < 0.06


def test_the_correction_goes_on_beyond_the_largest_value_of_another_parameter():
    logs = np.log([(size, p) for size in BYTES for p in (2.0, 4, 8, 16, 32, 64)])
    below = Below.of(logs)
    assert below is not None
    unusual = np.zeros((1, 1, len(logs)))
    unusual[0, 0, below.rows] = 1.5
    at_end, unsure_at_end = below.at(logs[5], unusual)
    beyond, unsure = below.at(logs[5] + np.log([1, 64]), unusual)
    assert at_end.item() == pytest.approx(1.5, abs=0.1)
    assert (beyond.item(), unsure.item()) == (at_end.item(), unsure_at_end.item())


def test_the_correction_is_that_of_a_measured_point():
    logs = np.log(BYTES)[:, None]
    below = Below.of(logs)
    assert below is not None
    unusual = np.zeros((1, 1, len(logs)))
    unusual[0, 0, below.rows] = 1.5
    at_one, unsure = below.at(logs[4], unusual)
    assert at_one.item() == pytest.approx(1.5, abs=0.01)
    assert unsure.item() < 0.05
    between, more_unsure = below.at(logs[4] + 0.35, unusual)
    assert between.item() == pytest.approx(1.5, abs=0.1)
    assert more_unsure.item() > unsure.item()
    assert below.holds(logs[below.rows[-1]])
    assert not below.holds(logs[-7])


def test_kernels_measured_at_few_points_have_no_correction():
    assert Below.of(np.log(BYTES[:7, None])) is None
