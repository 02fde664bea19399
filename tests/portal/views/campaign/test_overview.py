"""The campaign page: its content, search, order, exports, and number of database queries."""

import csv
import io
import json

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from ingest.models import Application, Campaign, Machine
from modeling.models import Model, ModelRun, State
from modeling.selectors.run import kernel_table
from perfweb.accounts.models import Role
from perfweb.portal.tables.campaign_columns import COLUMNS
from perfweb.portal.text import formatting
from tests.factories import Law, make_application, make_campaign, make_member
from tests.measured import STORY, make_measured
from tests.portal.stories import text as text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def measured_once(rows_of_module: None) -> int:
    return make_measured(make_application(), "1.3.0")[0].pk


@pytest.fixture
def campaign(measured_once: int) -> Campaign:
    return Campaign.objects.get(pk=measured_once)


@pytest.fixture
def application(campaign: Campaign) -> Application:
    return campaign.version.application


def visible(answer: HttpResponse) -> str:
    """Return the visible text, with ordinary spaces only."""
    return " ".join(text_of(answer).split())


def names(client: Client, campaign: Campaign, **asked: str) -> list[str]:
    answer = client.get(reverse("campaign", args=[campaign.pk]), asked)
    assert answer.status_code == 200
    return [row.model.name for row in answer.context["shown"]]


def test_it_works(member: Client, campaign: Campaign) -> None:
    answer = member.get(reverse("campaign", args=[campaign.pk]))
    text = answer.content.decode()
    assert "halo_exchange" in text
    assert "measured on cluster-a, uploaded" in text
    assert "5 × 3 grid of p and n, none missing" in text
    assert "style=" not in text


def test_the_page_begins_with_the_predicted_total(member: Client, campaign: Campaign) -> None:
    address = reverse("campaign", args=[campaign.pk])
    answer = member.get(address, {"target": "p:1024,n:8000"})
    total = answer.context["table"].total
    assert total.lower < total.predicted < total.upper
    shown = formatting.quantity(total.predicted, "s")
    said = visible(answer).partition("At p = ")[2][:200]
    assert said.startswith("1,024, n = 8,000 version 1.3.0 ")
    assert f" {shown} (95 %" in said
    campaign.version.application.metrics.filter(name="time").update(unit="ops/s", lower_is_better=False)
    assert "At p = " not in visible(member.get(address))


def test_repetitions_are_those_of_every_point_only_if_all_have_as_many(
    member: Client, application: Application, campaign: Campaign
) -> None:
    full = member.get(reverse("campaign", args=[campaign.pk])).context["repetitions"]
    Campaign.objects.filter(pk=campaign.pk).update(value_count=campaign.value_count - 1)
    fewer = member.get(reverse("campaign", args=[campaign.pk])).context["repetitions"]
    assert (full, fewer) == ("5 at each point", "up to 5 at each point")


def test_an_unnamed_machine_is_not_mentioned(member: Client, campaign: Campaign) -> None:
    Machine.objects.update(name=Machine.UNNAMED)
    text = member.get(reverse("campaign", args=[campaign.pk])).content.decode()
    assert "measured on" not in text


def test_a_user_of_another_project_gets_404(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(make_application(slug="other").project))
    for name in ("campaign", "campaign-tree"):
        assert client.get(reverse(name, args=[campaign.pk])).status_code == 404
    assert client.get(reverse("campaign-export", args=[campaign.pk, "csv"])).status_code == 404


def test_kernels_are_sorted_by_share_and_small_constants_are_hidden(
    member: Client, campaign: Campaign
) -> None:
    shown = names(member, campaign)
    assert len(shown) == 7
    assert "main" in shown  # The kernel is constant, but it takes more than 1 % of the total.
    assert shown[0] == "halo_exchange"  # Its prediction is the largest: 8.8e-4 · 65536^(2/3) · 16 = 22.9 s.
    assert "setup" not in shown
    page = member.get(reverse("campaign", args=[campaign.pk])).content.decode()
    assert "2 constant kernels below 1 % of the total are hidden" in page
    assert len(names(member, campaign, constants="show")) == len(STORY)


def test_sorting_by_any_column_in_both_directions(member: Client, campaign: Campaign) -> None:
    ascending = names(member, campaign, sort="predicted")
    assert ascending == names(member, campaign, sort="-predicted")[::-1]
    assert names(member, campaign, sort="kernel", constants="show")[0] == "main"
    assert names(member, campaign, sort="nonsense") == names(member, campaign)


def make_nested(application: Application) -> Campaign:
    """Make a campaign whose values include the time of callees."""
    program = {"main": (5.0, []), "main->solve": (3.0, []), "main->solve->pack": (2.0, [])}
    campaign, run = make_measured(application, "nested", program)
    Model.objects.filter(run=run, kernel__path__contains="->").update(counts_to_total=False)
    return campaign


def test_inclusive_values_give_kernels_own_shares(member: Client, application: Application) -> None:
    url = reverse("campaign", args=[make_nested(application).pk])
    answer = member.get(url, {"constants": "show", "sort": "-own"})
    assert [(row.model.name, round(row.own_share, 3)) for row in answer.context["shown"]] == [
        ("main", 0.4), ("pack", 0.4), ("solve", 0.2),
    ]  # fmt: skip
    text = answer.content.decode()
    assert "include those of the kernels that it calls, so shares overlap" in text
    assert text.count('class="share-fill most overlaps"') == 3  # the shares; own shares are filled
    rows = member.get(
        reverse("campaign-export", args=[answer.context["campaign"].pk, "json"]), {"constants": "show"}
    ).json()
    assert {row["kernel"]: row["own [s]"] for row in rows} == {
        "main": 2.0, "main->solve": 1.0, "main->solve->pack": 2.0,
    }  # fmt: skip


def test_exclusive_values_give_no_own_shares(member: Client, campaign: Campaign) -> None:
    text = member.get(reverse("campaign", args=[campaign.pk]), {"columns": ["own", "share"]}).content.decode()
    assert "own share" not in text
    assert "overlaps" not in text


def test_the_page_says_that_kernels_overlap_without_callers(member: Client, application: Application) -> None:
    flat, run = make_measured(application, "2", {"main()": (5.0, []), "loop": (4.9, []), "solve": (4.8, [])})
    Model.objects.filter(run=run).exclude(kernel__path="main()").update(counts_to_total=False)
    text = member.get(reverse("campaign", args=[flat.pk]), {"constants": "show"}).content.decode()
    assert "Some kernels contain others, but the file does not say which ones" in text


def test_search_growth_and_caller_filter_the_table(member: Client, campaign: Campaign) -> None:
    assert names(member, campaign, q="HALO") == ["halo_exchange"]
    assert set(names(member, campaign, under="main->timestep")) == {
        "timestep", "halo_exchange", "sweep", "assemble",
    }  # fmt: skip
    assert set(names(member, campaign, growth="constant")) == {"main", "setup", "read_mesh"}
    assert names(member, campaign, q="no such kernel") == []


def test_shares_of_the_total_add_up(member: Client, campaign: Campaign) -> None:
    rows = member.get(reverse("campaign", args=[campaign.pk])).context["table"].rows
    assert sum(row.share for row in rows if row.model.counts_to_total) == pytest.approx(1)


def test_the_interval_of_a_share_lies_between_extreme_combinations(
    member: Client, campaign: Campaign
) -> None:
    answer = member.get(reverse("campaign", args=[campaign.pk]))
    rows = answer.context["table"].rows
    lower, upper = (sum(getattr(row, end) for row in rows) for end in ("lower", "upper"))
    for row in rows:
        assert row.share_lower > row.lower / (row.lower + upper - row.upper)
        assert row.share_upper < row.upper / (row.upper + lower - row.lower)
        assert row.share_lower <= row.share <= row.share_upper
    assert "share-interval" in answer.content.decode()


def test_kernels_that_do_not_match_are_counted(member: Client, campaign: Campaign) -> None:
    text = member.get(reverse("campaign", args=[campaign.pk]), {"q": "timestep->"}).content.decode()
    assert "3 kernels, 6 others do not match" in text


def test_kernels_without_this_metric_are_counted(member: Client, campaign: Campaign) -> None:
    url = reverse("campaign", args=[campaign.pk])
    assert "of the campaign" not in member.get(url).content.decode()
    Campaign.objects.filter(pk=campaign.pk).update(kernel_count=len(STORY) + 2)
    assert "; 2 kernels of the campaign have no time" in member.get(url).content.decode()


def test_another_target_is_predicted_from_the_laws(member: Client, campaign: Campaign) -> None:
    answer = member.get(reverse("campaign", args=[campaign.pk]), {"target": "p:4,n:1000"})
    sweep = next(row for row in answer.context["table"].rows if row.model.name == "sweep")
    assert sweep.predicted == pytest.approx(0.05 + 2.4e-4 * 1000)
    assert sweep.lower < sweep.predicted < sweep.upper


def test_columns_can_be_chosen(member: Client, campaign: Campaign) -> None:
    text = member.get(reverse("campaign", args=[campaign.pk]), {"columns": ["law", "share"]}).content.decode()
    head = text[text.index("<thead") : text.index("</thead>")]
    assert head.count("<th ") == 3


def test_the_column_for_stability_can_be_shown(member: Client, campaign: Campaign) -> None:
    url = reverse("campaign", args=[campaign.pk])
    Model.objects.filter(kernel__path__endswith="sweep").update(stability=0.8)
    Model.objects.filter(kernel__path__endswith="assemble").update(stability=0.96)
    ModelRun.objects.update(judged=2)
    assert "sort=stability" not in member.get(url).content.decode()
    answer = member.get(url, {"columns": ["stability"], "sort": "stability"})
    assert [row.model.name for row in answer.context["shown"]][:2] == ["sweep", "assemble"]
    text = answer.content.decode()
    assert "80 %" in text
    assert "2 of 9 laws have been judged so far" in text
    export = member.get(
        reverse("campaign-export", args=[campaign.pk, "json"]), {"columns": ["stability"], "q": "sweep"}
    )
    assert json.loads(export.content)[0]["stability"] == 0.8


def test_of_many_branches_the_largest_are_shown(
    member: Client, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = reverse("campaign-tree", args=[campaign.pk])
    every = member.get(address, {"node": "main->timestep"}).context["branches"]
    assert len(every) > 2
    monkeypatch.setattr(kernel_table, "MOST_BRANCHES", 2)
    answer = member.get(address, {"node": "main->timestep"})
    assert [branch.path for branch in answer.context["branches"]] == [branch.path for branch in every[:2]]
    assert f"and {len(every) - 2} more with smaller shares" in answer.content.decode()
    opened = member.get(reverse("campaign", args=[campaign.pk]), {"under": every[-1].path})
    assert f'title="{every[-1].path}" aria-current="true"' in opened.content.decode().replace("&gt;", ">")


def test_the_tree_opens_to_the_selected_caller(member: Client, campaign: Campaign) -> None:
    answer = member.get(reverse("campaign", args=[campaign.pk]), {"under": "main->setup"})
    assert "Call tree" in answer.content.decode()
    (root,) = answer.context["branches"]
    assert root.share == pytest.approx(1)
    assert [child.name for branch in root.children for child in branch.children] == ["read_mesh"]
    below = member.get(
        reverse("campaign-tree", args=[campaign.pk]), {"node": "main->timestep"}
    ).content.decode()
    # The kernel with the larger share comes first.
    assert below.index("halo_exchange") < below.index("assemble")


def test_kernels_without_callers_have_no_tree(member: Client, application: Application) -> None:
    flat, _ = make_measured(application, "2", {"axpy": (1.0, []), "dot": (0.5, [(1.0, (1.0, 0, 0, 0))])})
    assert sorted(names(member, flat, constants="show")) == ["axpy", "dot"]
    assert "Call tree" not in member.get(reverse("campaign", args=[flat.pk])).content.decode()


def test_csv_has_the_rows_of_the_page_and_no_formulas(member: Client, application: Application) -> None:
    campaign, _ = make_measured(application, "2", {"=cmd()": (1.0, []), "ok": (0.5, [(1.0, (1.0, 0, 0, 0))])})
    url = reverse("campaign-export", args=[campaign.pk, "csv"])
    answer = member.get(url, {"constants": "show", "sort": "kernel", "columns": ["predicted"]})
    assert answer["Content-Disposition"] == 'attachment; filename="hydro-2-kernels.csv"'
    head, first, second = csv.reader(io.StringIO(answer.content.decode()))
    assert head == ["kernel", "predicted [s]", "formula's value [s]", "target", "interval"]
    there = ["p = 65,536, n = 8,000", "95 %"]
    assert first == ["'=cmd()", "1.0", "1.0", *there]
    assert second == ["ok", "65536.5", "65536.5", *there]


def test_a_file_names_the_target_of_the_address(member: Client, campaign: Campaign) -> None:
    for asked, target in (({}, "p = 65,536"), ({"target": "p:512,n:1000"}, "p = 512, n = 1,000")):
        rows = member.get(reverse("campaign-export", args=[campaign.pk, "json"]), asked).json()
        assert all(row["target"].startswith(target) for row in rows)


def test_the_latex_table_of_the_page_names_its_target_and_intervals(
    member: Client, campaign: Campaign
) -> None:
    url = reverse("campaign-export", args=[campaign.pk, "tex"])
    answer = member.get(url, {"q": "sweep", "target": "p:512,n:1000"})
    assert answer["Content-Disposition"].endswith('-kernels.tex"')
    lines = answer.content.decode().splitlines()
    assert "time in s, measured at p = 1,024, n = 4,000 and predicted at p = 512, n = 1,000" in lines[2]
    assert r" with 95 \% intervals.} \\" in lines[2]
    assert lines[4].count(" & ") == 5
    assert r"\,ms &" in lines[4]
    assert len(lines) == 6


def test_without_models_there_is_no_latex_table(member: Client, campaign: Campaign) -> None:
    ModelRun.objects.all().delete()
    assert member.get(reverse("campaign-export", args=[campaign.pk, "tex"])).status_code == 404


def test_a_file_names_the_largest_measured_point(member: Client, campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(points=[*campaign.points[:-3], [1024.0, 10.0]])
    answer = member.get(reverse("campaign-export", args=[campaign.pk, "csv"]), {"columns": ["measured"]})
    assert answer.content.decode().splitlines()[0] == '"kernel","measured [s] at p = 256, n = 4,000"'


def test_every_column_is_on_the_page_and_in_a_file(member: Client, campaign: Campaign) -> None:
    everything = {"columns": [column.key for column in COLUMNS], "q": "sweep"}
    text = member.get(reverse("campaign", args=[campaign.pk]), everything).content.decode()
    head, body = text.split('<table class="as-cards" data-rows>')[1].split("</table>")[0].split("<tbody>")
    assert head.count("<th ") == body.count("<td ") + body.count("<th ") == len(COLUMNS) - 1
    (row,) = json.loads(
        member.get(reverse("campaign-export", args=[campaign.pk, "json"]), everything).content
    )
    # The file has 7 values more than the page has columns: the growth of the law, the value of the formula,
    # the upper end of the interval, both ends of the share's interval, and the target and the probability of
    # intervals. There is no own share, because values do not include callees.
    assert len(row) == len(COLUMNS) - 1 + 7


def test_json_has_numbers_instead_of_texts(member: Client, campaign: Campaign) -> None:
    answer = member.get(reverse("campaign-export", args=[campaign.pk, "json"]), {"q": "sweep"})
    (row,) = json.loads(answer.content)
    assert row["kernel"] == "main->timestep->sweep"
    assert row["predicted [s]"] == pytest.approx(0.05 + 2.4e-4 * 8000)


def test_missing_points_are_shown_in_the_picture(member: Client, application: Application) -> None:
    campaign, _ = make_measured(application, "2")
    Campaign.objects.filter(pk=campaign.pk).update(points=campaign.points[:-2])
    text = member.get(reverse("campaign", args=[campaign.pk])).content.decode()
    assert "2 of 15 not measured" in text
    assert text.count('class="point-none"') == 2


def test_without_models_the_page_shows_the_progress(member: Client, application: Application) -> None:
    campaign = make_campaign(application, "2")
    url = reverse("campaign", args=[campaign.pk])
    assert "Waiting for a worker" in member.get(url).content.decode()
    run = ModelRun.objects.create(
        campaign=campaign, modeler="regression", state=State.RUNNING, series_done=3, series_total=12
    )
    assert "3 of 12 series" in member.get(url).content.decode()
    ModelRun.objects.filter(pk=run.pk).update(state=State.FAILED, error="Set aside.")
    text = member.get(url).content.decode()
    assert "Modeling failed" in text
    assert "Set aside." in text


def test_the_number_of_queries_is_small_and_constant(
    member: Client, application: Application, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    law: Law = (1.0, [(0.1, (1.0, 0.0, 0.0, 0.0))])
    many = {f"main->step{n // 20}->kernel{n}": law for n in range(150)}
    for label in ("1", "2", "3"):
        campaign, _ = make_measured(application, label, many, repetitions=2)
    url = reverse("campaign", args=[campaign.pk])
    with django_assert_max_num_queries(12):
        assert len(member.get(url).context["shown"]) == 40
    with django_assert_max_num_queries(12):
        assert len(member.get(url, {"skip": "120"}).context["shown"]) == 30
    with django_assert_max_num_queries(12):
        member.get(url, {"target": "p:4096,n:4000"})
    with django_assert_max_num_queries(12):
        member.get(reverse("campaign-export", args=[campaign.pk, "csv"]))


def test_a_second_campaign_of_a_version_names_the_representative_one(
    member: Client, application: Application, campaign: Campaign
) -> None:
    second, _ = make_measured(application, "1.3.0")
    Campaign.objects.filter(pk=second.pk).update(points=second.points[:4])
    make_measured(application, "1.4.0")
    answer = member.get(reverse("campaign", args=[second.pk]))
    assert answer.context["focus"].version.label == "1.3.0"
    assert "1.3.0 was measured more than once on cluster-a" in answer.content.decode()
    standing = member.get(reverse("campaign", args=[campaign.pk])).content.decode()
    assert "more than once" not in standing


def test_names_are_escaped(member: Client, application: Application) -> None:
    law: Law = (1.0, [(0.1, (1.0, 0.0, 0.0, 0.0))])
    application = make_application(application.project, "other")
    for version in ("1", "2"):  # a history needs two
        campaign, _ = make_measured(application, version, {"<b>main</b>-><i>'\"&": law}, repetitions=2)
    application_url = reverse("application", args=[application.project.slug, application.slug])
    history_url = reverse("history", args=[application.project.slug, application.slug])
    for url in (reverse("campaign", args=[campaign.pk]), application_url, f"{history_url}?kernels=all"):
        page = member.get(url).content.decode()
        assert "&lt;i&gt;&#x27;&quot;&amp;" in page, url
        assert "<i>" not in page, url
        assert "<b>" not in page, url


def test_models_of_an_older_engine_can_be_made_again(
    client: Client, application: Application, campaign: Campaign
) -> None:
    url, again = (reverse(name, args=[campaign.pk]) for name in ("campaign", "campaign-model"))
    client.force_login(make_member(application.project, Role.MAINTAINER))
    assert "Model again" not in client.get(url).content.decode()
    ModelRun.objects.update(engine_version="0.9")
    assert "These models were made by engine 0.9" in client.get(url).content.decode()
    text = client.post(again, follow=True).content.decode()
    assert "The campaign is being modelled again" in text
    assert campaign.runs.get().state == State.QUEUED
    assert "or are being made" in client.post(again, follow=True).content.decode()
    assert client.get(again).status_code == 405


def test_only_maintainers_are_offered_to_model_again(member: Client, campaign: Campaign) -> None:
    ModelRun.objects.update(engine_version="0.9")
    text = member.get(reverse("campaign", args=[campaign.pk])).content.decode()
    assert "These models were made by engine 0.9" in text
    assert "Model again" not in text
