"""Campaigns that come in several uploads, one per run, and uploads that correct earlier ones.

All of this happens while the application is locked, so a campaign grows by one upload after the other.
"""

from datetime import timedelta
from functools import reduce

import numpy as np
from django.db import transaction
from django.utils import timezone

from ingest.formats import Campaign as ParsedCampaign
from ingest.formats import FormatError
from ingest.growth import merge
from ingest.models import STANDING, UNFINISHED, Campaign, Machine, Series, Upload, Version
from ingest.services.reading import upload_read
from ingest.signals import campaign_stored

SETTLE = timedelta(seconds=10)
"""How long a campaign of several uploads waits for the next one before it is modelled."""


def campaign_for(upload: Upload, version: Version, machine: Machine) -> Campaign | None:
    """The stored campaign that an upload belongs to, locked; None where it makes a new one."""
    rows = Campaign.objects.select_for_update(of=("self",))
    if upload.replaces:
        return rows.filter(uploads=upload.replaces).first()
    if upload.campaign_key:
        return rows.filter(version=version, machine=machine, key=upload.campaign_key).first()
    return None


def campaign_with(campaign: Campaign | None, upload: Upload, parsed: ParsedCampaign) -> ParsedCampaign:
    """Everything that the campaign holds with this upload, which takes the place of what it corrects.

    Raises:
        FormatError: it does not fit to the others.
    """
    if campaign is None:
        return parsed
    if upload.replaces is None:
        return merge(_stored(campaign), parsed)
    return _corrected(campaign, upload, parsed)


def _stored(campaign: Campaign) -> ParsedCampaign:
    """A campaign's rows as they were parsed."""
    rows = Series.objects.filter(campaign=campaign).order_by("pk")
    columns = rows.values_list("kernel__path", "metric__name", "repetitions", "values")
    return ParsedCampaign(
        parameters=tuple(campaign.parameters),
        points=np.array(campaign.points, float),
        series={
            (kernel, metric): np.array(values, float).reshape(-1, repetitions)
            for kernel, metric, repetitions, values in columns.iterator(chunk_size=5000)
        },
    )


def _corrected(campaign: Campaign, upload: Upload, parsed: ParsedCampaign) -> ParsedCampaign:
    """The campaign from the files of all its uploads, with the corrected one instead of the wrong one."""
    replaced = upload.replaces_id
    standing = list(campaign.uploads.filter(state__in=STANDING).order_by("pk"))
    if replaced not in {row.pk for row in standing}:
        raise FormatError(f"a correction of upload {replaced}, which was corrected already", "a new upload")
    Upload.objects.filter(pk=replaced).update(state=Upload.State.REPLACED)
    return reduce(merge, (parsed if row.pk == replaced else upload_read(row) for row in standing))


def metadata_agreed(campaign: Campaign) -> dict[str, object]:
    """What no two of the campaign's uploads say differently; the rest stays with each of them."""
    rows = campaign.uploads.filter(state__in=STANDING).order_by("pk").values_list("metadata", flat=True)
    agreed: dict[str, object] = {}
    differing = set()
    for metadata in rows:
        for name, value in metadata.items():
            if agreed.setdefault(name, value) != value:
                differing.add(name)
    return {name: value for name, value in agreed.items() if name not in differing}


def campaigns_settle() -> None:
    """Have campaigns modelled for which no further run came in a while."""
    for pk in Campaign.objects.filter(settles_at__lte=timezone.now()).values_list("pk", flat=True):
        if settled := _settle(pk):
            campaign_stored.send(sender=Campaign, campaign=settled)


@transaction.atomic
def _settle(pk: int) -> Campaign | None:
    """The campaign if it is complete; None where another run is under way or came meanwhile."""
    rows = Campaign.objects.select_for_update(of=("self",)).select_related("version__application")
    campaign = rows.filter(pk=pk, settles_at__lte=timezone.now()).first()
    if campaign is None:
        return None
    campaign.settles_at = timezone.now() + SETTLE if _more_to_come(campaign) else None
    campaign.save(update_fields=["settles_at"])
    if campaign.settles_at:
        return None
    campaign.uploads.filter(state=Upload.State.COLLECTING).update(state=Upload.State.STORED)
    return campaign


def _more_to_come(campaign: Campaign) -> bool:
    application = campaign.version.application
    return Upload.objects.filter(
        project=application.project_id,
        application_slug=application.slug,
        version_label=campaign.version.label,
        campaign_key=campaign.key,
        dry_run=False,
        state__in=UNFINISHED,
    ).exists()
