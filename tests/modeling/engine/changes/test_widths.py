"""The error of midranges under uniform noise, given the widths that all kernels show."""

from itertools import pairwise

import numpy as np
import pytest

from modeling.engine.changes.widths import Widths, learned_widths, midrange_variance
from modeling.engine.validation import FloatArray, IntArray


def measured(width: FloatArray, repetitions: int = 5) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the squared errors of midranges, the ranges and the numbers of repetitions, (K, C) each."""
    values = width[:, :, None] * (np.random.default_rng(1).random((*width.shape, repetitions)) - 0.5)
    ranges = np.ptp(values, axis=2)
    middle = (values.max(axis=2) + values.min(axis=2)) / 2
    return middle**2, ranges, np.full(ranges.shape, repetitions)


def test_the_variance_is_right_for_points_of_small_and_large_range() -> None:
    squares, ranges, count = measured(np.full((8000, 5), 0.1))
    variance = midrange_variance(ranges, count, learned_widths([(ranges, count)]))
    bounds = np.quantile(ranges, np.linspace(0, 1, 6))
    bands = [(low < ranges) & (ranges <= high) for low, high in pairwise(bounds)]
    ratio = [squares[band].mean() / variance[band].mean() for band in bands]
    assert np.allclose(ratio[:4], 1, atol=0.1)
    assert 0.5 < ratio[4] < 1.1  # a little less certain than it might be
    # Four fifths of the width say much more about the middle than half of it.
    assert variance[ranges > bounds[-2]].mean() < variance[ranges < bounds[1]].mean() / 10


@pytest.mark.parametrize("among", ["kernels", "points"])
def test_widths_that_differ_are_not_taken_for_equal_ones(among: str) -> None:
    rng = np.random.default_rng(2)
    factor = rng.standard_normal((6000, 1 if among == "kernels" else 5))
    squares, ranges, count = measured(0.05 * np.exp(0.7 * factor) * np.ones((6000, 5)))
    found = learned_widths([(ranges, count)])
    assert getattr(found, "among" if among == "kernels" else "within") == pytest.approx(0.49, rel=0.2)
    variance = midrange_variance(ranges, count, found)
    assert (squares / variance).mean() == pytest.approx(1, abs=0.2)


def test_a_few_points_with_more_noise_are_not_taken_for_exact_ones() -> None:
    odd = np.random.default_rng(3).random((6000, 5)) < 0.1
    squares, ranges, count = measured(np.where(odd, 0.3, 0.1))
    variance = midrange_variance(ranges, count, learned_widths([(ranges, count)]))
    assert np.median((squares / variance)[odd]) < 0.6  # 0.45 if errors are normal
    assert (squares / variance)[~odd].mean() < 1


def test_kernels_whose_repetitions_agree_have_no_noise() -> None:
    ranges, count = np.array([[0.0, 0.0], [0.1, 0.0], [0.1, 0.0]]), np.array([[5, 5], [5, 1], [5, 0]])
    assert learned_widths([(ranges[:1], count[:1])]) == Widths()
    variance = midrange_variance(ranges, count, learned_widths([(ranges, count)]))
    assert (variance[0] == 0).all()
    assert (variance[1:, 1] > variance[1:, 0]).all()
    assert np.isfinite(variance).all()
