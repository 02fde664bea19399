"""Count open alerts, and find the alerts of a kernel."""

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from ingest.models import Kernel, Metric
from modeling.models import OPEN_ALERTS, Alert
from modeling.selectors.alerts.inbox import silenced

SHOWN = 5
"""Limit on the alerts that a kernel's page shows."""


def open_alerts() -> QuerySet[Alert]:
    """Return the alerts that still need a decision: neither closed, nor improvements, nor silenced."""
    return Alert.objects.filter(Q(state__in=OPEN_ALERTS, improvement=False), silenced(yes=False))


def open_count() -> Coalesce:
    """Return an expression that annotates applications with the number of their open alerts."""
    rows = open_alerts().filter(application=OuterRef("pk")).order_by().values("application")
    return Coalesce(Subquery(rows.annotate(count=Count("*")).values("count")), 0)


def alerts_of_kernel(kernel: Kernel, metric: Metric) -> list[Alert]:
    """Return the latest open alerts of a kernel in a metric, with one query."""
    rows = Alert.objects.filter(kernel=kernel, metric=metric, state__in=OPEN_ALERTS, improvement=False)
    return list(rows.select_related("version", "machine", "metric").order_by("-version__position")[:SHOWN])
