"""The top bar names the project of the page, or the reader."""

import re

import pytest
from django.urls import reverse

from tests.factories import make_application, make_member, make_project, make_user
from tests.measured import make_measured

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(client):
    """Make a campaign, and sign in a member of its project and of one that comes first in the alphabet."""
    application = make_application(make_project("storm"))
    member = make_member(application.project)
    member.memberships.create(project=make_project("aardvark"), role=member.memberships.get().role)
    client.force_login(member)
    return make_measured(application, "1.0")[0]


def named(client, address):
    page = client.get(address).content.decode()
    return re.search(r'<summary aria-label="Projects and account of \w+">(.*?)</summary>', page)[1].strip()


def test_pages_of_a_campaign_name_its_project(client, campaign):
    project = campaign.version.application.project
    kernel = campaign.version.application.kernels.first()
    upload = campaign.uploads.first()
    for address in (
        reverse("campaign", args=[campaign.pk]),
        reverse("kernel", args=[campaign.pk, kernel.pk]),
        reverse("upload-detail", args=[upload.pk]),
        reverse("application", args=[project.slug, campaign.version.application.slug]),
    ):
        assert named(client, address) == project.name


def test_pages_of_no_project_name_the_reader(client, campaign):
    for address in ("/", "/upload/", "/help/", "/search/?q=halo"):
        assert named(client, address) == client.get(address).context["user"].username


def test_a_single_project_is_named_everywhere(client):
    project = make_project("storm")
    client.force_login(make_member(project))
    assert named(client, "/help/") == project.name
    client.force_login(make_user("bob"))
    assert named(client, "/help/") == "bob"
