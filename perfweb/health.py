"""Probes for whoever watches the portal: does the process live, and can it do its work?"""

from collections.abc import Callable

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.models import Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

from ingest.models import Upload
from perfweb.launcher import tables


@never_cache
@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """200 as long as requests are answered at all."""
    return HttpResponse("ok", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when database, tables and broker are there, else 503; and for how long uploads have waited."""
    database = _works(connection.ensure_connection)
    state = {
        "database": database,
        "tables": database and tables.up_to_date(),
        "broker": _works(lambda: cache.get("readyz")),
    }
    ready = all(state.values())
    waiting = _oldest_waiting() if state["tables"] else None
    return JsonResponse(state | {"oldest_waiting_seconds": waiting}, status=200 if ready else 503)


def _works(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (DatabaseError, RedisError):
        return False
    return True


def _oldest_waiting() -> float | None:
    """Seconds since the oldest upload was received that is not finished; None when all are."""
    unfinished = Upload.objects.exclude(state__in=[Upload.State.DONE, Upload.State.FAILED])
    oldest = unfinished.aggregate(at=Min("created_at"))["at"]
    return round((timezone.now() - oldest).total_seconds(), 1) if oldest else None
