"""Stores how the last attempt to read an upload was interrupted. If an upload is set aside, because too many
attempts did not finish, its error message says this.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, InterfaceError, OperationalError

from ingest.formats import FormatError
from ingest.models import Upload
from ingest.work import MOST_ATTEMPTS, disk_full

READING, STORING = "reading its file", "storing its values"
KILLED = "the worker's process was killed while {}, as the system does where memory runs out"
"""The cause that is stored when a step begins, because a worker that is killed cannot store anything later.
"""
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
    """Store, when a step begins, that the worker was killed during it. This is the upload's `cause` if the
    worker is killed. If the block raises an error, the error replaces this cause, unless it is an error of
    the file itself, or the file or the row no longer exists.
    """
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
