"""Stores how the last attempt to read an upload was interrupted."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, InterfaceError, OperationalError

from ingest.formats import FormatError
from ingest.models import Upload
from ingest.work import MOST_ATTEMPTS, disk_full

READING, STORING = "reading its file", "storing its values"
KILLED = "the worker's process was killed while {}, as the system does where memory runs out"
"""The cause that is stored before a step, because a killed worker cannot store it."""
CAUSES: dict[type[Exception], str] = {
    MemoryError: "memory ran out while {}",
    SoftTimeLimitExceeded: "time ran out while {}",
    OperationalError: "the database went away while {}",
    InterfaceError: "the database went away while {}",
}


DISK_FULL = "the portal's disk was full while {}"
OTHER = "{} failed with {}, see the log"


def set_aside(upload: Upload) -> dict[str, str]:
    """Return the error for an upload whose processing was started too often."""
    last = f" The last time, {upload.cause}." if upload.cause else ""
    message = f"Set aside: reading it was begun {MOST_ATTEMPTS} times and never finished.{last}"
    return {"message": message}


@contextmanager
def step(upload: Upload, what: str) -> Iterator[None]:
    """Store the upload's `cause` in case the worker is killed or fails during this step."""
    upload.cause = KILLED.format(what)
    now = {name: getattr(upload, name) for name in ("state", "attempts", "progress", "cause")}
    Upload.objects.filter(pk=upload.pk).update(**now)  # no row is changed if the upload was deleted meanwhile
    try:
        yield
    except (FormatError, FileNotFoundError, Upload.DoesNotExist):
        raise
    except Exception as error:
        words = next((text for kind, text in CAUSES.items() if isinstance(error, kind)), OTHER)
        cause = (DISK_FULL if disk_full(error) else words).format(what, type(error).__name__)
        with suppress(DatabaseError):
            Upload.objects.filter(pk=upload.pk).update(cause=cause)
        raise
