"""Predict deviations at other points from those at the nearest measured points (kriging)."""

import numpy as np

from modeling.engine.deviations.processes import Kind, processes
from modeling.engine.joining import equal_rows
from modeling.engine.validation import BoolArray, FloatArray, IntArray

NEIGHBOURS = {1: 8}
"""Number of nearest measured points from which deviations are predicted, with one parameter."""

MORE_NEIGHBOURS = 24
"""Number of nearest measured points from which deviations are predicted, with several parameters."""

LEAST_REPEATED_ERROR = 2e-5
"""A kernel with a larger relative standard error counts as measured repeatedly."""

OWN_LENGTH = 0.3
"""Length of a point's independent deviation, relative to the smallest distance between points."""


def nearest_points(points: FloatArray, at: FloatArray) -> IntArray:
    """Return the ascending indices of the nearest measured points for each point of `at`."""
    count = NEIGHBOURS.get(points.shape[1], MORE_NEIGHBOURS)
    distance = np.abs(points - at[:, None]).sum(axis=2)
    return np.sort(np.argsort(distance, axis=1, kind="stable")[:, :count], axis=1)


def kriging(
    process: IntArray, error: FloatArray, points: FloatArray, near: IntArray, at: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the kriging weights (Q, U, n) of measured deviations, and the remaining standard deviations (Q,
    U).

    Deviations at new points `at` (Q, m) are predicted by the processes `process` (U,) from those at the n
    nearest measured `points` (N, m), whose indices are `near` (Q, n). Points are logarithms, and `error` (U,
    N) has the relative standard errors of the measured values.
    """
    weights = np.zeros((len(at), len(process), near.shape[1]))
    deviations = np.zeros((len(at), len(process)))
    first, which = equal_rows(near)
    for number, some in enumerate(near[first]):
        rows = np.flatnonzero(which == number)
        weights[rows], deviations[rows] = _solved(process, error[:, some], points[some], at[rows])
    return weights, deviations


def _solved(
    process: IntArray, error: FloatArray, points: FloatArray, at: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the results of `kriging` for new points with the same nearest points."""
    among, count = processes(points.shape[1]), len(points)
    size, nugget = (each[process][:, None, None] for each in (among.size, among.nugget))
    repeated = measured_repeatedly(error)[:, None, None]
    every = np.concatenate([points, at])
    smooth = among.covariances(points, every)[among.kind[process]]
    own = np.where(repeated, _alone(points).covariance(points, every), np.eye(count, len(every)))
    covariance = size**2 * smooth + nugget**2 * own
    of_points, beside = covariance[..., :count] + error[:, None] ** 2 * np.eye(count), covariance[..., count:]
    weights = np.linalg.solve(of_points, beside)
    explained = (weights * beside).sum(axis=1)
    whole = size[:, 0] ** 2 * smooth[:, 0, :1] + nugget[:, 0] ** 2
    left = np.sqrt(np.maximum(whole - explained, 0.0))
    left = np.where(repeated[:, 0], left, np.sqrt(np.maximum(left**2 - nugget[:, 0] ** 2, 0.0)))
    return np.asarray(weights.transpose(2, 0, 1), dtype=float), np.asarray(left.T)


def measured_repeatedly(error: FloatArray) -> BoolArray:
    """Return whether each kernel with the standard errors `error` (K, N) was measured repeatedly, (K,)."""
    return np.asarray((error > LEAST_REPEATED_ERROR).any(axis=1))


def _alone(points: FloatArray) -> Kind:
    """Return the process of the points' independent deviations. Each ends well before the next point."""
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    least = distance[distance > 0].min(initial=np.inf)
    length = OWN_LENGTH * (least if np.isfinite(least) else 1.0)
    return Kind(tuple(range(points.shape[1])), length, together=True)
