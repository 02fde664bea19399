"""An alert is raised once, is updated by later comparisons, and never loses people's decisions."""

from datetime import timedelta

import pytest
from django.utils import timezone

from modeling.models import Alert, AlertEvent, Silence
from modeling.services.alerts.raising import Finding, alerts_raise
from modeling.signals import alerts_fixed, alerts_opened
from tests.factories import make_application, make_campaign

pytestmark = pytest.mark.django_db

PATHS = ("main", "main->halo", "main->io")


@pytest.fixture
def world():
    application = make_application()
    campaigns = [make_campaign(application, label) for label in ("1.0", "1.1", "1.2")]
    for path in PATHS:
        application.kernels.create(path=path)
    return application, campaigns


def finding(application, path="main->halo", **fields):
    return Finding(
        metric_id=application.metrics.get().pk,
        kernel_id=application.kernels.get(path=path).pk,
        **{"verdict": "slower", "probability": 0.99, "ratio": 1.5} | fields,
    )


def raised(campaign, *findings, cause=Alert.Cause.CHANGE, **more):
    return alerts_raise(
        version=campaign.version, machine=campaign.machine, cause=cause, findings=findings, **more
    )


def actions():
    return [event.action for event in AlertEvent.objects.order_by("pk")]


def test_it_works(world):
    application, campaigns = world
    (alert,) = raised(campaigns[1], finding(application))
    alert.refresh_from_db()
    assert (alert.state, alert.ratio, alert.kernel.path) == (Alert.State.NEW, 1.5, "main->halo")
    assert actions() == ["raised"]


def test_raising_an_alert_again_changes_nothing(world):
    application, campaigns = world
    raised(campaigns[1], finding(application))
    assert raised(campaigns[1], finding(application)) == []
    assert Alert.objects.count() == 1
    assert actions() == ["raised"]


def test_numbers_are_updated_and_decisions_kept(world):
    application, campaigns = world
    raised(campaigns[1], finding(application))
    Alert.objects.update(state=Alert.State.EXPECTED, note="a new solver")
    raised(campaigns[1], finding(application, ratio=1.7, verdict="law_worse"))
    alert = Alert.objects.get()
    assert (alert.ratio, alert.verdict) == (1.7, "law_worse")
    assert (alert.state, alert.note) == (Alert.State.EXPECTED, "a new solver")


def test_a_change_that_is_gone_is_marked_as_fixed_and_may_return(world):
    application, campaigns = world
    raised(campaigns[1], finding(application))
    Alert.objects.update(state=Alert.State.ACKNOWLEDGED)
    raised(campaigns[1])
    assert Alert.objects.get().state == Alert.State.FIXED
    raised(campaigns[1])
    raised(campaigns[1], finding(application))
    assert Alert.objects.get().state == Alert.State.ACKNOWLEDGED
    assert actions() == ["raised", "gone", "returned"]


def test_an_alert_that_could_not_be_judged_stays_unchanged(world):
    application, campaigns = world
    raised(campaigns[1], finding(application))
    raised(campaigns[1], judged=[])
    assert Alert.objects.get().state == Alert.State.NEW


def test_the_decision_that_a_change_is_fixed_is_kept(world):
    application, campaigns = world
    raised(campaigns[1], finding(application))
    Alert.objects.update(state=Alert.State.FIXED)
    raised(campaigns[1], finding(application))
    assert Alert.objects.get().state == Alert.State.FIXED


def test_one_expectation_broken_in_two_versions_is_one_alert(world):
    application, campaigns = world
    cause = Alert.Cause.EXPECTATION
    broken = finding(application, verdict="expectation", ratio=None, reason="O(n) expected")
    raised(campaigns[1], broken, cause=cause)
    assert raised(campaigns[2], broken, cause=cause) == []
    alert = Alert.objects.get()
    assert (alert.version.label, alert.state) == ("1.1", Alert.State.NEW)
    raised(campaigns[2], cause=cause)
    alert.refresh_from_db()
    assert (alert.state, alert.fixed_in.label) == (Alert.State.FIXED, "1.2")
    raised(campaigns[2], broken, cause=cause)
    alert.refresh_from_db()
    assert (alert.state, alert.fixed_in) == (Alert.State.NEW, None)


def test_a_silence_applies_to_later_alerts(world):
    application, campaigns = world
    until = timezone.now() + timedelta(days=1)
    Silence.objects.create(application=application, pattern="*->h?lo", reason="rewritten", until=until)
    raised(campaigns[1], finding(application), finding(application, "main->io"))
    silenced = dict(Alert.objects.values_list("kernel__path", "silenced_until"))
    assert silenced == {"main->halo": until, "main->io": None}


def test_signal_receivers_are_called_once(world):
    application, campaigns = world
    told = []

    def opened(alerts, **_):
        told.append(("opened", len(alerts)))

    def fixed(alerts, **_):
        told.append(("fixed", len(alerts)))

    alerts_opened.connect(opened)
    alerts_fixed.connect(fixed)
    for found in ([finding(application)], [finding(application)], [], []):
        raised(campaigns[1], *found)
    assert told == [("opened", 1), ("fixed", 1)]
