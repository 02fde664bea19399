"""The focus of a page: application, metric, machine, version and target, all of which are in the address.

Every page about an application reads its `Focus` from the URL and makes its links with `Focus.query`, so
choices stay from page to page. An invalid value becomes a message and the default, never an error page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar
from urllib.parse import urlencode

from django.http import Http404, HttpRequest

from ingest.models import Application, Campaign, Machine, Metric, Parameter
from modeling.selectors.application.choices import Choices, choices
from modeling.selectors.run.metrics import metric_first
from modeling.selectors.versions.standings import Standing, baseline_of, line_of, lineage_of, standings
from modeling.targets import target_name
from perfweb.accounts.models import Project, Role
from perfweb.portal.asked.navigation import projects_of_reader, role_in
from perfweb.portal.asked.targets import TargetPoint, target_find, targets_of

Named = TypeVar("Named", Machine, Metric)

CHOICES = ("metric", "machine", "version", "target")
LONGEST_CHOICE = {"target": 2000}
"""Limits on the characters of a choice; the others have 200. A target names every parameter."""


@dataclass(frozen=True)
class Focus:
    """The choices of a page, and the options to choose from.

    `aliases` maps the id of each renamed kernel to the id of the kernel whose history contains it.
    """

    application: Application
    role: Role
    parameters: tuple[Parameter, ...]
    metrics: tuple[Metric, ...]
    machines: tuple[Machine, ...]
    standings: tuple[Standing, ...]
    targets: tuple[TargetPoint, ...]
    metric: Metric | None
    machine: Machine | None
    version: Standing | None
    target: TargetPoint | None
    problems: tuple[str, ...]
    asked: Mapping[str, str]
    aliases: Mapping[int, int]
    open_changes: int

    @property
    def project(self) -> Project:
        """The project of the application."""
        return self.application.project

    @property
    def unit(self) -> str:
        """The unit of the metric; empty if there is no metric, or it has no unit."""
        return self.metric.unit if self.metric else ""

    @property
    def maintains(self) -> bool:
        """Return whether the reader may change targets, roles and units."""
        return self.role >= Role.MAINTAINER

    @property
    def target_is_named(self) -> bool:
        """Return whether the target is one of the application's own, not one typed into the address."""
        return self.target in self.targets

    @cached_property
    def versions(self) -> tuple[Standing, ...]:
        """Return the versions that were measured on the chosen machine, oldest first."""
        return line_of(self.standings, self.machine)

    @cached_property
    def predecessor(self) -> Standing | None:
        """Return the version with which the chosen one is compared; None for the first."""
        return baseline_of(self.versions, self.version) if self.version else None

    @cached_property
    def lineage(self) -> tuple[Standing, ...]:
        """Return the versions on the chosen machine that lead to the chosen one, which is the last."""
        return lineage_of(self.versions, self.version)

    def query(self, **changes: object) -> str:
        """Return a query string with the page's choices; `changes` replace some of them.

        Choices with the value None are left out. The text is empty if nothing was chosen.
        """
        kept: dict[str, object] = {**self.asked, **changes}
        text = urlencode({name: value for name, value in kept.items() if value not in (None, "")})
        return f"?{text}" if text else ""


def focus_read(request: HttpRequest, project: str, application: str) -> Focus:
    """Return the focus of a page at /a/<project>/<application>/; raise Http404 if the reader may see none."""
    member = {each.slug: each for each in projects_of_reader(request)}
    if project not in member:
        raise Http404("No such application, or you are not a member of its project.")
    found = choices(Application.objects.filter(project=member[project], slug=application))
    if found is None:
        raise Http404(f"{member[project]} has no application {application}.")
    return _focus(request, found)


def focus_of_campaign(request: HttpRequest, campaign: Campaign) -> Focus:
    """Return the focus of a campaign's page, or raise Http404 if the reader may not see it.

    The campaign determines version and machine. If a version was measured more than once on a machine, the
    focus may contain another campaign of this version.
    """
    projects = projects_of_reader(request)
    found = choices(Application.objects.in_projects(projects).filter(versions=campaign.version_id))
    if found is None:
        raise Http404("No such campaign, or you are not a member of its project.")
    focus = _focus(request, found)
    here = (campaign.version_id, campaign.machine_id)
    own = next((s for s in focus.standings if (s.version_id, s.machine.pk) == here), focus.version)
    return replace(focus, machine=campaign.machine, version=own)


def _focus(request: HttpRequest, found: Choices) -> Focus:
    asked = {
        name: request.GET[name][: LONGEST_CHOICE.get(name, 200)] for name in CHOICES if request.GET.get(name)
    }
    typed = {row.name: request.GET.get(f"at.{row.name}", "")[:40] for row in found.parameters}
    if any(typed.values()):
        asked["target"] = ",".join(f"{target_name(name)}:{value}" for name, value in typed.items() if value)
    problems: list[str] = []
    names = [parameter.name for parameter in found.parameters]
    targets = targets_of(found.targets, names)
    ordered = tuple(standings(found.application))
    machines = tuple(sorted({s.machine for s in ordered}, key=lambda machine: machine.name))
    latest = ordered[-1].machine if ordered else None
    machine = _named("machine", machines, asked, problems, first=latest)
    return Focus(
        application=found.application,
        role=role_in(request, found.application.project_id),
        parameters=found.parameters,
        metrics=found.metrics,
        machines=machines,
        standings=ordered,
        targets=targets,
        metric=_named("metric", found.metrics, asked, problems, first=metric_first(found.metrics)),
        machine=machine,
        version=_version(line_of(ordered, machine), asked, problems),
        target=_target(targets, names, asked, problems),
        problems=tuple(problems),
        asked=asked,
        aliases=found.aliases,
        open_changes=found.open_changes,
    )


def _named(
    kind: str, rows: Sequence[Named], asked: dict[str, str], problems: list[str], first: Named | None
) -> Named | None:
    """Return the row with the requested name, else `first`."""
    name = asked.get(kind)
    found = next((row for row in rows if row.name == name), None)
    if found is None and name is not None:
        problems.append(f"There is no {kind} “{name}” here; this shows {first.name if first else 'nothing'}.")
        del asked[kind]
    return found or first


def _version(line: Sequence[Standing], asked: dict[str, str], problems: list[str]) -> Standing | None:
    latest = line[-1] if line else None
    label = asked.get("version")
    found = next((standing for standing in line if standing.label == label), None)
    if found is None and label is not None:
        shown = latest.label if latest else "nothing"
        problems.append(f"Version “{label}” was not measured on this machine; this shows {shown}.")
        del asked["version"]
    return found or latest


def _target(
    targets: Sequence[TargetPoint], parameters: Sequence[str], asked: dict[str, str], problems: list[str]
) -> TargetPoint | None:
    try:
        if "target" in asked:
            return target_find(asked["target"], targets, parameters)
    except ValueError as wrong:
        problems.append(str(wrong))
        del asked["target"]
    return targets[0] if targets else None
