"""Reads the file of an upload into a campaign."""

from collections.abc import Sequence

from django.conf import settings

from ingest.formats import Campaign, Limits, parse
from ingest.models import Upload


def upload_read(upload: Upload, parameters: Sequence[str] = ()) -> Campaign:
    """Return the content of an upload's file.

    Args:
        upload: the upload to read.
        parameters: the campaign's parameters, where they are chosen among the numbers known of runs; if
            empty, they are taken from the upload's options, or guessed.

    Raises:
        FormatError: the file cannot be read.
        FileNotFoundError: the file no longer exists.
    """
    limits = Limits(bytes=settings.UPLOAD_BYTES)
    options = dict(upload.options)
    if parameters:
        options["parameters"] = ",".join(parameters)
    return parse(
        upload.file.path, upload.format or None, limits, upload.filename, options, point=upload.point
    )
