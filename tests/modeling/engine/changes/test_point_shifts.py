"""The shifts of single points that all kernels share."""

import numpy as np

from modeling.engine.changes.log_ratios import LogRatios
from modeling.engine.changes.point_shifts import point_shifts
from modeling.engine.laws.synthetic import SERIES, grid
from modeling.engine.validation import FloatArray

LINE = grid([SERIES[0]])
PLANE = grid(SERIES[:2])


def shifts(d: FloatArray) -> FloatArray:
    """Return the shifts that log ratios (C, K) without noise share."""
    known = np.ones(d.shape, bool)
    return point_shifts([LogRatios(d, known, ~known, np.zeros(d.shape))])


def test_points_are_shifted_by_what_unchanged_kernels_share() -> None:
    """Nearly half of the kernels grow faster than before, each by another exponent."""
    rng = np.random.default_rng(12)
    exponents = np.where(np.arange(400) < 190, rng.uniform(0.15, 0.4, 400), 0.0)
    shared = np.array([0.0, 0.02, 0.0, 0.1, 0.0])
    found = shifts(shared[:, None] + np.log(LINE) * exponents + rng.normal(0, 0.01, (5, 400)))
    np.testing.assert_allclose(found - found[0], shared, atol=0.01)


def test_exponents_that_changed_in_every_kernel_by_another_amount_are_no_shifts() -> None:
    """Then the centres err by several percent, in the same direction at all large values."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        for points, kernels in ((LINE, 200), (PLANE, 30)):
            exponents = rng.normal(0, 0.3, (points.shape[1], kernels))
            found = shifts(np.log(points) @ exponents + rng.normal(0, 0.01, (len(points), kernels)))
            assert abs(found).max() < 0.005


def test_a_shift_is_found_while_every_kernel_changed() -> None:
    """A single point does not move as exponents do, so its shift is found."""
    rng = np.random.default_rng(3)
    shared = np.where(np.arange(len(PLANE)) == 7, 0.2, 0.0)
    exponents = rng.normal(0, 0.1, (2, 400))
    found = shifts(shared[:, None] + np.log(PLANE) @ exponents + rng.normal(0, 0.01, (len(PLANE), 400)))
    np.testing.assert_allclose(found - np.median(found), shared, atol=0.04)


def test_a_shift_of_half_that_size_is_found_too() -> None:
    """If the errors of the points were treated as independent, they would hide the shift."""
    errors = []
    shared = np.where(np.arange(len(PLANE)) == 2, 0.1, 0.0)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        exponents = rng.normal(0, 0.1, (2, 200))
        found = shifts(shared[:, None] + np.log(PLANE) @ exponents + rng.normal(0, 0.01, (len(PLANE), 200)))
        errors.append(found - np.median(found) - shared)
    assert np.sqrt(np.mean(np.square(errors))) < 0.01
