"""The page on which users choose a campaign's parameters among the metadata of its runs."""

import pytest
from django.urls import reverse

from ingest.models import Campaign
from perfweb.accounts.models import Role
from tests.factories import make_member
from tests.ingest.services.test_rereading import SIZES, grow


@pytest.fixture
def campaign(project):
    return grow(project, [{**run, "mesh_level": run["problem_size"] / 10} for run in SIZES])


@pytest.fixture
def page(campaign):
    return reverse("campaign-parameters", args=[campaign.pk])


@pytest.fixture
def contributor(client, project):
    client.force_login(make_member(project, Role.CONTRIBUTOR))
    return client


def test_it_works(contributor, page, campaign):
    text = contributor.get(page).content.decode()
    assert text.index("problem_size") < text.index("mesh_level") < text.index("jobsize")
    assert "10, 20, 30, 40, 50" in text
    answer = contributor.post(page, {"parameter": ["mesh_level"]})
    assert answer.url == reverse("campaign", args=[campaign.pk])
    campaign.refresh_from_db()
    assert campaign.chosen_parameters == ["mesh_level"]
    assert "being read again, with mesh_level" in contributor.get(answer.url).content.decode()


def test_an_empty_choice_is_refused(contributor, page):
    answer = contributor.post(page)
    assert answer.status_code == 422
    assert "Found no parameter" in answer.content.decode()
    assert Campaign.objects.get().queued_at is None


def test_the_campaign_page_mentions_numbers_that_differ_between_its_runs(contributor, campaign, page):
    Campaign.objects.update(run_notes=["the runs at p = 4 differ in mesh_level"])
    text = contributor.get(reverse("campaign", args=[campaign.pk])).content.decode()
    assert "The runs at p = 4 differ in mesh_level." in text
    assert page in text


def test_viewers_see_the_numbers_but_cannot_choose(client, project, page):
    client.force_login(make_member(project, Role.VIEWER))
    assert "need the role contributor" in client.get(page).content.decode()
    assert client.post(page, {"parameter": ["mesh_level"]}).status_code == 403
