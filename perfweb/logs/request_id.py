"""A short id for every request and every piece of a worker's work: in the log, in answers and failures."""

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
    """The id of the request that is being answered, or of a worker's work; "-" outside of both."""
    return _current.get()


@contextmanager
def work_id() -> Iterator[str]:
    """An id for what a worker does until the end of the block: its lines of the log carry it."""
    token = _current.set(secrets.token_hex(8))
    try:
        yield current()
    finally:
        _current.reset(token)


class RequestIdMiddleware:
    """Takes a caller's id where it is harmless to log, or makes one."""

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
        """Never drops a record."""
        record.request_id = current()
        return True
