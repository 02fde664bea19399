"""Count open alerts, and find the alerts of a kernel."""

from django.db.models import BigIntegerField, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils import timezone

from ingest.models import Application, Kernel, Metric
from modeling.models import OPEN_ALERTS, Alert
from modeling.selectors.alerts.inbox import silenced

SHOWN = 5
"""Limit on the alerts that a kernel's page shows."""


def open_alerts() -> QuerySet[Alert]:
    """Return the alerts that still need a decision: neither closed, nor improvements, nor silenced."""
    return Alert.objects.filter(Q(state__in=OPEN_ALERTS, improvement=False), silenced(yes=False))


def open_count() -> RawSQL:
    """Return an expression that annotates applications with the number of their `open_alerts`.

    It is SQL because Django needs longer to write this subquery than PostgreSQL to count the alerts.
    """
    return RawSQL(  # noqa: S611 -- the names of our own tables
        f"(SELECT count(*) FROM {Alert._meta.db_table} alert "  # noqa: S608
        f"WHERE alert.application_id = {Application._meta.db_table}.id "
        "AND alert.state = ANY(%s::varchar[]) AND NOT alert.improvement "
        "AND (alert.silenced_until IS NULL OR alert.silenced_until <= %s))",
        ([str(state) for state in OPEN_ALERTS], timezone.now()),
        BigIntegerField(),
    )


def alerts_of_kernel(kernel: Kernel, metric: Metric) -> list[Alert]:
    """Return the latest open alerts of a kernel in a metric, with one query."""
    rows = Alert.objects.filter(kernel=kernel, metric=metric, state__in=OPEN_ALERTS, improvement=False)
    return list(rows.select_related("version", "machine", "metric").order_by("-version__position")[:SHOWN])
