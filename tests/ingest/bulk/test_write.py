"""Rows are written in the text format of PostgreSQL's COPY."""

import math

import pytest
from django.db import DataError, transaction

from ingest.bulk import write
from ingest.bulk.write import copy_rows
from ingest.models import Machine, Series, Upload
from ingest.tasks import upload_ingest
from tests.factories import make_project
from tests.ingest.sent import send

pytestmark = pytest.mark.django_db

ODD = ["tab\there", "line\nhere", "return\rhere", "back\\slash", "\\N", "\\.", "é“”→", " ", "{1,2}", "'\""]


def test_texts_are_read_back_unchanged():
    project = make_project()
    copy_rows(Machine, ["project", "name"], ([project.pk, name] for name in ODD))
    assert list(Machine.objects.order_by("pk").values_list("name", flat=True)) == ODD


def test_errors_are_those_of_django():
    """Otherwise nobody would recognise a full disk, or a database that went away, while rows are copied."""
    with pytest.raises(DataError), transaction.atomic():
        copy_rows(Machine, ["project", "name"], [[make_project().pk, "x" * 1000]])


def test_nothing_is_written_without_rows():
    copy_rows(Machine, ["project", "name"], [])
    assert not Machine.objects.exists()


def test_a_row_may_be_longer_than_a_block():
    send(make_project())
    first = Upload.objects.get()
    names = [
        field.name for field in Upload._meta.concrete_fields if field.name not in ("id", "version_label")
    ]
    row = [getattr(first, f"{name}_id", getattr(first, name)) for name in names]
    row[names.index("file")] = first.file.name
    row[names.index("metadata")] = {"text": "é\\\n" * 100_000, "flag": True, "nothing": None}
    row[names.index("notes")] = {"list": [1.5]}
    copy_rows(Upload, [*names, "version_label"], [[*row, "1.1"]])
    copied = Upload.objects.get(version_label="1.1")
    assert copied.metadata == {"text": "é\\\n" * 100_000, "flag": True, "nothing": None}
    assert (copied.size, copied.finished_at, copied.created_at) == (first.size, None, first.created_at)


@pytest.mark.parametrize("piece", [1, 3, 1000])
def test_a_long_array_is_written_in_pieces(monkeypatch, piece):
    monkeypatch.setattr(write, "PIECE", piece)
    rows = '{"params": {"p": 4}, "value": [1, 2.5]}\n{"params": {"p": 8}, "value": [3]}'
    upload_ingest(send(make_project(), rows).pk)
    assert Series.objects.get().values == pytest.approx([1, 2.5, 3, math.nan], nan_ok=True)
