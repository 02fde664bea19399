"""Reads campaigns from the database."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from django.db.models import F, QuerySet

from ingest.formats.origins import Origin, Origins
from ingest.guessing.roles import process_parameter
from ingest.models import STANDING, Application, Campaign, Machine, Parameter, RunOrigins, Series, Upload

SAYS_INCLUSIVE = ("cube", "tau")
"""Formats that hold both inclusive and exclusive values; an option of the upload selects one kind."""


def campaigns_current(application: Application, machine: Machine) -> list[Campaign]:
    """Return the campaign that represents each version on a machine, in the order of the versions.

    It is the campaign with the most points, and of those the latest: a campaign that was measured again
    replaces the old one, but a few extra points to test a forecast do not.
    """
    rows = (
        Campaign.objects.filter(version__application=application, machine=machine)
        .select_related("version")
        .order_by("version_id", F("points__len").desc(), "-id")
        .distinct("version_id")
    )
    return sorted(rows, key=lambda campaign: campaign.version.position)


def processes_of(campaign: Campaign, parameters: Iterable[Parameter]) -> Parameter | None:
    """Return the parameter that speed-up and efficiency use as processes; None where none was varied."""
    rows = {row.name: row for row in parameters}
    name = process_parameter({name: row.role for name, row in rows.items()}, campaign.varied_parameters())
    return rows[name] if name is not None else None


def main_axis(campaign: Campaign, parameters: Iterable[Parameter]) -> Parameter | None:
    """Return the parameter for the horizontal axis: the processes, else the first that was varied, else
    the first.
    """
    rows = {row.name: row for row in parameters if row.name in campaign.parameters}
    names = [*campaign.varied_parameters(), *campaign.parameters]
    others = (rows[name] for name in names if name in rows)
    return processes_of(campaign, rows.values()) or next(others, None)


def uploads_standing(campaign: Campaign) -> "QuerySet[Upload]":
    """Return the uploads whose measurements the campaign holds, in the order in which they came."""
    return campaign.uploads.filter(state__in=STANDING).order_by("pk")


def holds_callees(campaign: Campaign) -> bool | None:
    """Return whether a kernel's values include those of its callees.

    None: the campaign's files do not say.
    """
    rows = uploads_standing(campaign).values_list("format", "options")
    said = {
        options.get("inclusive", "no") == "yes" if name in SAYS_INCLUSIVE else None for name, options in rows
    }
    return said.pop() if len(said) == 1 else None


def uploads_of(campaign: Campaign) -> list[Upload]:
    """Return the uploads of a campaign for pages, without fields that may be large and are not shown
    there.
    """
    return list(uploads_standing(campaign).defer("runs", "diagnosis"))


def origins_of(campaign: Campaign) -> Origins | None:
    """Return where the runs of a campaign come from; None where nothing tells it."""
    return origins_of_all([campaign]).get(campaign.pk)


def origins_of_all(campaigns: Sequence[Campaign]) -> dict[int, Origins]:
    """Return where runs come from, by the id of their campaign; campaigns that do not tell are left out."""
    return {
        row.pk: Origins(
            tuple(Origin(*origin) for origin in row.known), np.array(row.labels).reshape(-1, row.width)
        )
        for row in RunOrigins.objects.filter(campaign__in=campaigns)
    }


def series_of(campaign: Campaign) -> Iterator[Series]:
    """Yield all values of a campaign with kernel and metric, ordered by call path; only a part is in
    memory at a time.
    """
    rows = campaign.series.select_related("kernel", "metric").order_by("kernel__path", "metric_id")
    return rows.iterator(chunk_size=500)
