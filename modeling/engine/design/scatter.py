"""How much runs differ from repetition to repetition, from job to job, and from day to day.

This is a one-way analysis of variance of logarithms (Searle, Casella and McCulloch, Variance Components,
section 3.6). A deviation that all runs of a group share is not averaged out by further repetitions in the
same group.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modeling.engine.validation import FloatArray, check_values

UNKNOWN_NOISE = 0.05
"""Standard deviation of a run where single values show none: an assumption, in the middle of what clusters
have. Half of it trusts single runs more, and plans fewer repetitions; twice it asks for more of them."""

DIFFER = 0.1
"""Share of a group's variance in that of a run from which runs of the same group no longer count as
independent. At half of it three runs of one job are worth 2.7 independent ones, at twice it 2.1.
"""


@dataclass(frozen=True)
class Scatter:
    """Variances of the logarithms of runs at the same point, (K,) each.

    Attributes:
        run: of a run that shares no group with others.
        within: of runs within a group.
        groups: name of a kind of group, such as "job" → variance that its groups add.
    """

    run: FloatArray
    within: FloatArray
    groups: Mapping[str, FloatArray]

    @property
    def known(self) -> bool:
        """Return whether any point has runs of two groups, so that these can be compared."""
        return any(np.isfinite(found).any() for found in self.groups.values())

    def differing(self) -> list[str]:
        """Return the kinds of groups that differ among each other, so that repetitions have to be spread
        over them.
        """
        least = np.finfo(float).tiny
        shares = {name: found / np.maximum(self.run, least) for name, found in self.groups.items()}
        return [
            name for name, share in shares.items() if np.isfinite(share).any() and np.nanmean(share) > DIFFER
        ]


def scatter(values: ArrayLike, groups: Mapping[str, ArrayLike] | None = None) -> Scatter:
    """Split the scatter of repetitions at the same points.

    Parameters
    ----------
    values : (K, P, R), NaN where missing.
    groups : name, such as "job" or "day" → labels (P, R) of the group that each run belongs to.

    """
    array = check_values(values, np.shape(values)[1] if np.ndim(values) == 3 else 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(array > 0, np.log(array), np.nan)
    at_points = _within(logs, np.zeros(array.shape[1:], int))
    split = {name: _split(logs, np.asarray(labels)) for name, labels in (groups or {}).items()}
    run = at_points
    within = at_points
    for between, inside in split.values():
        run = np.fmax(run, between + inside)
        within = np.fmin(within, inside)
    return Scatter(run, within, {name: between for name, (between, _) in split.items()})


def _within(logs: FloatArray, labels: NDArray[np.int_]) -> FloatArray:
    """Return the variance of runs with the same label at the same point, (K,); NaN if no two have it."""
    total, _, freedom, _ = _sums(logs, labels)
    return np.asarray(np.divide(total, freedom, out=np.full(len(logs), np.nan), where=freedom > 0))


def _split(logs: FloatArray, labels: NDArray[np.int_]) -> tuple[FloatArray, FloatArray]:
    """Return variances between and within the groups of each point, (K,) each.

    The first is NaN if no point has runs of two groups.
    """
    within, between, inside, outside = _sums(logs, labels)
    pooled = np.divide(within, inside, out=np.zeros(len(logs)), where=inside > 0)
    size = _typical_size(logs, labels)
    mean_square = np.divide(between, outside, out=np.full(len(logs), np.nan), where=outside > 0)
    return np.maximum((mean_square - pooled) / size, 0.0), pooled


def _sums(
    logs: FloatArray, labels: NDArray[np.int_]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return sums of squares within the groups and between those of a point, and their degrees of freedom,
    (K,).
    """
    within, between, inside, outside = np.zeros((4, len(logs)))
    for point in range(logs.shape[1]):
        at = logs[:, point]
        count_of_groups = np.zeros(len(logs))
        deviations = np.zeros(len(logs))
        whole = _mean(at)
        for label in np.unique(labels[point]):
            some = at[:, labels[point] == label]
            count = np.isfinite(some).sum(axis=1)
            mean = _mean(some)
            within += np.nansum((some - mean[:, None]) ** 2, axis=1)
            inside += np.maximum(count - 1, 0)
            deviations += np.where(count > 0, count * (mean - whole) ** 2, 0.0)
            count_of_groups += count > 0
        between += np.nan_to_num(deviations)
        outside += np.maximum(count_of_groups - 1, 0)
    return within, between, inside, outside


def _typical_size(logs: FloatArray, labels: NDArray[np.int_]) -> float:
    """Return the mean number of runs of a group."""
    groups = sum(len(np.unique(row)) for row in labels)
    return max(1.0, float(np.isfinite(logs).any(axis=0).sum()) / max(groups, 1))


def _mean(some: FloatArray) -> FloatArray:
    """Return means (K,) of the known numbers among (K, R), NaN if there are none."""
    count = np.isfinite(some).sum(axis=1)
    return np.asarray(
        np.divide(np.nansum(some, axis=1), count, out=np.full(len(some), np.nan), where=count > 0)
    )
