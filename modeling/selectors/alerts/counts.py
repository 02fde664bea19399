"""How many alerts are open."""

from collections.abc import Iterable

from django.db.models import Count, Q

from ingest.models import Application
from modeling.models import OPEN_ALERTS, Alert
from modeling.selectors.alerts.inbox import silenced


def open_counts(applications: Iterable[Application]) -> dict[int, int]:
    """Open alerts of each application that somebody has to look at; one query, those without are left out."""
    rows = Alert.objects.filter(
        Q(application__in=list(applications), state__in=OPEN_ALERTS, improvement=False), silenced(yes=False)
    )
    return dict(rows.order_by().values_list("application").annotate(count=Count("pk")))
