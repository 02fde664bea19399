"""Kernels that were measured at only some of the campaign's points are modelled in groups, with the same
results.
"""

import tracemalloc

import numpy as np
import pytest

from modeling.engine import fit, holdout_error
from modeling.engine.laws.synthetic import grid
from modeling.engine.modelers.evidence import sparse
from modeling.engine.modelers.evidence.sparse import grouped
from modeling.engine.results.models import TOO_FEW_VALUES

POINTS = grid([np.arange(1.0, 61)])
FAR = np.array([[200.0]])


def campaign(held, seed=0, kernels=40):
    """Return kernels that follow 3 + 2·p with noise, measured at some of the points only."""
    rng = np.random.default_rng(seed)
    values = (3 + 2 * POINTS[:, 0])[None, :, None] * rng.normal(1, 0.05, (kernels, len(POINTS), 3))
    for kernel in values:
        kernel[rng.permutation(len(POINTS))[rng.integers(*held) :]] = np.nan
    return values


def same(one, other):
    np.testing.assert_allclose(one.predict(FAR), other.predict(FAR), rtol=1e-9)
    np.testing.assert_allclose(one.interval(FAR), other.interval(FAR), rtol=1e-9)
    np.testing.assert_allclose(one.coefficients, other.coefficients, rtol=1e-9)
    assert one.status.tolist() == other.status.tolist()
    assert one.points_used.tolist() == other.points_used.tolist()


def test_groups_contain_all_kernels_and_few_points():
    there = ~np.isnan(campaign((3, 9))).all(axis=2)
    groups = grouped(there)
    assert sorted(np.concatenate([kernels for kernels, _ in groups]).tolist()) == list(range(40))
    for kernels, rows in groups:
        assert there[kernels].sum() == there[np.ix_(kernels, rows)].sum()
        assert len(rows) <= sparse.GROUP_POINTS


def test_a_full_campaign_is_one_group():
    assert len(grouped(np.ones((5, 100), dtype=bool))) == 1


def test_points_without_values_change_nothing(monkeypatch):
    values = campaign((3, 9))
    models, errors = fit(POINTS, values), holdout_error(POINTS, values)
    monkeypatch.setattr(sparse, "MISSING_SHARE", 1.0)
    same(models, fit(POINTS, values))
    np.testing.assert_allclose(errors, holdout_error(POINTS, values), rtol=1e-9)


def test_a_sparse_campaign_in_parts_gives_the_same_models():
    values = campaign((1, 9))
    models = fit(POINTS, values)
    for kernel in range(0, 40, 5):
        alone = fit(POINTS, values[[kernel]], common=models.common)
        same(alone, models.part(np.array([kernel])))


def test_a_single_point_determines_the_level_but_no_law():
    values = np.full((20, 60, 5), np.nan)
    at = np.arange(20) * 3
    size = np.arange(1.0, 21)
    values[np.arange(20), at] = size[:, None] * np.random.default_rng(0).normal(1, 0.02, (20, 5))
    models = fit(POINTS, values)
    assert set(models.status) == {TOO_FEW_VALUES}
    here = np.arange(20), at
    np.testing.assert_allclose(models.predict(POINTS)[here], size, rtol=0.05)
    lower, upper = models.interval(POINTS)
    assert (upper[here] / lower[here] < 1.2).all()
    lower, upper = (bound[:, 0] for bound in models.interval(FAR))
    assert (upper / lower > 10).all()
    runs = models.prediction_interval(POINTS)
    assert (runs[1][here] / runs[0][here] < 1.5).all()


@pytest.mark.parametrize("at", [0, 3, 6])
def test_the_prediction_from_a_single_point_is_the_formula_shown(at):
    """Far from the single point, draws spread over ten powers of ten, and their median grows as the prior
    says. Neither may determine the prediction.
    """
    line = 2.0 ** np.arange(2, 9)[:, None]
    rng = np.random.default_rng(4)
    powers = rng.choice([0, 0.5, 1, 2], (30, 1))
    values = (3 * line[:, 0] ** powers)[:, :, None] * rng.normal(1, 0.02, (30, 7, 3))
    values[20:] = np.nan
    values[20:, at] = rng.normal(10, 0.2, (10, 3))
    models = fit(line, values)
    predicted = models.predict(line)[20:]
    np.testing.assert_allclose(predicted[:, at], 10, rtol=0.1)
    np.testing.assert_array_equal(predicted, models.law(line)[20:])
    np.testing.assert_array_equal(predicted, models.estimates(line)[0][20:])


@pytest.mark.parametrize("repetitions", [1, 3])
def test_thousands_of_points_take_little_memory(repetitions):
    points = np.arange(1.0, 3001)[:, None]
    rng = np.random.default_rng(0)
    values = (3 + 2 * points.T[..., None]) * rng.normal(1, 0.1, (1, 3000, repetitions))
    tracemalloc.start()
    models = fit(points, values)
    holdout_error(points, values)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 60e6
    np.testing.assert_allclose(models.predict(points[-1:] * 2), 12003, rtol=0.05)
