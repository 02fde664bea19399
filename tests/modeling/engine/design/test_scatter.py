"""Estimated variance components, compared with those that data were simulated with."""

import numpy as np
import pytest

from modeling.engine.design.scatter import scatter


def test_components_are_found_again() -> None:
    rng = np.random.default_rng(0)
    jobs = np.repeat(np.arange(200 * 3), 4).reshape(200, 12)
    logs = rng.normal(0, 0.2, 600)[jobs] + rng.normal(0, 0.05, (2, 200, 12)) * [[[1.0]], [[2.0]]]
    found = scatter(np.exp(logs), {"job": jobs})
    assert np.sqrt(found.groups["job"]) == pytest.approx([0.2, 0.2], rel=0.1)
    assert np.sqrt(found.within) == pytest.approx([0.05, 0.1], rel=0.1)
    assert np.sqrt(found.run) == pytest.approx(np.hypot(0.2, [0.05, 0.1]), rel=0.1)
    assert found.differing() == ["job"]


def test_single_runs_tell_nothing() -> None:
    found = scatter(np.ones((1, 3, 1)))
    assert np.isnan(found.run).all()
    assert found.differing() == []


def test_groups_that_share_no_point_cannot_be_compared() -> None:
    apart = scatter(np.ones((1, 2, 2)) * [1.0, 1.1], {"campaign": np.array([[0, 0], [1, 1]])})
    assert not apart.known
    assert apart.differing() == []
    assert scatter(np.ones((1, 2, 2)) * [1.0, 1.1], {"campaign": np.array([[0, 1], [0, 1]])}).known
