"""The client's command `modelers` compares and chooses the modelers of a campaign on a portal."""

import json
from collections.abc import Callable

import pytest
from pytest_django.live_server_helper import LiveServer

from ingest.models import Campaign
from modeling.models import Model, ModelRun, State
from perfweb.accounts.models import Role, Scope
from perfweb.client import perfweb
from tests.factories import make_application, make_campaign, make_member, make_project, make_run, make_token

pytestmark = pytest.mark.django_db(transaction=True)

Call = Callable[..., int]


@pytest.fixture
def campaign() -> Campaign:
    """Make a campaign that shows the models of the regression modeler. The refinement modeler's are equally
    good.
    """
    campaign = make_campaign(make_application(make_project()), "1.0")
    shown = make_run(campaign, {"main->io": (2.0, [])})
    other = ModelRun.objects.create(campaign=campaign, modeler="refinement", shown=False, state=State.DONE)
    ModelRun.objects.update(revision=campaign.revision)
    shown.models.update(holdout_error=0.25)
    for model in Model.objects.filter(run=shown):
        model.pk, model.run = None, other
        model.save()
    return campaign


@pytest.fixture
def modelers(live_server: LiveServer, campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Return a function that runs the command for the campaign, with the token of a user of this role."""
    monkeypatch.setenv("PERFWEB_URL", live_server.url)

    def call(*arguments: str, role: Role = Role.MAINTAINER) -> int:
        project = campaign.version.application.project
        user = make_member(project, role)
        monkeypatch.setenv("PERFWEB_TOKEN", make_token(user, project, Scope.READ, Scope.UPLOAD)[1])
        return perfweb.main(["modelers", str(campaign.pk), *arguments])

    return call


def test_it_works(modelers: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert modelers(role=Role.CONTRIBUTOR) == 0
    assert capsys.readouterr().out.splitlines() == [
        "regression   shown    25 % held out, closest for 1 of 1 kernels",
        "refinement   done     25 % held out, closest for 1 of 1 kernels",
    ]


def test_the_progress_of_the_adaptation_is_printed(
    modelers: Call, campaign: Campaign, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign.runs.filter(shown=False).update(state=State.RUNNING, adapting=0.4)

    assert modelers(role=Role.CONTRIBUTOR) == 0
    told = capsys.readouterr().out.splitlines()[1]
    assert told == "refinement   running, 40% of the network's adaptation are done"


def test_modelers_can_be_compared_and_shown(
    modelers: Call, campaign: Campaign, capsys: pytest.CaptureFixture[str]
) -> None:
    assert modelers("--show", "refinement", "--compare", "regression", "adaptive", "--json") == 0
    found = {each["modeler"]: each["shown"] for each in json.loads(capsys.readouterr().out)["modelers"]}
    assert found == {"refinement": True, "regression": False, "adaptive": False}
    assert modelers("--compare") == 0
    assert [run.modeler for run in campaign.runs.all()] == ["refinement"]


def test_impossible_requests_are_refused(modelers: Call, capsys: pytest.CaptureFixture[str]) -> None:
    assert modelers("--show", "evidence") == perfweb.REFUSED
    assert "once they are finished" in capsys.readouterr().err
    assert modelers("--show", "refinement", role=Role.CONTRIBUTOR) == perfweb.UNAUTHORISED
