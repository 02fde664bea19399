"""The standard errors of points, from the scatter and the number of their repetitions."""

import numpy as np
import pytest

from modeling.engine.modelers.evidence.noise.runs import Runs, summarise

NOISE = 0.05


def repeated(*count: int, kernels: int = 400) -> Runs:
    """Return the repetitions of kernels that have these numbers of them at their points."""
    values = np.exp(NOISE * np.random.default_rng(0).normal(size=(kernels, len(count), max(count))))
    values[:, np.arange(max(count)) >= np.array(count)[:, None]] = np.nan
    return summarise(values)


def test_errors_are_as_large_as_those_of_medians():
    runs = repeated(192, 12, 48, 192)
    off = (runs.log_median + np.log(runs.scale)) / runs.errors
    # Ratios of numbers of repetitions are rounded to powers of 2.
    np.testing.assert_allclose(np.sqrt((off**2).mean(axis=1)), 1, rtol=0.2)
    assert runs.errors[1].mean() / runs.errors[0].mean() == pytest.approx(4)


@pytest.mark.parametrize("count", [(5, 5, 5), (5, 4, 4, 5), (30, 33, 40), (1, 1, 1)])
def test_about_equal_numbers_of_repetitions_give_equal_errors(count):
    runs = repeated(*count)
    np.testing.assert_array_equal(runs.errors, np.broadcast_to(runs.error, runs.errors.shape))


def test_points_without_repetitions_do_not_count():
    runs, fewer = repeated(8, 0, 1, 8), repeated(8, 1, 8)
    np.testing.assert_allclose(runs.relative_count[[0, 2, 3]], fewer.relative_count)
    assert np.isfinite(runs.errors).all()


def test_repetitions_without_scatter_have_no_error():
    values = np.ones((1, 3, 9))
    values[0, 1, 1:] = np.nan
    assert not summarise(values).errors.any()
