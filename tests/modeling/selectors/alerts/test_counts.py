"""Counts of alerts are read from an index alone: every page shows one, and there are thousands of alerts."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ingest.models import Application
from modeling.models import Alert
from modeling.selectors.alerts.counts import open_alerts, open_count
from modeling.selectors.alerts.inbox import Wanted
from modeling.selectors.alerts.tally import tally_load
from tests.factories import make_alert, make_application, make_campaign, make_user

pytestmark = pytest.mark.django_db

INDEX_ALONE = "Index Only Scan using alert_counted"


@pytest.fixture
def application():
    application = make_application()
    campaign = make_campaign(application, "1.0")
    make_alert(campaign, "main->halo")
    make_alert(campaign, "main->sweep", state=Alert.State.NOISE)
    with connection.cursor() as cursor:
        # A table of two rows is read faster without any index.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
    return application


def test_open_alerts_are_counted_in_the_index(application):
    rows = Application.objects.annotate(count=open_count())
    assert rows.get(pk=application.pk).count == 1
    assert INDEX_ALONE in rows.filter(pk=application.pk).explain()


def test_the_inbox_is_counted_in_the_index(application):
    rows = Alert.objects.filter(application=application)
    with CaptureQueriesContext(connection) as asked:
        tally = tally_load(rows, Wanted().condition(make_user("ada")))
    assert tally.states == {"new": 1, "noise": 1}
    (grouped,) = (query["sql"] for query in asked if "GROUP BY" in query["sql"])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {grouped}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert INDEX_ALONE in plan


def test_closed_silenced_and_better_ones_are_not_counted(application):
    campaign = application.versions.get().campaigns.get()
    now = timezone.now()
    make_alert(campaign, "main->was silenced", silenced_until=now - timedelta(seconds=1))
    make_alert(campaign, "main->silenced", silenced_until=now + timedelta(days=1))
    make_alert(campaign, "main->better", improvement=True)
    counted = Application.objects.annotate(count=open_count()).get(pk=application.pk).count
    assert counted == open_alerts().filter(application=application).count() == 2
