"""The versions of an application with the machines on which they were measured."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from django.db import connection

from ingest.models import Application, Machine
from modeling.selectors.versions.baselines import baseline_places


class Standing(NamedTuple):
    """A version on one machine: its campaign, its run, and its `baseline`, with which it is compared."""

    version_id: int
    label: str
    commit: str
    position: int
    dated: datetime
    machine: Machine
    campaign_id: int
    run_id: int | None
    branch: str = ""
    baseline: int | None = None

    @property
    def short_commit(self) -> str:
        """Return the first seven characters of the commit."""
        return self.commit[:7]


def standings(application: Application) -> list[Standing]:
    """Return the versions of an application on each machine, oldest version first."""
    return standings_of([application])[application.pk]


def standings_of(applications: Iterable[Application]) -> dict[int, list[Standing]]:
    """Return the versions of several applications, each with the campaign that has the most points."""
    machines: dict[int, Machine] = {}
    found: dict[int, list[Standing]] = defaultdict(list)
    mains: dict[int, str] = {}
    with connection.cursor() as cursor:
        cursor.execute(_MEASURED, [[application.pk for application in applications]])
        rows = cursor.fetchall()
    for application, main, *machine, version, label, commit, position, dated, campaign, run, branch in rows:
        place = machines.get(machine[0]) or machines.setdefault(machine[0], Machine(*machine))
        standing = Standing(version, label, commit, position, dated, place, campaign, run, branch)
        found[application].append(standing)
        mains[application] = main or ""
    for application, line in found.items():
        line.sort(key=attrgetter("position"))
        found[application] = _with_baselines(line, mains[application])
    return found


_MEASURED = """
    SELECT DISTINCT ON (version.id, machine.id)
        version.application_id, rules.main_branch, machine.id, machine.project_id, machine.name,
        version.id, version.label, version.commit, version.position,
        coalesce(version.committed_at, version.created_at), campaign.id, run.id, version.branch
    FROM ingest_version version
    JOIN ingest_campaign campaign ON campaign.version_id = version.id
    JOIN ingest_machine machine ON machine.id = campaign.machine_id
    LEFT JOIN modeling_releaserules rules ON rules.application_id = version.application_id
    LEFT JOIN modeling_modelrun run ON run.campaign_id = campaign.id
    WHERE version.application_id = ANY(%s::bigint[])
    ORDER BY version.id, machine.id, coalesce(array_length(campaign.points, 1), 0) DESC, campaign.id DESC,
        run.shown DESC, run.id DESC
"""
"""The campaign with the most points of each version and machine, and its run that is shown (`SHOWN_FIRST`).

Nearly every page reads this. Django needs ten times as long to write such a query as PostgreSQL to answer it.
"""


def _with_baselines(ordered: Sequence[Standing], main: str) -> list[Standing]:
    lines: dict[int, list[Standing]] = defaultdict(list)
    for standing in ordered:
        lines[standing.machine.pk].append(standing)
    known: dict[int, int] = {}
    for line in lines.values():
        for standing, place in zip(line, baseline_places([s.branch for s in line], main), strict=True):
            if place is not None:
                known[standing.campaign_id] = line[place].campaign_id
    return [standing._replace(baseline=known.get(standing.campaign_id)) for standing in ordered]


def line_of(ordered: Sequence[Standing], machine: Machine | None) -> tuple[Standing, ...]:
    """Return the versions measured on one machine."""
    if machine is None:
        return ()
    here = machine.pk  # comparing instances would take ten times as long
    return tuple(standing for standing in ordered if standing.machine.pk == here)


def baseline_of(ordered: Iterable[Standing], standing: Standing) -> Standing | None:
    """Return the baseline of a version; None for the first version."""
    return next((each for each in ordered if each.campaign_id == standing.baseline), None)


def lineage_of(line: Sequence[Standing], last: Standing | None = None) -> tuple[Standing, ...]:
    """Return a version (by default the latest), its baseline, the baseline's baseline, …, oldest first."""
    places = {standing.campaign_id: standing for standing in line}
    found = []
    at = last or (line[-1] if line else None)
    while at is not None:
        found.append(at)
        at = places.get(at.baseline or 0)
    return tuple(reversed(found))


def line_through(line: Sequence[Standing], standing: Standing | None) -> tuple[Standing, ...]:
    """Return the lineage of the latest version; that of `standing` if this is a version of another branch."""
    newest = lineage_of(line)
    return newest if standing is None or standing in newest else lineage_of(line, standing)
