"""Handles campaigns of several uploads, and uploads that correct earlier ones."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import chain

import numpy as np
from django.db import transaction
from django.utils import timezone

from ingest.formats import Campaign as ParsedCampaign
from ingest.formats import FormatError
from ingest.formats.campaign.campaign import CONFIGURATION
from ingest.formats.campaign.sent_points import place_parse
from ingest.formats.collecting.merging import merge, merge_all
from ingest.formats.runs.run_parameters import Run, choose
from ingest.models import (
    UNFINISHED,
    WAITING,
    Application,
    Campaign,
    Machine,
    Series,
    Upload,
    Version,
)
from ingest.selectors import origins_of, uploads_standing
from ingest.services.reading import upload_read
from ingest.services.targets import target_follow
from ingest.signals import campaign_stored

SETTLE = timedelta(seconds=10)
"""Time for which a campaign waits for a further upload before it is modelled."""


def campaign_for(upload: Upload, version: Version, machine: Machine) -> Campaign | None:
    """Return the stored campaign of an upload, locked; None if the upload makes a new one."""
    rows = Campaign.objects.select_for_update(of=("self",))
    if upload.replaces:
        return rows.filter(uploads=upload.replaces).first()
    if upload.campaign_key:
        return rows.filter(version=version, machine=machine, key=upload.campaign_key).first()
    return None


def campaign_with(campaign: Campaign | None, upload: Upload, parsed: ParsedCampaign) -> ParsedCampaign:
    """Return the campaign's whole content, with this upload or correction.

    Raises:
        FormatError: the upload does not fit the other uploads.
    """
    if campaign is None:
        return parsed
    if upload.replaces is not None:
        return _corrected(campaign, upload, parsed)
    standing = list(uploads_standing(campaign))
    parameters = parameters_over([*standing, upload], parsed.runs, campaign.chosen_parameters)
    if parameters and set(parameters) != set(parsed.parameters):
        parsed = upload_read(upload, parameters)
    if not parameters or set(parameters) == set(campaign.parameters):
        return merge(_stored(campaign), parsed)
    return merge_all([*(upload_read(row, parameters) for row in standing), parsed])


def parameters_over(uploads: Sequence[Upload], new: Sequence[Run], chosen: Sequence[str]) -> tuple[str, ...]:
    """Choose a campaign's parameters among the known numbers of the runs in all its uploads.

    A single file does not show what varies between files. The result is empty if the format names its
    parameters.

    Raises:
        FormatError: a chosen parameter is not known for each run.
    """
    stored = [row for row in uploads if row.campaign_id]
    if not new or not all(row.runs for row in stored):
        return ()
    runs = [*chain.from_iterable(row.runs for row in stored), *new]
    asked = ",".join(row.options.get("parameters", "") for row in uploads)
    wanted = chosen or list(filter(None, (name.strip() for name in asked.split(","))))
    places = [place_parse(row.point) for row in uploads]
    given = list(chain.from_iterable([*place.point, *place.names] for place in places))
    return choose(runs, wanted, given).parameters


def run_notes(campaign: Campaign) -> list[str]:
    """Return notes about numbers that differ between the campaign's runs at the same point."""
    runs = [run for row in uploads_standing(campaign) for run in row.runs]
    if not runs or not all(set(campaign.parameters) <= {*run, CONFIGURATION} for run in runs):
        return []
    choice = choose(runs, campaign.parameters)
    return list(choice.notes) if choice.shared else []


def metric_units(application: Application) -> dict[str, str]:
    """Return the units of all stored metrics of an application, by name."""
    return dict(application.metrics.values_list("name", "unit"))


def _stored(campaign: Campaign) -> ParsedCampaign:
    """Return a campaign's rows as a parsed campaign."""
    rows = Series.objects.filter(campaign=campaign).order_by("pk")
    columns = rows.values_list("kernel__path", "metric__name", "values", "rounds")
    series, rounds, count = {}, {}, len(campaign.points)
    units = metric_units(campaign.version.application)
    for kernel, metric, values, within in columns.iterator(chunk_size=5000):
        series[kernel, metric] = np.array(values, float).reshape(count, -1)
        if within:
            rounds[kernel, metric] = np.array(within, float).reshape(count, -1)
    points = np.array(campaign.points, float)
    return ParsedCampaign(
        tuple(campaign.parameters), points, series, units, rounds=rounds, origins=origins_of(campaign)
    )


def _corrected(campaign: Campaign, upload: Upload, parsed: ParsedCampaign) -> ParsedCampaign:
    """Return the campaign from the files of its uploads, with the correction in place of the wrong file."""
    replaced = upload.replaces_id
    standing = list(uploads_standing(campaign))
    if replaced not in {row.pk for row in standing}:
        raise FormatError(f"a correction of upload {replaced}, which was corrected already", "a new upload")
    Upload.objects.filter(pk=replaced).update(state=Upload.State.REPLACED)
    rows = [upload if row.pk == replaced else row for row in standing]
    parameters = parameters_over(rows, parsed.runs, campaign.chosen_parameters)
    if parameters and set(parameters) != set(parsed.parameters):
        parsed = upload_read(upload, parameters)
    return merge_all([parsed if row is upload else upload_read(row, parameters) for row in rows])


def metadata_agreed(campaign: Campaign) -> dict[str, object]:
    """Return the metadata that agree in all uploads. Other metadata stay with their upload."""
    rows = uploads_standing(campaign).values_list("metadata", flat=True)
    agreed: dict[str, object] = {}
    differing = set()
    for metadata in rows:
        for name, value in metadata.items():
            if agreed.setdefault(name, value) != value:
                differing.add(name)
    return {name: value for name, value in agreed.items() if name not in differing}


def campaigns_settle() -> None:
    """Request models of the campaigns for which no further upload came within `SETTLE`."""
    for pk in Campaign.objects.filter(settles_at__lte=timezone.now()).values_list("pk", flat=True):
        if settled := _settle(pk):
            campaign_stored.send(sender=Campaign, campaign=settled)


@transaction.atomic
def _settle(pk: int) -> Campaign | None:
    """Return the campaign if it is complete; None if another upload is on its way."""
    application = Application.objects.filter(versions__campaigns=pk).select_for_update(of=("self",)).first()
    rows = Campaign.objects.select_for_update(of=("self",)).select_related("version__application")
    campaign = rows.filter(pk=pk, settles_at__lte=timezone.now()).first()
    if application is None or campaign is None:
        return None
    campaign.settles_at = timezone.now() + SETTLE if _more_to_come(campaign) else None
    campaign.save(update_fields=["settles_at"])
    if campaign.settles_at:
        return None
    # From now on the uploads wait for the modeler. Waiting for each other is not a delay.
    campaign.uploads.filter(state__in=WAITING).update(queued_at=timezone.now())
    campaign.uploads.filter(state=Upload.State.COLLECTING).update(state=Upload.State.STORED)
    target_follow(application)
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
