"""Whether the scatter of repetitions explains the distances of points from any smooth curve."""

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.modelers.evidence.noise.lack_of_fit import rough, variances_around
from modeling.engine.modelers.evidence.noise.runs import summarise

ONE = 2.0 ** np.arange(2, 12)[:, None]
TWO = np.array([[p, n] for p in 2.0 ** np.arange(2, 7) for n in (10.0, 20, 30, 40, 50)])


def values(law, deviation, noise=0.02, kernels=200, runs=5):
    rng = np.random.default_rng(3)
    around = law * np.exp(deviation * rng.normal(size=(kernels, len(law))))
    return around[..., None] * np.exp(noise * rng.normal(size=(kernels, len(law), runs)))


@pytest.mark.parametrize("points", [ONE, TWO])
def test_false_alarms_are_as_frequent_as_stated(points):
    law = 3 + points[:, 0] ** 1.5
    runs = summarise(values(law, 0.0))
    said = rough(points, law[:, None] / runs.scale, runs)
    for share in (0.05, 0.2, 0.5, 0.9):
        assert np.mean(said < share) == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 200))


@pytest.mark.parametrize("points", [ONE, TWO])
def test_few_repetitions_at_some_points_are_no_roughness(points):
    """Half of the points have 100 times as many repetitions as the others."""
    law = 3 + points[:, 0] ** 1.5
    repeated = values(law, 0.0, runs=100)
    repeated[:, ::2, 1:] = np.nan
    runs = summarise(repeated)
    said = rough(points, law[:, None] / runs.scale, runs)
    for share in (0.05, 0.2, 0.5, 0.9):
        assert np.mean(said < share) == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 200))


def test_variances_around_a_law_explain_the_distances():
    rng = np.random.default_rng(0)
    own = np.array([1e-6, 1e-6, 1e-4, 1e-2, 0.04, np.inf])[:, None] * np.ones(500)
    size = rng.choice([0.0, 1e-3, 0.05, 1.0], 500)
    squares = (size**2 + np.where(np.isfinite(own), own, 0.0)) * rng.normal(size=own.shape) ** 2
    found = variances_around(squares, own, np.full(500, 4))
    assert found.shape == own.shape
    np.testing.assert_allclose((squares / found).sum(axis=0), 4, rtol=1e-3)
    more = np.diff(found[:5], axis=0) - np.diff(own[:5], axis=0)
    many = (squares / own).sum(axis=0) > 4
    np.testing.assert_allclose(more[:, many], 0, atol=1e-9)  # one variance is added to those of the errors


@pytest.mark.parametrize("points", [ONE, TWO])
def test_deviations_of_each_point_are_no_chance(points):
    law = 3 + points[:, 0]
    runs = summarise(values(law, 0.1))
    assert np.mean(rough(points, law[:, None] / runs.scale, runs) < 1e-6) > 0.8


def test_a_term_that_a_law_lacks_is_smooth():
    law = 3 + TWO[:, 0] + 0.002 * TWO[:, 1] ** 2
    runs = summarise(values(law, 0.0))
    lacking = (3 + TWO[:, 0])[:, None] / runs.scale
    assert np.mean(rough(TWO, lacking, runs) < 1e-6) == 0


def test_too_few_points_give_no_answer():
    law = np.array([1.0, 5.0, 2.0])
    runs = summarise(values(law, 0.5))
    assert (rough(ONE[:3], np.ones((3, 200)), runs) == 1).all()


def test_missing_points_are_left_out():
    law = 3 + ONE[:, 0]
    full = values(law, 0.1, kernels=6)
    full[::2, 3] = np.nan
    runs = summarise(full)
    said = rough(ONE, law[:, None] / runs.scale, runs)
    some = np.delete(np.arange(10), 3)
    fewer = summarise(full[::2][:, some])
    again = rough(ONE[some], law[some][:, None] / fewer.scale, fewer)
    assert said[::2] == pytest.approx(again, rel=1e-6)


SUMS = {
    "1/p + p": lambda p: 1 / p + 0.0005 * p,
    "1/p + √p": lambda p: 1 / p + 0.01 * p**0.5,
    "1/p + p^1.5": lambda p: 1 / p + 0.001 * p**1.5,
    "√p + p²": lambda p: p**0.5 + 0.01 * p**2,
}


@pytest.mark.parametrize("law", SUMS.values(), ids=SUMS)
def test_sums_of_two_terms_at_six_points_are_no_deviations(law):
    points = 2.0 ** np.arange(6)[:, None]
    posterior = fit(points, values(law(points[:, 0]), 0.0, noise=0.005, kernels=40)).posterior
    assert posterior.deviates is None or posterior.deviates.mean() < 0.1
