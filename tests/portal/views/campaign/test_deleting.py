"""Maintainers delete campaigns and versions; the audit log keeps an entry for each of them."""

import pytest

from ingest.models import Campaign, Series, Upload, Version
from ingest.services import campaign_delete, version_delete
from ingest.tasks import upload_ingest
from modeling.models import Comparison, Model, ModelRun, Trend
from modeling.tasks import run_execute
from perfweb.accounts.models import AuditEntry, Project, Role, User
from tests.factories import make_member, make_project
from tests.ingest.sent import measured, send

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def three_versions(rows_of_module):
    project = make_project("storm")
    make_member(project, Role.MAINTAINER, "ada")
    for number, version in enumerate(("1.0", "1.1", "1.2")):
        upload_ingest(send(project, measured(solve=1.0 + number), version=version, machine="a").pk)
    for run in ModelRun.objects.all():
        run_execute(run.pk)


@pytest.fixture
def project(three_versions, client):
    client.force_login(User.objects.get(username="ada"))
    return Project.objects.get()


def campaign_of(label):
    return Campaign.objects.get(version__label=label, machine__name="a")


def test_the_page_asks_for_confirmation_and_lists_what_will_be_lost(
    client, project, django_assert_max_num_queries
):
    address = f"/campaigns/{campaign_of('1.1').pk}/delete/"
    assert address in client.get(f"/campaigns/{campaign_of('1.1').pk}/").content.decode()
    with django_assert_max_num_queries(12):
        page = client.get(address).content.decode()
    assert "10 values of 1 kernel, 1 file" in page
    assert "Keep it" in page
    assert Campaign.objects.count() == 3


def test_deleting_a_campaign_deletes_everything_derived_from_it(
    client, project, django_capture_on_commit_callbacks
):
    campaign = campaign_of("1.1")
    upload = campaign.uploads.get()
    storage, name = upload.file.storage, upload.file.name
    with django_capture_on_commit_callbacks(execute=False) as callbacks:
        answer = client.post(f"/campaigns/{campaign.pk}/delete/", {"what": "campaign"})
    assert answer["Location"] == "/a/storm/hydro/"
    # The file is deleted only after the transaction that deletes the rows is committed.
    assert storage.exists(name)
    for callback in callbacks:
        callback()
    assert not storage.exists(name)
    assert Campaign.objects.count() == Series.objects.count() == Model.objects.count() == 2
    assert Version.objects.count() == 3
    entry = AuditEntry.objects.get(action="campaign.delete")
    assert (entry.subject, entry.user.username) == ("hydro 1.1 on a", "ada")
    assert entry.details["values"] == 10


def test_the_neighbouring_versions_are_compared_with_each_other(client, project):
    client.post(f"/campaigns/{campaign_of('1.1').pk}/delete/", {"what": "campaign"})
    kept = [campaign_of("1.0"), campaign_of("1.2")]
    assert {tuple(trend.versions) for trend in Trend.objects.all()} == {
        tuple(campaign.version_id for campaign in kept)
    }
    assert [(row.before, row.after) for row in Comparison.objects.all()] == [tuple(kept)]


def test_deleting_a_version_deletes_its_campaigns_and_failed_uploads(client, project):
    upload_ingest(send(project, measured(solve=9.0), version="1.1", machine="b").pk)
    upload_ingest(send(project, "{", version="1.1", machine="b").pk)
    client.post(f"/campaigns/{campaign_of('1.1').pk}/delete/", {"what": "version"})
    assert set(Version.objects.values_list("label", flat=True)) == {"1.0", "1.2"}
    assert set(Upload.objects.values_list("version_label", flat=True)) == {"1.0", "1.2"}
    assert AuditEntry.objects.get(action="version.delete").details == {"campaigns": 2, "values": 20}
    assert client.get("/a/storm/hydro/").status_code == 200


@pytest.mark.parametrize("what", ["campaign", "version"])
def test_of_two_simultaneous_deletions_one_succeeds(project, what):
    user = User.objects.get(username="ada")
    campaigns = [campaign_of("1.1"), campaign_of("1.1")]
    versions = [campaign.version for campaign in campaigns]
    for campaign, version in zip(campaigns, versions, strict=True):
        if what == "campaign":
            campaign_delete(campaign=campaign, user=user)
        else:
            version_delete(version=version, user=user)
    assert AuditEntry.objects.filter(action=f"{what}.delete").count() == 1


def test_without_a_choice_nothing_is_deleted(client, project):
    assert client.post(f"/campaigns/{campaign_of('1.1').pk}/delete/", {"what": "all"}).status_code == 422
    assert Campaign.objects.count() == 3


def test_after_the_last_campaign_the_applications_pages_still_work(client, project):
    for label in ("1.0", "1.1", "1.2"):
        client.post(f"/campaigns/{campaign_of(label).pk}/delete/", {"what": "version"})
    application = "/a/storm/hydro/"
    pages = ("/", application, f"{application}history/", f"{application}compare/")
    assert [client.get(page).status_code for page in pages] == [200, 200, 200, 200]


def test_deleted_measurements_can_be_uploaded_again(client, project):
    client.post(f"/campaigns/{campaign_of('1.1').pk}/delete/", {"what": "version"})
    upload_ingest(send(project, measured(solve=2.0), version="1.1", machine="a").pk)
    assert campaign_of("1.1").kernel_count == 1
