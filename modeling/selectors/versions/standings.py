"""Which versions of an application were measured where."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from ingest.models import Application, Campaign, Machine
from modeling.models import SHOWN_FIRST, ModelRun


class Standing(NamedTuple):
    """A version's campaign on one machine, and the run that models it (none yet: None)."""

    version_id: int
    label: str
    commit: str
    position: int
    dated: datetime
    machine: Machine
    campaign_id: int
    run_id: int | None

    @property
    def short_commit(self) -> str:
        """The first characters of the commit, as people quote them."""
        return self.commit[:7]


def standings(application: Application) -> list[Standing]:
    """The campaign that stands for each version on each machine, oldest version first."""
    return standings_of([application])[application.pk]


def standings_of(applications: Iterable[Application]) -> dict[int, list[Standing]]:
    """The standings of several applications, by their ids.

    The standing campaign is the one with the most points, and of those the latest, as
    `ingest.selectors.campaigns_current` has it for one machine.
    """
    latest = ModelRun.objects.filter(campaign=OuterRef("pk")).order_by(*SHOWN_FIRST).values("pk")[:1]
    campaigns = (
        Campaign.objects.filter(version__application__in=list(applications))
        .order_by("version_id", "machine_id", F("points__len").desc(), "-id")
        .distinct("version_id", "machine_id")
        .values_list(
            "version__application_id",
            "machine_id",
            "machine__project_id",
            "machine__name",
            "version_id",
            "version__label",
            "version__commit",
            "version__position",
            Coalesce("version__committed_at", "version__created_at"),
            "pk",
            Subquery(latest),
        )
    )
    machines: dict[int, Machine] = {}
    found: dict[int, list[Standing]] = defaultdict(list)
    for application, *machine, version, label, commit, position, dated, campaign, run in campaigns:
        place = machines.get(machine[0]) or machines.setdefault(machine[0], Machine(*machine))
        standing = Standing(version, label, commit, position, dated, place, campaign, run)
        found[application].append(standing)
    for line in found.values():
        line.sort(key=attrgetter("position"))
    return found


def line_of(ordered: Sequence[Standing], machine: Machine | None) -> tuple[Standing, ...]:
    """The versions measured on one machine."""
    return tuple(standing for standing in ordered if standing.machine == machine)
