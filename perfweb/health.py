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

from ingest.models import WAITING, Upload
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
    """Seconds since work was asked for on the upload that waits longest for it; None when no upload waits.

    A file that was only looked at waits for a person, and a campaign that still grows for its next run.
    """
    now = timezone.now()
    waiting = Upload.objects.filter(state__in=WAITING).exclude(campaign__settles_at__gt=now)
    oldest = waiting.aggregate(at=Min("queued_at"))["at"]
    return round((now - oldest).total_seconds(), 1) if oldest else None
