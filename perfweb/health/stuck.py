"""Finds work that no worker takes, or that was given up; an operator should look at it."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from ingest.models import UNFINISHED, Upload
from ingest.work import BEGUN, MOST_ATTEMPTS, claims
from modeling.models import UNFINISHED as UNFINISHED_RUN
from modeling.models import Comparison, ModelRun, Portion, State
from perfweb.notices.models import Delivery

LATE = timedelta(seconds=60)
"""Time that a row whose worker died may wait for another worker. Sweepers send it again after 10 to 15 s."""

GIVEN_UP = timedelta(days=1)
"""Time for which a row that workers gave up is reported."""


def warnings() -> list[str]:
    """Return a sentence for each kind of stuck work; only counts, because anybody may read them."""
    now = timezone.now()
    unfinished: dict[str, QuerySet[Any]] = {
        "Uploads": Upload.objects.filter(state__in=UNFINISHED),
        "Model runs": ModelRun.objects.filter(state__in=UNFINISHED_RUN),
        "Portions of model runs": Portion.objects.filter(state=Portion.State.QUEUED),
        "Comparisons": Comparison.objects.filter(state__in=UNFINISHED_RUN),
    }
    failed: dict[str, QuerySet[Any]] = {
        "Uploads": Upload.objects.filter(state=Upload.State.FAILED),
        "Model runs": ModelRun.objects.filter(state=State.FAILED),
        "Comparisons": Comparison.objects.filter(state=State.FAILED),
    }
    found = [_late(name, rows, now) for name, rows in unfinished.items()]
    found += [_given_up(name, rows, now) for name, rows in failed.items()]
    found += [_undelivered(now), _unreachable(now)]
    return [sentence for sentence in found if sentence]


def _late(name: str, rows: "QuerySet[Any]", now: datetime) -> str:
    """Return a sentence on rows that lost their worker, and that have waited too long for another one."""
    free = rows.filter(BEGUN, queued_at__lt=now - LATE).exclude(pk__in=claims(rows.model))
    late = free.aggregate(count=Count("pk"), since=Min("queued_at"))
    if not late["count"]:
        return ""
    seconds = (now - late["since"]).total_seconds()
    return (
        f"{name} that lost their worker and have waited up to {seconds:.0f} s for another one: "
        f"{late['count']}. Check whether the workers and the clock run, and read their logs."
    )


def _given_up(name: str, rows: "QuerySet[Any]", now: datetime) -> str:
    """Return a sentence on rows that were given up recently."""
    count = rows.filter(attempts__gt=MOST_ATTEMPTS, queued_at__gt=now - GIVEN_UP).count()
    if not count:
        return ""
    return (
        f"{name} that were given up within the last day, because they were started {MOST_ATTEMPTS} times and "
        f"never finished: {count}. Their errors say why."
    )


def _undelivered(now: datetime) -> str:
    """Return a sentence on overdue notices that no worker sends; failed attempts make a notice due later."""
    due = Delivery.objects.filter(state=Delivery.State.WAITING, due_at__lt=now - LATE)
    late = due.exclude(pk__in=claims(Delivery)).aggregate(count=Count("pk"), since=Min("due_at"))
    if not late["count"]:
        return ""
    seconds = (now - late["since"]).total_seconds()
    return (
        f"Notices of changes that no worker sends, overdue by up to {seconds:.0f} s: {late['count']}. "
        "Check whether the workers and the clock run, and read their logs."
    )


def _unreachable(now: datetime) -> str:
    """Return a sentence on notices that were given up recently."""
    rows = Delivery.objects.filter(state=Delivery.State.FAILED, due_at__gt=now - GIVEN_UP)
    count = rows.count()
    if not count:
        return ""
    return (
        "Notices of changes that were given up within the last day, because the mail server or the webhook "
        f"did not accept them: {count}. The project's page of notices says why."
    )
