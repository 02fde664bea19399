"""Estimated variance components agree with the simulated ones, and with projection matrices
computed densely.
"""

from itertools import pairwise

import numpy as np
import pytest

from modeling.engine.design import scatter as module
from modeling.engine.design.scatter import scatter


def slowly(logs, points, levels):
    """Return the variance components, estimated with dense matrices.

    For every level l, y'(P_l - P_(l-1))y equals its expected value, the sum over k of trace((P_l - P_(l-1))
    Z_k Z_k') times the component k. The equations of all levels are solved together.
    """
    names = [list(zip(points, *levels[:count], strict=True)) for count in range(len(levels) + 1)]
    groups = []
    for level in names:
        distinct = sorted(set(level))
        groups.append(np.array([[float(name == other) for other in distinct] for name in level]))
    groups.append(np.eye(len(logs)))
    onto = [each @ np.linalg.inv(each.T @ each) @ each.T for each in groups]
    parts = [after - before for before, after in pairwise(onto)]
    matrix = [[np.trace(part @ each @ each.T) for each in groups[1:]] for part in parts]
    return np.linalg.solve(matrix, [logs @ part @ logs for part in parts])


@pytest.mark.parametrize("seed", range(5))
def test_unbalanced_components_equal_those_of_the_matrices(monkeypatch, seed) -> None:
    monkeypatch.setattr(module, "ALIKE_GROUPS", 0.0)
    rng = np.random.default_rng(seed)
    days, jobs = rng.integers(0, 3, (4, 12)), rng.integers(0, 3, (4, 12))
    effects = rng.normal(0, 0.3, (4, 3)), rng.normal(0, 0.2, (4, 3, 3))
    rows = np.arange(4)[:, None]
    logs = effects[0][rows, days] + effects[1][rows, days, jobs] + rng.normal(0, 0.05, (4, 12))
    logs[rng.random((4, 12)) < 0.2] = np.nan
    found = scatter(np.exp(logs)[None], {"day": days, "job": jobs})
    points, runs = np.nonzero(np.isfinite(logs))
    day, job, rest = slowly(logs[points, runs], points, [days[points, runs], jobs[points, runs]])
    assert found.within[0] == pytest.approx(rest)
    assert found.groups["job"][0] == pytest.approx(max(job, 0.0))
    if job > 0:
        assert found.groups["day"][0] == pytest.approx(max(day, 0.0))


def test_without_groups_the_variance_is_pooled_over_points() -> None:
    """Kernels and points may have any number of runs. Only points with several runs count."""
    logs = np.array([[[0.0, 0.2, np.nan], [1.0, 1.1, 1.5]], [[2.0, np.nan, np.nan], [3.0, np.nan, np.nan]]])
    squares = sum(((runs - runs.mean()) ** 2).sum() for runs in (logs[0, 0, :2], logs[0, 1]))
    found = scatter(np.exp(logs))
    np.testing.assert_allclose(found.run, [squares / 3, np.nan])
    np.testing.assert_array_equal(found.within, found.run)
    assert not found.known


def test_simulated_components_are_estimated() -> None:
    rng = np.random.default_rng(0)
    jobs = np.repeat(np.arange(200 * 3), 4).reshape(200, 12)
    logs = rng.normal(0, 0.2, 600)[jobs] + rng.normal(0, 0.05, (2, 200, 12)) * [[[1.0]], [[2.0]]]
    found = scatter(np.exp(logs), {"job": jobs})
    assert np.sqrt(found.groups["job"]) == pytest.approx([0.2, 0.2], rel=0.1)
    assert np.sqrt(found.within) == pytest.approx([0.05, 0.1], rel=0.1)
    assert np.sqrt(found.run) == pytest.approx(np.hypot(0.2, [0.05, 0.1]), rel=0.1)
    assert found.differing() == ["job"]
    assert found.counts == {"job": 600}


def test_days_jobs_and_repetitions_are_distinguished() -> None:
    rng = np.random.default_rng(1)
    days = np.repeat(np.arange(6), 20)[None].repeat(20, 0)
    jobs = np.repeat(np.arange(30), 4)[None].repeat(20, 0)
    logs = (
        rng.normal(0, 0.1, (20, 6))[:, np.repeat(np.arange(6), 20)]
        + rng.normal(0, 0.05, (20, 30))[:, np.repeat(np.arange(30), 4)]
        + rng.normal(0, 0.01, (20, 120))
    )
    found = scatter(np.exp(logs)[None], {"day": days, "job": jobs})
    assert np.sqrt(found.groups["day"]) == pytest.approx([0.1], rel=0.3)
    assert np.sqrt(found.groups["job"]) == pytest.approx([0.05], rel=0.15)
    assert np.sqrt(found.within) == pytest.approx([0.01], rel=0.1)
    assert found.differing() == ["day", "job"]


def test_a_component_of_two_jobs_is_reduced_more_than_one_of_ten() -> None:
    jobs = np.repeat(np.arange(10), 3)[None].repeat(5, 0)
    logs = np.random.default_rng(2).normal(0, 0.05, 10)[jobs] + np.tile([-0.001, 0.0, 0.001], 10)
    few = scatter(np.exp(logs[:, :6])[None], {"job": jobs[:, :6]}).groups["job"][0]
    raw = np.mean([np.var(row[:6].reshape(2, 3).mean(axis=1), ddof=1) for row in logs])
    assert few == pytest.approx(raw / 3, rel=0.01)
    assert scatter(np.exp(logs)[None], {"job": jobs}).groups["job"][0] == pytest.approx(
        9 / 11 * np.mean([np.var(row.reshape(10, 3).mean(axis=1), ddof=1) for row in logs]), rel=0.01
    )


def test_equal_jobs_have_no_component() -> None:
    values = np.exp(np.random.default_rng(4).normal(0, 0.05, (1, 30, 8)))
    found = scatter(values, {"job": np.repeat(np.arange(60), 4).reshape(30, 8)})
    assert found.known
    assert found.differing() == []


def test_nodes_with_one_job_each_have_no_component_of_their_own() -> None:
    jobs = np.array([[0, 0, 1, 1]])
    found = scatter([[[1.0, 1.1, 2.0, 2.1]]], {"node": jobs + 7, "job": jobs})
    assert found.same == {"node": "job"}
    assert list(found.groups) == ["job"]


def test_runs_each_of_which_is_a_job_cannot_be_split() -> None:
    found = scatter([[[1.0, 1.1, 1.2]]], {"job": np.array([[0, 1, 2]])})
    assert found.same == {"job": "repetition"}
    assert not found.known
    assert found.run[0] == pytest.approx(np.var(np.log([1.0, 1.1, 1.2]), ddof=1))


def test_runs_of_unknown_jobs_are_left_out_of_the_split() -> None:
    jobs = np.array([[0, 0, 1, 1, -1]])
    known = scatter([[[1.0, 1.1, 2.0, 2.1]]], {"job": jobs[:, :4]})
    found = scatter([[[1.0, 1.1, 2.0, 2.1, 50.0]]], {"job": jobs})
    assert found.groups["job"] == pytest.approx(known.groups["job"])
    assert found.within == pytest.approx(known.within)


def test_single_runs_give_no_components() -> None:
    found = scatter(np.ones((1, 3, 1)))
    assert np.isnan(found.run).all()
    assert found.differing() == []


def test_groups_that_share_no_point_cannot_be_compared() -> None:
    apart = scatter(np.ones((1, 2, 2)) * [1.0, 1.1], {"campaign": np.array([[0, 0], [1, 1]])})
    assert not apart.known
    assert apart.differing() == []
    runs = np.ones((1, 2, 4)) * [1.0, 1.1, 1.0, 1.1]
    assert scatter(runs, {"campaign": np.array([[0, 0, 1, 1], [0, 0, 1, 1]])}).known
