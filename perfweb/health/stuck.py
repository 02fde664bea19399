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
    found = [
        _late(
            f"{name} that lost their worker and that no other has taken", rows.filter(BEGUN), "queued_at", now
        )
        for name, rows in unfinished.items()
    ]
    found += [_failed(name, rows, now) for name, rows in failed.items()]
    found += [_undelivered(now), _unreachable(now)]
    return [sentence for sentence in found if sentence]


def _late(what: str, rows: "QuerySet[Any]", due: str, now: datetime) -> str:
    """Return a sentence on rows without a worker whose time in the field `due` has long passed."""
    free = rows.filter(**{f"{due}__lt": now - LATE}).exclude(pk__in=claims(rows.model))
    late = free.aggregate(count=Count("pk"), since=Min(due))
    if not late["count"]:
        return ""
    seconds = (now - late["since"]).total_seconds()
    return (
        f"{what} for up to {seconds:.0f} s: {late['count']}. "
        "Check whether the workers and the clock run, and read their logs."
    )


def _undelivered(now: datetime) -> str:
    """Return a sentence on overdue notices that no worker sends; failed attempts make a notice due later."""
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING)
    return _late("Notices of changes that are due but that no worker has sent", waiting, "due_at", now)


def _given_up(name: str, rows: "QuerySet[Any]", reason: str, where: str) -> str:
    """Return a sentence on rows that were given up recently for a reason; `where` says what tells more."""
    if not (count := rows.count()):
        return ""
    return f"{name} that were given up within the last day, because {reason}: {count}. {where}"


def _failed(name: str, rows: "QuerySet[Any]", now: datetime) -> str:
    """Return a sentence on rows that were started too often."""
    recent = rows.filter(attempts__gt=MOST_ATTEMPTS, queued_at__gt=now - GIVEN_UP)
    reason = f"they were started {MOST_ATTEMPTS} times and never finished"
    return _given_up(name, recent, reason, "Their errors say why.")


def _unreachable(now: datetime) -> str:
    """Return a sentence on notices that nobody accepted."""
    recent = Delivery.objects.filter(state=Delivery.State.FAILED, due_at__gt=now - GIVEN_UP)
    reason = "the mail server or the webhook did not accept them"
    return _given_up("Notices of changes", recent, reason, "The project's page of notices says why.")
