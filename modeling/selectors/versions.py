"""Which versions of an application were measured where."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from ingest.models import Application, Campaign, Machine
from modeling.models import ModelRun


@dataclass(frozen=True)
class Standing:
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
        """As much of the commit as people quote."""
        return self.commit[:7]


def standings(application: Application) -> list[Standing]:
    """The campaign that stands for each version on each machine, oldest version first."""
    return standings_of([application])[application.pk]


def standings_of(applications: Iterable[Application]) -> dict[int, list[Standing]]:
    """The same for several applications, by their id.

    The standing campaign is the one with the most points, and of those the latest, as
    `ingest.selectors.campaigns_current` has it for one machine.
    """
    latest = ModelRun.objects.filter(campaign=OuterRef("pk")).order_by("-id").values("pk")[:1]
    campaigns = (
        Campaign.objects.filter(version__application__in=list(applications))
        .order_by("version_id", "machine_id", F("points__len").desc(), "-id")
        .distinct("version_id", "machine_id")
        .values(
            "version_id",
            "machine_id",
            run_id=Subquery(latest),
            campaign_id=F("pk"),
            label=F("version__label"),
            commit=F("version__commit"),
            position=F("version__position"),
            dated=Coalesce("version__committed_at", "version__created_at"),
            application_id=F("version__application_id"),
            machine_name=F("machine__name"),
            project_id=F("machine__project_id"),
        )
    )
    found: dict[int, list[Standing]] = defaultdict(list)
    for row in sorted(campaigns, key=itemgetter("position")):
        found[row["application_id"]].append(_standing(row))
    return found


def line_of(ordered: Sequence[Standing], machine: Machine | None) -> tuple[Standing, ...]:
    """The versions measured on one machine."""
    return tuple(standing for standing in ordered if standing.machine == machine)


def _standing(row: Mapping[str, Any]) -> Standing:
    machine = Machine(row["machine_id"], row["project_id"], row["machine_name"])
    own = ("version_id", "label", "commit", "position", "dated", "campaign_id", "run_id")
    return Standing(machine=machine, **{name: row[name] for name in own})
