"""Chooses the target of an application that has none, as far beyond the data as the data justify."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ingest.guessing.bound import Bound
from ingest.guessing.roles import process_parameter
from ingest.models import Parameter

DOUBLINGS_OF_PROCESSES = 4
"""Limit on the doublings from the largest number of processes to the target, from a partition to a whole
machine. Farther away, intervals are too wide, and new effects may appear.
"""

DOUBLINGS_OF_SIZE = 2
"""Limit on the doublings of sizes, or of all parameters. Larger problems usually exceed the memory."""

ENOUGH_VALUES = 5
"""Distinct values of a parameter that suffice for laws. With them, the target lies as many doublings beyond
the data as the data span; with fewer, it lies nearer.
"""


class Span(NamedTuple):
    """The values of a parameter that a campaign measured."""

    distinct: int
    low: float
    high: float


Spans = Mapping[str, Span]


LARGEST_IN_FULL = 1e12
"""Whole numbers from this size on are written with an exponent."""


def spans(parameters: Sequence[str], points: Sequence[Sequence[float]]) -> dict[str, Span]:
    """Return the measured values of each parameter of a campaign with these points."""
    columns = map(np.unique, np.array(points, float).T)
    found = zip(parameters, columns, strict=True)
    return {name: Span(len(values), float(values[0]), float(values[-1])) for name, values in found}


def target(
    campaigns: Sequence[Spans], roles: Mapping[str, str], nearer: int = 0, together: Bound | None = None
) -> tuple[str, dict[str, float]]:
    """Return name and values of the target that all campaigns of an application share.

    The target lies beyond the measured processes, else beyond the sizes, else beyond everything that varies.
    It is as far away as any campaign justifies, minus `nearer` doublings. Parameters that were always varied
    `together` keep their relation.
    """
    names = list(dict.fromkeys(name for campaign in campaigns for name in campaign))
    known = {name: [campaign[name] for campaign in campaigns if name in campaign] for name in names}
    varied = [name for name in names if any(span.distinct > 1 for span in known[name])]
    most = _doublings(varied, roles)
    values = {name: _farthest(known[name], most.get(name), nearer) for name in names}
    moved = set(most)
    if together is not None:
        kept = together.kept(values)
        moved |= {name for name in together.names if kept[name] != values[name]}
        values = kept
    shown = {name: values[name] for name in values if name in moved} or values
    return ", ".join(f"{name} = {_written(value)}" for name, value in shown.items())[:80], values


def _written(value: float) -> str:
    """Return a coordinate as text; whole numbers below `LARGEST_IN_FULL` without an exponent."""
    return f"{value:,.0f}" if value.is_integer() and value < LARGEST_IN_FULL else f"{value:,.6g}"


def _doublings(varied: Sequence[str], roles: Mapping[str, str]) -> dict[str, int]:
    """Return the limit on the doublings of each parameter to extrapolate."""
    processes = process_parameter(roles, varied)
    if processes is not None:
        return {processes: DOUBLINGS_OF_PROCESSES}
    sizes = [name for name in varied if roles.get(name) == Parameter.Role.PROBLEM_SIZE]
    return dict.fromkeys(sizes or varied, DOUBLINGS_OF_SIZE)


def _farthest(measured: Sequence[Span], most: int | None, nearer: int) -> float:
    """Return a parameter's value at the target; without `most`, its largest measured value."""
    if most is None:
        return max(span.high for span in measured)
    return max(_beyond(span, most, nearer) for span in measured if span.distinct > 1)


def _beyond(span: Span, most: int, nearer: int) -> float:
    """Return the value that one campaign justifies: its largest value times a power of two."""
    share = min(1.0, (span.distinct - 1) / (ENOUGH_VALUES - 1))
    doublings = math.floor(round(math.log2(span.high / span.low) * share, 9))
    return span.high * 2.0 ** max(min(max(doublings, 1), most) - nearer, 1)
