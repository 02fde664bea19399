"""Weighted medians, compared with plain medians of values that occur as often as their weights say."""

import numpy as np
import pytest

from modeling.engine.results.medians import weighted_median


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_weights_count_as_repeated_values(axis):
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=(4, 5, 6)), rng.integers(0, 4, (4, 5, 6))
    weights = weights + (weights.sum(axis=axis, keepdims=True) == 0)
    found = weighted_median(values, weights.astype(float), axis)
    series, counts = (np.moveaxis(array, axis, -1).reshape(found.size, -1) for array in (values, weights))
    expected = [
        np.quantile(np.repeat(row, count), 0.5, method="inverted_cdf")
        for row, count in zip(series, counts, strict=True)
    ]
    np.testing.assert_array_equal(found.ravel(), expected)


def test_half_of_the_weight_is_enough():
    assert weighted_median(np.array([3.0, 1.0, 2.0]), np.array([0.25, 0.5, 0.25]), axis=0) == 1
