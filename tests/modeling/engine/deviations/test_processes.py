"""Covariances of smooth random processes, compared with textbook formulas."""

import numpy as np
import pytest
from scipy.special import gamma, kv

from modeling.engine.deviations.processes import Kind, processes


def points(m, count=25, seed=0):
    """Return logarithms of points. Half of the points lie on a grid, and half are scattered."""
    rng = np.random.default_rng(seed)
    grid = np.log(2.0 ** rng.integers(0, 6, (count, m)))
    return np.unique(np.concatenate([grid, rng.uniform(0, 15, (count, m))]), axis=0)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_covariances_are_symmetric_without_negative_eigenvalues(m):
    some = points(m)
    for kind in processes(m).kinds:
        covariance = kind.covariance(some, some)
        np.testing.assert_allclose(covariance, covariance.T, rtol=1e-12)
        eigenvalues = np.linalg.eigvalsh(covariance)
        assert eigenvalues[0] > -1e-12 * eigenvalues[-1], kind
        assert eigenvalues[-1] > 0


@pytest.mark.parametrize("m", [1, 2, 3])
def test_between_other_points_they_are_parts_of_the_whole(m):
    some = points(m)
    for kind in processes(m).kinds:
        whole = kind.covariance(some, some)
        part = kind.covariance(some[:3], some[3:])
        np.testing.assert_array_equal(part, whole[:3, 3:])


@pytest.mark.parametrize("distance", [0.01, 0.7, 3.0, 40.0])
def test_matern_processes_are_those_of_smoothness_three_halves(distance):
    length, smoothness = 5.0, 1.5
    scaled = np.sqrt(2 * smoothness) * distance / length
    expected = 2 ** (1 - smoothness) / gamma(smoothness) * scaled**smoothness * kv(smoothness, scaled)
    found = Kind((0,), length).covariance(np.zeros((1, 1)), np.full((1, 1), distance))
    assert found[0, 0] == pytest.approx(expected)


def test_together_distances_count_and_apart_each_parameter_does():
    one, other = np.zeros((1, 2)), np.array([[3.0, 4.0]])
    line = Kind((0,), 5.0)
    by_distance = Kind((0, 1), 5.0, together=True).covariance(one, other)
    assert by_distance == line.covariance(np.zeros((1, 2)), np.array([[5.0, 0.0]]))
    each = Kind((0, 1), 5.0).covariance(one, other)
    apart = [line.covariance(one, np.array([[x, 0.0]])) for x in (3.0, 4.0)]
    np.testing.assert_allclose(each, sum(apart))


@pytest.mark.parametrize("m", [1, 2, 3, 4, 20])
def test_prior_probabilities_add_up_to_one(m):
    among = processes(m)
    assert np.exp(among.log_prior).sum() == pytest.approx(1)
    assert len(among.kind) == len(among.size) == len(among.nugget) == len(among)
    assert set(among.kind) == {-1, *range(len(among.kinds))}
    assert ((among.size > 0) == (among.kind >= 0)).all()


def test_only_dense_points_distinguish_the_short_process_from_point_errors():
    every = processes(1)
    short = every.kind == len(every.kinds) - 1
    dense, sparse = np.arange(20.0, 30)[:, None], 2.0 ** np.arange(8)[:, None]
    assert np.exp(every.for_points(dense).log_prior[short]).sum() > 0.1
    told = every.for_points(sparse).log_prior
    assert (told[short] == -np.inf).all()
    assert np.exp(told).sum() == pytest.approx(1)
    # The probabilities of all other processes keep their ratios.
    np.testing.assert_allclose(np.ptp(told[~short] - every.log_prior[~short]), 0, atol=1e-12)
    assert processes(2).for_points(np.column_stack([dense, dense])) is processes(2)
    assert (every.for_points(np.array([[5.0]])).log_prior[short] == -np.inf).all()


@pytest.mark.parametrize("m", [1, 2, 3])
def test_directions_and_variances_make_up_the_covariance(m):
    some = points(m)
    among = processes(m)
    together = among.covariances(some)
    for number, kind in enumerate(among.kinds):
        directions, variances = kind.directions(some)
        covariance = kind.covariance(some, some)
        np.testing.assert_allclose((directions * variances) @ directions.T, covariance, atol=1e-12)
        np.testing.assert_allclose(directions.T @ directions, np.eye(len(variances)), atol=1e-12)
        np.testing.assert_allclose(together[number], covariance, rtol=1e-13)
    assert not together[-1].any()


def test_on_a_grid_processes_move_points_in_few_directions():
    grid = np.log(np.stack(np.meshgrid(*[[2.0, 4, 8, 16, 32]] * 3), axis=-1).reshape(-1, 3))
    counts = [len(kind.directions(grid)[1]) for kind in processes(3).kinds if not kind.together]
    assert set(counts) == {5, 15}
