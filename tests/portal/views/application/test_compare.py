import pytest
from django.test import Client
from django.utils import timezone

from ingest.models import Campaign, Kernel
from modeling.models import Change, Comparison, Model, Shift, State
from modeling.selectors.versions.pairs import Group
from perfweb.portal.charts.waterfall import QUIET, WORSE
from perfweb.portal.text import formatting
from tests.factories import (
    make_application,
    make_campaign,
    make_change,
    make_comparison,
    make_member,
    make_project,
    make_run,
)
from tests.portal.stories import BAD_HALO, laws, make_story, text

pytestmark = pytest.mark.django_db

URL = "/a/storm/hydro/compare/"


def test_it_works(client, story):
    answer = client.get(URL, {"before": "1.1", "after": "1.2"})
    page = text(answer)
    assert "because of halo" in page
    assert "● unchanged 2" in page
    [changed] = answer.context["rows"]
    assert changed.difference == pytest.approx(
        changed.amount_after.predicted - changed.amount_before.predicted
    )


def test_by_default_the_last_two_versions_are_compared(client, story):
    context = client.get(URL).context
    assert (context["before"].label, context["after"].label) == ("1.1", "1.2")
    assert "law in 1.1 → law in 1.2" in text(client.get(URL))


def test_the_page_says_from_which_value_on_the_later_version_is_worse(client, story):
    assert "It is slower only beyond p ≈ 10." in text(client.get(URL))
    assert "p</bdi>\N{NO-BREAK SPACE}≈\N{NO-BREAK SPACE}10" in client.get(URL).content.decode()
    make_change(make_comparison(*story[1][:0:-1]), "main->halo", Change.Kind.LAW, 1 / 115)
    assert "It is faster only beyond p ≈ 10." in text(client.get(URL, {"before": "1.2", "after": "1.1"}))


def test_ratios_are_those_at_the_versions_own_target(client, story):
    """For other targets they are not computed: "64× slower" stood beside predictions that hardly differ."""
    answer = client.get(URL)
    assert answer.context["changes_at"] == ""
    elsewhere = client.get(URL, {"target": "p:16,n:4000"})
    assert elsewhere.context["wanted"] == {"p": 16, "n": 4000}
    assert elsewhere.context["changes_at"] == formatting.configuration(answer.context["wanted"])
    assert elsewhere.content.decode().count(f"at {elsewhere.context['changes_at']}</span>") == 2


def test_an_unchanged_kernel_is_not_called_slower(client, story):
    comparison = story[0].comparisons.get(after=story[1][2])
    Change.objects.filter(comparison=comparison).delete()
    page = text(client.get(URL, {"show": "same"}))
    assert "within noise and drift" in page
    assert "× slower" not in page.partition("Kernels at")[2]
    [metric] = story[0].metrics.all()
    Shift.objects.create(comparison=comparison, metric=metric, ratio=1.2, lower=1.1, upper=1.3)
    page = text(client.get(URL, {"show": "same"}))
    assert "no change of its own" in page
    assert "measured " in page.partition("Kernels at")[2]


def test_a_difference_of_unknown_cause_is_shown_as_measured(client, story):
    comparison = story[0].comparisons.get(after=story[1][2])
    Change.objects.filter(comparison=comparison).delete()
    halo = Kernel.objects.get(path="main->halo")
    [metric] = story[0].metrics.all()
    Change.objects.create(
        comparison=comparison, kernel=halo, metric=metric, kind=Change.Kind.UNKNOWN, probability=0.3,
        ratio=1.5, ratio_lower=1.46, ratio_upper=1.54,
    )  # fmt: skip
    page = text(client.get(URL))
    assert "measured 50 % slower" in page.partition("Kernels at")[2]
    assert "No kernel changed" not in page
    assert "It cannot be told whether 1 kernel changed" in page
    assert "? not identifiable 1" in page
    page = text(client.get(URL, {"why": halo.pk}))
    assert "common points is 1.5× . This difference is larger than noise and drift" in page
    assert "the machine or another cause outside the kernel" in page


def test_the_picture_leads_from_one_total_to_the_other(client, story):
    answer = client.get(URL)
    [bars] = answer.context["figure"].data
    assert sum(bars["x"][:-1]) == pytest.approx(bars["x"][-1])
    assert bars["x"][-1] == pytest.approx(answer.context["totals"][1].predicted)


def test_growth_that_all_kernels_share_is_not_attributed_to_the_machine(client, story):
    [metric], comparison = story[0].metrics.all(), story[0].comparisons.get(after=story[1][2])
    shift = Shift.objects.create(comparison=comparison, metric=metric, ratio=1.2, lower=1.1, upper=1.3)
    assert "Most kernels share a factor of 1.2× (95 %: 1.1" in text(client.get(URL))
    power = {"parameter": "p", "exponent": 0.25, "lower": 0.24, "upper": 0.26}
    Shift.objects.filter(pk=shift.pk).update(lower=0.9, growth=[power])
    page = text(client.get(URL))
    assert "all kernels together grows like p 1/4 (exponent, 95 %: 0.24 to 0.26)" in page
    assert "Most kernels share a factor" not in page


PAIR = URL + "?before=1.0&after=1.2"


def test_opening_the_page_does_not_request_a_comparison(client, story):
    page = client.get(PAIR)
    assert Comparison.objects.count() == 2  # The two comparisons of successive versions.
    assert "have not been compared yet" in text(page)
    assert "is predicted to take" in text(page)
    assert "No kernel changed" not in text(page)
    assert 'hx-trigger="every 2s"' not in page.content.decode()


def test_a_viewer_can_request_a_comparison(client, story, monkeypatch):
    sent = []
    monkeypatch.setattr(
        "modeling.services.changes.comparisons.enqueue", lambda task, row: sent.append(row.pk)
    )
    _, campaigns = story
    for _ in range(2):
        answer = client.post(PAIR)
        assert (answer.status_code, answer["Location"]) == (302, PAIR)
    asked = Comparison.objects.get(before=campaigns[0], after=campaigns[2])
    assert (asked.state, sent) == (State.QUEUED, [asked.pk])
    page = client.get(PAIR)
    assert "Being compared" in text(page)
    assert 'hx-trigger="every 2s"' in page.content.decode()
    assert "Compare these two" not in text(page)


def test_a_request_needs_the_csrf_token(story):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_member(story[0].project))
    assert strict.post(PAIR).status_code == 403
    assert 'name="csrfmiddlewaretoken"' in strict.get(PAIR).content.decode()


def test_without_two_versions_nothing_can_be_requested(client, story):
    assert client.post(URL + "?before=1.1&after=1.1").status_code == 302
    assert Comparison.objects.count() == 2


def test_environments_differ(client, story):
    Campaign.objects.filter(pk=story[1][-1].pk).update(metadata={"compiler": "gcc 14"})
    page = text(client.get(URL))
    assert "compiler – gcc 14" in page


def test_versions_with_other_parameters_cannot_be_compared(client, story):
    Campaign.objects.filter(pk=story[1][-1].pk).update(
        parameters=["p"], points=[[float(p)] for p in range(15)]
    )
    assert "vary different parameters" in text(client.get(URL))
    page = text(client.get(PAIR))
    assert "vary different parameters" in page
    assert "Compare these two" not in page


def test_a_failed_comparison_says_why(client, story):
    Comparison.objects.filter(after=story[1][-1]).update(state=State.FAILED, error="Set aside.")
    assert "Set aside." in text(client.get(URL))


@pytest.mark.parametrize("asked", [{"before": "x"}, {"after": "x"}])
def test_invalid_choices_are_replaced_by_defaults(client, story, asked):
    context = client.get(URL, asked).context
    assert (context["before"].label, context["after"].label) == ("1.1", "1.2")
    assert [row.path for row in context["rows"]] == ["main->halo"]


def test_a_version_is_not_compared_with_itself(client, story):
    answer = client.get(URL, {"before": "1.1", "after": "1.1"})
    assert "Choose two versions, or one version on two machines." in text(answer)
    assert "rows" not in answer.context


def test_a_user_of_another_project_gets_404(client, story):
    client.force_login(make_member(make_project()))
    assert client.get(URL).status_code == 404


def test_queries_do_not_grow_with_kernels(client, django_assert_max_num_queries):
    member, _, _ = make_story(more=60, project="calm")
    client.force_login(member)
    url = "/a/calm/hydro/compare/"
    client.get(url)
    with django_assert_max_num_queries(12):
        client.get(url, {"target": "p:2048,n:1000"})


def test_kernels_of_only_one_version_are_named(client, story):
    application, campaigns = story
    run = campaigns[-1].runs.get()
    only = Kernel.objects.create(application=application, path="main->output")
    Model.objects.filter(run=run, kernel__path="main->sweep").update(kernel=only)
    answer = client.get(URL)
    page = text(answer)
    assert [(part.label, part.count) for part in answer.context["lone"]] == [("1.1", 1), ("1.2", 1)]
    groups = {row.name: row.group for row in answer.context["rows"]}
    assert groups == {"halo": Group.WORSE, "sweep": Group.GONE, "output": Group.NEW}
    assert "1.1's total comes from kernels that the other version does not have" in page.replace(
        "&#x27;", "'"
    )
    assert answer.context["counts"][Group.SAME] == 1


def test_no_cause_is_named_if_new_kernels_contribute_more(client, story):
    application, campaigns = story
    only = Kernel.objects.create(application=application, path="main->output")
    sweep = Model.objects.filter(run=campaigns[-1].runs.get(), kernel__path="main->sweep")
    sweep.update(kernel=only, predicted=1e9)
    page = text(client.get(URL))
    assert "because of" not in page
    assert "of 1.2's total comes from kernels" in page.replace("&#x27;", "'")


def test_versions_of_another_machine_are_compared(client, story):
    application, _ = story
    for label in ("1.0", "1.1"):
        make_run(make_campaign(application, label, machine="other"), laws())
    context = client.get(URL, {"machine": "other"}).context
    assert (context["before"].label, context["after"].label) == ("1.0", "1.1")
    assert '<select name="machine"' in client.get(URL).content.decode()


def test_one_version_is_compared_on_two_machines(client, story):
    application, campaigns = story
    other = make_campaign(application, "1.2", machine="other")
    make_run(other, laws(BAD_HALO))
    asked = {"machine": "other", "before_machine": "cluster-a"}
    answer = client.get(URL, asked)
    page = text(answer)
    assert "1.2 on cluster-a → 1.2 on other" in page
    assert "have not been compared yet" in page
    assert "version 1.2 on other is predicted to take" in page
    assert "law in 1.2 on cluster-a → law in 1.2 on other" in page
    client.post(f"{URL}?machine=other&before_machine=cluster-a")
    found = Comparison.objects.get(before=campaigns[-1], after=other)
    Comparison.objects.filter(pk=found.pk).update(state=State.DONE)
    assert "No kernel changed beyond noise" in text(client.get(URL, asked))


def test_unchanged_kernels_are_listed_with_one_law_each(client, story):
    answer = client.get(URL, {"show": "same"})
    assert [row.name for row in answer.context["rows"]] == ["sweep", "setup"]
    assert "→ 1.9" not in text(answer)
    found = client.get(URL, {"show": "same", "q": "SET"}).context["rows"]
    assert [row.name for row in found] == ["setup"]
    assert len(client.get(URL, {"show": "all"}).context["rows"]) == 3


def test_without_a_change_there_is_no_waterfall(client, story):
    answer = client.get(URL, {"before": "1.0", "after": "1.1"})
    assert answer.context["figure"] is None
    assert answer.context["crossover"] is None
    assert "No kernel changed beyond noise" in text(answer)


def test_only_changed_kernels_are_coloured(client, story):
    [bars] = client.get(URL).context["figure"].data
    colours = dict(zip(bars["y"], bars["marker"]["color"], strict=True))
    assert colours == {"1.1": QUIET, "halo": WORSE, "2 unchanged": QUIET, "1.2": QUIET}


def test_the_explanation_of_a_verdict_is_below_the_table(client, story):
    application, _ = story
    Change.objects.update(law_probability=0.99)
    halo = application.kernels.get(path="main->halo")
    answer = client.get(URL, {"why": halo.pk})
    assert f"goal=change&amp;kernel={halo.pk}&amp;version=1.2" in answer.content.decode()
    page = text(answer)
    assert "Why “halo” is said to be ▲ law worse" in page
    assert "another law 99 %" in page.replace("99.0", "99")
    assert "the same law, another factor 0.8 %" in page
    assert "15 points that both versions measured" in page
    assert "It helps most to measure both versions at p = 2,048, n = 8,000" in page
    unchanged = application.kernels.get(path="main->setup")
    assert "agree within the noise" in text(client.get(URL, {"why": unchanged.pk}))


def test_the_explanation_names_the_versions_that_showed_the_usual_drift(
    client, story, django_assert_max_num_queries
):
    asked = {"why": story[0].kernels.get(path="main->halo").pk}
    Comparison.objects.update(finished_at=timezone.now())
    with django_assert_max_num_queries(18):
        page = text(client.get(URL, asked))
    assert "is also learned from the campaigns of 1.0, 1.1, 1.2." in page
    Campaign.objects.filter(version__label="1.0").update(created_at=timezone.now())
    assert "learned from these two" in text(client.get(URL, asked)), "it was uploaded after the comparison"


def test_an_overhead_has_its_own_word_and_sign(client, story):
    halo = story[0].kernels.get(path="main->halo")
    Change.objects.update(kind="overhead", law_probability=0.04, overhead_probability=0.95)
    page = text(client.get(URL, {"why": halo.pk}))
    assert "Why “halo” is said to be ⊕ overhead worse" in page
    assert "the same growth, another overhead 95" in page
    assert "▲△⊕ worse" in page
    assert "It helps most to repeat both versions at p = 4, n = " in page
    assert "no longer differ by a constant amount" in page
    Change.objects.update(ratio=None)
    assert "⊙ other overhead" in text(client.get(URL, {"why": halo.pk}))


@pytest.mark.parametrize("asked", ["x", "0", "9" * 30])
def test_an_unknown_kernel_is_not_explained(client, story, asked):
    answer = client.get(URL, {"why": asked})
    assert answer.status_code == 200
    assert "Why “" not in text(answer)


def test_the_page_says_that_versions_have_no_common_point(client, story):
    points = [[p + 1, n] for p, n in story[1][-1].points]
    Campaign.objects.filter(pk=story[1][-1].pk).update(points=points)
    assert "have no measured point in common" in text(client.get(URL))


def test_the_page_says_that_versions_have_no_common_kernel(client, story):
    application, campaigns = story
    for model in Model.objects.filter(run__campaign=campaigns[-1]).select_related("kernel"):
        other = Kernel.objects.create(application=application, path=f"other->{model.kernel.name}")
        Model.objects.filter(pk=model.pk).update(kernel=other)
    assert "have no kernel in common" in text(client.get(URL))


def test_totals_of_different_kernels_are_compared_by_common_kernels(client, story):
    run = story[1][-1].runs.get()
    Model.objects.filter(run=run, kernel__path="main->setup").update(counts_to_total=False)
    answer = client.get(URL)
    assert answer.context["common"] == 2
    assert "sums of different kernels" in text(answer)
    assert "cannot be compared with it" in text(answer)
    [bars] = answer.context["figure"].data
    assert sum(bars["x"][:-1]) == pytest.approx(bars["x"][-1])
    assert "setup" not in bars["y"]


def test_totals_without_a_common_kernel_are_not_compared(client, story):
    rows = Model.objects.filter(run=story[1][-1].runs.get())
    before = Model.objects.filter(run=story[1][-2].runs.get())
    rows.update(counts_to_total=False)
    rows.filter(kernel__path="main->setup").update(counts_to_total=True)
    before.filter(kernel__path="main->setup").update(counts_to_total=False)
    answer = client.get(URL)
    assert answer.context["figure"] is None
    page = text(answer)
    assert "sums of different kernels" in page
    assert "The picture compares" not in page
    assert "cannot be compared with it" in page


def test_a_metric_that_one_version_lacks_is_named(client, story):
    Model.objects.filter(run__campaign=story[1][-1]).delete()
    assert "time was not measured in 1.2" in text(client.get(URL))


def test_the_page_names_a_version_that_was_deleted(client, story):
    assert "Version “0.9” was not measured on cluster-a, or it was deleted" in text(
        client.get(URL, {"before": "0.9"})
    )


def test_links_lead_to_neighbouring_pairs_and_the_history(client, story):
    page = client.get(URL, {"before": "1.0", "after": "1.1"}).content.decode()
    assert 'href="?before=1.1&amp;after=1.0"' in page
    assert 'href="?before=1.1&amp;after=1.2"' in page
    assert "/a/storm/hydro/history/?until=1.1" in page


def test_without_changes_the_unchanged_kernels_are_listed(client, story):
    answer = client.get(URL, {"before": "1.0", "after": "1.1"})
    assert [row.group for row in answer.context["rows"]] == [Group.SAME] * 3
    chosen = [choice.key for choice in answer.context["choices"] if choice.chosen]
    assert chosen == ["same"]
    none = client.get(URL, {"before": "1.0", "after": "1.1", "show": "differing"})
    assert none.context["rows"] == []
    assert [choice.key for choice in none.context["choices"] if choice.chosen] == ["differing"]


def test_a_small_change_is_not_the_cause_of_a_difference_of_unchanged_kernels(client, story):
    sweep = Model.objects.filter(run=story[1][-1].runs.get(), kernel__path="main->sweep")
    sweep.update(predicted=sweep.get().predicted + 1e4)
    page = text(client.get(URL))
    assert "because of halo" not in page
    assert "mostly because of noise in kernels that did not change" in page


def test_predictions_that_differ_against_the_verdict_are_explained(client, story):
    """A kernel was "29 % slower" beside a difference of −3.55 s and a green bar."""
    sweep = Model.objects.filter(run=story[1][-1].runs.get(), kernel__path="main->sweep")
    sweep.update(predicted=sweep.get().predicted / 2)
    assert "in the other direction" not in text(client.get(URL))
    make_change(story[0].comparisons.get(after=story[1][-1]), "main->sweep", Change.Kind.FACTOR, 1.3)
    answer = client.get(URL)
    assert "† Whether and by how much a kernel changed is found from the measured points" in text(answer)
    assert [row.name for row in answer.context["rows"] if row.contradicted] == ["sweep"]
    [bars] = answer.context["figure"].data
    at = [name.partition("<")[0] for name in bars["y"]].index("sweep")
    assert bars["marker"]["color"][at] == bars["marker"]["color"][0]  # as grey as the total


def shared_by_all(story, ratio):
    """Let all kernels of the last version but the changed one differ by a shared factor."""
    comparison, [metric] = story[0].comparisons.get(after=story[1][-1]), story[0].metrics.all()
    for model in Model.objects.filter(run=story[1][-1].runs.get()).exclude(kernel__path="main->halo"):
        model.predicted *= ratio
        model.save(update_fields=["predicted"])
    Shift.objects.create(
        comparison=comparison, metric=metric, ratio=ratio, lower=ratio * 0.98, upper=ratio * 1.02
    )


def test_a_factor_that_most_kernels_share_is_not_called_noise(client, story):
    shared_by_all(story, 1e3)
    page = text(client.get(URL))
    assert "mostly because of the factor that most kernels share" in page
    assert "mostly because of noise" not in page


def test_a_shared_factor_that_is_too_small_is_not_named_as_the_cause(client, story):
    shared_by_all(story, 1e3)
    Shift.objects.update(ratio=1.02, lower=1.01, upper=1.03)
    assert "mostly because of noise in kernels that did not change" in text(client.get(URL))


def test_without_changes_the_shared_factor_is_the_cause(client, story):
    shared_by_all(story, 1e3)
    Change.objects.filter(comparison__after=story[1][-1]).delete()
    page = text(client.get(URL))
    assert "the difference of the totals comes mostly from the factor that most kernels share" in page


def test_equal_totals_have_no_cause(client, story):
    """If totals are equal, the page names no cause, although a kernel with a small share changed."""
    _, campaigns = story
    make_change(Comparison.objects.get(after=campaigns[1]), "main->setup", Change.Kind.FACTOR, 1.1)
    page = text(client.get(URL, {"before": "1.0", "after": "1.1"}))
    assert "as long as 1.0" in page
    assert "because of" not in page


def test_one_version_leads_to_the_upload_of_the_next(client):
    member = make_member(make_project("calm"))
    make_run(make_campaign(make_application(member.memberships.get().project), "1.0"), laws(BAD_HALO))
    client.force_login(member)
    page = text(client.get("/a/calm/hydro/compare/"))
    assert "One version was measured on this machine. When you upload the next one, it is compared" in page
    assert "Upload a version" in page
