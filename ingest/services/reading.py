"""Reads the file of an upload into a campaign."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.conf import settings

from ingest.formats import Campaign, Limits, parse
from ingest.formats.campaign.origins import from_one, origin_of, with_sent
from ingest.models import Upload


def upload_read(upload: Upload, parameters: Sequence[str] = ()) -> Campaign:
    """Return the content of an upload's file, with these parameters if any are given.

    Units that the sender named take precedence over the file's.

    Raises:
        FormatError: the file cannot be read.
        FileNotFoundError: the file no longer exists.
    """
    limits = Limits(bytes=settings.UPLOAD_BYTES)
    options = dict(upload.options)
    if parameters:
        options["parameters"] = ",".join(parameters)
    file, name = upload.file.path, upload.filename
    campaign = parse(file, upload.format or None, limits, name, options, point=upload.point)
    said = upload.described.get("metric_units", {})
    return with_origin(replace(campaign, units=campaign.units | said), upload.metadata)


def with_origin(campaign: Campaign, metadata: Mapping[str, object]) -> Campaign:
    """Return the campaign with the origins of its runs, from the metadata of file and sender."""
    if campaign.origins is not None:
        sent = origin_of(metadata)
        return replace(campaign, origins=with_sent(campaign.origins, sent)) if sent else campaign
    origin = origin_of({**campaign.metadata, **metadata})
    if origin is None:
        return campaign
    return replace(campaign, origins=from_one(origin, list(campaign.series.values())))
