"""Reading campaigns."""

from collections.abc import Iterator

from django.db.models import F

from ingest.models import STANDING, Application, Campaign, Machine, Series, Upload


def campaigns_current(application: Application, machine: Machine) -> list[Campaign]:
    """The campaign that stands for each version on a machine, in the order of the versions.

    It is the one with the most points, and of those the latest: a campaign measured again replaces the
    old one, a few extra points to test a forecast do not.
    """
    rows = (
        Campaign.objects.filter(version__application=application, machine=machine)
        .select_related("version")
        .order_by("version_id", F("points__len").desc(), "-id")
        .distinct("version_id")
    )
    return sorted(rows, key=lambda campaign: campaign.version.position)


def uploads_of(campaign: Campaign) -> list[Upload]:
    """The uploads whose measurements the campaign holds, in the order in which they came."""
    return list(campaign.uploads.filter(state__in=STANDING).defer("runs", "diagnosis").order_by("pk"))


def series_of(campaign: Campaign) -> Iterator[Series]:
    """All values of a campaign with kernel and metric, by call path, a part of them in memory at a time."""
    rows = campaign.series.select_related("kernel", "metric").order_by("kernel__path", "metric_id")
    return rows.iterator(chunk_size=500)
