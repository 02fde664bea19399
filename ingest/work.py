"""Work that survives: who is working on a row, and what a crash left behind.

A worker claims a row with a session advisory lock. PostgreSQL frees it the moment the worker's connection
is gone, however it died, so an unfinished row without a lock is work that nobody does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import redis
from celery import current_app
from django.conf import settings
from django.db import connection, models, transaction
from django.utils import timezone

Row = TypeVar("Row", bound=models.Model)

MOST_ATTEMPTS = 5
"""A row that was begun this often and never finished is set aside as failed: it kills its workers."""

PATIENCE = timedelta(seconds=10)
"""How long a message may be under way before its row is looked at again."""


@contextmanager
def claimed(unfinished: "models.QuerySet[Row]", pk: int) -> "Iterator[Row | None]":
    """The row, for this process alone until the end of the block.

    None where another worker is at it, or where it is not among the unfinished (any more).
    """
    key: tuple[str, int] = (unfinished.model._meta.db_table, pk)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtext(%s), %s)", key)
        mine = cursor.fetchone()[0]
    try:
        yield unfinished.filter(pk=pk).first() if mine else None
    finally:
        # A connection that broke has freed the lock already.
        if mine and connection.connection is not None and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtext(%s), %s)", key)


def enqueue(task: str, row: models.Model) -> None:
    """Send the row's id to the workers once the transaction that wrote it has been committed.

    Tasks go by name, so that services need not import the tasks that call them. A broker that is away
    does not undo what was written: the sweeper finds the row.
    """
    transaction.on_commit(lambda: current_app.send_task(task, args=[row.pk]), robust=True)


def requeue_lost(rows: "models.QuerySet[Any]", task: str) -> int:
    """Send unfinished rows again whose message or worker was lost; return how many.

    `rows` have `queued_at`; a queue is named like the app whose tasks it carries. While messages wait in it
    nothing is lost, only late.
    """
    if waiting(task.partition(".")[0]):
        return 0
    late = rows.filter(queued_at__lt=timezone.now() - PATIENCE).exclude(pk__in=_claims(rows.model))
    found = list(late.order_by("queued_at").values_list("pk", flat=True)[:1000])
    rows.filter(pk__in=found).update(queued_at=timezone.now())
    for pk in found:
        current_app.send_task(task, args=[pk])
    return len(found)


def _claims(model: type[models.Model]) -> list[int]:
    """Ids of the model's rows that some worker holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2"
            " AND classid = (hashtext(%s)::bigint & 4294967295)::oid",
            [model._meta.db_table],
        )
        return [row[0] for row in cursor.fetchall()]


def waiting(queue: str) -> int:
    """How many messages the broker holds that no worker has taken; Celery keeps a queue as a Redis list."""
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        return int(broker.llen(queue))
