"""The modelers of a campaign are compared, added, chosen and deleted over REST."""

import pytest
from pytest_django import DjangoAssertNumQueries

from ingest.models import Campaign
from modeling.models import Model, ModelRun, State
from perfweb.accounts.models import AuditEntry, Role
from tests.factories import make_application, make_campaign, make_run, make_series

pytestmark = pytest.mark.django_db

LAWS = {"main->solve": (1.0, [(0.5, (1.0, 0.0, 0.0, 0.0))]), "main->io": (2.0, [])}


@pytest.fixture
def campaign(api) -> Campaign:
    """Make a campaign that shows the regression's models and compares those of the adaptive modeler, which
    have smaller errors.
    """
    api.project.memberships.update(role=Role.MAINTAINER)
    campaign = make_campaign(make_application(api.project), "1.0")
    shown = make_run(campaign, LAWS)
    make_series(campaign)
    other = ModelRun.objects.create(campaign=campaign, modeler="adaptive", shown=False, state=State.DONE)
    ModelRun.objects.update(revision=campaign.revision)
    for model in shown.models.all():
        Model.objects.filter(pk=model.pk).update(holdout_error=0.4)
        model.pk, model.run, model.method, model.holdout_error = None, other, "network", 0.1
        model.save()
    return campaign


def address(campaign):
    return f"campaigns/{campaign.pk}/modelers/"


def choose(api, campaign, status=200, **asked):
    answer = api.client.patch(f"/api/v1/{address(campaign)}", asked, content_type="application/json")
    assert answer.status_code == status, answer.content
    return answer.json()


def states(body):
    return {each["modeler"]: (each["shown"], each["state"]) for each in body["modelers"]}


def test_it_works(api, campaign, conforms):
    body = api.get(address(campaign))

    conforms(body, "Modelers")
    assert (body["metric"], body["judged_by"]) == ("time", "held_out")
    assert body["kernels"] == {"cross_validated": 2, "held_out": 2, "forecasts": 0}
    assert states(body) == {"regression": (True, "done"), "adaptive": (False, "done")}
    adaptive = body["modelers"][1]
    assert adaptive["median"]["held_out"] == pytest.approx(0.1)
    assert adaptive["median"]["forecasts"] is None
    assert (adaptive["closest"]["held_out"], adaptive["methods"]) == (2, {"network": 2})


def test_the_number_of_queries_is_small(
    api, campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(12):
        api.get(address(campaign))


def test_new_modelers_are_added_and_omitted_ones_deleted(api, campaign):
    body = choose(api, campaign, compared=["refinement"])

    assert states(body) == {"regression": (True, "done"), "refinement": (False, "queued")}
    entries = AuditEntry.objects.filter(action__startswith="modeler.").order_by("pk")
    assert [entry.action for entry in entries] == ["modeler.add", "modeler.remove"]
    assert all(entry.token == api.token for entry in entries)


def test_the_modeler_that_pages_show_is_one_with_finished_models(api, campaign):
    assert states(choose(api, campaign, shown="adaptive"))["adaptive"] == (True, "done")
    assert states(choose(api, campaign, shown="adaptive"))["regression"] == (False, "done")


@pytest.mark.parametrize("modeler", ["refinement", "evidence"])
def test_an_unfinished_modeler_cannot_be_shown_and_nothing_is_changed(api, campaign, modeler):
    body = choose(api, campaign, 400, shown=modeler, compared=["evidence"])

    assert "once they are finished" in body["errors"][0]["message"]
    assert campaign.runs.count() == 2


@pytest.mark.parametrize("asked", [{"shown": "oracle"}, {"compared": ["oracle"]}, {"compared": "evidence"}])
def test_unknown_modelers_are_refused(api, campaign, asked):
    assert choose(api, campaign, 400, **asked)["errors"][0]["field"].startswith(next(iter(asked)))


def test_contributors_can_only_read(api, campaign):
    api.project.memberships.update(role=Role.CONTRIBUTOR)
    api.get(address(campaign))
    choose(api, campaign, 403, shown="adaptive")
