"""The page of a change: its reason, and people's decisions about the change."""

import html
import re
from copy import deepcopy
from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from ingest.models import Series
from modeling.engine.changes.verdict_threshold import MOST_DOUBT
from modeling.models import Alert, Shift
from modeling.services.alerts.triage import alerts_triage, alerts_undo
from perfweb.accounts.models import Role
from tests.factories import make_alert, make_member, make_series
from tests.portal.stories import make_story, text

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made_once(rows_of_module):
    member, application, campaigns = make_story(Role.CONTRIBUTOR)
    for campaign in campaigns[1:]:
        make_series(campaign)
    comparison = application.comparisons.get(after=campaigns[2])
    Shift.objects.create(
        comparison=comparison, metric=application.metrics.get(), ratio=2.0, lower=1.9, upper=2.1
    )
    alert = make_alert(
        campaigns[2], "main->halo", comparison, verdict="law_worse", ratio=115.0, law_probability=0.9
    )
    return member, alert


@pytest.fixture
def story(client, made_once):
    member, alert = deepcopy(made_once)
    client.force_login(member)
    return member, alert


def url(alert):
    return f"/a/storm/hydro/changes/{alert.pk}/"


def test_it_works(client, story, django_assert_max_num_queries):
    _, alert = story
    with django_assert_max_num_queries(12):
        answer = client.get(url(alert))
    page = text(answer)
    assert "another law 90" in page
    assert "Most kernels share a factor of 2" in page
    assert "A partial repair does not count" in page
    assert "Measure 1.2 and 1.1 at a point beyond" in page
    assert [point.ratio for point in answer.context["why"].points] == [0.5] * 15


def test_the_page_names_the_engines_limit_on_reported_changes(client, story):
    """A kernel that is the same with more than this probability is never reported as changed."""
    _, alert = story
    assert f"unchanged with a probability above {MOST_DOUBT:.0%}" in text(client.get(url(alert))).replace(
        " %", "%"
    )


def test_links_lead_to_plans_that_settle_the_change_or_confirm_the_fix(client, story):
    """A link leads to the planner's page, where the goal, the version and the kernel are filled in."""
    _, alert = story
    for fixed_in, words in ((None, "Plan the runs that settle it"), (alert.version, "that confirm the fix")):
        Alert.objects.update(fixed_in=fixed_in)
        page = client.get(url(alert)).content.decode()
        link = re.search(r'href="(/a/storm/hydro/planner/[^"]*)">([^<]*)<', page)
        assert link is not None
        assert words in link[2]
        answer = client.get(html.unescape(link[1]))
        assert answer.context["question"].goal == "change"
        assert answer.context["question"].kernel == alert.kernel_id
        assert answer.context["focus"].version.label == "1.2"


def test_a_change_that_one_hypothesis_explains_needs_no_further_measurement(client, story):
    """No plan is offered, except the one that confirms a fix."""
    _, alert = story
    Alert.objects.update(probability=0.999, law_probability=0.995, overhead_probability=0.0)
    page = client.get(url(alert))
    assert "None is needed: “another law” explains the values" in text(page)
    assert "Measure 1.2 and 1.1 at a point beyond" not in text(page)
    assert "Plan the runs" not in text(page)
    Alert.objects.update(fixed_in=alert.version)
    assert "Plan the runs of 1.2 that confirm the fix" in text(client.get(url(alert)))


def test_a_decrease_is_shown_as_saved_and_has_no_share_of_the_total(client, story):
    _, alert = story
    assert "Added at the target +3 s, 10 % of the program's total" in text(client.get(url(alert))).replace(
        "&#x27;", "'"
    )
    Alert.objects.update(verdict="law_better", difference=-88.0, effect=23.1)
    page = text(client.get(url(alert)))
    assert "Saved at the target −88 s State" in page
    assert "main › halo · time" in page


def test_without_a_comparison_the_page_still_works(client, story):
    _, alert = story
    Alert.objects.update(comparison=None, cause="expectation", verdict="expectation", reason="O(n) expected")
    page = text(client.get(url(alert)))
    assert "O(n) expected" in page
    assert "the expectation is broken" in page


def test_one_form_sets_everything(client, story):
    member, alert = story
    data = {
        "state": "fixing", "assignee": member.pk, "due": "2030-01-02", "issue_url": "https://x.org/7",
        "note": "bisecting",
    }  # fmt: skip
    page = client.post(url(alert), data, follow=True)
    assert "Saved." in text(page)
    alert.refresh_from_db()
    assert (alert.state, alert.assignee, alert.due) == ("fixing", member, date(2030, 1, 2))
    assert "state: new → being fixed" in text(page)
    assert f"assignee: none → {member.username}" in text(page)


def test_invalid_values_are_refused_beside_the_field(client, story):
    _, alert = story
    answer = client.post(url(alert), {"state": "fixing", "issue_url": "javascript:alert(1)"})
    assert answer.status_code == 422
    assert "issue_url" in answer.context["form"].errors
    alert.refresh_from_db()
    assert alert.state == "new"


def shown(page):
    """Return the fields of the form as a browser would send them."""
    fields = re.findall(rb"<(?:input|select|textarea)[^>]*? name=\"([^\"]+)\"", page.content)
    form, sent = page.context["form"], {"seen": f"{page.context['alert'].pk}:{page.context['row'].latest}"}
    for name in form.fields:
        value = form[name].value()
        sent[name] = sent[f"initial-{name}"] = "" if value is None else str(value)
    assert set(sent) <= {name.decode() for name in fields}
    return sent


def test_of_two_simultaneous_decisions_the_second_sees_the_first(client, story):
    member, alert = story
    second = Client()
    second.force_login(make_member(alert.application.project, Role.CONTRIBUTOR))
    first_form, second_form = (shown(each.get(url(alert))) for each in (client, second))
    client.post(url(alert), first_form | {"state": "fixing", "assignee": member.pk})
    answer = second.post(url(alert), second_form | {"state": "noise", "note": "only at night"})
    assert answer.status_code == 409
    assert f"Nothing was saved, because {member.username} has edited this change since" in text(answer)
    assert "state: new → being fixed" in text(answer)
    alert.refresh_from_db()
    assert (alert.state, alert.note) == ("fixing", "")
    form = answer.context["form"]
    assert [form[name].value() for name in ("state", "note")] == ["noise", "only at night"]
    # The form now shows the assignee whom the first person has saved.
    assert form["assignee"].value() == str(member.pk)
    again = shown(answer) | {"initial-state": "fixing", "initial-note": ""}
    assert second.post(url(alert), again).status_code == 302
    alert.refresh_from_db()
    assert (alert.state, alert.note, alert.assignee) == ("noise", "only at night", member)


def test_fields_that_the_other_did_not_change_are_saved(client, story):
    _, alert = story
    second = Client()
    second.force_login(make_member(alert.application.project, Role.CONTRIBUTOR))
    form = shown(second.get(url(alert)))
    client.post(url(alert), shown(client.get(url(alert))) | {"state": "fixing"})
    assert second.post(url(alert), form | {"note": "only at night"}).status_code == 302
    alert.refresh_from_db()
    assert (alert.state, alert.note) == ("fixing", "only at night")


def test_the_history_shows_an_undone_step(client, story):
    member, alert = story
    done = alerts_triage(alerts=Alert.objects.all(), changes={"state": "noise"}, actor=member)
    alerts_undo(batch=done.batch, actor=member)
    page = text(client.get(url(alert)))
    assert "state: new → noise" in page
    assert "state: noise → new (taken back)" in page


def test_a_viewer_reads(story):
    _, alert = story
    client = Client()
    client.force_login(make_member(alert.application.project, Role.VIEWER))
    assert "Contributors of Storm decide" in text(client.get(url(alert)))


def test_a_change_of_another_application_is_not_found(client, story):
    assert client.get("/a/storm/hydro/changes/999999/").status_code == 404


def test_silences_can_be_made_and_ended(client, story):
    _, alert = story
    where = f"/a/storm/hydro/changes/silences/?kernel={alert.kernel_id}"
    page = client.post(where, {"reason": "rewritten next month", "lasts": "30"}, follow=True)
    assert "main-&gt;halo is silenced until" in page.content.decode()
    alert.refresh_from_db()
    assert alert.silenced_until is not None
    silence = alert.kernel.silences.get()
    client.post(f"/a/storm/hydro/changes/silences/{silence.pk}/end/")
    alert.refresh_from_db()
    assert alert.silenced_until is None


def test_an_ended_silence_is_not_shown(client, story):
    _, alert = story
    now = timezone.now()
    for ends, shown in ((now + timedelta(days=1), True), (now - timedelta(days=1), False)):
        Alert.objects.update(silenced_until=ends)
        assert ("silenced until" in text(client.get(url(alert)))) is shown


def test_only_an_unverified_fix_asks_for_verification(client, story):
    _, alert = story
    for state, asks in ((Alert.State.FIXED, True), (Alert.State.VERIFIED, False)):
        Alert.objects.update(state=state, fixed_in=alert.version)
        page = text(client.get(url(alert)))
        assert "in 1.2 the kernel is as before the change" in page
        assert ("please verify" in page) is asks


def test_a_broken_expectation_is_explained_without_another_version(client, story):
    _, alert = story
    Alert.objects.update(
        cause=Alert.Cause.EXPECTATION,
        comparison=None,
        reason="<= p^(1/3)",
        state="fixed",
        fixed_in=alert.version,
    )
    page = text(client.get(url(alert)))
    assert "in 1.2 the expectation holds, please verify" in page
    assert "Measure 1.2 at larger values of each parameter" in page
    assert "both versions" not in page
    assert "all kernels of the comparison" not in page


def test_a_silence_without_a_scope_is_refused(client, story):
    answer = client.post("/a/storm/hydro/changes/silences/", {"reason": "why", "lasts": "30"})
    assert answer.status_code == 422
    assert "pattern" in answer.context["form"].errors


def test_the_values_of_both_versions_are_drawn(client, story):
    _, alert = story
    answer = client.get(url(alert))
    before, after, ratios = answer.context["figure"].data
    points = answer.context["why"].points
    largest = [point for point in points if point.point[1] == points[-1].point[1]]
    assert before["x"] == after["x"] == [point.point[0] for point in largest]
    assert before["y"] == [point.before for point in largest]
    assert after["y"] == [point.after for point in largest]
    assert ratios["y"] == [point.ratio for point in largest]
    assert answer.context["figure"].columns == ["p", "1.1", "1.2", "after / before"]


def test_a_change_without_common_points_has_no_picture(client, story):
    _, alert = story
    Series.objects.filter(kernel=alert.kernel).delete()
    answer = client.get(url(alert))
    assert answer.context["figure"] is None
    assert "chart-libraries" not in answer.content.decode()


def test_a_common_factor_that_may_be_1_is_not_mentioned(client, story):
    _, alert = story
    assert "without the factor that most kernels share" in text(client.get(url(alert)))
    Shift.objects.update(ratio=1.0, lower=0.99, upper=1.01)
    page = text(client.get(url(alert)))
    assert "All kernels changed by a common factor" not in page
    assert "factor that all kernels share" not in page
