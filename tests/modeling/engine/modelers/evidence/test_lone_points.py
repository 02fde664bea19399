"""Kernels of one point have the sizes that were measured and the shapes of other laws."""

from dataclasses import replace

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.modelers.evidence.lone_points import shaped
from tests.modeling.engine.cases import GRID, LINE, noisy, regression


@pytest.fixture(scope="module")
def models():
    """Return the sizes of three kernels at one point, and the shapes of laws at four points."""
    sizes = fit(LINE, np.stack([noisy(np.full(5, level), 0.1)[0] for level in (2.0, 30, 400)]))
    p, n = GRID.T
    shapes = fit(GRID, np.stack([noisy(law, 0.2)[0] for law in (1 + p * n, 7 + n, 90 / p, 3 + np.sqrt(p))]))
    plain = replace(shapes.posterior, deviation=None, trend=None)
    return sizes, replace(shapes, posterior=plain)


def test_the_law_of_each_draw_is_a_shape_times_a_size(models):
    sizes, shapes = models
    points = np.array([(4.0, 10), (16, 30), (64, 50), (8, 20)])
    which = np.array([2, 0, 1])
    posterior = shaped(sizes, shapes, points, which).posterior
    at = np.array([(4.0, 10), (256, 90)])
    for kernel, point in enumerate(which):
        own = posterior.part(np.array([kernel])).laws(np.concatenate([points[[point]], at]))[0]
        measured = sizes.posterior.coefficients[kernel, :, 0]
        np.testing.assert_allclose(np.sort(own[:, 0]), np.sort(measured))
        shape = shapes.posterior.part(np.array([point])).laws(np.concatenate([points[[point]], at]))[0]
        np.testing.assert_allclose(own / own[:, :1], shape / shape[:, :1])


def test_sizes_and_shapes_are_paired_without_a_pattern(models):
    sizes, shapes = models
    points = np.full((4, 2), 16.0)
    drawn = np.arange(1.0, 1 + sizes.posterior.law.shape[1])
    ordered = replace(sizes.posterior, coefficients=np.tile(drawn[:, None], (3, 1, 1)))
    found = shaped(replace(sizes, posterior=ordered), shapes, points, np.zeros(3, dtype=int))
    size = found.posterior.laws(points[:1])[0, :, 0]
    assert sorted(size) == pytest.approx(drawn)
    assert abs(np.corrcoef(size, drawn)[0, 1]) < 0.1
    again = shaped(replace(sizes, posterior=ordered), shapes, points, np.zeros(3, dtype=int))
    np.testing.assert_array_equal(again.posterior.coefficients, found.posterior.coefficients)


def test_both_models_need_a_posterior(models):
    _, shapes = models
    with pytest.raises(ValueError, match="expected one for the sizes"):
        shaped(regression(LINE, np.ones((1, 5, 2))), shapes, np.ones((4, 2)), np.array([0]))
