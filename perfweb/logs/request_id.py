"""Short ids for requests and for a worker's work, which appear in the log, in answers and in failures."""

import logging
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
_current: ContextVar[str] = ContextVar("request_id", default="-")


def current() -> str:
    """Return the id of the current request or work; "-" outside of both."""
    return _current.get()


@contextmanager
def work_id() -> Iterator[str]:
    """Set an id for a worker's work until the end of the block; all lines of the log contain it."""
    token = _current.set(secrets.token_hex(8))
    try:
        yield current()
    finally:
        _current.reset(token)


class RequestIdMiddleware:
    """Uses the caller's request id if it is safe to log, or else generates one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer with the id set."""
        given = request.headers.get(HEADER, "")
        token = _current.set(given if re.fullmatch(r"[\w-]{8,64}", given) else secrets.token_hex(8))
        try:
            response = self.get_response(request)
            response[HEADER] = current()
            return response
        finally:
            _current.reset(token)


class RequestIdFilter(logging.Filter):
    """Adds the id to every record of the log."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the id; no record is dropped."""
        record.request_id = current()
        return True
