"""Split the noise of runs into differences between repetitions, jobs, nodes and days.

The method is the analysis of variance of logarithms in an unbalanced nested classification: runs within jobs,
jobs within nodes, nodes within days, days within points (Searle, Casella and McCulloch, Variance Components,
sections 3.6 and 5.3).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modeling.engine.design.plans import NoiseSource
from modeling.engine.validation import FloatArray, IntArray, check_values

UNKNOWN_NOISE = 0.05
"""Standard deviation that is assumed for a run if each point has a single value."""

DIFFER = 0.1
"""Groups differ if the variance between them is more than this share of the variance of a run."""

ALIKE_GROUPS = 2.0
"""Prior number of groups that do not differ, added to the measured groups. Two equal jobs are treated as
different in 10 % of 1,000 simulated campaigns, and two jobs that cause half of the variance in 55 %. With
half this value, these shares are 17 % and 64 %, and with twice this value 3 % and 43 %.
"""


@dataclass(frozen=True)
class Scatter:
    """Variances of the logarithms of runs at the same point, (K,) each for K kernels.

    Attributes:
        run: variance of a run, including the variances between groups.
        within: variance of runs within the finest groups.
        groups: kind of group, such as "job" → variance between groups; NaN if no point has two groups.
        counts: kind of group → number of groups.
        same: kind of group → a finer kind with the same groups. "repetition" is the kind of single runs.
        freedom: kind of group → degrees of freedom of its variance, the median over the kernels.
    """

    run: FloatArray
    within: FloatArray
    groups: Mapping[str, FloatArray]
    counts: Mapping[str, int] = field(default_factory=dict)
    same: Mapping[str, str] = field(default_factory=dict)
    freedom: Mapping[str, float] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Return whether some point has runs of two groups, so that groups can be compared."""
        return any(np.isfinite(found).any() for found in self.groups.values())

    def differing(self) -> list[str]:
        """Return the kinds of groups that differ (`DIFFER`), over which repetitions must be distributed."""
        least = np.finfo(float).tiny
        shares = {name: found / np.maximum(self.run, least) for name, found in self.groups.items()}
        return [
            name for name, share in shares.items() if np.isfinite(share).any() and np.nanmean(share) > DIFFER
        ]

    def sources(self) -> tuple[NoiseSource, ...]:
        """Return the parts of the noise, the largest first; empty if groups cannot be compared."""
        if not self.known:
            return ()
        parts = {"repetition": self.within, **self.groups}
        found = [
            NoiseSource(
                name, deviation, self.counts.get(name, 0),
                tuple(coarse for coarse, fine in self.same.items() if fine == name),
            )
            for name, variances in parts.items()
            if (deviation := typical(variances)) is not None
        ]  # fmt: skip
        return tuple(sorted(found, key=lambda source: -source.deviation))


def typical(variances: FloatArray) -> float | None:
    """Return the square root of the median of K variances (K,); None if none is known."""
    known = variances[np.isfinite(variances)]
    return float(np.sqrt(np.median(known))) if len(known) else None


def scatter(values: ArrayLike, groups: Mapping[str, ArrayLike] | None = None) -> Scatter:
    """Split the scatter of repetitions at the same points into that of groups of each kind and the rest.

    Args:
        values: (K, P, R) R repetitions of K kernels at P points, NaN where missing.
        groups: kind of group, the coarsest first → label of each run's group, (P, R) or (K, P, R); negative
            if unknown. Runs without a known group of every kind are left out.
    """
    array = check_values(values, np.shape(values)[1] if np.ndim(values) == 3 else 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(array > 0, np.log(array), np.nan)
    at_points = _at_points(logs)
    labels = {
        name: np.broadcast_to(np.asarray(of, np.int64), logs.shape) for name, of in (groups or {}).items()
    }
    usable = np.all([of >= 0 for of in labels.values()], axis=0) if labels else np.zeros(logs.shape, bool)
    logs = np.where(usable, logs, np.nan)
    kept, same = _separate(logs, labels)
    if not kept:
        return Scatter(at_points, at_points, {}, same=same)
    found = _split(logs, np.stack([labels[name] for name in kept]))
    whole = found.within + np.nansum(found.between, axis=0)
    split = np.isfinite(found.between).any(axis=0)
    return Scatter(
        run=np.where(split, np.fmax(at_points, whole), at_points),
        within=np.where(np.isfinite(found.within), found.within, at_points),
        groups=dict(zip(kept, found.between, strict=True)),
        counts={name: len(np.unique(labels[name][np.isfinite(logs)])) for name in kept},
        same=same,
        freedom=dict(zip(kept, _typical_freedom(found.freedom), strict=True)),
    )


def _at_points(logs: FloatArray) -> FloatArray:
    """Return the variances of K kernels' log runs at the same points, (K,), from log runs (K, P, R)."""
    count = np.isfinite(logs).sum(axis=2)
    mean = np.nansum(logs, axis=2) / np.maximum(count, 1)
    squares = np.nansum((logs - mean[..., None]) ** 2, axis=(1, 2))
    freedom = np.maximum(count - 1, 0).sum(axis=1)
    return np.where(freedom > 0, squares / np.maximum(freedom, 1), np.nan)


def _typical_freedom(freedom: FloatArray) -> list[float]:
    """Return the median of the kernels' positive degrees of freedom for each kind of group; 0 without any."""
    return [float(np.median(row[row > 0])) if (row > 0).any() else 0.0 for row in freedom]


def _separate(logs: FloatArray, labels: Mapping[str, IntArray]) -> tuple[list[str], dict[str, str]]:
    """Return the distinct kinds of groups, and a map from each other kind to the equal finer kind."""
    kernels, points, runs = np.nonzero(np.isfinite(logs))
    finer, count = "repetition", len(runs)
    kept: list[str] = []
    same: dict[str, str] = {}
    for number in range(len(labels), 0, -1):
        name = list(labels)[number - 1]
        held = [labels[each][kernels, points, runs] for each in list(labels)[:number]]
        groups = len(np.unique(np.column_stack([kernels, points, *held]), axis=0)) if count else 0
        if groups == count:
            same[name] = finer
        else:
            kept.insert(0, name)
            finer, count = name, groups
    return kept, same


@dataclass(frozen=True)
class _Split:
    """Components of the variance of K kernels for L kinds of groups.

    `between` (L, K) are the variances between groups, with the degrees of `freedom` (L, K). `within` (K,) is
    the variance within the groups of the last kind.
    """

    between: FloatArray
    freedom: FloatArray
    within: FloatArray


def _split(logs: FloatArray, labels: IntArray) -> _Split:
    """Return the components of the variance. `labels` begin with the coarsest kind of group."""
    between = np.full((len(labels), len(logs)), np.nan)
    freedom = np.zeros(between.shape)
    within = np.full(len(logs), np.nan)
    for kernel, measured in enumerate(logs):
        points, runs = np.nonzero(np.isfinite(measured))
        if len(points):
            held = labels[:, kernel, points, runs]
            found = _components(measured[points, runs], points, held)
            between[:, kernel], freedom[:, kernel], within[kernel] = found
    return _Split(between, freedom, within)


def _components(
    logs: FloatArray, points: NDArray[np.intp], labels: IntArray
) -> tuple[FloatArray, FloatArray, float]:
    """Return variances between groups, their degrees of freedom, and the variance within the finest groups.

    The kinds of groups are levels 1 to L, from the coarsest to the finest; level 0 are the points. Level l
    has G[l] groups, with the variance V[l] between them. W is the variance within the groups of level L. The
    sum of squares between the groups of level l within those of level l − 1 has the expectation

        (sum of V[k]·(Q[k, l] − Q[k, l − 1]) over the levels k ≥ l) + W·(G[l] − G[l − 1]).

    Q[k, l] is a sum over the groups of level k: the squared number of runs of the group, divided by the
    number of runs in its group of level l. So variances are found from the finest level to the coarsest.
    """
    levels = [_numbered(np.column_stack([points, *labels[:count]])) for count in range(len(labels) + 1)]
    sizes = [np.bincount(level) for level in levels]
    means = [(np.bincount(level, logs) / size)[level] for level, size in zip(levels, sizes, strict=True)]
    counts = [len(size) for size in sizes]
    rest = len(logs) - counts[-1]
    within = float(((logs - means[-1]) ** 2).sum() / rest) if rest else np.nan
    variances, freedom = np.full(len(labels), np.nan), np.zeros(len(labels))
    for level in range(len(labels), 0, -1):
        degrees = counts[level] - counts[level - 1]
        if not degrees:
            continue
        squares = ((means[level] - means[level - 1]) ** 2).sum() - np.nan_to_num(within) * degrees
        for finer in range(level + 1, len(levels)):
            squares -= np.nan_to_num(variances[finer - 1]) * _weight(levels, sizes, finer, level)
        found = max(squares / _weight(levels, sizes, level, level), 0.0)
        freedom[level - 1] = _freedom(labels[:level], degrees)
        variances[level - 1] = found * freedom[level - 1] / (freedom[level - 1] + ALIKE_GROUPS)
    return variances, freedom, within


def _numbered(rows: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return a number for each row, the same for equal rows."""
    return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1]).ravel()


def _weight(levels: list[NDArray[np.intp]], sizes: list[NDArray[np.intp]], of: int, at: int) -> float:
    """Return Q[k, l] − Q[k, l − 1] of `_components` for the level k `of` and the level l `at`."""
    own = sizes[of][levels[of]]
    return float((own / sizes[at][levels[at]] - own / sizes[at - 1][levels[at - 1]]).sum())


def _freedom(labels: IntArray, degrees: int) -> int:
    """Return the degrees of freedom of a variance between groups, limited by the number of groups."""
    groups = len(np.unique(labels, axis=1).T)
    above = len(np.unique(labels[:-1], axis=1).T) if len(labels) > 1 else 1
    return min(degrees, max(groups - above, 1))
