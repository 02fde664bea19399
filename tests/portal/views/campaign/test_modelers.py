"""The page that compares all modelers of a campaign, and the actions that maintainers may take there."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from ingest.models import Application, Campaign
from modeling.models import Forecast, Model, ModelerChoice, ModelRun, State, Trend
from modeling.services.models.runs import runs_request
from modeling.tasks import run_execute
from perfweb.accounts.models import AuditEntry, Role
from tests.factories import make_campaign, make_comparison, make_member, make_run, make_series

pytestmark = pytest.mark.django_db

QUICK = {"main->solve": (1.0, [(0.5, (1.0, 0.0, 0.0, 0.0))]), "main->io": (2.0, [])}


@pytest.fixture
def campaign(application: Application) -> Campaign:
    """Make two finished runs. The pages show the regression's models; the adaptive modeler's are compared
    with them.
    """
    campaign = make_campaign(application, "1.0")
    make_run(campaign, QUICK)
    make_series(campaign)
    ModelRun.objects.update(revision=campaign.revision)
    other = make_run_of(campaign, "adaptive")
    for run, errors in ((campaign.runs.get(shown=True), (0.4, 0.1)), (other, (0.2, 0.3))):
        for model, error in zip(run.models.order_by("kernel__path"), errors, strict=True):
            Model.objects.filter(pk=model.pk).update(holdout_error=error, cv_smape=error)
    return campaign


def make_run_of(campaign: Campaign, modeler: str) -> ModelRun:
    """Copy the models of the shown run into a new run of another modeler."""
    shown = campaign.runs.get()
    run = ModelRun.objects.create(
        campaign=campaign, modeler=modeler, shown=False, state=State.DONE, revision=campaign.revision
    )
    for model in shown.models.all():
        model.pk, model.run, model.method = None, run, "network"
        model.save()
    return run


def address(campaign: Campaign) -> str:
    return reverse("campaign-modelers", args=[campaign.pk])


def change(client: Client, campaign: Campaign, action: str, modeler: str) -> None:
    asked = {"action": action, "modeler": modeler}
    answer = client.post(reverse("campaign-modelers-change", args=[campaign.pk]), asked)
    assert answer.status_code == 302


def test_it_works(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign.version.application.project))

    answer = client.get(address(campaign))

    comparison = answer.context["comparison"]
    assert [each.run.modeler for each in comparison.runs] == ["regression", "adaptive"]
    assert comparison.judged_by == "held out"
    assert [each.best["held out"] for each in comparison.runs] == [1, 1]
    assert comparison.runs[1].methods == {"network": 2}
    assert answer.context["sentence"].startswith(
        "Regression and adaptive would have been right equally often: "
    )
    assert "of each are the closest for 1 of 2 kernels" in answer.context["sentence"]
    assert "Model with" not in answer.content.decode()  # for a viewer


def test_scored_forecasts_decide_which_modeler_is_better(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign.version.application.project))
    later = make_campaign(campaign.version.application, "2.0")
    for run, error in zip(campaign.runs.order_by("-shown"), (0.5, 0.1), strict=True):
        for model in run.models.all():
            Forecast.objects.create(
                model=model, campaign=later, points=[[2048.0, 1000.0]], predicted=[1.0], lower=[0.5],
                upper=[2.0], measured=[1.0], relative_error=error,
            )  # fmt: skip

    answer = client.get(address(campaign))

    assert answer.context["comparison"].judged_by == "forecasts"
    assert answer.context["sentence"].startswith(
        "Adaptive would have been right most often: its forecasts of later"
    )
    assert "2 of 2 kernels" in answer.context["sentence"]


def test_the_modeler_that_is_closest_most_often_is_named(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign.version.application.project))
    Model.objects.filter(run__modeler="adaptive").update(holdout_error=0.01)

    told = client.get(address(campaign)).context["sentence"]

    assert told.startswith(
        "Adaptive would have been right most often: its predictions of the largest measured values, which"
    )
    assert told.endswith("are the closest for 2 of 2 kernels, with a median error of 1 %.")


def test_errors_that_differ_only_by_rounding_are_both_the_closest(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign.version.application.project))
    for run, error in zip(campaign.runs.order_by("shown"), (0.1, 0.1 * (1 + 1e-9)), strict=True):
        run.models.update(holdout_error=error)

    answer = client.get(address(campaign))

    assert [row.closest for row in answer.context["comparison"].rows] == [(0, 1), (0, 1)]
    assert [each.best["held out"] for each in answer.context["comparison"].runs] == [2, 2]
    assert answer.content.decode().count("closest</span>") == 4


def test_modelers_have_a_fixed_order_with_the_shown_one_first(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign.version.application.project))
    for modeler in ("refinement", "evidence"):
        ModelRun.objects.create(campaign=campaign, modeler=modeler, shown=False)

    runs = client.get(address(campaign)).context["comparison"].runs

    assert [each.run.modeler for each in runs] == ["regression", "evidence", "refinement", "adaptive"]


def test_a_single_modeler_is_not_called_closest(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign.version.application.project))
    campaign.runs.filter(shown=False).delete()

    page = client.get(address(campaign))

    assert page.context["sentence"] == ""
    row = page.content.decode().split("<tbody>")[1].split("</tbody>")[0]
    assert '<td class="number">2</td>' not in row


@pytest.mark.parametrize(
    ("state", "adapting", "told"),
    [
        (State.RUNNING, 0.4, "adapting the network, 40 %"),
        (State.RUNNING, None, "0 of 20 series"),
        (State.FAILED, None, "failed: too little memory"),
        (State.QUEUED, None, "queued"),
    ],
)
def test_the_state_of_each_run_is_shown(
    client: Client, campaign: Campaign, state: State, adapting: float | None, told: str
) -> None:
    client.force_login(make_member(campaign.version.application.project))
    campaign.runs.filter(shown=False).update(
        state=state, adapting=adapting, series_total=20, series_done=0, error="too little memory"
    )

    assert told in client.get(address(campaign)).content.decode()


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(16.2, "Adapting the network took 16 s."), (None, "was used again at once.")],
)
def test_the_page_says_whether_a_network_was_adapted_or_reused(
    client: Client, campaign: Campaign, seconds: float | None, told: str
) -> None:
    client.force_login(make_member(campaign.version.application.project))
    campaign.runs.filter(shown=False).update(adapted_seconds=seconds)

    page = client.get(address(campaign)).content.decode()

    assert told in page
    assert "2 kernels: law of the network" in page


def test_cancelling_twice_shows_what_happened(client: Client, campaign: Campaign) -> None:
    campaign.runs.filter(shown=False).update(state=State.RUNNING)
    client.force_login(make_member(campaign.version.application.project, Role.MAINTAINER))

    change(client, campaign, "remove", "adaptive")
    change(client, campaign, "remove", "adaptive")

    told = [str(message) for message in client.get(address(campaign)).context["messages"]]
    assert told == [
        "Modeling by adaptive was cancelled.",
        "Nothing was changed: there are no models of adaptive (any more).",
    ]


def test_the_number_of_queries_is_small(
    client: Client, campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client.force_login(make_member(campaign.version.application.project))
    with django_assert_max_num_queries(14):
        client.get(address(campaign))


def test_another_modeler_is_compared_first_and_can_be_shown(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign.version.application.project, Role.MAINTAINER))

    change(client, campaign, "add", "refinement")

    added = campaign.runs.get(modeler="refinement")
    assert (added.shown, added.state) == (False, State.QUEUED)
    change(client, campaign, "show", "adaptive")
    assert [run.modeler for run in campaign.runs.filter(shown=True)] == ["adaptive"]
    shown = client.get(reverse("campaign", args=[campaign.pk]))
    assert shown.context["run"].modeler == "adaptive"
    actions = list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))
    assert actions[-2:] == ["modeler.add", "modeler.show"]


def test_what_depends_on_the_shown_models_is_computed_again(
    client: Client, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    monkeypatch.setattr("modeling.services.models.modelers.enqueue", lambda task, _: sent.append(task))
    earlier = make_campaign(campaign.version.application, "0.9")
    comparison = make_comparison(earlier, campaign)
    Trend.objects.all().delete()
    ModelRun.objects.update(expected_at=timezone.now())
    client.force_login(make_member(campaign.version.application.project, Role.MAINTAINER))

    change(client, campaign, "show", "adaptive")

    comparison.refresh_from_db()
    assert comparison.state == State.QUEUED
    assert Trend.objects.count() == 2
    assert campaign.runs.get(modeler="adaptive").expected_at is None
    assert sent == ["modeling.tasks.application_expect"]


def test_an_unfinished_run_that_is_shown_is_used_once_it_is_finished(
    client: Client, campaign: Campaign
) -> None:
    comparison = make_comparison(make_campaign(campaign.version.application, "0.9"), campaign)
    client.force_login(make_member(campaign.version.application.project, Role.MAINTAINER))
    change(client, campaign, "add", "refinement")

    change(client, campaign, "show", "refinement")
    comparison.refresh_from_db()
    assert comparison.state == State.DONE

    run_execute(campaign.runs.get(modeler="refinement").pk)
    comparison.refresh_from_db()
    assert comparison.state == State.QUEUED


def test_a_compared_run_can_be_deleted_but_not_the_shown_one(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign.version.application.project, Role.MAINTAINER))

    change(client, campaign, "remove", "adaptive")
    change(client, campaign, "remove", "regression")

    assert [run.modeler for run in campaign.runs.all()] == ["regression"]


def test_a_campaign_that_grows_is_modelled_by_all_its_modelers(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(revision=campaign.revision + 1)
    campaign.refresh_from_db()

    shown = runs_request(campaign)

    assert shown.modeler == "regression"
    assert set(campaign.runs.filter(state=State.QUEUED).values_list("modeler", flat=True)) == {
        "regression", "adaptive", "evidence",
    }  # fmt: skip


def test_an_application_chooses_its_modelers(client: Client, application: Application) -> None:
    client.force_login(make_member(application.project, Role.MAINTAINER))
    settings = reverse("application-settings", args=[application.project.slug, application.slug])

    answer = client.post(settings, {"save": "modelers", "shown": "adaptive", "compared": ["evidence"]})

    assert answer.status_code == 302
    choice = ModelerChoice.objects.get(application=application)
    assert (choice.shown, choice.compared) == ("adaptive", ["evidence"])
    campaign = make_campaign(application, "3.0")
    assert runs_request(campaign).modeler == "adaptive"
    assert [run.modeler for run in campaign.runs.filter(shown=False)] == ["evidence"]
    assert client.get(settings).context["modelers_form"].initial["shown"] == "adaptive"


def test_an_unknown_modeler_is_refused(client: Client, application: Application) -> None:
    client.force_login(make_member(application.project, Role.MAINTAINER))
    settings = reverse("application-settings", args=[application.project.slug, application.slug])

    assert client.post(settings, {"save": "modelers", "shown": "oracle"}).status_code == 422


def test_pages_of_a_shown_run_show_the_progress_of_its_adaptation(client: Client, campaign: Campaign) -> None:
    application = campaign.version.application
    client.force_login(make_member(application.project))
    campaign.runs.filter(shown=True).update(state=State.RUNNING, adapting=0.4, series_total=20, seconds=0.0)

    for name, about in (
        ("campaign", [campaign.pk]),
        ("application", [application.project.slug, application.slug]),
    ):
        page = client.get(reverse(name, args=about)).content.decode()
        assert "A neural network is adapted to the campaign first: 40 % of that is done." in page, name
    assert (
        "0 of 20 series are modelled"
        not in client.get(reverse("campaign", args=[campaign.pk])).content.decode()
    )
