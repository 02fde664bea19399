"""Defines a benchmark of JMH, as the JSON, the CSV and the printed table describe it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingest.formats.collecting.entries import as_number

MODES = {
    "thrpt": "throughput",
    "avgt": "time",
    "sample": "sampled_time",
    "ss": "single_shot_time",
}
"""Mode → name of the metric that it measures."""
OF_METRIC = re.compile(r"(?P<name>[^:]+):(?P<metric>(?:[^:]+[·�])?\S.*)")
SHORT = re.compile(r"10(?P<exponent>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
"""Matches small scores, which JMH prints as ≈ 10⁻³."""
EXPONENT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


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


def metric_of(name: str, mode: str) -> tuple[str, str]:
    """Return the benchmark and the metric that a row of a table names: `sort:·gc.alloc.rate`, or `sort`."""
    own = OF_METRIC.fullmatch(name)
    return (own["name"], secondary(own["metric"])) if own else (name, MODES.get(mode, mode))


def score_of(text: str) -> float | None:
    """Return a score, in which a comma may separate decimals: `1,234`, `10⁻³`."""
    if short := SHORT.fullmatch(text):
        return as_number(f"1e{short['exponent'].translate(EXPONENT)}")
    return as_number(text if "." in text else text.replace(",", "."))
