"""What a run tells about two rivals is the numerical integral of the log Bayes factor."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from modeling.engine.design.beliefs import Field
from modeling.engine.design.rivalry import MOST_TOLD, Rivalry

NOISE = np.array([0.03])
POINTS = np.array([[4.0], [16.0], [64.0], [1024.0]])


@pytest.fixture
def rivalry():
    """Return two rivals that differ more at larger points."""
    rng = np.random.default_rng(2)

    def field(width):
        level, slope = rng.normal(0, width, (2, 1, 40, 1))
        return Field.of(level + slope * np.log(POINTS[:, 0]) / 4, np.full((1, 4), 0.02), POINTS)

    return Rivalry(
        kernel=0,
        fields=(field(0.1), field(0.2)),
        difference=np.array([0.01, 0.1, 0.4, 5.0]),
        missing=2.5,
        probability=(0.6, 0.3),
        exponents=np.array([[1.0], [2.0]]),
    )


def covariance(field):
    """Return the covariance of the values at all candidates."""
    return np.stack([field.covariance(number)[0] for number in range(len(POINTS))])


def test_a_gain_is_the_mean_log_bayes_factor_if_either_law_is_right(rivalry):
    gains = rivalry.gains(NOISE)
    for place in range(3):
        one, other = (
            norm(mean, np.sqrt(covariance(field)[place, place] + NOISE[0]))
            for field, mean in zip(rivalry.fields, (rivalry.difference[place], 0.0), strict=True)
        )

        def factor(value, right, wrong):
            return right.pdf(value) * (right.logpdf(value) - wrong.logpdf(value))

        found = [quad(factor, -6, 6, args=laws)[0] for laws in ((one, other), (other, one))]
        assert gains[place] == pytest.approx(np.mean(found), rel=1e-6)
    assert gains[3] == MOST_TOLD


@pytest.mark.parametrize("gathered", [0.0, 0.5, 3.0])
def test_evidence_adds_to_what_is_known_of_the_laws(rivalry, gathered):
    """With 96 to 4 known, evidence of 20 to 1 left the probability of the right law at 96 %."""
    known = replace(rivalry, probability=(0.96, 0.04))
    rng = np.random.default_rng(0)
    first = rng.random(400_000) < 0.96
    factor = rng.normal(gathered, np.sqrt(2 * gathered), len(first))
    favours_first = np.log(0.96 / 0.04) + np.where(first, factor, -factor) > 0
    assert known.certainty(gathered) == pytest.approx((favours_first == first).mean(), abs=1e-3)
    assert (known.certainty(gathered) > 0.97) == (gathered == 3)


def test_a_run_moves_the_wrong_law_towards_the_right_one(rivalry):
    """The means after a run are those of normal distributions that are conditioned on its expected value."""
    run = 1
    after = rivalry.after(run, NOISE)
    moved = []
    for field in rivalry.fields:
        matrix = covariance(field)
        gain = matrix[:, run] / (matrix[run, run] + NOISE[0])
        moved.append(gain * rivalry.difference[run])
        expected = matrix - np.outer(gain, matrix[run])
        new = after.fields[len(moved) - 1]
        np.testing.assert_allclose(covariance(new), expected, atol=1e-12)
        np.testing.assert_allclose(new.variance[0], np.diag(expected))
    np.testing.assert_allclose(after.difference, rivalry.difference - np.mean(moved, axis=0))
    assert after.open() == pytest.approx(2.5 - rivalry.gains(NOISE)[run])
    assert (after.gains(NOISE)[:3] < rivalry.gains(NOISE)[:3] + 1e-12).all()
