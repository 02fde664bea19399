"""Notices of changes are sent once, as mails through a real server and as webhooks to a real receiver."""

import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from modeling.models import Alert, AlertEvent
from modeling.services.alerts.raising import Finding, alerts_raise, alerts_return, alerts_settle
from perfweb.accounts.models import Membership, Role
from perfweb.notices.models import Delivery, Notice, Subscription, Webhook
from perfweb.notices.services import deliveries
from perfweb.notices.tasks import mail_send, notices_sweep, webhook_send
from tests.factories import make_application, make_campaign, make_member
from tests.notices.servers import mail_server, receiver

pytestmark = pytest.mark.django_db

STATE = Delivery.State


@pytest.fixture
def campaign():
    application = make_application()
    for path in ("main", "main->halo", "main->io"):
        application.kernels.create(path=path)
    make_campaign(application, "1.0")
    return make_campaign(application, "1.1")


@pytest.fixture
def mails(settings):
    with mail_server() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.PORTAL_URL = "https://perf.example.org"
        yield server


@pytest.fixture
def hooks(settings):
    settings.WEBHOOKS_PRIVATE = True
    with receiver() as known:
        yield known


def subscribed(campaign, pace=Subscription.Pace.AT_ONCE, **fields):
    project = campaign.version.application.project
    user = make_member(project, Role.VIEWER)
    return Subscription.objects.create(
        project=project, user=user, address=f"{user.username}@example.org", pace=pace, **fields
    )


def hooked(campaign, url, **fields):
    return Webhook.objects.create(
        project=campaign.version.application.project, url=url, secret="s" * 64, **fields
    )


def opened(campaign, *paths, improvement=False):
    metric = campaign.version.application.metrics.get().pk
    kernels = dict(campaign.version.application.kernels.values_list("path", "pk"))
    verdict = "faster" if improvement else "slower"
    return alerts_raise(
        version=campaign.version,
        machine=campaign.machine,
        cause=Alert.Cause.CHANGE,
        findings=[
            Finding(metric, kernels[path], verdict, 0.99, improvement=improvement, ratio=1.5, effect=0.25)
            for path in paths or ("main->halo",)
        ],
    )


def due_now():
    Delivery.objects.update(due_at=timezone.now(), queued_at=timezone.now() - timedelta(minutes=1))


def state():
    return Delivery.objects.get().state


def test_a_mail_lists_new_changes(campaign, mails):
    subscription = subscribed(campaign)
    opened(campaign, "main->halo", "main->io")
    mail_send(subscription.pk)
    [(recipient, mail)] = mails.mails
    assert recipient == subscription.address
    assert mail["Subject"] == "2 changes in Hydro"
    body = mail.get_payload(decode=True).decode()
    assert "main->halo: time is worse (1.5× at the target, 25 % of the total), on cluster-a" in body
    assert "https://perf.example.org/a/" in body
    assert state() == STATE.SENT


def test_a_mail_writes_large_ratios_out(campaign, mails):
    subscription = subscribed(campaign)
    opened(campaign)
    Alert.objects.update(ratio=1021.7)
    mail_send(subscription.pk)
    assert "time is worse (1,022× at the target" in mails.mails[0][1].get_payload(decode=True).decode()


def test_nothing_is_sent_twice(campaign, mails):
    subscription = subscribed(campaign)
    opened(campaign)
    opened(campaign)
    for _ in range(2):
        mail_send(subscription.pk)
    assert len(mails.mails) == 1


def test_a_mail_that_was_refused_is_sent_again_later(campaign, mails):
    subscription = subscribed(campaign)
    opened(campaign)
    mails.refuse = 1
    mail_send(subscription.pk)
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.attempts) == (STATE.WAITING, 1)
    assert "451" in delivery.error
    assert delivery.due_at > timezone.now() + timedelta(seconds=20)
    mail_send(subscription.pk)
    assert mails.mails == []
    due_now()
    mail_send(subscription.pk)
    assert (len(mails.mails), state()) == (1, STATE.SENT)


def test_a_daily_mail_contains_everything(campaign, mails):
    subscription = subscribed(campaign, Subscription.Pace.DAILY)
    opened(campaign)
    opened(campaign, "main->halo", "main->io")
    mail_send(subscription.pk)
    assert mails.mails == []
    assert timezone.now() < Delivery.objects.first().due_at <= timezone.now() + timedelta(days=1)
    due_now()
    mail_send(subscription.pk)
    [(_, mail)] = mails.mails
    assert mail["Subject"] == "2 changes in Hydro"


@pytest.mark.parametrize(("hour", "day"), [(5, 2), (7, 3)])
def test_daily_mails_are_due_at_the_next_six_o_clock(campaign, mails, monkeypatch, hour, day):
    now = datetime(2026, 3, 2, hour, 30, tzinfo=UTC)
    monkeypatch.setattr(deliveries, "timezone", SimpleNamespace(now=lambda: now))
    subscribed(campaign, Subscription.Pace.DAILY)
    opened(campaign)
    assert Delivery.objects.get().due_at == datetime(2026, 3, day, 6, tzinfo=UTC)


def test_closed_and_silenced_changes_are_left_out(campaign, mails):
    subscription = subscribed(campaign)
    opened(campaign, "main->halo", "main->io")
    Alert.objects.filter(kernel__path="main->io").update(state=Alert.State.NOISE)
    later = timezone.now() + timedelta(days=1)
    Alert.objects.filter(kernel__path="main->halo").update(silenced_until=later)
    mail_send(subscription.pk)
    assert mails.mails == []
    assert state() == STATE.DROPPED


def test_changes_that_are_silenced_from_the_beginning_are_not_reported(campaign, mails):
    subscribed(campaign)
    application = campaign.version.application
    application.silences.create(pattern="*", reason="r", until=timezone.now() + timedelta(days=1))
    opened(campaign)
    assert not Notice.objects.exists()


def test_improvements_are_reported_on_request(campaign, mails):
    subscribed(campaign)
    keen = subscribed(campaign, improvements=True)
    opened(campaign, improvement=True)
    assert [delivery.subscription for delivery in Delivery.objects.all()] == [keen]
    mail_send(keen.pk)
    assert "better" in mails.mails[0][1].get_payload(decode=True).decode()


@pytest.mark.parametrize("improvements", [False, True])
def test_a_mail_with_both_has_improvements_only_on_request(campaign, mails, improvements):
    subscription = subscribed(campaign, improvements=improvements)
    opened(campaign, "main->halo", "main->io")
    Alert.objects.filter(kernel__path="main->io").update(improvement=True)
    mail_send(subscription.pk)
    body = mails.mails[0][1].get_payload(decode=True).decode()
    assert "main->halo: time is worse" in body
    assert ("main->io" in body) is improvements


def test_former_members_get_no_mails(campaign, mails):
    subscription = subscribed(campaign)
    opened(campaign)
    Membership.objects.filter(user=subscription.user).delete()
    mail_send(subscription.pk)
    assert mails.mails == []
    assert state() == STATE.DROPPED
    opened(campaign, "main->halo", "main->io")
    assert Notice.objects.count() == 1


def test_without_a_mail_server_no_notices_wait(campaign):
    subscribed(campaign)
    opened(campaign)
    assert not Delivery.objects.exists()


def test_a_repair_is_reported(campaign, mails):
    opened(campaign)
    subscription = subscribed(campaign)
    alerts_raise(version=campaign.version, machine=campaign.machine, cause=Alert.Cause.CHANGE, findings=[])
    mail_send(subscription.pk)
    assert "please verify" in mails.mails[0][1].get_payload(decode=True).decode()


def test_a_change_that_is_fixed_already_is_only_reported_as_fixed(campaign, mails):
    subscription = subscribed(campaign)
    alerts = opened(campaign, "main->halo", "main->io")
    later = make_campaign(campaign.version.application, "1.2").version
    alerts_settle([alerts[0]], AlertEvent.Action.FIXED, fixed_in=later)
    mail_send(subscription.pk)
    [(_, mail)] = mails.mails
    assert mail["Subject"] == "2 changes in Hydro"
    new, fixed, _ = mail.get_payload(decode=True).decode().replace("\r", "").split("\n\n")
    assert "main->io" in new
    assert "main->halo" not in new
    assert "Hydro 1.1: seems to be fixed in 1.2, please verify\n  main->halo" in fixed


def test_a_repair_that_was_none_is_not_reported(campaign, mails):
    subscription = subscribed(campaign)
    alerts = opened(campaign)
    mail_send(subscription.pk)
    alerts_return(alerts_settle(alerts, AlertEvent.Action.FIXED))
    mail_send(subscription.pk)
    assert len(mails.mails) == 1


def test_a_webhook_is_signed(campaign, hooks):
    webhook = hooked(campaign, hooks.url)
    opened(campaign)
    webhook_send(Delivery.objects.get().pk)
    [(headers, body)] = hooks.requests
    signed = headers["X-Perfweb-Timestamp"].encode() + b"." + body
    expected = hmac.new(webhook.secret.encode(), signed, hashlib.sha256).hexdigest()
    assert headers["X-Perfweb-Signature"] == f"sha256={expected}"
    told = json.loads(body)
    assert (told["event"], told["count"], told["changes"][0]["kernel"]) == ("changes.opened", 1, "main->halo")
    assert state() == STATE.SENT
    webhook_send(Delivery.objects.get().pk)
    assert len(hooks.requests) == 1


def test_a_webhook_is_repeated_and_finally_given_up(campaign, hooks):
    hooked(campaign, hooks.url)
    opened(campaign)
    delivery = Delivery.objects.get()
    hooks.statuses = [500, 302, 503, 500, 404, 500, 500]
    for attempt in range(7):
        assert delivery.state == STATE.WAITING
        due_now()
        webhook_send(delivery.pk)
        delivery.refresh_from_db()
        assert delivery.attempts == attempt + 1
    assert (delivery.state, delivery.error) == (STATE.FAILED, "The answer was 500, expected 200 to 299.")
    ids = {headers["X-Perfweb-Delivery"] for headers, _ in hooks.requests}
    assert (len(hooks.requests), len(ids)) == (7, 1)


def test_a_webhook_into_the_own_network_is_refused(campaign, hooks, settings):
    settings.WEBHOOKS_PRIVATE = False
    hooked(campaign, hooks.url)
    opened(campaign)
    webhook_send(Delivery.objects.get().pk)
    assert hooks.requests == []
    assert "not public" in Delivery.objects.get().error


def test_an_unreachable_receiver_is_reported(campaign, settings):
    settings.WEBHOOKS_PRIVATE = True
    with receiver() as gone:
        url = gone.url
    hooked(campaign, url)
    opened(campaign)
    webhook_send(Delivery.objects.get().pk)
    assert "refused" in Delivery.objects.get().error


@pytest.fixture
def sent(monkeypatch):
    found = []
    monkeypatch.setattr("perfweb.notices.services.deliveries.enqueue", lambda task, row: found.append(task))
    return found


def test_a_notice_whose_message_was_lost_is_sent_again(campaign, mails, sent):
    subscribed(campaign)
    hooked(campaign, "https://chat.example.org/")
    opened(campaign)
    sent.clear()
    notices_sweep()
    assert sent == []
    due_now()
    notices_sweep()
    assert sorted(sent) == ["perfweb.notices.tasks.mail_send", "perfweb.notices.tasks.webhook_send"]
    notices_sweep()
    assert len(sent) == 2
