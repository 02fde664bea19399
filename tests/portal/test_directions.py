"""All pages are right for metrics of which larger values are better, and for those that cannot be summed."""

import pytest

from ingest.models import Metric
from modeling.models import Change, Comparison
from modeling.verdicts import Verdict
from perfweb.accounts.models import Role
from perfweb.portal.text.wording import verdict_words
from tests.factories import (
    make_application,
    make_campaign,
    make_change,
    make_comparison,
    make_member,
    make_project,
    make_run,
    make_series,
)
from tests.portal.stories import make_story, text

pytestmark = pytest.mark.django_db

HOME = "/a/storm/hydro/"


def describe(name: str, unit: str, *, lower: bool) -> None:
    """Change the name, unit and direction of the story's metric."""
    Metric.objects.update(name=name, unit=unit, lower_is_better=lower)


@pytest.fixture
def story(client):
    """In version 1.2, halo has another law and takes 115 times as much; sweep takes 0.8 times as much."""
    member, application, campaigns = make_story(Role.MAINTAINER)
    make_change(Comparison.objects.latest("pk"), "main->sweep", Change.Kind.FACTOR, 0.8)
    make_series(campaigns[-1])
    client.force_login(member)
    return application, campaigns


def verdicts(client) -> dict[str, str]:
    rows = client.get(f"{HOME}compare/").context["rows"]
    return {row.name: row.verdict.value for row in rows}


def test_a_throughput_that_rises_is_better(client, story):
    assert verdicts(client) == {"halo": "law_worse", "sweep": "faster"}
    describe("throughput", "ops/s", lower=False)
    assert verdicts(client) == {"halo": "law_better", "sweep": "slower"}


@pytest.mark.parametrize(
    ("metric", "verdict", "change"),
    [
        (("time", "s", True), "▽ faster", "20 % faster"),
        (("time_ms", "ms", True), "▽ faster", "20 % faster"),
        (("bytes", "B", True), "▽ less", "20 % less"),
        (("miss_rate", "", True), "▽ lower", "20 % lower"),
        (("throughput", "ops/s", False), "△ worse", "20 % lower"),
    ],
)
def test_every_page_words_a_change_as_suits_the_metric(client, story, metric, verdict, change):
    _, campaigns = story
    name, unit, lower = metric
    describe(name, unit, lower=lower)
    kernel = campaigns[-1].version.application.kernels.get(path="main->sweep")
    sign, word = verdict.split()
    words = f"{sign} {change}" if lower else f"{sign} {word}, {change}"
    pages = [HOME, "/", f"/campaigns/{campaigns[-1].pk}/kernels/{kernel.pk}/"]
    for page in pages:
        assert words in text(client.get(page)), page
    history = client.get(pages[-1], {"tab": "history"})
    assert words in text(history)
    assert [note["text"] for note in history.context["figure"].layout["annotations"]] == [word]
    compared = text(client.get(f"{HOME}compare/"))
    assert f"{sign} {word}" in compared
    assert change in compared
    grid = text(client.get(f"{HOME}history/"))
    assert f"{sign} {word} , {change}" in grid or f"{sign} {word}, {change}" in grid


def test_counts_of_changes_are_read_out_in_the_same_words(client, story):
    describe("bytes", "B", lower=True)
    assert '<span class="visually-hidden">1 less</span>' in client.get("/").content.decode()


def test_without_a_metric_the_words_suit_all_metrics():
    assert [verdict_words(each) for each in (Verdict.WORSE, Verdict.BETTER)] == ["worse", "better"]


def test_a_saved_direction_reverses_verdicts(client, story):
    application, _ = story
    metric = application.metrics.get()
    form = {"save": "rows", f"metric-{metric.pk}-unit": "", f"metric-{metric.pk}-lower_is_better": "False"}
    for parameter in application.parameters.all():
        form |= {f"parameter-{parameter.pk}-role": parameter.role}
    assert client.post(f"{HOME}settings/", form).status_code == 302
    assert verdicts(client) == {"halo": "law_better", "sweep": "slower"}
    assert "There is no total in time: rates, ratios" in text(client.get(HOME))


@pytest.mark.parametrize(
    ("name", "unit", "lower"), [("throughput", "ops/s", False), ("miss_rate", "", True), ("busy", "%", True)]
)
def test_rates_and_ratios_have_no_total_and_no_shares(client, story, name, unit, lower):
    _, campaigns = story
    # Fill the page's cache before the metric changes.
    assert client.get(HOME).context["summary"].total.predicted is not None
    describe(name, unit, lower=lower)
    answer = client.get(HOME)
    assert f"There is no total in {name}:" in text(answer)
    assert "figure" not in answer.context
    assert answer.context["summary"].total.predicted is None
    assert all(total is None for _, total, _ in answer.context["version_rows"])
    assert "share" not in text(answer)
    history = client.get(f"{HOME}history/")
    assert history.context["figure"] is None
    assert f"There is no total in {name}:" in text(history)
    compared = client.get(f"{HOME}compare/")
    assert compared.context["figure"] is None
    assert f"There are no totals in {name} to compare" in text(compared)
    campaign = client.get(f"/campaigns/{campaigns[-1].pk}/")
    assert "share" not in campaign.context["columns"]
    assert f"No shares: the values of kernels do not add up in {name}." in text(campaign)
    assert f"none in {name}" in text(client.get("/"))


@pytest.mark.parametrize(("lower", "first"), [(True, "halo"), (False, "setup")])
def test_without_shares_the_worst_kernel_comes_first(client, story, lower, first):
    _, campaigns = story
    describe("rate", "", lower=lower)
    lines = client.get(HOME, {"constants": "show"}).context["lines"]
    rows = client.get(f"/campaigns/{campaigns[-1].pk}/", {"constants": "show"}).context["shown"]
    assert (lines[0].kernel.name, rows[0].model.name) == (first, first)


def test_one_kernel_that_is_the_whole_program_is_its_total(client):
    application = make_application(make_project("storm"))
    client.force_login(make_member(application.project))
    campaigns = [make_campaign(application, label) for label in ("1.0", "1.1")]
    for campaign, level in zip(campaigns, (20.0, 15.0), strict=True):
        make_run(campaign, {"main": (level, [])})
    make_change(make_comparison(*campaigns), "main", Change.Kind.FACTOR, 0.75)
    describe("GFLOPS", "GFLOP/s", lower=False)
    page = text(client.get(HOME))
    assert "is predicted to reach 15 GFLOP/s" in page
    assert "25 % less than 1.0" in page
    assert "expensive" not in page
    assert "15 GFLOP/s" in text(client.get("/"))
    assert client.get(f"{HOME}history/").context["figure"] is not None
    assert "figure" not in client.get(HOME).context
    campaign = client.get(f"/campaigns/{campaigns[-1].pk}/", {"constants": "show"})
    assert [row.share for row in campaign.context["shown"]] == [None]


def test_core_hours_of_milliseconds(client, story):
    _, campaigns = story
    kernel = campaigns[-1].version.application.kernels.get(path="main->sweep")
    page = f"/campaigns/{campaigns[-1].pk}/kernels/{kernel.pk}/"
    hours = []
    for unit in ("s", "ms"):
        describe("time", unit, lower=True)
        card = client.get(page).context["scaling"]
        cell = card.rows[-1][card.columns.index("core hours")]
        hours.append(float(cell.split()[0].replace(",", "")))
    assert hours[0] == pytest.approx(1000 * hours[1], rel=0.01)
