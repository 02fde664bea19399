"""Which of the numbers known of runs are their parameters."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ingest.formats.caliper import choice


class Choice(NamedTuple):
    """Names of the parameters, and of what else varies."""

    parameters: tuple[str, ...]
    others: tuple[str, ...]


def choose(runs: Sequence[Mapping[str, float]], wanted: Sequence[str]) -> Choice:
    """See `choice.choose`."""
    parameters, others = choice.choose([dict(run) for run in runs], wanted)
    return Choice(tuple(parameters), tuple(others))
