"""Processes an upload from its bytes to a stored campaign, or to an error that explains what is wrong."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.db import DatabaseError, DataError, IntegrityError, transaction
from django.utils import timezone

from ingest.fields.names import file_name, slug_note, slug_of, slug_wrong, text_wrong
from ingest.fields.options import options_wrong
from ingest.formats import FORMATS, FormatError
from ingest.formats.campaign.sent_points import place_parse
from ingest.formats.campaign.units import bytes_text
from ingest.models import STANDING, UNFINISHED, Application, Upload, Version
from ingest.services.attempts import READING, STORING, set_aside, step
from ingest.services.campaigns import campaign_store
from ingest.services.diagnosis import diagnose
from ingest.services.reading import upload_read
from ingest.signals import campaign_stored
from ingest.work import MOST_ATTEMPTS, enqueue
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import ApiToken, Project, User

PLACE = ("application_slug", "version_label", "machine_name")
"""Fields of an upload that name its application, version and machine."""

CONTENT = ("campaign_key", "sha256", "options", "point", "run")
"""Further fields in which a repeated upload agrees with the first one."""


def upload_receive(
    *,
    project: Project,
    application: str,
    version: str,
    file: File,  # type: ignore[type-arg]
    user: User | None,
    token: ApiToken | None = None,
    commit: str = "",
    branch: str = "",
    committed_at: datetime | None = None,
    machine: str = "",
    campaign: str = "",
    run: str = "",
    replaces: int | None = None,
    format: str = "",
    options: Mapping[str, str] | None = None,
    point: str = "",
    modelers: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
    described: Mapping[str, Mapping[str, str]] | None = None,
    idempotency_key: str = "",
    create: bool = True,
    dry_run: bool = False,
) -> Upload:
    """Receive a file. A worker reads and stores it later.

    A repetition returns the earlier upload, unless that failed. The earlier one has the same
    `idempotency_key`, or the same place and content and is no dry run.

    Args:
        campaign: key that all uploads of one campaign share.
        run: name of the run in its campaign. Two runs may have the same content.
        replaces: id of the upload that this one corrects.
        format: name of the format; empty: recognised.
        point: coordinates that the file lacks, see `formats.points`.
        modelers: modelers of a new campaign; empty: those of the application.
        described: new parameters and metrics, see `ingest.fields.described`.
        create: whether the application and version may be new.
        dry_run: whether the file is only read, and described in `diagnosis`.

    Raises:
        ValidationError: by field, what was found and what was expected.
    """
    upload = Upload(
        project=project,
        application_slug=slug_of(application),
        version_label=version.strip(),
        commit=commit.strip(),
        branch=branch.strip(),
        committed_at=committed_at,
        machine_name=machine.strip(),
        campaign_key=campaign.strip(),
        run=run.strip(),
        replaces=_replaced(project, replaces),
        format=format,
        options=dict(options or {}),
        point=point.strip(),
        modelers=list(modelers),
        metadata=dict(metadata or {}),
        filename=file_name(file.name or ""),
        size=file.size,
        sha256=_digest(file),
        idempotency_key=idempotency_key,
        described=_described(application, described or {}),
        notes=[note] if (note := slug_note(application)) else [],
        dry_run=dry_run,
        user=user,
        token=token,
    )
    if upload.replaces:
        upload.campaign_key, upload.run = upload.replaces.campaign_key, upload.replaces.run
    _validate(upload, application, create=create)
    _free_key(upload)
    if known := upload_same(upload):
        return known
    _check_standing(upload.replaces)
    return _keep(upload, file)


def _described(application: str, described: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return the sender's descriptions, and the application's name if it is not an address."""
    name = {"application": application.strip()} if slug_note(application) else {}
    return name | {kind: dict(said) for kind, said in described.items()}


def _replaced(project: Project, pk: int | None) -> Upload | None:
    """Return the upload that a new upload corrects; None without an id."""
    if pk is None:
        return None
    found = Upload.objects.filter(project=project, pk=pk).first()
    if found is None:
        raise ValidationError({"replaces": [f"There is no upload {pk} in {project}."]})
    return found


def _digest(file: File) -> str:  # type: ignore[type-arg]
    """Return the SHA-256 of the file. Too large or empty files are refused before reading."""
    if file.size > settings.UPLOAD_BYTES:
        found, most = bytes_text(file.size), bytes_text(settings.UPLOAD_BYTES)
        raise ValidationError({"file": f"Found {found}, expected at most {most}."})
    if not file.size:
        raise ValidationError({"file": "Found an empty file, expected measurements."})
    digest = hashlib.sha256()
    for piece in file.chunks():
        digest.update(piece)
    return digest.hexdigest()


def _validate(upload: Upload, application: str, *, create: bool) -> None:
    """Check every field before anything is written."""
    errors: dict[str, str] = {}
    if wrong := slug_wrong(application):
        errors["application"] = wrong
    texts = {"version": (upload.version_label, 80), "commit": (upload.commit, 64)}
    texts |= {"branch": (upload.branch, 120), "machine": (upload.machine_name, 80)}
    texts |= {"campaign": (upload.campaign_key, 80), "run": (upload.run, 80)}
    for name, (text, most) in texts.items():
        if wrong := text_wrong(text, most):
            errors[name] = wrong
    if not upload.version_label:
        errors["version"] = "Expected the version that was measured, such as 1.4 or a commit."
    if upload.format and upload.format not in FORMATS:
        errors["format"] = f"Found “{upload.format}”, expected one of {', '.join(FORMATS)}, or nothing."
    if wrong := options_wrong(upload.options, upload.format):
        errors["options"] = wrong
    try:
        place_parse(upload.point)
    except FormatError as error:
        errors["point"] = f"Found {error.found}, expected {error.expected}."
    errors |= _wrong_correction(upload)
    if not errors and not create:
        errors = _unknown(upload)
    if errors:
        raise ValidationError({name: [text] for name, text in errors.items()})


def _unknown(upload: Upload) -> dict[str, str]:
    """Return why an upload needs a new application or version, by field; empty if both exist."""
    application = Application.objects.filter(project=upload.project, slug=upload.application_slug).first()
    if application is None:
        return {"application": f"There is no application “{upload.application_slug}” in {upload.project}."}
    if not Version.objects.filter(application=application, label=upload.version_label).exists():
        return {"version": f"{application} has no version “{upload.version_label}”."}
    return {}


def _wrong_correction(upload: Upload) -> dict[str, str]:
    """Return why an upload cannot replace another one, by field; empty if it can."""
    old = upload.replaces
    if old is None:
        return {}
    if any(getattr(old, name) != getattr(upload, name) for name in PLACE):
        place = f"{old.application_slug} {old.version_label} on {old.machine_name or 'no named machine'}"
        return {"replaces": f"Upload {old.pk} is for {place}; a correction must be for the same."}
    if old.state in (*UNFINISHED, Upload.State.FAILED):
        return {"replaces": f"Upload {old.pk} is {old.state}: nothing of it is stored that can be replaced."}
    return {}


def _check_standing(old: Upload | None) -> None:
    """Refuse to correct an upload that was corrected already by another request."""
    if old is not None and old.state == Upload.State.REPLACED:
        latest = old.corrections.filter(state__in=STANDING).first()
        instead = f"correct upload {latest.pk}, which took its place" if latest else "send a new upload"
        raise ValidationError({"replaces": [f"Upload {old.pk} was corrected already; {instead}."]})


def _free_key(upload: Upload) -> None:
    """Take the key of a failed upload away from it. Nothing of that upload is stored, so a job that sends its
    file again, or a corrected one, must not get the old failure as its answer.
    """
    if upload.idempotency_key:
        rows = Upload.objects.filter(project=upload.project, idempotency_key=upload.idempotency_key)
        rows.filter(state=Upload.State.FAILED).update(idempotency_key="")


def upload_same(upload: Upload) -> Upload | None:
    """Return the earlier upload with the same key, or with the same bytes in the same place."""
    rows = Upload.objects.filter(project=upload.project)
    what = {name: getattr(upload, name) for name in (*PLACE, *CONTENT, "dry_run")}
    if upload.idempotency_key and (found := rows.filter(idempotency_key=upload.idempotency_key).first()):
        if any(getattr(found, name) != value for name, value in what.items()):
            raise ValidationError(
                {"Idempotency-Key": ["Found a key that was used for another upload, expected a new one."]}
            )
        return found
    return None if upload.dry_run else upload_stored(upload)


def upload_stored(upload: Upload) -> Upload | None:
    """Return an earlier upload of the same bytes for the same place that did not fail.

    Corrected uploads count, so that wrong bytes are not stored again, except by another correction.
    """
    what = {name: getattr(upload, name) for name in (*PLACE, *CONTENT, "project")}
    ended = [Upload.State.FAILED, *([Upload.State.REPLACED] if upload.replaces else [])]
    return Upload.objects.filter(**what, dry_run=False).exclude(state__in=ended).first()


def _keep(upload: Upload, file: File) -> Upload:  # type: ignore[type-arg]
    """Write the file, then its row. Of two equal uploads, the first written row is kept."""
    _write(upload, file)
    try:
        with transaction.atomic():
            _save(upload)
            enqueue("ingest.tasks.upload_ingest", upload)
    except IntegrityError:
        if found := upload_same(upload):
            return found
        raise
    return upload


def _save(upload: Upload) -> None:
    """Write the row, and delete the file if a statement fails. The outcome of a commit may be unknown."""
    try:
        upload.save()
        if not upload.dry_run:
            receipt_record(upload)
    except DatabaseError:
        upload.file.delete(save=False)
        raise


def _write(upload: Upload, file: File) -> None:  # type: ignore[type-arg]
    """Write the file under a unique name, and delete it on failure, because it would fill the disk."""
    storage = upload.file.storage
    name = upload.file.field.generate_filename(upload, f"{upload.sha256[:16]}-{uuid4().hex[:16]}")
    file.seek(0)
    try:
        upload.file.name = storage.save(name, file)
        _sync(upload.file.path)
    except OSError:
        storage.delete(name)
        raise


def receipt_record(upload: Upload) -> None:
    """Write to the audit log that an upload will be stored."""
    audit_record(
        project=upload.project,
        action="upload.receive",
        subject=upload,
        user=upload.user,
        token=upload.token,
        upload=upload.pk,
        bytes=upload.size,
        replaces=upload.replaces_id,
    )


def _sync(path: str) -> None:
    """Flush the file to the disk, before its row is written."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def upload_ingest(upload: Upload) -> None:
    """Read and store an upload, or record why that cannot be done."""
    upload.attempts += 1
    if upload.attempts > MOST_ATTEMPTS:
        _fail(upload, set_aside(upload))
        return
    upload.state = Upload.State.PARSING
    try:
        with step(upload, READING):
            parsed = upload_read(upload)
        if upload.dry_run:
            _store_diagnosis(upload, diagnose(parsed, upload.described))
            return
        upload.progress = 0.5
        with step(upload, STORING):
            campaign = campaign_store(upload=upload, parsed=parsed)
    except FormatError as error:
        _fail(upload, _explained(error))
        return
    except Upload.DoesNotExist:
        return
    except FileNotFoundError:
        _fail(upload, {"message": "Its file is no longer in the portal's storage; send it again."})
        return
    except (DataError, IntegrityError) as error:
        _fail(upload, {"message": f"The database refused it: {str(error).splitlines()[0]}"})
        return
    if campaign.settles_at is None:
        campaign_stored.send(sender=type(campaign), campaign=campaign)


def _store_diagnosis(upload: Upload, diagnosis: dict[str, Any]) -> None:
    """Store the diagnosis of the file of a preview."""
    Upload.objects.filter(pk=upload.pk).update(
        state=Upload.State.READ, diagnosis=diagnosis, format=diagnosis["format"], cause=""
    )


def _explained(error: FormatError) -> dict[str, Any]:
    return {
        "message": str(error),
        "file": error.file,
        "line": error.line,
        "found": error.found,
        "expected": error.expected,
    }


def _fail(upload: Upload, error: dict[str, Any]) -> None:
    Upload.objects.filter(pk=upload.pk).update(
        state=Upload.State.FAILED, error=error, finished_at=timezone.now(), attempts=upload.attempts
    )
