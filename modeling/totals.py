"""Determine which kernels make up the whole program.

The total is the sum over all kernels if values are exclusive. If values are inclusive, it is the sum over the
roots of the call tree. A kernel that stands for the whole program is the total by itself. The metric's name
says whether values are inclusive; if it does not, the values decide.
"""

import re

import numpy as np
from numpy.typing import NDArray

from ingest.models import PATH_SEPARATOR

WHOLE_PROGRAM = re.compile(
    r"((int |void )?main(\(.*\))?|(whole |entire )?(program|application|run)|total|overall|everything)"
    r"( time| runtime)?",
    re.IGNORECASE,
)
"""Matches the names of kernels that stand for the whole program."""

INCLUSIVE = re.compile(r"(^|[^a-z])(inc|incl|inclusive)($|[^a-z])", re.IGNORECASE)
EXCLUSIVE = re.compile(r"(^|[^a-z])(exc|excl|exclusive|self)($|[^a-z])", re.IGNORECASE)
MAXIMUM = re.compile(r"(^|[^a-z])(max|maximum)($|[^a-z])", re.IGNORECASE)
"""Words in metrics' names for maxima over MPI ranks, where callees may exceed their caller."""

TOLERANCE = 1.02
"""Factor by which the sum of callees may exceed their caller, because timers are not exact."""

NEARLY_ALL = 0.95
"""A relation between kernels must hold at this share of the measured values."""

UNCOVERED = 1.1
"""A kernel may exceed the sum of all others by this factor, and still be taken for the whole program."""


def counts_to_total(
    paths: list[str], medians: NDArray[np.float64], inclusive: bool | None = None, metric: str = ""
) -> NDArray[np.bool_]:
    """Return whether each kernel is a summand of the program's total, by name and medians.

    `inclusive` overrides what the metric's name and the values suggest.
    """
    parents = parents_of(paths)
    nested = parents >= 0
    if inclusive is False:
        return np.ones(len(paths), bool)
    if inclusive is None:
        inclusive = _named_inclusive(metric)
    if inclusive is None and nested.any():
        inclusive = _looks_inclusive(parents, medians, of_maxima=bool(MAXIMUM.search(metric)))
    counted = ~nested if inclusive else np.ones(len(paths), bool)
    line = _line_for_everything(paths, medians, counted, parents)
    return counted if line is None else np.arange(len(paths)) == line


def _named_inclusive(metric: str) -> bool | None:
    """Return whether the metric's name says that values include callees; None if it gives no hint."""
    if INCLUSIVE.search(metric):
        return True
    return False if EXCLUSIVE.search(metric) else None


def parents_of(paths: list[str]) -> NDArray[np.int64]:
    """Return the index of each kernel's nearest ancestor among `paths`, −1 for a root."""
    index = {path: number for number, path in enumerate(paths)}
    return np.array([_nearest(path, index) for path in paths], np.int64)


def _nearest(path: str, index: dict[str, int]) -> int:
    while PATH_SEPARATOR in path:
        path = path.rpartition(PATH_SEPARATOR)[0]
        if path in index:
            return index[path]
    return -1


def _looks_inclusive(parents: NDArray[np.int64], medians: NDArray[np.float64], *, of_maxima: bool) -> bool:
    """Return whether callers nearly always have at least the sum (or maximum) of their callees."""
    nested = np.flatnonzero(parents >= 0)
    below = np.zeros_like(medians)
    (np.maximum if of_maxima else np.add).at(below, parents[nested], np.nan_to_num(medians[nested]))
    callers = np.unique(parents[nested])
    measured = ~np.isnan(medians[callers])
    holds = below[callers] <= TOLERANCE * medians[callers]
    return bool(measured.any() and holds[measured].mean() >= NEARLY_ALL)


def _line_for_everything(
    paths: list[str], medians: NDArray[np.float64], counted: NDArray[np.bool_], parents: NDArray[np.int64]
) -> int | None:
    """Return the kernel that stands for the whole program; None if there is none.

    Either its name says so and no other kernel exceeds it, or it is about the sum of all others.
    """
    if counted.sum() < 3:
        return None
    alone = parents < 0
    alone[parents[parents >= 0]] = False
    known = np.nan_to_num(medians)
    named = alone & np.array([WHOLE_PROGRAM.fullmatch(path.strip()) is not None for path in paths])
    candidates = np.flatnonzero(named if named.any() else alone)
    if not known[candidates].any():
        return None
    line = int(candidates[known[candidates].sum(axis=1).argmax()])
    others = known[counted & (np.arange(len(paths)) != line)]
    value, largest, together = known[line] * TOLERANCE, others.max(axis=0), others.sum(axis=0)
    if named[line]:
        holds = value >= largest
    else:
        holds = (value >= together) & (value <= UNCOVERED * TOLERANCE * together)
    measured = ~np.isnan(medians[line])
    return line if holds[measured].mean() >= NEARLY_ALL else None
