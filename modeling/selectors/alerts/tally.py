"""The numbers of alerts by version, machine, metric, state, and kind of change (worse or better)."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from ingest.models import Machine, Metric, Version
from modeling.models import Alert


class Place(NamedTuple):
    """The ids of the version and the machine in which an alert appeared."""

    version: int
    machine: int


class AlertCount(NamedTuple):
    """The number of alerts with the same version, machine, metric, state and kind of change."""

    version: int
    machine: int
    metric: int
    state: str
    improvement: bool
    alerts: int


@dataclass(frozen=True)
class Tally:
    """The numbers of alerts, with the versions, machines and metrics by their ids."""

    numbers: tuple[AlertCount, ...]
    versions: Mapping[int, Version]
    machines: Mapping[int, Machine]
    metrics: Mapping[int, Metric]

    def part(self, wanted: Callable[[AlertCount], bool]) -> "Tally":
        """Return the tally with only the wanted numbers."""
        return replace(self, numbers=tuple(filter(wanted, self.numbers)))

    def label(self, number: AlertCount) -> str:
        """Return the label of the version to which a number of the tally belongs."""
        return self.versions[number.version].label

    @property
    def count(self) -> int:
        """Return the number of all alerts."""
        return sum(number.alerts for number in self.numbers)

    @property
    def states(self) -> Counter[str]:
        """Return the number of alerts in each state."""
        counts: Counter[str] = Counter()
        for number in self.numbers:
            counts[number.state] += number.alerts
        return counts

    @property
    def places(self) -> Counter[Place]:
        """Return the number of alerts of each version on each machine, in the order of the inbox."""
        counts: Counter[Place] = Counter()
        for number in self.numbers:
            counts[Place(number.version, number.machine)] += number.alerts
        return Counter({place: counts[place] for place in sorted(counts, key=self._rank) if counts[place]})

    @property
    def labels(self) -> dict[str, int]:
        """Return the number of alerts of each version's label, newest first."""
        counts: Counter[str] = Counter()
        for number in sorted(self.numbers, key=lambda each: -self.versions[each.version].position):
            counts[self.label(number)] += number.alerts
        return {label: count for label, count in counts.items() if count}

    @property
    def machine_names(self) -> list[str]:
        """Return the names of all machines."""
        return sorted({machine.name for machine in self.machines.values()})

    @property
    def metric_names(self) -> list[str]:
        """Return the names of all metrics."""
        return sorted({metric.name for metric in self.metrics.values()})

    def _rank(self, place: Place) -> tuple[str, int, int, str]:
        version = self.versions[place.version]
        application = version.application
        return application.name, application.pk, -version.position, self.machines[place.machine].name


def tally_load(rows: QuerySet[Alert], condition: Q) -> Tally:
    """Count the alerts that meet a condition, with four queries."""
    # Grouping by names instead of ids would take three times as long. Counting ids would read the table, but
    # counting versions reads only the index `alert_counted`.
    columns = rows.order_by().values_list("version_id", "machine_id", "metric_id", "state", "improvement")
    numbers = tuple(AlertCount(*row) for row in columns.annotate(count=Count("version", filter=condition)))
    return Tally(
        numbers,
        Version.objects.select_related("application__project").in_bulk({each.version for each in numbers}),
        Machine.objects.in_bulk({each.machine for each in numbers}),
        Metric.objects.in_bulk({each.metric for each in numbers}),
    )
