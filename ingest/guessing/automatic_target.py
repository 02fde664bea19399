"""The target of an application whose people have set none: as far beyond its data as these can bear."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ingest.guessing.roles import process_parameter
from ingest.models import Parameter

DOUBLINGS_OF_PROCESSES = 4
"""The target has at most 16 times the largest number of processes that was measured.

That reaches from a partition to a whole machine. Farther out an interval says little, as it widens with every
doubling, and what begins only there, such as the next level of a network, is in no measurement.
"""

DOUBLINGS_OF_SIZE = 2
"""At most 4 times the largest problem, where no number of processes varies: memory ends before that."""

ENOUGH_VALUES = 5
"""Values of a parameter that tell laws apart. From five on the target lies as far beyond the data as they
reach; with fewer, each value after the first is worth a quarter of that way, in doublings."""


class Span(NamedTuple):
    """What a campaign measured of a parameter."""

    distinct: int
    low: float
    high: float


Spans = Mapping[str, Span]

LARGEST_IN_FULL = 1e12
"""Whole coordinates from here on are written with an exponent."""


def spans(parameters: Sequence[str], points: Sequence[Sequence[float]]) -> dict[str, Span]:
    """What a campaign with these points (P, m) measured of each parameter."""
    columns = map(np.unique, np.array(points, float).T)
    found = zip(parameters, columns, strict=True)
    return {name: Span(len(values), float(values[0]), float(values[-1])) for name, values in found}


def target(campaigns: Sequence[Spans], roles: Mapping[str, str]) -> tuple[str, dict[str, float]]:
    """Name and values of the target that all campaigns of an application share.

    It lies beyond the campaign that bears most along the processes, else along the sizes, else along all that
    varies; of everything else it has the largest value. Where nothing varies it is the largest point itself.
    """
    names = list(dict.fromkeys(name for campaign in campaigns for name in campaign))
    known = {name: [campaign[name] for campaign in campaigns if name in campaign] for name in names}
    varied = [name for name in names if any(span.distinct > 1 for span in known[name])]
    most = _doublings(varied, roles)
    values = {name: _farthest(known[name], most.get(name)) for name in names}
    shown = {name: values[name] for name in most} or values
    return ", ".join(f"{name} = {_written(value)}" for name, value in shown.items())[:80], values


def _written(value: float) -> str:
    """A coordinate; whole numbers in full."""
    return f"{value:,.0f}" if value.is_integer() and value < LARGEST_IN_FULL else f"{value:,.6g}"


def _doublings(varied: Sequence[str], roles: Mapping[str, str]) -> dict[str, int]:
    """The parameters to go beyond, with how often each may double at most."""
    processes = process_parameter(roles, varied)
    if processes is not None:
        return {processes: DOUBLINGS_OF_PROCESSES}
    sizes = [name for name in varied if roles.get(name) == Parameter.Role.PROBLEM_SIZE]
    return dict.fromkeys(sizes or varied, DOUBLINGS_OF_SIZE)


def _farthest(measured: Sequence[Span], most: int | None) -> float:
    """The value to predict at: beyond what some campaign varied by `most` doublings, else the largest."""
    if most is None:
        return max(span.high for span in measured)
    return max(_beyond(span, most) for span in measured if span.distinct > 1)


def _beyond(span: Span, most: int) -> float:
    """A power of two times the largest value, so that powers of two stay such."""
    share = min(1.0, (span.distinct - 1) / (ENOUGH_VALUES - 1))
    doublings = math.floor(round(math.log2(span.high / span.low) * share, 9))
    return span.high * 2.0 ** min(max(doublings, 1), most)
