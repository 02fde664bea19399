"""Which kernels make up the whole program.

The program's total is the sum over all kernels where values are exclusive, over the roots of the call
tree where they are inclusive, and one kernel alone where a flat profile has a line for everything.
Profiles rarely say which they are, so it is told from the values.
"""

import numpy as np
from numpy.typing import NDArray

from ingest.models import PATH_SEPARATOR

WHOLE_PROGRAM = {"main", "main()", "total", "program", "application", "overall"}
TOLERANCE = 1.02
"""Callees may exceed their caller by this factor, as timers of different calls never agree exactly."""


def counts_to_total(
    paths: list[str], medians: NDArray[np.float64], inclusive: bool | None = None
) -> NDArray[np.bool_]:
    """Tell for each kernel whether the program's total is a sum with this one.

    `medians` (K, P), NaN where missing. `inclusive` overrides what the values suggest.
    """
    parents = parents_of(paths)
    nested = parents >= 0
    if not nested.any():
        return _flat(paths, medians) if inclusive is not False else np.ones(len(paths), bool)
    if inclusive is None:
        inclusive = _looks_inclusive(parents, medians)
    return ~nested if inclusive else np.ones(len(paths), bool)


def parents_of(paths: list[str]) -> NDArray[np.int64]:
    """Index of each kernel's nearest ancestor among `paths`, −1 for a root."""
    index = {path: number for number, path in enumerate(paths)}
    return np.array([_nearest(path, index) for path in paths], np.int64)


def _nearest(path: str, index: dict[str, int]) -> int:
    while PATH_SEPARATOR in path:
        path = path.rpartition(PATH_SEPARATOR)[0]
        if path in index:
            return index[path]
    return -1


def _looks_inclusive(parents: NDArray[np.int64], medians: NDArray[np.float64]) -> bool:
    """Whether callers hold at least the sum of their callees nearly everywhere."""
    nested = np.flatnonzero(parents >= 0)
    below = np.zeros_like(medians)
    np.add.at(below, parents[nested], np.nan_to_num(medians[nested]))
    callers = np.unique(parents[nested])
    measured = ~np.isnan(medians[callers])
    holds = below[callers] <= TOLERANCE * medians[callers]
    return bool(measured.any() and holds[measured].mean() >= 0.95)


def _flat(paths: list[str], medians: NDArray[np.float64]) -> NDArray[np.bool_]:
    """All kernels, or the one that stands for the whole program."""
    everything = np.ones(len(paths), bool)
    sums = np.nansum(medians, axis=1)
    largest = int(np.argmax(sums))
    if len(paths) < 3 or not sums.any() or (medians[largest] < np.nanmax(medians, axis=0, initial=0.0)).any():
        return everything
    others = float(sums.sum() - sums[largest])
    if paths[largest].strip().lower() in WHOLE_PROGRAM or others <= sums[largest] * TOLERANCE <= others * 1.1:
        everything[:] = np.arange(len(paths)) == largest
    return everything
