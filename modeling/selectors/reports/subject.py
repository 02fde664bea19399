"""The subject of a report: one version of an application on one machine, in one metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ingest.models import Application, Campaign, Machine, Metric, Parameter
from ingest.selectors import main_axis
from modeling.models import Report
from modeling.selectors.application.choices import Choices, choices_of
from modeling.selectors.reports.content import Content
from modeling.selectors.run.campaign import largest_measured
from modeling.selectors.versions.standings import Standing, line_of, lineage_of, standings

TARGETS = 3
"""Limit on the configurations for which a report predicts."""

FARTHER = 4.0
"""Factor to the next target along the main parameter, if there are too few targets."""


class Place(NamedTuple):
    """A configuration for which the report predicts."""

    name: str
    values: Mapping[str, float]


@dataclass(frozen=True)
class Subject:
    """What a report is about: a version on one machine, in one metric.

    `line` are the versions up to the report's, oldest first. `places` and `paths` come from an earlier
    report; if empty, they are chosen anew. `aliases` maps renamed kernels to their latest ids.
    """

    application: Application
    parameters: Sequence[Parameter]
    metrics: Sequence[Metric]
    targets: Sequence[Place]
    metric: Metric
    line: Sequence[Standing]
    aliases: Mapping[int, int]
    places: Sequence[Place] = ()
    paths: frozenset[str] = frozenset()

    @property
    def version(self) -> Standing:
        """Return the version of the report."""
        return self.line[-1]

    @property
    def before(self) -> Standing | None:
        """Return the previous version, or None for the first version."""
        return self.line[-2] if len(self.line) > 1 else None

    def axis(self, campaign: Campaign) -> Parameter | None:
        """Return the parameter along which efficiency and farther targets are computed; None without one."""
        return main_axis(campaign, self.parameters)

    def configurations(self, campaign: Campaign) -> list[Place]:
        """Return the largest measured point, the application's targets and, if needed, farther ones."""
        if self.places:
            return list(self.places)
        found = [Place("largest measured point", largest_measured(campaign))]
        for target in self.targets:
            named = [name for name in campaign.parameters if name in target.values]
            values = {name: float(target.values[name]) for name in named}
            if values not in [place.values for place in found]:
                found.append(Place(target.name, values))
        axis = self.axis(campaign)
        if axis and axis.name in campaign.varied_parameters():
            while len(found) < TARGETS:
                found.append(_farther(found[-1], axis.name))
        return found[:TARGETS]


def subject_of(
    found: Choices, ordered: Sequence[Standing], machine: Machine, version_id: int, metric: Metric
) -> Subject | None:
    """Return the subject of a report; None if the version was not measured on the machine."""
    line = line_of(ordered, machine)
    at = next((at for at, standing in enumerate(line) if standing.version_id == version_id), None)
    if at is None:
        return None
    targets = [Place(target.name, target.values) for target in found.targets]
    lineage = lineage_of(line, line[at])
    return Subject(
        found.application, found.parameters, found.metrics, targets, metric, lineage, found.aliases
    )


def subject_again(report: Report) -> Subject | None:
    """Return the present subject of a stored report; None if a part of it no longer exists."""
    if report.version_id is None:
        return None
    found = choices_of(report.application_id)
    ordered = standings(found.application)
    metric = next((each for each in found.metrics if each.pk == report.metric_id), None)
    machine = next((each.machine for each in ordered if each.machine.pk == report.machine_id), None)
    if metric is None or machine is None:
        return None
    subject = subject_of(found, ordered, machine, report.version_id, metric)
    return subject and _as_in(subject, report.content)


def _as_in(subject: Subject, content: Content) -> Subject:
    places = [Place(target["name"], target["values"]) for target in content["targets"]]
    return replace(subject, places=places, paths=frozenset(kernel["path"] for kernel in content["kernels"]))


def _farther(place: Place, name: str) -> Place:
    times = f"{FARTHER:.0f} × "
    return Place(f"{times}{place.name}", {**place.values, name: FARTHER * place.values[name]})
