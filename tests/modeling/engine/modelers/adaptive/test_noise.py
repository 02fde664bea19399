"""The estimated width of the noise, compared with the simulated width and with the published estimate."""

import numpy as np
import pytest

from modeling.engine import noise
from modeling.engine.laws.synthetic import measure
from modeling.engine.modelers.adaptive.noise import expected_largest_range, noise_width


@pytest.mark.parametrize("points", [5, 25, 125])
def test_it_is_within_five_points_of_the_truth_and_better_than_the_published_one(points: int) -> None:
    rng = np.random.default_rng(points)
    off, published = [], []
    for level in (2, 5, 10, 20, 50, 75, 100):
        values = measure(rng.uniform(1, 1000, (300, points)), rng, noise=level / 100)
        off.append(np.abs(100 * noise_width(values) - level).mean())
        published.append(np.abs(100 * noise(values).level - level).mean())

    assert np.mean(off) < 4.93  # The published mean error, in percentage points.
    assert np.mean(off) < np.mean(published)


@pytest.mark.parametrize(("points", "repetitions"), [(1, 2), (5, 5), (20, 3)])
def test_the_expected_range_is_that_of_a_simulation(points: int, repetitions: int) -> None:
    drawn = np.random.default_rng(6).uniform(size=(20_000, points, repetitions))

    assert expected_largest_range(points, repetitions) == pytest.approx(
        np.ptp(drawn, axis=2).max(axis=1).mean(), abs=0.005
    )


def test_without_repetitions_it_is_not_known() -> None:
    assert np.isnan(noise_width(np.ones((2, 5, 1)))).all()
    assert noise_width(np.ones((1, 5, 3))).tolist() == [0.0]
    assert np.isnan(noise_width(np.full((1, 5, 3), np.nan))).all()
