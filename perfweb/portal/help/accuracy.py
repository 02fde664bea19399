"""The accuracy of modelers on simulated campaigns: our figures, and published ones.

Ours are measured by `python -m tests.benchmarks.accuracy`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("accuracy.json")
ADAPTIVE_FILE = Path(__file__).with_name("adaptive.json")
REAL_FILE = Path(__file__).with_name("real_modelers.json")

EVIDENCE, REGRESSION, ORACLE = "evidence", "regression", "oracle"

Table = Mapping[int, Mapping[int, float]]
"""Number of parameters → noise in percent → a figure in percent."""

NOISE = (2, 5, 10, 20, 50, 75, 100)


def _table(*rows: tuple[float, ...]) -> Table:
    return {m: dict(zip(NOISE, row, strict=True)) for m, row in enumerate(rows, 1)}


EXTRAP_NEAR = _table(
    (96.5, 91.0, 82.5, 76.1, 61.8, 53.8, 47.9),
    (73.0, 62.7, 54.3, 47.7, 36.0, 29.7, 23.7),
    (43.0, 35.5, 30.5, 29.0, 19.0, 14.5, 9.5),
)
EXTRAP_ERROR = _table(
    (0.3, 0.96, 2.25, 6.11, 19.78, 29.07, 38.76),
    (0.21, 0.71, 1.76, 5.36, 16.09, 27.53, 37.61),
    (0.14, 0.45, 1.37, 3.99, 9.71, 18.2, 19.89),
)
"""Our runs of Extra-P 4.2.5 with medians, by the same protocol, but with other functions."""

PUBLISHED_DNN: Table = {
    1: {50: 7.2},
    2: {50: 15.13, 75: 24.43, 100: 28.1},
    3: {50: 41.39, 75: 57.18, 100: 69.46},
}
PUBLISHED_REGRESSION: Table = {
    1: {50: 18.06}, 2: {50: 32.2, 75: 45.9, 100: 54.6}, 3: {50: 57.46, 75: 79.31, 100: 93.18},
}  # fmt: skip
"""Median errors at P4+ that Ritter et al. 2021 give for their deep network and for regression."""


@dataclass(frozen=True)
class Row:
    """One modeler's figures in percent for a number of parameters and a kind and level of noise.

    P1+ to P4+ are the points at which every parameter has the first to fourth value beyond its measured
    ones. `error` are the median errors at P1+ to P4+, `mean_error` is the mean error at P4+. `near` is the
    share of functions whose lead exponents are all within 1/4 of the truth. `inside` says how often 95 %
    intervals contain the truth at the measured points, and `inside_ahead` says it for P1+ and P4+. None: not
    available.
    """

    modeler: str
    parameters: int
    family: str
    noise: int
    error: tuple[float, ...]
    mean_error: float
    near: float | None = None
    inside: float | None = None
    inside_ahead: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Accuracy:
    """All rows of one measurement; `functions` by the number of parameters."""

    engine: str
    seed: int
    functions: Mapping[int, int]
    rows: tuple[Row, ...]

    @cached_property
    def _places(self) -> dict[tuple[str, int, str, int], Row]:
        return {(row.modeler, row.parameters, row.family, row.noise): row for row in self.rows}

    def row(self, modeler: str, parameters: int, noise: int, family: str = "uniform") -> Row:
        """Return a modeler's figures for a number of parameters, and a level and family of noise."""
        return self._places[modeler, parameters, family, noise]

    def levels(self, family: str) -> list[int]:
        """Return the noise levels that a family was measured at, ascending."""
        return sorted({row.noise for row in self.rows if row.family == family})

    @cached_property
    def families(self) -> list[str]:
        """Return the kinds of noise, in the order of the file."""
        return list(dict.fromkeys(row.family for row in self.rows))


@lru_cache(maxsize=1)
def accuracy_load() -> Accuracy:
    """Read the file of measured accuracy that is part of the portal."""
    found = json.loads(FILE.read_text())
    return Accuracy(
        found["engine"],
        found["seed"],
        {int(parameters): count for parameters, count in found["functions"].items()},
        tuple(Row(**row) for row in found["rows"]),
    )


def crossings(rows: Iterable[Mapping[str, Any]], rival: str = REGRESSION) -> dict[int, float]:
    """Return, by number of parameters, the noise in percent from which the network alone beats a rival.

    The network is better if more of its exponents are within 1/4 of the truth. Between two measured levels
    the crossing is interpolated. If the network is better at all levels, the crossing is the lowest level.
    If the network is not better at the highest level, none is returned. Rows are those of `ADAPTIVE_FILE`.
    """
    near = {(row["parameters"], row["noise"], row["modeler"]): row["near"] for row in rows}
    ahead: dict[int, list[tuple[int, float]]] = {}
    for parameters, noise, modeler in sorted(near):
        other = near.get((parameters, noise, rival))
        if modeler == "network alone" and other is not None:
            ahead.setdefault(parameters, []).append((noise, near[parameters, noise, modeler] - other))
    return {m: level for m, levels in ahead.items() if (level := _crossing(levels)) is not None}


def _crossing(levels: list[tuple[int, float]]) -> float | None:
    """Return the noise above which a difference is always positive; None if there is none.

    `levels` are pairs of a noise level and the difference there, by ascending noise.
    """
    below = [place for place, (_, more) in enumerate(levels) if more <= 0]
    if not below:
        return float(levels[0][0])
    if below[-1] == len(levels) - 1:
        return None
    (low, less), (high, more) = levels[below[-1]], levels[below[-1] + 1]
    return low + (high - low) * less / (less - more)
