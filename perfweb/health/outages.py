"""Temporary outages that stop the portal's work: a full disk, no database, no broker."""

from dataclasses import dataclass

from django.db import DatabaseError, InterfaceError, OperationalError
from redis.exceptions import RedisError

from ingest.work import disk_full


@dataclass(frozen=True)
class Outage:
    """An outage after which clients should try again; `code` is for programs, the rest for people."""

    code: str
    title: str
    advice: str
    wait: int  # seconds after which to try again


DISK_FULL = Outage(
    "disk_full",
    "The portal's disk is full.",
    "Nothing was stored. Tell the operator of the portal, and send it again later.",
    60,
)
READ_ONLY = Outage(
    "read_only",
    "The portal's database cannot store anything at the moment.",
    "Nothing was stored. Tell the operator of the portal, and send it again later.",
    60,
)
DATABASE_AWAY = Outage(
    "database_away",
    "The portal's database is not reachable.",
    "Stored data are safe, but your last request may not have been stored. Try again in a moment.",
    5,
)
BROKER_AWAY = Outage(
    "broker_away",
    "A part of the portal, its message broker, is not reachable.",
    "Stored data are safe. Try again in a moment.",
    5,
)

SERVER_READS_ONLY = "25006"
TOO_COMPLEX = "54"
"""First two characters of the codes of errors that are no outage: the statement would fail again."""


def outage_of(problem: BaseException | None) -> Outage | None:
    """Return the outage that causes an exception; None for any other problem."""
    if disk_full(problem):
        return DISK_FULL
    match problem:
        case DatabaseError() | InterfaceError():
            return _of_database(problem)
        case RedisError():
            return BROKER_AWAY
    return None


def _of_database(problem: Exception) -> Outage | None:
    code: str = getattr(problem.__cause__, "pgcode", None) or ""  # empty if the server did not answer
    if code == SERVER_READS_ONLY:
        return READ_ONLY
    away = isinstance(problem, OperationalError | InterfaceError) and not code.startswith(TOO_COMPLEX)
    return DATABASE_AWAY if away else None
