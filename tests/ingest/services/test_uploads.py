"""A file is received completely and once, or not at all."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from celery import current_app
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import connection
from kombu.exceptions import OperationalError

from ingest.models import Application, Upload
from ingest.tasks import upload_ingest
from tests.factories import make_project
from tests.ingest.sent import measured, send


def stored_files():
    return {path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()}


def test_it_works(project, sent_tasks, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        upload = send(project, commit="abc123", machine="cluster-a", metadata={"nodes": 4})
        assert not sent_tasks  # A worker must not look for a row before the row is committed.
    assert sent_tasks == [("ingest.tasks.upload_ingest", [upload.pk])]
    data = measured(solve=1.0).encode()
    assert Path(upload.file.path).read_bytes() == data
    assert upload.sha256 == hashlib.sha256(data).hexdigest()
    assert (upload.size, upload.filename, upload.state) == (len(data), "run.jsonl", "received")
    assert (upload.commit, upload.machine_name, upload.metadata) == ("abc123", "cluster-a", {"nodes": 4})
    # The application is made only after a worker has read the file without an error.
    assert not Application.objects.exists()


def test_the_same_bytes_give_the_same_upload(project):
    files = stored_files()
    first = send(project)
    assert send(project, idempotency_key="another") == first
    assert Upload.objects.count() == 1
    assert len(stored_files() - files) == 1


@pytest.mark.parametrize(
    "other",
    [{"version": "1.1"}, {"machine": "b"}, {"application": "other"}, {"content": measured(solve=2.0)}],
)
def test_any_other_difference_gives_another_upload(project, other):
    assert send(project) != send(project, **other)


def test_projects_have_separate_uploads(project):
    assert send(project) != send(make_project())


def test_a_failed_file_may_be_sent_again(project):
    first = send(project)
    Upload.objects.filter(pk=first.pk).update(state=Upload.State.FAILED)
    assert send(project) != first


@pytest.mark.parametrize("other", [{}, {"content": measured(solve=2.0)}])
def test_the_key_of_a_failed_upload_may_be_used_again(project, other):
    """A job script whose key is the job's number sends the same file again, or a corrected one."""
    first = send(project, idempotency_key="night")
    Upload.objects.filter(pk=first.pk).update(state=Upload.State.FAILED)
    again = send(project, idempotency_key="night", **other)
    assert again != first
    assert send(project, idempotency_key="night", **other) == again


@pytest.mark.parametrize(
    "other",
    [{"version": "1.1"}, {"machine": "b"}, {"application": "other"}, {"content": measured(solve=2.0)}],
)
def test_a_key_belongs_to_one_upload(project, other):
    send(project, idempotency_key="night")
    with pytest.raises(ValidationError) as raised:
        send(project, idempotency_key="night", **other)
    assert list(raised.value.message_dict) == ["Idempotency-Key"]


def test_an_unreachable_broker_loses_nothing(project, monkeypatch, django_capture_on_commit_callbacks):
    def away(task, args, **_):
        raise OperationalError("no broker")

    monkeypatch.setattr(current_app, "send_task", away)
    with django_capture_on_commit_callbacks(execute=True):
        upload = send(project)
    assert Upload.objects.get() == upload


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"application": "+++"}, "application", "Found “+++”, expected a name with at least one letter"),
        ({"application": "解析"}, "application", "Found “解析”"),
        ({"application": "s" * 61}, "application", "Found a name of 61 characters"),
        ({"application": "a\u202eb"}, "application", "U+202E"),
        ({"application": "+++", "create": False}, "application", "Found “+++”"),
        ({"version": " "}, "version", "Expected the version"),
        ({"version": "v" * 81}, "version", "at most 80"),
        ({"version": "1\n2"}, "version", "printable"),
        ({"version": "1\u31642"}, "version", "U+3164"),
        ({"machine": "a" + "\u0301" * 9}, "machine", "more than 4 combining marks"),
        ({"campaign": "a\ufe0fb"}, "campaign", "U+FE0F"),
        ({"commit": "c" * 65}, "commit", "at most 64"),
        ({"machine": "m" * 81}, "machine", "at most 80"),
        ({"format": "xlsx"}, "format", "Found “xlsx”, expected one of"),
        ({"create": False}, "application", "There is no application “hydro”"),
    ],
)
def test_a_refused_upload_leaves_nothing(project, fields, field, message):
    files = stored_files()
    with pytest.raises(ValidationError) as raised:
        send(project, **fields)
    assert message in raised.value.message_dict[field][0]
    assert not Upload.objects.exists()
    assert stored_files() == files


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("My Solver 2", "my-solver-2"), ("HYDRO", "hydro"), ("lulesh2.0", "lulesh2-0"), ("a/b", "a-b"),
        ("C++", "c"), ("Löser", "loser"), ("MPI_Bench", "mpi_bench"), (" _x_ ", "x"),
    ],
)  # fmt: skip
def test_a_name_is_kept_and_its_address_derived(project, name, slug):
    upload = send(project, application=name)
    assert upload.application_slug == slug
    assert upload.notes == [f"The application “{name.strip()}” is stored as {slug}."]
    upload_ingest(upload.pk)
    application = Application.objects.get()
    assert (application.slug, application.name) == (slug, name.strip())
    upload.refresh_from_db()
    assert upload.notes[0].startswith("The application")


@pytest.mark.parametrize("name", ["hydro", "a--b", "a_b-", "2d"])
def test_a_valid_address_stays_unchanged(project, name):
    upload = send(project, application=name)
    assert (upload.application_slug, upload.notes) == (name, [])


def test_names_with_one_address_are_one_application(project):
    first, second = send(project, application="hydro"), send(project, application="Hydro", version="2.0")
    assert send(project, application="HYDRO") == first
    for upload in (first, second):
        upload_ingest(upload.pk)
    assert Application.objects.get().name == "hydro"


def test_without_create_an_unknown_version_is_refused(project):
    upload_ingest(send(project).pk)
    send(project, measured(solve=2.0), create=False)
    with pytest.raises(ValidationError, match=r"has no version “1\.1”"):
        send(project, version="1.1", create=False)


def test_too_large_and_empty_files_are_refused(project, settings):
    with pytest.raises(ValidationError, match="empty file"):
        send(project, b"")
    settings.UPLOAD_BYTES = 10
    with pytest.raises(ValidationError, match="expected at most 10"):
        send(project)


@pytest.mark.django_db(transaction=True)
def test_eight_simultaneous_uploads_are_one(sent_tasks):
    project, files, ready = make_project(), stored_files(), Barrier(8)

    def job(_):
        try:
            ready.wait()
            return send(project, idempotency_key="night").pk
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(job, range(8)))
    assert ids == {Upload.objects.get().pk}
    assert len(sent_tasks) == 1
    assert len(stored_files() - files) == 1
