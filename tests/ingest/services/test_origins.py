"""The origins of runs are stored with a campaign."""

import json

import pytest

from ingest.models import RunOrigins
from ingest.selectors import origins_of
from ingest.tasks import upload_ingest
from tests.factories import make_project
from tests.ingest.sent import measured, send

pytestmark = pytest.mark.django_db


def stored(project, content=None, **fields):
    upload = send(project, content, **fields)
    upload_ingest(upload.pk)
    upload.refresh_from_db()
    assert upload.error is None
    return upload.campaign


def jobs_of(campaign):
    origins = origins_of(campaign)
    return [[origins.known[label].job for label in row if label >= 0] for row in origins.labels.tolist()]


def test_the_senders_metadata_are_the_origin_of_the_whole_file():
    campaign = stored(make_project(), metadata={"slurm_job_id": "17", "host": "n1", "compiler": "gcc"})
    assert jobs_of(campaign) == [["17", "17"]] * 5
    assert RunOrigins.objects.get().known == [["17", "n1", ""]]


def test_origins_in_the_file_take_precedence():
    line = {"params": {"p": 4}, "value": [1, 2], "job": "a"}
    campaign = stored(make_project(), json.dumps(line), metadata={"job": "17"})
    assert jobs_of(campaign) == [["a", "a"]]


def test_nothing_is_stored_without_origins():
    assert origins_of(stored(make_project())) is None
    assert not RunOrigins.objects.exists()


def test_uploads_of_one_campaign_keep_their_jobs():
    project = make_project()
    for job in ("17", "18"):
        content = measured(solve=float(job))
        campaign = stored(project, content, campaign="night", metadata={"job": job})
    assert jobs_of(campaign) == [["17", "17", "18", "18"]] * 5


def test_a_corrected_upload_has_its_own_job():
    project = make_project()
    stored(project, measured(solve=1.0), campaign="night", metadata={"job": "17"})
    wrong = send(project, measured(solve=2.0), campaign="night", metadata={"job": "18"})
    upload_ingest(wrong.pk)
    campaign = stored(project, measured(solve=3.0), replaces=wrong.pk, metadata={"job": "19"})
    assert jobs_of(campaign) == [["17", "17", "19", "19"]] * 5
