"""Work that survives: who is working on a row, and what a crash left behind.

A worker claims a row with a session advisory lock. PostgreSQL frees it the moment the worker's connection
is gone, however it died, so a row that was begun and has no lock is work that nobody does.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

import redis
from celery import current_app
from django.conf import settings
from django.db import connection, models, transaction
from django.utils import timezone

Row = TypeVar("Row", bound=models.Model)

MOST_ATTEMPTS = 5
"""A row that was begun this often and never finished is set aside as failed: it kills its workers."""

BEGUN = models.Q(attempts__gt=0)
"""Rows that a worker has started."""

PATIENCE = timedelta(seconds=10)
"""How long a message may be under way before its row is looked at again."""

UPKEEP = "upkeep"
"""The queue of the sweepers, and of rows whose worker died: nothing else waits in it, and workers look into
it before all others (`perfweb/queue_order.py`)."""

FETCHED = 8
"""Rows of a kind whose messages workers that died may have had; where more are missing, the broker has lost
them. A worker fetches as many as it has processes. Several times as many hold up all else for a minute."""

SENT = "sent_at"
"""Header of a message: when it was sent."""

ROW = "row"
"""The same: the id of the row that it is about."""

LOOKED_AT = 500
"""Messages of a queue, its oldest, that rows are looked for in: a megabyte, in 20 ms."""

SKEW = timedelta(seconds=2)
"""How far the clocks of machines may be apart; where they are farther, a message may come twice."""


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
    transaction.on_commit(lambda: _send(task, row.pk), robust=True)


def _send(task: str, pk: int, **options: Any) -> None:
    headers = {SENT: timezone.now().isoformat(), ROW: pk}
    current_app.send_task(task, args=[pk], headers=headers, **options)


def requeue_lost(rows: "models.QuerySet[Any]", task: str, begun: models.Q = BEGUN) -> int:
    """Send unfinished rows again whose worker or message was lost; return how many.

    A row that was `begun` and that nobody holds has lost its worker, whatever else waits; it goes to a queue
    where nothing else does. A row that nobody has begun has lost its message where that is not among the
    oldest of its queue, though it was sent before the last of these: a worker that died had fetched it. It
    passes all that waits. Where the broker lost a whole queue, only those that came first do, as workers that
    died with it fetched these; the others wait their turn again and do not hold up the sweepers. `rows` have
    `queued_at`.
    """
    free = rows.exclude(pk__in=claims(rows.model))
    orphans = _missing(free.filter(begun), task, UPKEEP)
    waiting = _missing(free.exclude(begun), task, queue_of(task))
    rows.filter(pk__in=orphans + waiting).update(queued_at=timezone.now())
    for pk in orphans + waiting[:FETCHED]:
        _send(task, pk, queue=UPKEEP)
    for pk in waiting[FETCHED:]:
        _send(task, pk)
    return len(orphans) + len(waiting)


def _missing(rows: "models.QuerySet[Any]", task: str, queue: str) -> list[int]:
    """Ids of rows that were sent a while ago, first ones first, and whose messages are neither in the queue
    nor in the sweepers'."""
    late = timezone.now() - PATIENCE
    if not rows.filter(queued_at__lt=late).exists():
        return []
    messages = oldest_messages(queue)
    if len(messages) == LOOKED_AT:  # what was sent later may wait behind these
        late = min(late, messages[-1].sent - SKEW)
    if queue != UPKEEP:  # where it may have been sent again
        messages = messages + oldest_messages(UPKEEP)
    known = {message.row for message in messages if message.task == task}
    found = rows.filter(queued_at__lt=late).order_by("queued_at").values_list("pk", flat=True)
    return [pk for pk in found[: 1000 + len(known)] if pk not in known][:1000]


def claims(model: type[models.Model]) -> list[int]:
    """Ids of the model's rows that some worker holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2"
            " AND classid = (hashtext(%s)::bigint & 4294967295)::oid",
            [model._meta.db_table],
        )
        return [row[0] for row in cursor.fetchall()]


def queue_of(task: str) -> str:
    """The queue that a task's messages go to."""
    queue: str = current_app.amqp.router.route({}, task)["queue"].name
    return queue


@dataclass(frozen=True)
class Message:
    """A message to the workers: its task, the id of the row that it is about, and when it was sent."""

    task: str
    row: int | None
    sent: datetime


def oldest_messages(queue: str) -> list[Message]:
    """The messages that workers take next, in this order, at most `LOOKED_AT`.

    Celery keeps a queue as a Redis list, whose right end is the oldest.
    """
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        found = broker.lrange(queue, -LOOKED_AT, -1)
    return [_message(json.loads(each)["headers"]) for each in reversed(found)]


def _message(headers: dict[str, Any]) -> Message:
    sent = headers.get(SENT)
    # Beat's messages say nothing: they are not older than what a sweeper may wait for.
    at = datetime.fromisoformat(sent) if sent else timezone.now() - PATIENCE
    return Message(headers.get("task", ""), headers.get(ROW), at)
