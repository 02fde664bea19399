"""Which versions of an application were measured where."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, OuterRef, Subquery

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
        .select_related("version", "machine")
        .defer("points", "metadata")
        .annotate(run_id=Subquery(latest))
        .order_by("version_id", "machine_id", F("points__len").desc(), "-id")
        .distinct("version_id", "machine_id")
    )
    found: dict[int, list[Standing]] = defaultdict(list)
    for campaign in sorted(campaigns, key=lambda campaign: campaign.version.position):
        found[campaign.version.application_id].append(_standing(campaign))
    return found


def line_of(ordered: Sequence[Standing], machine: Machine | None) -> tuple[Standing, ...]:
    """The versions measured on one machine."""
    return tuple(standing for standing in ordered if standing.machine == machine)


def _standing(campaign: Campaign) -> Standing:
    version = campaign.version
    return Standing(
        version_id=version.pk,
        label=version.label,
        commit=version.commit,
        position=version.position,
        dated=version.committed_at or version.created_at,
        machine=campaign.machine,
        campaign_id=campaign.pk,
        run_id=campaign.run_id,  # type: ignore[attr-defined]  # annotated above
    )
