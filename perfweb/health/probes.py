"""Probes for monitoring, which answer whether the process runs, and whether it can do its work."""

import os
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from django.db import Error, connection, transaction
from django.db.models import Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

from ingest.models import Campaign, Upload
from ingest.work import claims
from perfweb.health import stuck
from perfweb.launcher import tables

KEPT = 5.0
"""Seconds for which the result of a test write is cached, so that probes do not keep the disk busy."""

FILE_BYTES = 65536
"""Bytes of the file that a probe writes."""

SPILLED_ROWS = 10_000
"""Rows that a probe lets PostgreSQL generate: so many that it has to write a temporary file."""

ENDED = [Upload.State.DONE, Upload.State.FAILED, Upload.State.REPLACED, Upload.State.READ]
UNDER_WAY = [Upload.State.MODELING]
"""States of uploads that do not count as waiting, because workers are modelling them portion by portion."""


@never_cache
@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """Answer 200 as long as requests are answered at all."""
    return HttpResponse("ok", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if database, tables, broker and files can be used, and otherwise 503.

    Stuck work is listed in `warnings` with the answer 200, because pages and uploads still work.
    """
    now = int(time.monotonic() / KEPT)
    database = _works(_ask) and database_takes(now)
    state = {
        "database": database,
        "tables": database and tables.up_to_date(),
        "broker": _works(lambda: cache.set("readyz", now, KEPT)),
        "files": files_take(now),
    }
    ready = all(state.values())
    details = {
        "oldest_waiting_seconds": _oldest_waiting() if state["tables"] else None,
        "warnings": stuck.warnings() if state["tables"] else [],
    }
    return JsonResponse(state | details, status=200 if ready else 503)


def _works(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (Error, RedisError, OSError):
        return False
    return True


def _ask() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


@lru_cache(maxsize=1)
def database_takes(now: int) -> bool:
    """Return whether the database accepts writes. The result is cached for each value of `now`."""
    return _works(_spill)


def _spill() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('transaction_read_only')")
        if cursor.fetchone()[0] == "on":
            raise Error("The database only reads.")
        cursor.execute("SET LOCAL work_mem = '64kB'")
        cursor.execute("SELECT count(*) FROM generate_series(1, %s)", [SPILLED_ROWS])


@lru_cache(maxsize=1)
def files_take(now: int) -> bool:
    """Return whether uploads can be written. The result is cached for each value of `now`."""
    # large uploads are first written to the folder of temporary files
    folders = {Path(settings.MEDIA_ROOT), _temporary()}
    return all(_works(partial(_write, folder)) for folder in folders)


def _temporary() -> Path:
    return Path(settings.FILE_UPLOAD_TEMP_DIR or tempfile.gettempdir())


def _write(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as probe:
        probe.write(b"\0" * FILE_BYTES)
        probe.flush()
        os.fsync(probe.fileno())


def _oldest_waiting() -> float | None:
    """Return for how many seconds the oldest work has waited; None if nothing waits.

    Files in a preview, campaigns that wait for further runs, and work that a worker has started do not count.
    """
    now = timezone.now()
    uploads = Upload.objects.exclude(state__in=[*ENDED, *UNDER_WAY]).exclude(pk__in=claims(Upload))
    campaigns = Campaign.objects.exclude(queued_at=None).exclude(pk__in=claims(Campaign))
    rows = (uploads.exclude(campaign__settles_at__gt=now), campaigns)
    oldest = [at for found in rows if (at := found.aggregate(at=Min("queued_at"))["at"])]
    return round((now - min(oldest)).total_seconds(), 1) if oldest else None
