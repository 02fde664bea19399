"""What a report is on: one version of an application on one machine, in one metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ingest.models import Application, Campaign, Machine, Metric, Parameter
from ingest.selectors import main_axis
from modeling.models import Report
from modeling.selectors.application.choices import Choices, choices
from modeling.selectors.reports.content import Content
from modeling.selectors.run.campaign import largest_measured
from modeling.selectors.versions.standings import Standing, line_of, lineage_of, standings

TARGETS = 3
"""Configurations that a report predicts: as measured, where it is going to be used, and farther."""

FARTHER = 4.0
"""How many times farther along the main parameter the next target lies, where nobody named one."""


class Place(NamedTuple):
    """A configuration that the report is made for."""

    name: str
    values: Mapping[str, float]


@dataclass(frozen=True)
class Subject:
    """A version with those that lead to it on the same machine, `line` oldest first, itself the last.

    `places` are the configurations, and `paths` kernels, of an earlier report; empty: they are chosen.
    """

    application: Application
    parameters: Sequence[Parameter]
    metrics: Sequence[Metric]
    targets: Sequence[Place]
    metric: Metric
    line: Sequence[Standing]
    places: Sequence[Place] = ()
    paths: frozenset[str] = frozenset()

    @property
    def version(self) -> Standing:
        """The version that the report is on."""
        return self.line[-1]

    @property
    def before(self) -> Standing | None:
        """The version before it; None for the first."""
        return self.line[-2] if len(self.line) > 1 else None

    def axis(self, campaign: Campaign) -> Parameter | None:
        """The parameter that efficiency and farther targets go along."""
        return main_axis(campaign, self.parameters)

    def configurations(self, campaign: Campaign) -> list[Place]:
        """The end of what was measured, then the application's targets, then ever farther ones."""
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
    """The subject of a report; None where the version was not measured on the machine."""
    line = line_of(ordered, machine)
    at = next((at for at, standing in enumerate(line) if standing.version_id == version_id), None)
    if at is None:
        return None
    targets = [Place(target.name, target.values) for target in found.targets]
    lineage = lineage_of(line, line[at])
    return Subject(found.application, found.parameters, found.metrics, targets, metric, lineage)


def subject_again(report: Report) -> Subject | None:
    """What a stored report is on, as it is today, at the configurations of the report.

    None where its version, machine or metric are gone.
    """
    if report.version_id is None or report.machine is None or report.metric is None:
        return None
    found = choices(Application.objects.filter(pk=report.application_id))
    if found is None:
        return None
    ordered = standings(found.application)
    subject = subject_of(found, ordered, report.machine, report.version_id, report.metric)
    return subject and _as_in(subject, report.content)


def _as_in(subject: Subject, content: Content) -> Subject:
    places = [Place(target["name"], target["values"]) for target in content["targets"]]
    return replace(subject, places=places, paths=frozenset(kernel["path"] for kernel in content["kernels"]))


def _farther(place: Place, name: str) -> Place:
    times = f"{FARTHER:.0f} × "
    return Place(f"{times}{place.name}", {**place.values, name: FARTHER * place.values[name]})
