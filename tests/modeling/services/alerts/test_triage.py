"""People decide about alerts: a decision changes all chosen alerts or none, is recorded, and can
be undone.
"""

import uuid
from datetime import date, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from ingest.models import Kernel
from modeling.models import Alert, AlertEvent, Silence
from modeling.services.alerts.raising import alerts_return, alerts_settle
from modeling.services.alerts.silences import silence_create, silence_end
from modeling.services.alerts.triage import alerts_triage, alerts_undo
from perfweb.accounts.models import AuditEntry, Role
from perfweb.accounts.permissions import RoleRequired
from tests.factories import make_alert, make_application, make_campaign, make_member, make_user

pytestmark = pytest.mark.django_db

STATE = Alert.State


@pytest.fixture
def application():
    return make_application()


@pytest.fixture
def contributor(application):
    return make_member(application.project, Role.CONTRIBUTOR)


@pytest.fixture
def alerts(application):
    campaign = make_campaign(application, "1.1")
    for path in ("main", "main->halo", "main->io"):
        make_alert(campaign, path)
    return Alert.objects.order_by("pk")


def states():
    return list(Alert.objects.order_by("pk").values_list("state", flat=True))


def test_it_works(alerts, contributor):
    done = alerts_triage(alerts=alerts, changes={"state": STATE.ACKNOWLEDGED}, actor=contributor)
    assert done.changed == 3
    assert states() == ["acknowledged"] * 3
    assert AlertEvent.objects.filter(batch=done.batch, user=contributor).count() == 3
    entry = AuditEntry.objects.get(action="alert.triage")
    assert (entry.subject, entry.user, entry.details["state"]) == ("3 changes", contributor, "acknowledged")


def test_all_fields_can_be_set(alerts, contributor):
    due = date(2030, 1, 2)
    changes = {"assignee": contributor, "due": due, "note": "see logs", "issue_url": "https://x.org/1"}
    alerts_triage(alerts=alerts[:1], changes=changes, actor=contributor)
    alert = alerts[0]
    assert {name: getattr(alert, name) for name in changes} == changes


def latest(alert):
    return {alert.pk: max(alert.events.values_list("pk", flat=True), default=0)}


def test_a_decision_on_an_outdated_state_is_refused(alerts, application, contributor):
    alert, other = alerts[0], make_member(application.project, Role.CONTRIBUTOR)
    seen = latest(alert)
    one = alerts.filter(pk=alert.pk)
    alerts_triage(alerts=one, changes={"state": STATE.FIXING, "note": "mine"}, actor=other, seen=seen)
    done = alerts_triage(alerts=one, changes={"state": STATE.NOISE}, actor=contributor, seen=seen)
    assert (done.changed, done.kept, done.overtaken[0].user) == (0, 1, other)
    alert.refresh_from_db()
    assert (alert.state, alert.note) == ("fixing", "mine")
    again = alerts_triage(alerts=one, changes={"state": STATE.NOISE}, actor=contributor, seen=latest(alert))
    assert again.changed == 1


@pytest.mark.parametrize("second", [{"note": "seen"}, {"state": STATE.FIXING}, {"assignee": None}])
def test_fields_that_do_not_conflict_are_set(alerts, application, contributor, second):
    alert, other = alerts[0], make_member(application.project, Role.CONTRIBUTOR)
    seen = latest(alert)
    one = alerts.filter(pk=alert.pk)
    alerts_triage(alerts=one, changes={"state": STATE.FIXING}, actor=other, seen=seen)
    assert not alerts_triage(alerts=one, changes=second, actor=contributor, seen=seen).overtaken
    alert.refresh_from_db()
    assert alert.state == "fixing"


def test_a_users_own_steps_do_not_conflict(alerts, contributor):
    seen = latest(alerts[0])
    for state in (STATE.FIXING, STATE.NOISE):
        alerts_triage(alerts=alerts[:1], changes={"state": state}, actor=contributor, seen=seen)
    assert states() == ["noise", "new", "new"]


def test_repeated_values_change_nothing(alerts, contributor):
    alerts_triage(alerts=alerts, changes={"state": STATE.NOISE}, actor=contributor)
    assert alerts_triage(alerts=alerts, changes={"state": STATE.NOISE}, actor=contributor).changed == 0
    assert AlertEvent.objects.count() == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("state", "solved"),
        ("issue_url", "javascript:alert(1)"),
        ("issue_url", "https://x.org/" + 500 * "x"),
        ("note", 2001 * "x"),
        ("kernel", 1),
    ],
)
def test_invalid_values_change_nothing(alerts, contributor, field, value):
    with pytest.raises(ValidationError) as refused:
        alerts_triage(alerts=alerts, changes={field: value, "due": date(2030, 1, 1)}, actor=contributor)
    assert list(refused.value.message_dict) == [field]
    assert not Alert.objects.exclude(due=None).exists()


def test_a_stranger_cannot_be_assigned(alerts, contributor):
    with pytest.raises(ValidationError):
        alerts_triage(alerts=alerts, changes={"assignee": make_user()}, actor=contributor)


def test_a_viewer_cannot_decide(alerts, application):
    viewer = make_member(application.project, Role.VIEWER)
    with pytest.raises(RoleRequired):
        alerts_triage(alerts=alerts, changes={"state": STATE.NOISE}, actor=viewer)
    assert states() == ["new"] * 3


def test_a_step_is_undone_as_a_whole(alerts, contributor):
    alerts_triage(alerts=alerts[:1], changes={"state": STATE.FIXING}, actor=contributor)
    changes = {"state": STATE.EXPECTED, "assignee": contributor, "due": date(2030, 1, 2)}
    done = alerts_triage(alerts=alerts, changes=changes, actor=contributor)
    assert alerts_undo(batch=done.batch, actor=contributor).changed == 3
    assert states() == ["fixing", "new", "new"]
    assert not Alert.objects.exclude(assignee=None, due=None).exists()
    assert alerts_undo(batch=done.batch, actor=contributor).changed == 0


def test_an_undone_decision_leaves_the_portals_mark_which_it_reverts_itself(alerts, contributor):
    alerts_triage(alerts=alerts[:1], changes={"state": STATE.FIXING}, actor=contributor)
    alerts_settle(alerts.all(), AlertEvent.Action.FIXED)
    done = alerts_triage(alerts=alerts, changes={"state": STATE.VERIFIED}, actor=contributor)
    alerts_undo(batch=done.batch, actor=contributor)
    assert states() == ["fixed", "fixed", "fixed"]
    alerts_return(alerts.all())
    assert states() == ["fixing", "new", "new"]


def test_later_changes_of_others_are_kept(alerts, contributor, application):
    done = alerts_triage(alerts=alerts, changes={"state": STATE.NOISE}, actor=contributor)
    other = make_member(application.project, Role.CONTRIBUTOR)
    alerts_triage(alerts=alerts[:1], changes={"state": STATE.FIXING}, actor=other)
    undone = alerts_undo(batch=done.batch, actor=contributor)
    assert (undone.changed, undone.kept) == (2, 1)
    assert states() == ["fixing", "new", "new"]


def test_nobody_can_undo_another_users_step(alerts, contributor, application):
    done = alerts_triage(alerts=alerts, changes={"state": STATE.NOISE}, actor=contributor)
    with pytest.raises(ValidationError):
        alerts_undo(batch=done.batch, actor=make_member(application.project, Role.OWNER))
    with pytest.raises(ValidationError):
        alerts_undo(batch=uuid.uuid4(), actor=contributor)


def test_a_silence_applies_until_it_ends(alerts, contributor, application):
    until = timezone.now() + timedelta(days=7)
    silence = silence_create(
        application=application, actor=contributor, reason="new network", until=until, pattern="*halo"
    )
    assert [alert.silenced_until for alert in alerts] == [None, until, None]
    longer = until + timedelta(days=7)
    metric = application.metrics.get()
    silence_create(application=application, actor=contributor, reason="all", until=longer, metric=metric)
    assert [alert.silenced_until for alert in alerts.all()] == [longer] * 3
    silence_end(silence=Silence.objects.get(until=longer), actor=contributor)
    assert [alert.silenced_until for alert in alerts.all()] == [None, until, None]
    silence_end(silence=silence, actor=contributor)
    assert not Alert.objects.exclude(silenced_until=None).exists()


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("solve[0]", "main->solve[0]", True),
        ("solve[0]", "main->solve0", False),
        ("solve[*]", "main->solve[12]", True),
        ("*->solve[?]", "main->solve[3]", True),
        ("*->solve[?]", "main->solve[12]", False),
        ("[!a]*", "main->b", False),
        ("[[]x", "main->[[]x", True),
        ("Solve*", "main->solve[0]", False),
    ],
)
def test_brackets_in_a_pattern_are_those_of_names(pattern, path, found):
    assert Silence(pattern=pattern).matches(Alert(kernel=Kernel(path=path))) is found


@pytest.mark.parametrize(
    ("field", "changed"),
    [
        ("pattern", {"pattern": ""}),
        ("reason", {"reason": " "}),
        ("until", {"days": -1}),
        ("until", {"days": 400}),
    ],
)
def test_missing_fields_of_a_silence_are_named(application, contributor, field, changed):
    fields = {"pattern": "*", "reason": "r", "days": 1} | changed
    until = timezone.now() + timedelta(days=fields.pop("days"))
    with pytest.raises(ValidationError) as refused:
        silence_create(application=application, actor=contributor, until=until, **fields)
    assert list(refused.value.message_dict) == [field]
