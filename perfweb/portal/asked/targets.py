"""Finds the configuration of predictions: one of the application's targets, or coordinates in the address."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ingest.models import Target
from modeling.targets import target_key, target_parse
from perfweb.portal.text import formatting


@dataclass(frozen=True)
class TargetPoint:
    """The configuration of predictions.

    `key` is its text in the URL. `stored`: it is the default target, whose predictions are stored. `nearer`
    is the factor by which the portal moved an automatic target nearer to the data, because predictions
    farther out are useless; 1: it was not moved.
    """

    key: str
    name: str
    values: Mapping[str, float]
    stored: bool
    nearer: int = 1

    @property
    def text(self) -> str:
        """Return the configuration as p = 65,536, n = 8,000."""
        return formatting.configuration(dict(self.values))

    def point(self, parameters: Sequence[str]) -> list[float] | None:
        """Return coordinates in the order of a campaign's parameters; None if one of them is missing."""
        if any(name not in self.values for name in parameters):
            return None
        return [self.values[name] for name in parameters]


def targets_of(rows: Iterable[Target], parameters: Sequence[str]) -> tuple[TargetPoint, ...]:
    """Return the application's targets, with values in the order of its parameters; the default is first."""
    return tuple(
        TargetPoint(
            row.name,
            row.name,
            _ordered(row.values, parameters),
            stored=at == 0,
            nearer=row.times_nearer,
        )
        for at, row in enumerate(rows)
    )


def _ordered(values: Mapping[str, float], parameters: Sequence[str]) -> dict[str, float]:
    return {name: float(values[name]) for name in parameters if name in values}


def target_find(key: str, targets: Sequence[TargetPoint], parameters: Sequence[str]) -> TargetPoint:
    """Return the target that `key` names or gives as coordinates; raise ValueError if it is invalid."""
    named = next((target for target in targets if target.key == key), None)
    if named is not None:
        return named
    values = target_parse(key, parameters)
    same = next((target for target in targets if target.values == values), None)
    return same or TargetPoint(target_key(values), formatting.configuration(values), values, stored=False)
