"""The demo's data are loaded through the ordinary services, and only once."""

import pytest
from django.core.management.base import CommandError

from ingest.models import Application, Metric, Parameter, Upload
from ingest.services import upload_ingest
from perfweb.accounts.models import Membership, Project, Role, User
from perfweb.demo.application.versions import VERSIONS
from perfweb.demo.load import load
from tests.factories import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


def test_it_works(client):
    uploads = load()
    assert [upload.version_label for upload in uploads] == [version.label for version in VERSIONS]
    assert Membership.objects.get(project__slug="demo").role == Role.OWNER
    assert client.login(username="demo", password="demo")


def test_a_second_start_changes_nothing():
    first = [upload.pk for upload in load()]
    Application.objects.get().parameters.update(unit="ranks")
    assert [upload.pk for upload in load()] == first
    assert Project.objects.count() == User.objects.count() == Application.objects.count() == 1
    assert {row.unit for row in Parameter.objects.all()} == {"ranks"}, "what somebody changed by hand remains"


def test_parameters_have_the_right_roles():
    load()
    application = Application.objects.get()
    roles = dict(application.parameters.values_list("name", "role"))
    assert roles == {"p": Parameter.Role.PROCESSES, "n": Parameter.Role.PROBLEM_SIZE}


def test_a_worker_stores_the_whole_history_in_order():
    for upload in reversed(load()):  # Messages may reach workers in any order.
        upload_ingest(upload)
        upload.refresh_from_db()
        assert upload.state != Upload.State.FAILED, upload.error
    application = Application.objects.get()
    assert list(application.versions.values_list("label", flat=True)) == [v.label for v in VERSIONS]
    campaigns = [version.campaigns.get() for version in application.versions.all()]
    assert {campaign.kernel_count for campaign in campaigns} == {8}
    assert all(campaign.metadata["method"] and campaign.metadata["summary"] for campaign in campaigns)
    assert not Metric.objects.exclude(inclusive=False).exists()
    assert Parameter.objects.count() == 2
    assert application.targets.get().values == {"p": 1024, "n": 4096}, "16 times what was measured"


def test_a_project_of_that_name_made_by_others_is_refused():
    make_project("demo")
    with pytest.raises(CommandError, match="not the demo's own"):
        load()
    assert not Upload.objects.exists()
    assert not User.objects.exists(), "nobody whose password is known"
