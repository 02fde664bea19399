"""An upload's file as a campaign."""

from collections.abc import Sequence

from django.conf import settings

from ingest.formats import Campaign, Limits, parse
from ingest.models import Upload


def upload_read(upload: Upload, parameters: Sequence[str] = ()) -> Campaign:
    """What the file of an upload holds.

    Args:
        upload: whose file is read.
        parameters: those of its campaign, where they are chosen among what is known of runs; else the
            upload's own options tell, or they are guessed.

    Raises:
        FormatError: it cannot be read.
        FileNotFoundError: it is no longer there.
    """
    limits = Limits(bytes=settings.UPLOAD_BYTES)
    options = dict(upload.options)
    if parameters:
        options["parameters"] = ",".join(parameters)
    return parse(
        upload.file.path, upload.format or None, limits, upload.filename, options, point=upload.point
    )
