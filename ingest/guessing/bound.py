"""Parameters of a campaign that were always varied together, such as ranks = 8 · nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.guessing.roles import process_parameter
from ingest.models import Parameter
from modeling.engine.measured.relations import Relations, relations


@dataclass(frozen=True)
class Bound:
    """Parameters of a campaign that were always varied together.

    `names` are all parameters. `relations` says how some follow from another one. `whole` are those with only
    whole numbers.
    """

    names: tuple[str, ...]
    relations: Relations
    whole: frozenset[str]

    @property
    def following(self) -> frozenset[str]:
        """Return the parameters that follow from another one."""
        return frozenset(name for name, at in zip(self.names, self.relations.together, strict=True) if at)

    def kept(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the values, with those of `following` computed from the other ones."""
        point = np.array([[values[name] for name in self.names]])
        kept = dict(zip(self.names, self.relations.kept(point)[0].tolist(), strict=True))
        rounded = {name: self._rounded(name, value) for name, value in kept.items()}
        broken = self.relations.broken(np.array([list(rounded.values())]))[0]
        exact = zip(self.names, broken.tolist(), strict=True)
        return {**values, **{name: kept[name] if off else rounded[name] for name, off in exact}}

    def _rounded(self, name: str, value: float) -> float:
        """Return a whole number if only such were measured, because nobody runs 142.5 processes."""
        return float(round(value)) if name in self.whole else float(f"{value:.12g}")


def bound(
    parameters: Sequence[str], points: Sequence[Sequence[float]], roles: Mapping[str, str]
) -> Bound | None:
    """Return which parameters were always varied together; None if none were.

    They follow from a number of processes, if there is one among them.
    """
    array = np.array(points, float)
    varied = [name for name, column in zip(parameters, array.T, strict=True) if np.ptp(column) > 0]
    first = process_parameter(roles, varied) or next(iter(varied), parameters[0])
    found = relations(array, list(parameters).index(first))
    if not found.together.any():
        return None
    whole = (array == array.round()).all(axis=0)
    return Bound(tuple(parameters), found, frozenset(np.array(parameters)[whole].tolist()))


def bound_at_scale(
    parameters: Sequence[str], points: Sequence[Sequence[float]], roles: Mapping[str, str]
) -> Bound | None:
    """Return which parameters are varied together at scale; None if none are.

    Besides those of `bound`, these are numbers of processes that were varied together except at their
    smallest values: many studies fill one node with 1, 2 and 4 ranks, and then use more and more full nodes.
    """
    always, array = bound(parameters, points, roles), np.array(points, float)
    counted = [
        at
        for at, name in enumerate(parameters)
        if roles.get(name) == Parameter.Role.PROCESSES and np.ptp(array[:, at]) > 0
    ]
    larger = array[(array[:, counted] > array[:, counted].min(axis=0)).all(axis=1)]
    found = bound(parameters, larger, roles) if len(counted) > 1 and len(larger) else None
    known = always.following if always else frozenset[str]()
    expected = known | {parameters[at] for at in counted}
    return found if found and known <= found.following <= expected else always
