"""Handles dry-run uploads: their file is read, described, and stored only after a user confirms."""

from collections.abc import Mapping
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from ingest.fields.described import described_check
from ingest.fields.options import options_wrong
from ingest.models import UNFINISHED, Upload
from ingest.services.uploads import receipt_record, upload_stored
from ingest.work import enqueue

PREVIEWS_KEPT = timedelta(days=1)
"""Time for which a file waits for a user's decision."""


def preview_store(
    *,
    upload: Upload,
    roles: Mapping[str, str],
    units: Mapping[str, str],
    metric_units: Mapping[str, str],
    metric_better: Mapping[str, str] | None = None,
) -> Upload:
    """Store a previewed file, or return an earlier upload with the same bytes.

    Roles, units and directions ("lower" or "higher" values are better) apply to new parameters and metrics.

    Raises:
        ValidationError: the upload is no preview, or a role, unit or direction is invalid.
    """
    described = {
        "roles": dict(roles),
        "units": dict(units),
        "metric_units": dict(metric_units),
        "metric_better": dict(metric_better or {}),
    }
    described_check(described)
    try:
        with transaction.atomic():
            row = Upload.objects.select_for_update().filter(pk=upload.pk, state=Upload.State.READ).first()
            if row is None:
                raise ValidationError("It was stored or discarded meanwhile.")
            row.described |= {kind: row.described.get(kind, {}) | said for kind, said in described.items()}
            row.dry_run, row.state, row.attempts, row.progress = False, Upload.State.RECEIVED, 0, 0.0
            row.queued_at = timezone.now()
            row.save()
            receipt_record(row)
            enqueue("ingest.tasks.upload_ingest", row)
    except IntegrityError:
        found = upload_stored(upload)
        if found is None:
            raise
        preview_discard(upload=upload)
        return found
    return row


def preview_reread(*, upload: Upload, options: Mapping[str, str]) -> None:
    """Read a previewed file again with other options.

    Raises:
        ValidationError: the file cannot be read with these options, or is no preview.
    """
    if wrong := options_wrong(dict(options), upload.format):
        raise ValidationError(wrong)
    with transaction.atomic():
        rows = Upload.objects.select_for_update().filter(pk=upload.pk, dry_run=True)
        row = rows.exclude(state__in=UNFINISHED).first()
        if row is None:
            raise ValidationError("It was stored or discarded meanwhile, or is being read.")
        row.options, row.state, row.diagnosis, row.error = dict(options), Upload.State.RECEIVED, None, None
        row.attempts, row.finished_at, row.queued_at = 0, None, timezone.now()
        row.save()
        enqueue("ingest.tasks.upload_ingest", row)


def preview_discard(*, upload: Upload) -> None:
    """Delete a previewed file."""
    rows = Upload.objects.filter(pk=upload.pk, dry_run=True)
    with transaction.atomic():
        if rows.delete()[0]:
            transaction.on_commit(lambda: upload.file.delete(save=False))


def previews_forget() -> None:
    """Delete previews about which no user decided in time."""
    for upload in Upload.objects.filter(dry_run=True, created_at__lt=timezone.now() - PREVIEWS_KEPT):
        preview_discard(upload=upload)
