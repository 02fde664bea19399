"""Segments of kernels are placed, selected and asked like a loop over kernels would."""

from dataclasses import dataclass

import numpy as np
import pytest

from modeling.engine.results.segments import Segments


@dataclass
class Levels:
    """Models that have the same value everywhere."""

    level: np.ndarray

    def part(self, kernels):
        return Levels(self.level[kernels])


@pytest.fixture
def segments():
    """Return segments of kernels 0 (along n: 3 segments) and 2 (along p: 2 segments), in no order."""
    return Segments(
        kernel=np.array([0, 2, 0]),
        number=np.array([1, 0, 0]),
        parameter=np.array([1, 0, 1]),
        first=np.array([40.0, 2, 10]),
        last=np.array([90.0, 8, 20]),
        following=np.array([160.0, 32, 40]),
        probability=np.array([0.9, 0.8, 0.9]),
        models=Levels(np.array([-2.0, -3, -1])),
    )


def test_laws_change_at_the_geometric_mean_of_both_neighbours(segments):
    np.testing.assert_allclose(segments.boundary, [120, 16, np.sqrt(800)])


def test_segments_of_a_kernel_are_ordered_by_their_number(segments):
    assert [(kernel, rows.tolist()) for kernel, rows in segments.by_kernel()] == [(0, [2, 0]), (2, [1])]


@pytest.mark.parametrize("more", [(), (4,)])
def test_each_point_is_answered_by_the_segment_that_contains_it(segments, more):
    points = np.array([(p, n) for p in (1.0, 15, 17) for n in (10.0, 28, 29, 119, 121)])
    values = np.full((3, *more, len(points)), 7.0)
    segments.put(
        values,
        points,
        lambda models, at: np.ones((1, *more, len(at))) * models.level.reshape(-1, *[1] * len((*more, 0))),
    )
    for place, (p, n) in enumerate(points):
        expected = [-1 if n < np.sqrt(800) else -2 if n < 120 else 7, 7, -3 if p < 16 else 7]
        assert (expected == values[..., place].reshape(3, -1).T).all()


def test_segments_follow_their_kernels(segments):
    part = segments.part(np.array([2, 1, 0]))
    assert part.kernel.tolist() == [0, 2, 2]
    assert part.models.level.tolist() == [-3, -1, -2]
    assert part.number.tolist() == [0, 0, 1]
    assert part.last.tolist() == [8, 20, 90]
    assert segments.part(np.array([1])) is None
    assert segments.part(np.array([], dtype=int)) is None
