"""The inbox: the list of open changes, actions on many of them, and undoing an action."""

from copy import deepcopy
from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from ingest.models import Kernel
from modeling.models import Alert
from modeling.selectors.alerts import inbox
from modeling.services.alerts.triage import alerts_triage
from perfweb.accounts.models import Role
from tests.factories import make_alert, make_application, make_campaign, make_member, make_user
from tests.portal.stories import make_story, text

pytestmark = pytest.mark.django_db

URL = "/a/storm/hydro/changes/"
STATE = Alert.State


@pytest.fixture(scope="module")
def made_once(rows_of_module):
    member, application, campaigns = make_story(Role.CONTRIBUTOR)
    comparison = campaigns[2].version.application.comparisons.get(after=campaigns[2])
    make_alert(campaigns[2], "main->halo", comparison, verdict="law_worse", ratio=115.0, effect=0.6)
    make_alert(campaigns[2], "main->sweep", comparison, effect=0.1)
    make_alert(campaigns[1], "main->setup", application.comparisons.get(after=campaigns[1]), effect=0.9)
    return member, application, campaigns


@pytest.fixture
def story(client, made_once):
    member, application, campaigns = deepcopy(made_once)
    client.force_login(member)
    return member, application, campaigns


def names(answer):
    return [row.alert.kernel.name for group, *_ in answer.context["groups"] for row in group]


def pks(*paths):
    return list(Alert.objects.filter(kernel__path__in=[f"main->{path}" for path in paths]).values_list("pk"))


def post(client, *paths, **data):
    chosen = [pk for (pk,) in pks(*paths)]
    return client.post("/changes/triage/", {"alert": chosen, "back": URL, **data}, follow=True)


def test_it_works(client, story):
    answer = client.get(URL)
    assert names(answer) == ["halo", "sweep", "setup"]
    page = text(answer)
    assert "law worse" in page
    assert "1.2" in page
    assert "compared with 1.1" in page
    assert "115×" in page
    html = answer.content.decode()
    assert html.count('<span class="law-unit">') == html.count('<span class="law">') >= 2


def test_an_unnamed_machine_is_not_mentioned(client, story):
    machine = story[2][2].machine
    assert f" on {machine.name}" in text(client.get(URL))
    type(machine).objects.update(name=machine.UNNAMED)
    pages = [URL, f"{URL}{pks('halo')[0][0]}/"]
    assert not any("unspecified" in text(client.get(page)) for page in pages)


def test_callers_in_cpp_are_written_without_types_and_arguments(client, story):
    path = "main->void Solver<double, 3>::step(int, const Mesh&)->halo"
    Kernel.objects.filter(path="main->halo").update(path=path)
    assert "main › Solver&lt;…&gt;::step(…) halo" in text(client.get(URL))


def test_texts_of_users_are_escaped(client, story):
    """The rows are put together by hand, so each text needs its own escape."""
    hostile = '"><script>'
    metric = Alert.objects.get(kernel__path="main->halo").metric
    type(metric).objects.filter(pk=metric.pk).update(name=f"m{hostile}", unit=f"u{hostile}")
    Kernel.objects.filter(path="main->halo").update(path=f"main{hostile}->halo{hostile}")
    Alert.objects.filter(kernel__path__contains=hostile).update(
        note=f"n{hostile}", issue_url=f"https://issues.test/{hostile}", due=date(2001, 2, 3)
    )
    Alert.objects.filter(kernel__path="main->sweep").update(
        cause=Alert.Cause.EXPECTATION, comparison=None, reason=f"r{hostile}"
    )
    html = client.get(URL).content.decode()
    assert hostile not in html
    escaped = [f"{text}&quot;&gt;&lt;script&gt;" for text in ("m", "u", "main", "halo", "n", "r")]
    assert all(text in html for text in escaped)
    assert '<time datetime="2001-02-03" class="error nowrap">overdue 2001-02-03</time>' in html


def test_a_tiny_share_of_the_total_is_escaped(client, story):
    Alert.objects.update(effect=0.0004)
    html = client.get(URL).content.decode()
    assert "&lt; 0.1 %" in html
    assert "< 0.1 %" not in html


def test_only_a_fix_that_waits_for_verification_names_its_version(client, story):
    alerts = Alert.objects.filter(kernel__path="main->halo")
    for state, shown in ((STATE.FIXED, True), (STATE.NOISE, False)):
        alerts.update(state=state, fixed_in=story[2][2].version)
        page = text(client.get(URL, {"state": "all"}))
        assert (f"{state.label} in 1.2" in page) is shown


def test_the_number_of_queries_is_small(client, story, django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        client.get(URL)
    with django_assert_max_num_queries(12):
        client.get("/changes/")


def test_changes_can_be_sorted_by_effect_over_all_versions(client, story, monkeypatch):
    assert names(client.get(URL, {"sort": "effect"})) == ["setup", "halo", "sweep"]
    monkeypatch.setattr(inbox, "PAGE", 2)
    answer = client.get(URL, {"sort": "effect", "state": "new", "skip": 0})
    assert names(answer) == ["setup", "halo"]
    assert f'<a class="underlined" href="{URL}?version=1.2&amp;state=new">All 2 changes of 1.2</a>' in (
        answer.content.decode()
    )
    assert "All 1 changes" not in text(answer)


def test_a_page_may_begin_and_end_within_a_version(story, monkeypatch):
    monkeypatch.setattr(inbox, "PAGE", 1)
    rows, wanted = Alert.objects.filter(application__slug="hydro"), inbox.Wanted()
    pages = [inbox.inbox(rows, wanted, story[0], skip) for skip in range(4)]
    shown = [[row.alert.kernel.name for group in page.groups for row in group] for page in pages]
    assert shown == [["halo"], ["sweep"], ["setup"], []]
    assert [page.counts for page in pages] == [(2,), (2,), (1,), ()]


def test_only_versions_with_changes_can_be_chosen(client, story):
    for asked in ({}, {"version": "1.1"}):
        assert client.get(URL, asked).context["inbox"].versions == {"1.2": 2, "1.1": 1}
    answer = client.get(URL, {"version": "1.1"})
    assert names(answer) == ["setup"]
    assert '<option value="1.1" selected>1.1 (1)</option>' in answer.content.decode()


def test_changes_of_all_applications_are_on_one_page(client, story):
    _, application, _ = story
    other = make_application(application.project, "ocean")
    make_alert(make_campaign(other, "9.0"), "main->tide")
    hidden = make_application(slug="secret")
    make_alert(make_campaign(hidden, "1.0"), "main->hidden")
    assert names(client.get("/changes/")) == ["halo", "sweep", "setup", "tide"]


def test_closed_improved_and_silenced_changes_are_hidden(client, story):
    later = timezone.now() + timedelta(days=1)
    Alert.objects.filter(kernel__path="main->halo").update(state=STATE.EXPECTED)
    Alert.objects.filter(kernel__path="main->sweep").update(improvement=True)
    Alert.objects.filter(kernel__path="main->setup").update(silenced_until=later)
    assert names(client.get(URL)) == []
    assert "No open changes" in text(client.get(URL))
    assert names(client.get(URL, {"state": "expected"})) == ["halo"]
    assert names(client.get(URL, {"kind": "improvements"})) == ["sweep"]
    assert names(client.get(URL, {"silenced": "1"})) == ["setup"]


def test_an_expired_silence_hides_nothing(client, story):
    Alert.objects.update(silenced_until=timezone.now() - timedelta(seconds=1))
    assert len(names(client.get(URL))) == 3


def test_filters_are_in_the_address(client, story):
    member, _, _ = story
    Alert.objects.filter(kernel__path="main->halo").update(assignee=member, due=date(2020, 1, 1))
    assert names(client.get(URL, {"kernel": "HAL"})) == ["halo"]
    assert names(client.get(URL, {"assignee": "me"})) == ["halo"]
    assert names(client.get(URL, {"assignee": "nobody"})) == ["sweep", "setup"]
    assert names(client.get(URL, {"overdue": "1"})) == ["halo"]
    assert names(client.get(URL, {"version": "1.1"})) == ["setup"]
    assert names(client.get(URL, {"machine": "moon"})) == []
    assert len(names(client.get(URL, {"state": "nonsense", "skip": "x"}))) == 3


def test_chosen_changes_are_set_and_the_step_can_be_undone(client, story):
    page = post(client, "halo", "sweep", state="acknowledged")
    assert "2 changes set to “acknowledged”." in text(page)
    assert Alert.objects.filter(state=STATE.ACKNOWLEDGED).count() == 2
    step = page.context["step"]
    page = client.post("/changes/undo/", {"batch": step.batch, "back": URL}, follow=True)
    assert "Undone for 2 changes." in text(page)
    assert Alert.objects.filter(state=STATE.NEW).count() == 3
    assert page.context["step"] is None


def test_all_changes_that_match_the_filters_can_be_set_at_once(client, story):
    _, application, _ = story
    page = post(client, every="1", asked="kernel=s", application=application.pk, state="noise")
    assert "2 changes set to “noise”." in text(page)
    assert Alert.objects.get(state=STATE.NEW).kernel.path == "main->halo"


def test_chosen_changes_can_be_assigned(client, story):
    member, _, _ = story
    post(client, "halo", assignee="me", due="2030-01-02")
    alert = Alert.objects.get(kernel__path="main->halo")
    assert (alert.assignee, alert.due, alert.state) == (member, date(2030, 1, 2), STATE.NEW)
    post(client, "halo", assignee="-")
    alert.refresh_from_db()
    assert alert.assignee is None


@pytest.mark.parametrize("name", ["nobody-at-all", "stranger"])
def test_only_members_can_be_assignees(client, story, name):
    make_user("stranger")
    page = text(post(client, "halo", assignee=name))
    assert "Nobody signs in as" in page or "is not a member" in page
    assert not Alert.objects.exclude(assignee=None).exists()


def test_a_step_without_chosen_changes_shows_a_message(client, story):
    assert "Choose at least one change first." in text(post(client, state="noise"))


def test_a_viewer_can_read_but_not_decide(story):
    _, application, _ = story
    client = Client()
    client.force_login(make_member(application.project, Role.VIEWER))
    page = client.get(URL)
    assert len(names(page)) == 3
    assert b'type="checkbox" name="alert"' not in page.content
    assert post(client, "halo", state="noise").status_code == 403
    assert Alert.objects.filter(state=STATE.NEW).count() == 3


def test_a_step_on_an_outdated_page_keeps_newer_decisions(client, story):
    _, application, _ = story
    other = make_member(application.project, Role.CONTRIBUTOR)
    page = client.get(URL)
    seen = [f"{row.alert.pk}:{row.latest}" for group, *_ in page.context["groups"] for row in group]
    assert all(f'name="seen" value="{each}"' in page.content.decode() for each in seen)
    chosen = list(Alert.objects.values_list("pk", flat=True))
    fixing = Alert.objects.filter(kernel__path="main->halo")
    alerts_triage(alerts=fixing, changes={"state": STATE.FIXING}, actor=other)
    data = {"alert": chosen, "seen": seen, "state": "noise", "back": URL}
    page = text(client.post("/changes/triage/", data, follow=True))
    assert "2 changes set to “noise”." in page
    assert (
        f"{other.username} decided about 1 change after you opened this page; these decisions were kept."
        in page
    )
    assert fixing.get().state == "fixing"


def test_the_answer_never_redirects_to_another_host(client, story):
    answer = client.post("/changes/triage/", {"back": "//evil.example/"})
    assert answer["Location"] == "/changes/"


def test_steps_of_other_users_cannot_be_undone(client, story):
    _, application, _ = story
    other = make_member(application.project, Role.CONTRIBUTOR)
    alerts_triage(alerts=Alert.objects.all(), changes={"state": STATE.NOISE}, actor=other)
    assert client.get(URL, {"state": "noise"}).context["step"] is None


def test_long_lists_are_divided_into_pages(client, story):
    _, _, campaigns = story
    for number in range(60):
        make_alert(campaigns[2], f"main->step{number}", effect=0.01)
    first = client.get(URL)
    assert len(names(first)) == 50
    assert first.context["groups"][0][1] == 62
    assert len(names(client.get(URL, {"skip": "50"}))) == 13
