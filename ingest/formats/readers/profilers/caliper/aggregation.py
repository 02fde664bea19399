"""Rules for combining the values of a metric, first over the records of a call path, then over processes.

The records of one path in one process differ in something else, such as the number of an iteration. The first
aggregation operator in the metric's name gives the rule (`max#sum#time.duration` is a maximum), or else the
name's words.

- Minima: the smallest value is kept. Maxima and high-water marks: the largest is kept.
- Averages, ratios, shares, rates, variances and `any#…` are averaged, weighted by the records' `count`.
- Everything else is added: times, counts, bytes, and `percent_total#…`, whose records are parts of one whole.

The same rules combine processes and threads. The option `scaling` says whether sums are averaged, added, or
kept separate.
"""

import re
from collections.abc import Callable, Sequence
from enum import Enum

from ingest.formats.campaign.units import SECONDS, SHORT

_OPERATOR = re.compile(
    r"(?P<name>sum|inclusive|i?scale|scount|i?min|i?max|avg|mean|any|i?percent_total|i?ratio|variance)#"
)
"""Prefix of an aggregated metric's name."""

_NO_METRIC = re.compile(
    r"rank$|thread$|iteration$|iteration#|event\.(begin|set|end)#|time\.(offset|timestamp)|starttime|timeseries\."
    r"|mpi\.(rank|world|call\.id|comm|msg\.(src|dst|tag))|pthread\.|omp\.(thread|num)|loop\.start_iteration"
    r"|cupti\.(activity\.(start|end)|[a-z]*ID$)|alloc\.(address|uid|index)|(cali|spot|adiak|aggregate|source)\."
)
"""Beginnings of the names of numbers that are not measurements."""


class Kind(Enum):
    """The rule by which values of a metric are combined."""

    SUM = "sum"
    LEAST = "least"
    GREATEST = "greatest"
    MEAN = "mean"


_KINDS = {
    **dict.fromkeys(["min", "imin"], Kind.LEAST),
    **dict.fromkeys(["max", "imax"], Kind.GREATEST),
    **dict.fromkeys(["avg", "mean", "any", "ratio", "iratio", "variance"], Kind.MEAN),
}
_WORDS = {
    Kind.LEAST: re.compile(r"(?<![a-z])min(imum)?(?![a-z])"),
    Kind.GREATEST: re.compile(r"(?<![a-z])(max(imum)?|peak)(?![a-z])|high.?water"),
    Kind.MEAN: re.compile(
        r"(?<![a-z])(avg|average|mean|median|ratio|percent(age)?|rate|bandwidth|efficiency|utili[sz]ation"
        r"|occupancy|ipc|cpi|topdown|per)(?![a-z])|[%/]"
    ),
}
_SCALINGS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "weak": lambda values: [sum(values) / len(values)],
    "strong": lambda values: [sum(values)],
    "ranks": list,
}
SCALINGS = tuple(_SCALINGS)
"""Values of the option `scaling`: sums of processes are averaged, added, or kept separate."""


def kind(metric: str) -> Kind:
    """Return the rule by which values of a metric of this name are combined."""
    if operator := _OPERATOR.match(metric):
        return _KINDS.get(operator["name"], Kind.SUM)
    plain = metric.lower()
    return next((found for found, words in _WORDS.items() if words.search(plain)), Kind.SUM)


def is_aggregated(name: str) -> bool:
    """Return whether the name is that of an aggregated metric."""
    return name == "count" or _OPERATOR.match(name) is not None


def is_metric(name: str) -> bool:
    """Return whether a number of this name is a measurement."""
    start = 0
    while operator := _OPERATOR.match(name, start):
        start = operator.end()
    return _NO_METRIC.match(name, start) is None


def unit(name: str, given: str = "") -> str:
    """Return a metric's unit, from the file or the metric's name. The name of a scaled metric gives none."""
    if given:
        return _UNITS.get(given, given)
    operators = {found["name"] for found in _OPERATOR.finditer(name)}
    return "ns" if name.endswith(".ns") and operators <= _KEEP_UNIT and "/" not in name else ""


_UNITS = {
    **{unit: SHORT[seconds] for unit, seconds in SECONDS.items()},
    **dict.fromkeys(["byte", "Byte", "bytes", "Bytes"], "B"),
}
_KEEP_UNIT = {"sum", "inclusive", "min", "imin", "max", "imax", "avg", "mean", "any"}


class Cell:
    """The value of one metric in one call path of one process, combined from its records."""

    __slots__ = ("value", "weight")

    def __init__(self, value: float, weight: float) -> None:
        self.value, self.weight = value, weight

    def add(self, value: float, weight: float, how: Kind) -> None:
        """Add another record to the value."""
        if how is Kind.SUM:
            self.value += value
        elif how is Kind.LEAST:
            self.value = min(self.value, value)
        elif how is Kind.GREATEST:
            self.value = max(self.value, value)
        else:
            self.weight += weight
            self.value += (value - self.value) * weight / self.weight


def over_processes(values: Sequence[float], how: Kind, scaling: str) -> list[float]:
    """Combine the values of several processes into the values to be stored."""
    if len(values) == 1:
        return list(values)
    if how is Kind.SUM or scaling == "ranks":
        return _SCALINGS[scaling](values)
    if how is Kind.LEAST:
        return [min(values)]
    return [max(values) if how is Kind.GREATEST else sum(values) / len(values)]
