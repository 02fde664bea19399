"""Supports the header `Prefer: wait=…` (RFC 7240): the answer is sent after the file has been read."""

import re
import time
from threading import BoundedSemaphore

from rest_framework.request import Request
from rest_framework.reverse import reverse

from ingest.models import UNFINISHED, Upload
from perfweb.api.problems import Unprocessable

LONGEST_WAIT = 20
"""Limit on the seconds that a request may wait."""
PAUSE = 0.05
PLACES = BoundedSemaphore(4)
"""Limit on the requests that wait at the same time; further ones are answered at once."""


class Unreadable(Unprocessable):
    """Raised for a received file that cannot be read; `location` is the address of its upload."""

    default_code = "unreadable"

    def __init__(self, message: str, location: str) -> None:
        super().__init__({"file": [message]})
        self.location = location


def wait_until_read(request: Request, pk: int) -> None:
    """Wait until an upload has been read, or the preferred time is over; raise Unreadable if it cannot be."""
    seconds = _preferred(request.headers.get("Prefer", ""))
    if not seconds or not PLACES.acquire(blocking=False):
        return
    try:
        upload = _after(pk, time.monotonic() + seconds)
    finally:
        PLACES.release()
    if upload and upload.state == Upload.State.FAILED:
        message = (upload.error or {}).get("message", "It cannot be read.")
        raise Unreadable(message, reverse("api:upload", args=[pk], request=request))


def _preferred(header: str) -> int:
    """Return the preferred seconds; 0 if the header cannot be parsed."""
    wait = re.search(r"(?:^|[,;\s])wait\s*=\s*\"?([0-9]{1,9})", header, re.IGNORECASE)
    return min(int(wait[1]), LONGEST_WAIT) if wait else 0


def _after(pk: int, end: float) -> Upload | None:
    """Return the upload once it has been read, or at the time `end`; None if it was deleted meanwhile."""
    while True:
        found = Upload.objects.filter(pk=pk).only("state", "error").first()
        if found is None or found.state not in UNFINISHED or time.monotonic() > end:
            return found
        time.sleep(PAUSE)
