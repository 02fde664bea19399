"""Reads campaigns from the database."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypedDict

import numpy as np
from django.db.models import F, QuerySet

from ingest.formats.campaign.origins import Origin, Origins
from ingest.guessing.bound import Bound, bound
from ingest.guessing.roles import process_parameter
from ingest.models import STANDING, Application, Campaign, Machine, Parameter, RunOrigins, Series, Upload

SAYS_INCLUSIVE = ("cube", "tau")
"""Formats with inclusive and exclusive values, between which an option of the upload chooses."""


def campaigns_current(application: Application, machine: Machine) -> list[Campaign]:
    """Return the campaign that represents each version on a machine, in the order of the versions.

    This is the latest of the campaigns with the most points.
    """
    rows = (
        Campaign.objects.filter(version__application=application, machine=machine)
        .select_related("version")
        .order_by("version_id", F("points__len").desc(), "-id")
        .distinct("version_id")
    )
    return sorted(rows, key=lambda campaign: campaign.version.position)


def processes_of(campaign: Campaign, parameters: Iterable[Parameter]) -> Parameter | None:
    """Return the varied parameter that counts processes; None if there is none."""
    rows = {row.name: row for row in parameters}
    name = process_parameter({name: row.role for name, row in rows.items()}, campaign.varied_parameters())
    return rows[name] if name is not None else None


class LawRoles(TypedDict):
    """The roles of a campaign's parameters in laws, by index. Laws are written in the parameter `first`."""

    first: int
    processes: tuple[int, ...]


def law_roles(campaign: Campaign) -> LawRoles:
    """Return the roles of a campaign's parameters in laws."""
    rows = list(campaign.version.application.parameters.all())
    main, role = main_axis(campaign, rows), {row.name: row.role for row in rows}
    counts = (role.get(name) == Parameter.Role.PROCESSES for name in campaign.parameters)
    return LawRoles(
        first=campaign.parameters.index(main.name) if main else 0,
        processes=tuple(number for number, counts_processes in enumerate(counts) if counts_processes),
    )


def bound_parameters(
    campaign: Campaign,
    parameters: Iterable[Parameter],
    points: Sequence[Sequence[float]] | None = None,
) -> Bound | None:
    """Return which parameters were always varied together at the points; None if none were."""
    roles = {row.name: row.role for row in parameters}
    return bound(campaign.parameters, campaign.points if points is None else points, roles)


def main_axis(campaign: Campaign, parameters: Iterable[Parameter]) -> Parameter | None:
    """Return the parameter for the horizontal axis: the processes, or else the first (varied) one."""
    rows = {row.name: row for row in parameters if row.name in campaign.parameters}
    names = [*campaign.varied_parameters(), *campaign.parameters]
    others = (rows[name] for name in names if name in rows)
    return processes_of(campaign, rows.values()) or next(others, None)


def uploads_standing(campaign: Campaign) -> "QuerySet[Upload]":
    """Return the uploads whose measurements are in the campaign, in the order in which they came."""
    return campaign.uploads.filter(state__in=STANDING).order_by("pk")


def holds_callees(campaign: Campaign) -> bool | None:
    """Return whether a kernel's values include callees; None if the files do not show this."""
    rows = uploads_standing(campaign).values_list("format", "options")
    said = {
        options.get("inclusive", "no") == "yes" if name in SAYS_INCLUSIVE else None for name, options in rows
    }
    return said.pop() if len(said) == 1 else None


def uploads_of(campaign: Campaign) -> list[Upload]:
    """Return the uploads of a campaign for pages, without large fields."""
    return list(uploads_standing(campaign).defer("runs", "diagnosis"))


def origins_of(campaign: Campaign) -> Origins | None:
    """Return the origins of a campaign's runs; None if unknown. Preselected ones need no query."""
    row = getattr(campaign, "origins", None)
    return None if row is None else _origins(row)


def origins_of_all(campaigns: Sequence[Campaign]) -> dict[int, Origins]:
    """Return the origins of runs by campaign, without campaigns that have none."""
    return {row.pk: _origins(row) for row in RunOrigins.objects.filter(campaign__in=campaigns)}


def _origins(row: RunOrigins) -> Origins:
    known = tuple(Origin(*origin) for origin in row.known)
    return Origins(known, np.array(row.labels).reshape(-1, row.width))


def series_of(campaign: Campaign) -> Iterator[Series]:
    """Yield all values of a campaign, ordered by call path. Only a part is in memory at a time."""
    rows = campaign.series.select_related("kernel", "metric").order_by("kernel__path", "metric_id")
    return rows.iterator(chunk_size=500)
