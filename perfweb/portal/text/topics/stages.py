"""The stages of an upload on its way from bytes to models."""

from dataclasses import dataclass
from datetime import datetime

from ingest.models import Upload


@dataclass(frozen=True)
class Stage:
    """A stage of an upload.

    `state` is done, now, failed or later; `progress` is 0..1 if it is known and the stage is the current one.
    """

    name: str
    state: str
    at: datetime | None = None
    progress: float | None = None


def stages(
    upload: Upload, stored_at: datetime | None, *, modelled: bool = True
) -> tuple[Stage, Stage, Stage]:
    """Return the stages of an upload; `stored_at` is None until its campaign is stored.

    An upload that is done, but not `modelled`, could not be modelled.
    """
    failed = upload.state == Upload.State.FAILED
    received = Stage("Received", "done", upload.created_at)
    if stored_at is None:
        now = _walked(failed, waiting=upload.state == Upload.State.RECEIVED)
        stored = Stage("Read and stored", now, progress=_progress(upload, now))
        return received, stored, Stage("Modelled", "later")
    stored = Stage("Read and stored", "done", stored_at)
    if upload.state == Upload.State.DONE:
        return received, stored, Stage("Modelled", "done" if modelled else "failed", upload.finished_at)
    waiting = upload.state in (Upload.State.STORED, Upload.State.COLLECTING, Upload.State.REPLACED)
    now = _walked(failed, waiting=waiting)
    return received, stored, Stage("Modelled", now, progress=_progress(upload, now))


def _walked(failed: bool, *, waiting: bool) -> str:
    if failed:
        return "failed"
    return "later" if waiting else "now"


def _progress(upload: Upload, state: str) -> float | None:
    return upload.progress if state == "now" else None
