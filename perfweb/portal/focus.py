"""What a page looks at: application, metric, machine, version and target, all of it in the address.

Every page about an application reads its `Focus` from the URL and makes its links with `Focus.query`, so a
choice made once stays. A value that does not fit becomes a message and the default, never an error page.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from ingest.models import Application, Campaign, Machine, Metric, Parameter, Target
from modeling.selectors.metrics import metric_first
from modeling.selectors.versions import Standing, line_of, standings
from perfweb.accounts.models import Project, Role
from perfweb.portal import formatting
from perfweb.portal.navigation import memberships_of_reader, role_in

Named = TypeVar("Named", Machine, Metric)

KEPT = ("metric", "machine", "version", "target")


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


@dataclass(frozen=True)
class Focus:
    """The choices of a page and what there is to choose from."""

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

    @property
    def project(self) -> Project:
        """The space that the application belongs to."""
        return self.application.project

    @property
    def unit(self) -> str:
        """Of the metric; empty where it has none."""
        return self.metric.unit if self.metric else ""

    @property
    def maintains(self) -> bool:
        """Whether the reader may change targets, roles and units."""
        return self.role >= Role.MAINTAINER

    @property
    def target_is_named(self) -> bool:
        """Whether the target is one of the application's own, not one typed into the address."""
        return self.target in self.targets

    @property
    def versions(self) -> tuple[Standing, ...]:
        """What was measured on the chosen machine, oldest first."""
        return line_of(self.standings, self.machine)

    @property
    def predecessor(self) -> Standing | None:
        """What was measured before the chosen version; None for the first."""
        older = [s for s in self.versions if self.version and s.position < self.version.position]
        return older[-1] if older else None

    def query(self, **changes: object) -> str:
        """A query string that keeps what was asked for, changed; None leaves a part out.

        Starts with "?", or is empty where nothing was asked for.
        """
        kept: dict[str, object] = {**self.asked, **changes}
        text = urlencode({name: value for name, value in kept.items() if value not in (None, "")})
        return f"?{text}" if text else ""


def focus_read(request: HttpRequest, project: str, application: str) -> Focus:
    """The focus of a page at /a/<project>/<application>/.

    Raises:
        Http404: there is no such application, or the reader is no member of its project.
    """
    member = {membership.project.slug: membership.project for membership in memberships_of_reader(request)}
    if project not in member:
        raise Http404("No such application, or you are not a member of its project.")
    found = _applications().filter(project=member[project], slug=application).first()
    if found is None:
        raise Http404(f"{member[project]} has no application {application}.")
    return _focus(request, found)


def focus_of_campaign(request: HttpRequest, campaign: Campaign) -> Focus:
    """The focus of a page about one campaign: its version and machine are given, metric and target chosen.

    Raises:
        Http404: the reader is no member of its project.
    """
    found = _applications().get(versions=campaign.version_id)
    if role_in(request, found.project_id) is None:
        raise Http404("No such campaign, or you are not a member of its project.")
    focus = _focus(request, found)
    own = next((s for s in focus.standings if s.campaign_id == campaign.pk), focus.version)
    return replace(focus, machine=campaign.machine, version=own)


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
            raise ValueError(
                f"“{part}” does not set a parameter; write e.g. {_example(parameters)} (known: {known})."
            )
        values[name] = _positive(name, number)
    missing = [name for name in parameters if name not in values]
    if missing:
        raise ValueError(f"A target needs a value for {', '.join(missing)} too, e.g. {_example(parameters)}.")
    return {name: values[name] for name in parameters}


def target_key(values: Mapping[str, float]) -> str:
    """A configuration as it stands in a URL: p:65536,n:8000."""
    return ",".join(
        f"{name}:{value:g}" if value >= 1e15 else f"{name}:{value:.15g}" for name, value in values.items()
    )


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


def _applications() -> "QuerySet[Application]":
    return Application.objects.select_related("project").prefetch_related("metrics", "parameters", "targets")


def _focus(request: HttpRequest, application: Application) -> Focus:
    role = role_in(request, application.project_id)
    if role is None:
        raise Http404("No such application, or you are not a member of its project.")
    asked = {name: request.GET[name][:200] for name in KEPT if request.GET.get(name)}
    problems: list[str] = []
    metrics, parameters = tuple(application.metrics.all()), tuple(application.parameters.all())
    targets = _targets(application.targets.all())
    all_standings = tuple(standings(application))
    machines = _machines(all_standings)
    metric = _named("metric", metrics, asked, problems, first=metric_first(metrics))
    machine = _named(
        "machine", machines, asked, problems, first=all_standings[-1].machine if all_standings else None
    )
    here = {s.label: s for s in all_standings if s.machine == machine}
    version = _version(here, asked, problems)
    target = _target(targets, [parameter.name for parameter in parameters], asked, problems)
    return Focus(
        application, role, parameters, metrics, machines, all_standings, targets,
        metric, machine, version, target, tuple(problems), asked,
    )  # fmt: skip


def _targets(rows: Iterable[Target]) -> tuple[TargetPoint, ...]:
    return tuple(
        TargetPoint(
            target.name, target.name, {name: float(value) for name, value in target.values.items()}, at == 0
        )
        for at, target in enumerate(rows)
    )


def _machines(all_standings: Sequence[Standing]) -> tuple[Machine, ...]:
    return tuple(sorted({s.machine for s in all_standings}, key=lambda machine: machine.name))


def _named(
    kind: str, rows: Sequence[Named], asked: dict[str, str], problems: list[str], first: Named | None
) -> Named | None:
    """The row of the name asked for, else `first`."""
    name = asked.get(kind)
    found = next((row for row in rows if row.name == name), None)
    if found is None and name is not None:
        problems.append(f"There is no {kind} “{name}” here; this shows {first.name if first else 'nothing'}.")
        del asked[kind]
    return found or first


def _version(here: Mapping[str, Standing], asked: dict[str, str], problems: list[str]) -> Standing | None:
    latest = next(reversed(here.values()), None)
    label = asked.get("version")
    if label is not None and label not in here:
        shown = latest.label if latest else "nothing"
        problems.append(f"Version “{label}” was not measured on this machine; this shows {shown}.")
        del asked["version"]
    return here.get(label or "", latest)


def _target(
    targets: Sequence[TargetPoint], parameters: Sequence[str], asked: dict[str, str], problems: list[str]
) -> TargetPoint | None:
    first = next(iter(targets), None)
    key = asked.get("target")
    if key is None:
        return first
    named = next((target for target in targets if target.key == key), None)
    if named is not None:
        return named
    try:
        values = target_parse(key, parameters)
    except ValueError as wrong:
        problems.append(str(wrong))
        del asked["target"]
        return first
    same = next((target for target in targets if target.values == values), None)
    return same or TargetPoint(target_key(values), formatting.configuration(values), values, stored=False)
