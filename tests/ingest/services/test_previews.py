"""A previewed file is read first, and stored only after a user confirms."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from ingest.models import Application, Metric, Parameter, Upload
from ingest.services import preview_discard, preview_store
from ingest.tasks import upload_ingest, uploads_sweep
from perfweb.accounts.models import AuditEntry
from tests.ingest.sent import send

NOTHING = {"roles": {}, "units": {}, "metric_units": {}}


def look(project, *content, **fields):
    upload = send(project, *content, dry_run=True, **fields)
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    return upload


def test_a_preview_is_read_and_nothing_is_stored(project):
    upload = look(project)
    assert (upload.state, upload.campaign, upload.format) == ("read", None, "jsonl")
    assert upload.diagnosis["point_count"] == 5
    assert not Application.objects.exists()
    assert not AuditEntry.objects.exists()


def test_the_preview_of_an_invalid_file_has_its_error(project):
    upload = look(project, "{")
    assert upload.state == "failed"
    assert upload.error["line"] == 1


def test_a_preview_is_not_an_upload_of_the_same_bytes(project):
    assert look(project) != send(project)
    assert look(project) != look(project)


def test_a_preview_is_stored_with_corrections(project):
    upload = look(project)
    stored = preview_store(
        upload=upload, roles={"p": "other"}, units={"p": "nodes"}, metric_units={"time": "ms"}
    )
    assert (stored.pk, stored.state, stored.dry_run) == (upload.pk, "received", False)
    upload_ingest(stored.pk)
    assert Parameter.objects.values_list("name", "role", "unit").get() == ("p", "other", "nodes")
    assert Metric.objects.values_list("unit", "lower_is_better").get() == ("ms", True)
    assert AuditEntry.objects.get().action == "upload.receive"


def test_a_preview_is_stored_with_the_chosen_direction(project):
    upload = look(project)
    preview_store(upload=upload, **NOTHING, metric_better={"time": "higher"})
    upload_ingest(upload.pk)
    assert Metric.objects.values_list("unit", "lower_is_better").get() == ("s", False)


def test_a_chosen_unit_determines_the_direction(project):
    upload = look(project)
    preview_store(upload=upload, **(NOTHING | {"metric_units": {"time": "ops/s"}}))
    upload_ingest(upload.pk)
    assert not Metric.objects.get().lower_is_better


def test_known_metrics_are_not_changed_by_a_preview(project):
    upload_ingest(send(project).pk)
    upload = look(project, version="1.1")
    preview_store(upload=upload, roles={"p": "other"}, units={"p": "x"}, metric_units={"time": "ms"})
    upload_ingest(upload.pk)
    assert Parameter.objects.values_list("role", "unit").get() == ("processes", "")
    assert Metric.objects.get().unit == "s"


def test_a_preview_of_stored_bytes_leads_to_their_upload(project):
    upload = look(project)
    other = send(project)
    path = Path(upload.file.path)
    assert preview_store(upload=upload, **NOTHING) == other
    assert Upload.objects.get() == other
    assert path.exists()  # The file is deleted only after the transaction has been committed.
    assert not AuditEntry.objects.exclude(subject=str(other)).exists()


def test_a_preview_is_stored_once(project):
    upload = look(project)
    preview_store(upload=upload, **NOTHING)
    with pytest.raises(ValidationError, match="meanwhile"):
        preview_store(upload=upload, **NOTHING)


@pytest.mark.parametrize(
    "wrong",
    [
        {"roles": {"p": "king"}},
        {"units": {"p": "x" * 41}},
        {"metric_units": {"time": "m\0s"}},
        {"metric_better": {"time": "x"}},
    ],
)
def test_roles_and_units_are_checked(project, wrong):
    with pytest.raises(ValidationError, match="expected"):
        preview_store(upload=look(project), **(NOTHING | wrong))


def test_discarded(project, django_capture_on_commit_callbacks):
    upload = look(project)
    path = Path(upload.file.path)
    with django_capture_on_commit_callbacks(execute=True):
        preview_discard(upload=upload)
    assert not path.exists()
    assert not Upload.objects.exists()


def test_a_stored_preview_cannot_be_discarded(project):
    upload = send(project)
    preview_discard(upload=upload)
    assert Upload.objects.exists()


def test_old_previews_are_deleted(project):
    old, new, stored = look(project), look(project), send(project)
    long_ago = timezone.now() - timedelta(days=2)
    Upload.objects.filter(pk__in=[old.pk, stored.pk]).update(created_at=long_ago)
    uploads_sweep()
    assert set(Upload.objects.all()) == {new, stored}
