"""The configuration that predictions are made for: one of the application's targets, or one typed in."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ingest.models import Target
from modeling.targets import target_key, target_parse
from perfweb.portal.text import formatting


@dataclass(frozen=True)
class TargetPoint:
    """The configuration that predictions are made for.

    `key` is what stands in the URL; `stored` says that it is the application's default, for which
    predictions are kept in the database.
    """

    key: str
    name: str
    values: Mapping[str, float]
    stored: bool

    @property
    def text(self) -> str:
        """p = 65,536, n = 8,000."""
        return formatting.configuration(dict(self.values))

    def point(self, parameters: Sequence[str]) -> list[float] | None:
        """Coordinates in the order of a campaign's parameters; None where one is not given."""
        if any(name not in self.values for name in parameters):
            return None
        return [self.values[name] for name in parameters]


def targets_of(rows: Iterable[Target], parameters: Sequence[str]) -> tuple[TargetPoint, ...]:
    """The application's own targets, values in the order of its parameters; the first is the default."""
    return tuple(
        TargetPoint(row.name, row.name, _ordered(row.values, parameters), stored=at == 0)
        for at, row in enumerate(rows)
    )


def _ordered(values: Mapping[str, float], parameters: Sequence[str]) -> dict[str, float]:
    return {name: float(values[name]) for name in parameters if name in values}


def target_find(key: str, targets: Sequence[TargetPoint], parameters: Sequence[str]) -> TargetPoint:
    """The target that `key` names or spells out.

    Raises:
        ValueError: what is wrong with the key, for people.
    """
    named = next((target for target in targets if target.key == key), None)
    if named is not None:
        return named
    values = target_parse(key, parameters)
    same = next((target for target in targets if target.values == values), None)
    return same or TargetPoint(target_key(values), formatting.configuration(values), values, stored=False)
