"""Alerts over REST are listed as in the inbox. Changing them needs a scope of its own."""

import pytest

from modeling.models import Alert, AlertEvent
from perfweb.accounts.models import AuditEntry, Role, Scope
from tests.api.conftest import Api
from tests.factories import make_alert, make_application, make_campaign, make_member

pytestmark = pytest.mark.django_db

URL = "applications/hydro/alerts/"


@pytest.fixture
def triage():
    return Api(Scope.READ, Scope.TRIAGE)


@pytest.fixture
def alert(triage):
    campaign = make_campaign(make_application(triage.project), "1.1")
    make_alert(campaign, "main->io", effect=0.01)
    make_alert(campaign, "main->fast", verdict="faster", improvement=True)
    return make_alert(campaign, "main->halo", verdict="law_worse", effect=0.5)


def patch(triage, alert, status=200, **data):
    address = f"/api/v1/alerts/{alert.pk}/"
    answer = triage.client.patch(address, data, content_type="application/json")
    assert answer.status_code == status, answer.content
    return answer.json()


def paths(body):
    return [entry["kernel"]["path"] for entry in body["alerts"]]


def test_it_works(triage, alert, conforms):
    body = triage.get(URL)
    conforms(body, "AlertPage")
    assert (body["count"], paths(body)) == (2, ["main->halo", "main->io"])
    assert body["alerts"][0]["page"].endswith(f"/a/{triage.project.slug}/hydro/changes/{alert.pk}/")


def test_the_number_of_queries_is_small(triage, alert, django_assert_max_num_queries):
    with django_assert_max_num_queries(7):
        triage.get(URL)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"improvements": "true"}, ["main->fast"]),
        ({"kernel": "HALO"}, ["main->halo"]),
        ({"state": "noise"}, []),
        ({"state": "all", "assignee": "nobody"}, ["main->halo", "main->io"]),
        ({"version": "9"}, []),
        ({"limit": 1, "offset": 1}, ["main->io"]),
    ],
)
def test_filters(triage, alert, query, found):
    assert paths(triage.get(URL, **query)) == found


@pytest.mark.parametrize(("text", "on"), [("TRUE", True), ("1", True), ("", True), ("0", False)])
def test_a_switch_is_on_or_off(triage, alert, text, on):
    assert ("main->fast" in paths(triage.get(URL, improvements=text))) == on


@pytest.mark.parametrize("query", [{"state": "solved"}, {"silenced": "perhaps"}])
def test_invalid_filters_are_refused(triage, alert, query):
    assert triage.get(URL, 400, **query)["errors"][0]["field"] == next(iter(query))


def test_triage(triage, alert, conforms):
    body = patch(
        triage,
        alert,
        state="fixing",
        assignee=triage.user.username,
        due="2030-01-02",
        note="on it",
        issue="https://x.org/1",
    )
    conforms(body, "Alert")
    assert (body["state"], body["assignee"], body["due"]) == ("fixing", triage.user.username, "2030-01-02")
    event = AlertEvent.objects.get()
    assert (event.user, event.token) == (triage.user, triage.token)
    assert AuditEntry.objects.get(action="alert.triage").token == triage.token
    assert patch(triage, alert, assignee=None)["assignee"] is None
    assert Alert.objects.get(pk=alert.pk).note == "on it"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"state": "solved"}, 400),
        ({"assignee": "nobody at all"}, 400),
        ({"due": "tomorrow"}, 400),
        ({"issue": "javascript:1"}, 400),
        ({"issue": "ftp://x.org/"}, 422),
        ({"note": 2001 * "x"}, 400),
    ],
)
def test_invalid_values_are_refused(triage, alert, data, status):
    assert patch(triage, alert, status, **data)["errors"]
    assert not AlertEvent.objects.exists()


def test_only_members_can_be_assignees(triage, alert):
    other = make_member(make_application(slug="far").project, Role.OWNER)
    assert patch(triage, alert, 422, assignee=other.username)["errors"][0]["field"] == "assignee"


def test_the_scope_read_is_not_enough_for_triage(alert, triage):
    reader = Api(Scope.READ, project=triage.project)
    patch(reader, alert, 403, state="noise")
