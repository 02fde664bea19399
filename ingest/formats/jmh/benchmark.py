"""Defines a benchmark of JMH, as both the JSON and the printed table describe it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MODES = {
    "thrpt": "throughput",
    "avgt": "time",
    "sample": "sampled_time",
    "ss": "single_shot_time",
}
"""Mode → name of the metric that it measures."""


@dataclass(frozen=True, slots=True)
class Score:
    """A metric of a benchmark: the iterations of each fork, and their unit."""

    unit: str
    forks: Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark in one mode, with its parameters."""

    name: str
    parameters: Mapping[str, object]
    scores: Mapping[str, Score]
    about: Mapping[str, object] = field(repr=False)
    line: int


def secondary(name: str) -> str:
    """Return a metric's name: `gc.alloc.rate` for JMH's `·gc.alloc.rate`, `p0.50` for `sort:sort·p0.50`."""
    for mark in ("·", "\ufffd", "┬À"):
        name = name.rpartition(mark)[2]
    return name.lstrip("+") or "secondary"
