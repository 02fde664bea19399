"""An upload's file as a campaign."""

from django.conf import settings

from ingest.formats import Campaign, Limits, parse
from ingest.models import Upload


def upload_read(upload: Upload) -> Campaign:
    """What the file of an upload holds.

    Raises:
        FormatError: it cannot be read.
        FileNotFoundError: it is no longer there.
    """
    limits = Limits(bytes=settings.UPLOAD_BYTES)
    return parse(upload.file.path, upload.format or None, limits, upload.filename, upload.options)
