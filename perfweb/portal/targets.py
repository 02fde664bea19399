"""The configuration that predictions are made for: one of the application's targets, or one typed in."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ingest.models import Target
from perfweb.portal import formatting


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


def targets_of(rows: Iterable[Target]) -> tuple[TargetPoint, ...]:
    """The application's own targets; the first is its default."""
    return tuple(
        TargetPoint(row.name, row.name, {name: float(value) for name, value in row.values.items()}, at == 0)
        for at, row in enumerate(rows)
    )


def target_parse(text: str, parameters: Sequence[str]) -> dict[str, float]:
    """Read p:65536,n:8000.

    Raises:
        ValueError: what is wrong, for people.
    """
    values: dict[str, float] = {}
    for part in text.split(","):
        name, colon, number = part.strip().rpartition(":")
        if not colon or name not in parameters:
            known = ", ".join(parameters) or "none"
            raise ValueError(f"“{part}” sets no parameter ({known}); write e.g. {_example(parameters)}.")
        values[name] = _positive(name, number)
    missing = [name for name in parameters if name not in values]
    if missing:
        raise ValueError(f"A target needs a value for {', '.join(missing)} too, e.g. {_example(parameters)}.")
    return {name: values[name] for name in parameters}


def target_key(values: Mapping[str, float]) -> str:
    """A configuration as it stands in a URL: p:65536,n:8000."""
    return ",".join(f"{name}:{value:.15g}" for name, value in values.items())


def _example(parameters: Sequence[str]) -> str:
    return ",".join(f"{name}:{1024 * 4**at}" for at, name in enumerate(parameters)) or "p:1024"


def _positive(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a number above 0, not “{text}”.")
    return value


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
