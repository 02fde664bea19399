"""Uploads whose point is sent with the file, and values that were measured in rounds."""

import json
import math

import pytest
from django.core.exceptions import ValidationError

from ingest.models import Campaign, Series, Upload
from ingest.tasks import upload_ingest
from tests.ingest.sent import send


def rounds(*times):
    """Return a file of pytest-benchmark with one benchmark that has no parameters."""
    benchmark = {"name": "test_solve", "fullname": "test_solve", "params": None, "stats": {"data": times}}
    return json.dumps({"machine_info": {}, "benchmarks": [benchmark]})


def store(project, content, **fields):
    upload = send(project, content, campaign="night", **fields)
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    return upload


def test_files_without_parameters_form_a_series_by_their_sent_points(project):
    for p in (4, 8, 16):
        assert store(project, rounds(1.0 * p), point=f"p={p}").error is None
    campaign = Campaign.objects.get()
    assert (campaign.parameters, campaign.points) == (["p"], [[4], [8], [16]])
    assert Series.objects.get().values == [4, 8, 16]


def test_the_same_file_at_another_point_is_another_upload(project):
    assert store(project, rounds(1.0), point="p=4").pk == store(project, rounds(1.0), point=" p=4").pk
    store(project, rounds(1.0), point="p=8")
    assert Campaign.objects.get().points == [[4], [8]]


def test_a_file_without_a_point_is_one_configuration(project):
    upload = store(project, rounds(1.0))
    assert Campaign.objects.get().parameters == ["configuration"]
    assert "send its point" in upload.notes[0]


def test_an_invalid_point_is_refused_before_anything_is_stored(project):
    with pytest.raises(ValidationError, match="name=number pairs such as p=64"):
        send(project, rounds(1.0), point="64")
    assert not Upload.objects.exists()


def test_rounds_of_a_process_are_stored_but_count_once(project):
    store(project, rounds(1.0, 5.0, 2.0), point="p=4")
    store(project, rounds(3.0, 4.0), point="p=4")
    store(project, rounds(7.0), point="p=8")
    campaign = Campaign.objects.get()
    series = Series.objects.get()
    assert (campaign.repetitions, campaign.value_count) == (2, 3)
    assert series.rows() == [[2.0, 3.5], [7.0]]
    assert sorted(value for value in series.rounds if not math.isnan(value)) == [1, 2, 3, 4, 5]
