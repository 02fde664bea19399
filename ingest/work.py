"""Work that survives crashes: which worker processes a row, and which rows lost their worker.

A worker claims a row with an advisory lock, which PostgreSQL frees when the worker's connection ends.
"""

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

import redis
from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection, models, transaction
from django.utils import timezone

Row = TypeVar("Row", bound=models.Model)

MOST_ATTEMPTS = 5
"""Limit on the attempts to process a row. A row that reaches it seems to kill its workers."""

BEGUN = models.Q(attempts__gt=0)
"""Rows that a worker has started to process."""

PATIENCE = timedelta(seconds=10)
"""Smallest age of a message at which it may be considered lost."""

UPKEEP = "upkeep"
"""The queue of the sweepers, and of rows whose worker died. Workers take its messages first."""

DISK_FULL_PAUSE = timedelta(minutes=1)
"""Time until a row that a full disk stopped is tried again. Each attempt adds to the log on this disk."""

NO_SPACE, SERVER_NO_SPACE = (errno.ENOSPC, errno.EDQUOT), "53100"

FETCHED = 8
"""Limit on unstarted rows of a table that are sent to the urgent queue at once: about as many as dead workers
may have fetched. Several times as many could delay other work by a minute.
"""

SENT = "sent_at"
"""Header of a message: the time at which it was sent."""

ROW = "row"
"""Header of a message: the id of its row."""

LOOKED_AT = 500
"""Limit on the oldest messages of a queue that are searched. Together they have a megabyte and take 20 ms."""

SKEW = timedelta(seconds=2)
"""Largest expected difference between the clocks of machines. Beyond it, a message may be sent twice."""


@contextmanager
def claimed(unfinished: "models.QuerySet[Row]", pk: int) -> "Iterator[Row | None]":
    """Lock the row for this process during the block, and yield the row; None if another process has it."""
    key: tuple[str, int] = (unfinished.model._meta.db_table, pk)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtext(%s), %s)", key)
        mine = cursor.fetchone()[0]
    try:
        yield unfinished.filter(pk=pk).first() if mine else None
    finally:
        # a broken connection has freed the lock already
        if mine and connection.connection is not None and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtext(%s), %s)", key)


def disk_full(problem: BaseException | None) -> bool:
    """Return whether an error says that the portal's or the database's disk is full."""
    if isinstance(problem, OSError):
        return problem.errno in NO_SPACE
    return getattr(problem.__cause__, "pgcode", None) == SERVER_NO_SPACE if problem else False


@contextmanager
def disk_full_uncounted(row: models.Model) -> Iterator[None]:
    """If the block fails on a full disk, reset the row's attempts, and delay the next one.

    Otherwise all waiting work would be set aside within two minutes.
    """
    try:
        yield
    except Exception as error:
        if disk_full(error):
            with suppress(DatabaseError):  # if this fails, so does the next attempt
                rows = type(row)._default_manager.filter(pk=row.pk)
                rows.update(attempts=0, queued_at=timezone.now() + DISK_FULL_PAUSE)
        raise


def enqueue(task: str, row: models.Model) -> None:
    """Send the row's id to the task of this name, once the transaction is committed."""
    transaction.on_commit(lambda: _send(task, row.pk), robust=True)


def _send(task: str, pk: int, **options: Any) -> None:
    headers = {SENT: timezone.now().isoformat(), ROW: pk}
    current_app.send_task(task, args=[pk], headers=headers, **options)


def requeue_lost(
    rows: "models.QuerySet[Any]", task: str, begun: models.Q = BEGUN, urgent: str = UPKEEP
) -> int:
    """Send unfinished rows again whose worker or message was lost. Return their number.

    A row that meets `begun` and is not locked has lost its worker. It is sent to the `urgent` queue. Any
    other row whose message is missing has lost its message, usually to a worker that died. The first
    `FETCHED` of these go to the urgent queue. More lost messages mean that the broker lost a queue, so the
    other rows go to their usual queue.
    """
    free = rows.exclude(pk__in=claims(rows.model))
    orphans = _missing(free.filter(begun), task, urgent)
    waiting = _missing(free.exclude(begun), task, queue_of(task))
    rows.filter(pk__in=orphans + waiting).update(queued_at=timezone.now())
    for pk in orphans + waiting[:FETCHED]:
        _send(task, pk, queue=urgent)
    for pk in waiting[FETCHED:]:
        _send(task, pk)
    return len(orphans) + len(waiting)


def _missing(rows: "models.QuerySet[Any]", task: str, queue: str) -> list[int]:
    """Return the ids of old rows whose messages are in neither `queue` nor that of the sweepers."""
    late = timezone.now() - PATIENCE
    if not rows.filter(queued_at__lt=late).exists():
        return []
    messages = oldest_messages(queue)
    if len(messages) == LOOKED_AT:  # the queue may contain further messages
        late = min(late, messages[-1].sent - SKEW)
    if queue != UPKEEP:  # the row may have been sent again to that queue
        messages = messages + oldest_messages(UPKEEP)
    known = {message.row for message in messages if message.task == task}
    found = rows.filter(queued_at__lt=late).order_by("queued_at").values_list("pk", flat=True)
    return [pk for pk in found[: 1000 + len(known)] if pk not in known][:1000]


def claims(model: type[models.Model]) -> list[int]:
    """Return the ids of a model's rows that some worker has locked."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2"
            " AND classid = (hashtext(%s)::bigint & 4294967295)::oid",
            [model._meta.db_table],
        )
        return [row[0] for row in cursor.fetchall()]


def queue_of(task: str) -> str:
    """Return the queue for a task's messages."""
    queue: str = current_app.amqp.router.route({}, task)["queue"].name
    return queue


@dataclass(frozen=True)
class Message:
    """A message to the workers: its task, the id of its row, and the time of sending."""

    task: str
    row: int | None
    sent: datetime


def oldest_messages(queue: str) -> list[Message]:
    """Return at most `LOOKED_AT` messages, next ones first. Celery stores the oldest at the right end."""
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        found = broker.lrange(queue, -LOOKED_AT, -1)
    return [_message(json.loads(each)["headers"]) for each in reversed(found)]


def _message(headers: dict[str, Any]) -> Message:
    sent = headers.get(SENT)
    # Messages of Celery beat have no such headers, and count as `PATIENCE` old.
    at = datetime.fromisoformat(sent) if sent else timezone.now() - PATIENCE
    return Message(headers.get("task", ""), headers.get(ROW), at)
