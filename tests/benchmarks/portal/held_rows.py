"""Observes which rows a portal's workers hold, and how long rows wait after a kill until another worker
continues them.

Rows are held through PostgreSQL's locks and Valkey's messages.
"""

import ast
import json
import threading
import time
from contextlib import closing, suppress
from dataclasses import dataclass

import psycopg2
import redis

from perfweb.launcher.folder import DataFolder

EVERY = 0.05
"""Seconds between two observations."""

UNFINISHED = {
    "ingest_upload": "state IN ('received', 'parsing')",
    "modeling_modelrun": "(state IN ('queued', 'running') OR state = 'done' AND judged < series_total)",
    "modeling_portion": "state <> 'done'",
    "modeling_comparison": "state IN ('queued', 'running')",
}
"""SQL conditions that select the unfinished rows of each table."""

TASKS = {
    "ingest.tasks.upload_ingest": "ingest_upload",
    "modeling.tasks.run_execute": "modeling_modelrun",
    "modeling.tasks.run_judge": "modeling_modelrun",
    "modeling.tasks.portion_execute": "modeling_portion",
    "modeling.tasks.comparison_execute": "modeling_comparison",
}
"""The table of the row whose id a message contains."""

CLAIMS = """
SELECT held.name, objid::bigint, pid
FROM pg_locks JOIN unnest(%s) AS held(name)
     ON classid = (hashtext(held.name)::bigint & 4294967295)::oid
WHERE locktype = 'advisory' AND objsubid = 2
"""

UPLOAD_STAGE = "SELECT CASE WHEN cause LIKE '%%reading%%' THEN 'parse' ELSE 'store' END FROM ingest_upload"
RUN_STAGE = """
SELECT CASE WHEN state = 'done' THEN 'judge'
            WHEN state = 'running' AND NOT EXISTS (
                SELECT FROM modeling_portion WHERE run_id = run.id AND state <> 'done') THEN 'finish'
            ELSE 'run' END
FROM modeling_modelrun run
"""
STAGES = {
    "ingest_upload": UPLOAD_STAGE,
    "modeling_modelrun": RUN_STAGE,
    "modeling_portion": "SELECT 'portions'",
    "modeling_comparison": "SELECT 'compare'",
}
"""SQL queries for the stage of a row, by table."""

MESSAGE = "message"
"""Stage of a row whose message a worker has fetched and which no process has begun."""

LOST_AGAIN = "message that was sent again and that Valkey then lost"
"""Stage of such a row if Valkey was killed after the worker, and lost the message again.

All waiting messages were lost as well, so such rows have no priority.
"""

Row = tuple[str, int]


@dataclass
class Held:
    """A row that a process held at the moment of a kill."""

    row: Row
    stage: str
    victim: str
    session: int | None
    """The PostgreSQL session that had claimed the row, or None if a worker had only fetched the row's
    message.
    """
    killed: float
    lost: bool = False
    """Whether this session is known to have ended. Until then its process may still be alive."""
    seconds: float | None = None
    """Seconds from the kill until another process continued the row."""


class Watch(threading.Thread):
    """Observes repeatedly which rows the processes of a portal have claimed."""

    def __init__(self, folder: DataFolder) -> None:
        super().__init__(daemon=True)
        self.folder = folder
        self.waiting: list[Held] = []
        self.taken: list[Held] = []
        self.finished = self.backlog = 0
        self._lock = threading.Lock()

    def run(self) -> None:
        """Follow the held rows until other processes continue them. Reconnect whenever PostgreSQL
        was killed.
        """
        while True:
            with suppress(psycopg2.Error), closing(self.connect()) as connection:
                while True:
                    with self._lock:
                        self._look(connection)
                    time.sleep(EVERY)
            time.sleep(EVERY)

    def connect(self) -> "psycopg2.extensions.connection":
        """Open a separate session."""
        connection = psycopg2.connect(host=str(self.folder.sockets), user="perfweb", dbname="perfweb")
        connection.autocommit = True
        return connection

    def hold(self, held: list[Held]) -> None:
        """Follow these rows from now on.

        A row may still wait for its message since an earlier kill. If its message is fetched now, that wait
        is over, and a new one begins.
        """
        fetched = {each.row for each in held if each.stage == MESSAGE}
        now = time.monotonic()
        with self._lock:
            for each in [each for each in self.waiting if each.row in fetched]:
                self._end(each, now)
            self.waiting += held

    def lose_messages(self) -> None:
        """Note that Valkey was killed, and has lost the messages that were sent again."""
        with self._lock:
            for each in self.waiting:
                if each.stage == MESSAGE:
                    each.stage = LOST_AGAIN

    def _look(self, connection: "psycopg2.extensions.connection") -> None:
        claims, now = claims_of(connection), time.monotonic()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pid FROM pg_stat_activity")
            alive = {pid for (pid,) in cursor.fetchall()}
            cursor.execute(
                "SELECT count(*) FILTER (WHERE state IN ('done', 'failed')),"
                " count(*) FILTER (WHERE state = 'received') FROM ingest_upload"
            )
            self.finished, self.backlog = cursor.fetchone() or (0, 0)
        for each in list(self.waiting):
            other = claims.get(each.row)
            each.lost = each.lost or each.session not in alive
            if other not in (None, each.session):
                self._end(each, now)
            elif other is None and not unfinished(connection, each.row):
                self._end(each, now if each.lost else None)

    def _end(self, held: Held, now: float | None) -> None:
        """Note that the wait of a row is over.

        Without a time, the row's own process has survived and finished it.
        """
        self.waiting.remove(held)
        if now is not None:
            held.seconds = now - held.killed
            self.taken.append(held)


def claims_of(connection: "psycopg2.extensions.connection") -> dict[Row, int]:
    """Return the PostgreSQL session that holds each claimed row."""
    with connection.cursor() as cursor:
        cursor.execute(CLAIMS, [list(STAGES)])
        return {(name, pk): session for name, pk, session in cursor.fetchall()}


def unfinished(connection: "psycopg2.extensions.connection", row: Row) -> bool:
    """Return whether a row is unfinished."""
    name, pk = row
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM {name} WHERE id = %s AND {UNFINISHED[name]}", [pk])
        return cursor.fetchone() is not None


def attempts(connection: "psycopg2.extensions.connection", row: Row) -> int:
    """Return how often a row was begun."""
    name, pk = row
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT attempts FROM {name} WHERE id = %s", [pk])
        return int((cursor.fetchone() or (0,))[0])


def in_hand(connection: "psycopg2.extensions.connection", victim: str) -> list[Held]:
    """Return all claimed and unfinished rows.

    If a run is modelled in the process that planned it, its portions count as claimed.
    """
    held, now = [], time.monotonic()
    claims = claims_of(connection)
    with connection.cursor() as cursor:
        for row, session in claims.items():
            if not unfinished(connection, row):
                continue
            name, pk = row
            cursor.execute(f"{STAGES[name]} {'WHERE id = %s' if 'FROM' in STAGES[name] else ''}", [pk])
            (stage,) = cursor.fetchone() or (None,)
            parts = []
            if (name, stage) == ("modeling_modelrun", "run"):
                cursor.execute("SELECT id FROM modeling_portion WHERE run_id = %s AND state = 'queued'", [pk])
                parts = [("modeling_portion", part) for (part,) in cursor.fetchall()]
            # After planning, other processes may take the portions. The run itself continues only when they
            # are done.
            rows = [part for part in parts if claims.get(part) in (None, session)] if parts else [row]
            held += [Held(each, stage, victim, session, now) for each in rows]
    return held


def fetched(folder: DataFolder, connection: "psycopg2.extensions.connection", victim: str) -> list[Held]:
    """Return the rows whose message a worker has fetched and which no process has claimed yet."""
    claims, held = claims_of(connection), []
    with redis.Redis.from_url(folder.redis_url) as broker:
        messages = [json.loads(text)[0]["headers"] for text in broker.hvals("unacked")]
    for headers in messages:
        name = TASKS.get(headers["task"])
        if name is None:
            continue
        row = (name, int(ast.literal_eval(headers["argsrepr"])[0]))
        if row not in claims and unfinished(connection, row):
            held.append(Held(row, MESSAGE, victim, None, time.monotonic(), lost=True))
    return held
