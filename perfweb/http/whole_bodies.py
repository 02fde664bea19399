"""Refuses requests whose body is cut off.

Django treats the end of a broken connection as the end of the body, so half a campaign would be stored.
Django also waits for ever for a client that stops sending. Each such client would occupy a thread.
"""

import socket
import struct
from collections.abc import Callable, Iterable
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


PATIENCE = 15
"""Seconds within which at least one byte has to be received or sent."""


class WholeBodies:
    """A WSGI application in which reading a body raises `OSError` if it ends before its announced length."""

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request; one without a length is passed on unchanged."""
        if connection := environ.get("gunicorn.socket"):
            _limit_silence(connection)
        length = environ.get("CONTENT_LENGTH") or ""
        if length.isdecimal():
            environ["wsgi.input"] = _Body(environ["wsgi.input"], int(length))
        return self.application(environ, start_response)


def _limit_silence(connection: socket.socket) -> None:
    """Let the system end calls that wait too long, because the web server has no such limit."""
    seconds = struct.pack("@ll", PATIENCE, 0)
    for direction in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        connection.setsockopt(socket.SOL_SOCKET, direction, seconds)


class _Body:
    def __init__(self, stream: Any, length: int) -> None:
        self._stream, self._left = stream, length

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(size)
        return self._counted(data, ended=not data if size > 0 else size < 0)

    def readline(self, size: int = -1) -> bytes:
        data: bytes = self._stream.readline(size)
        return self._counted(data, ended=size != 0 and not data.endswith(b"\n") and len(data) != size)

    def _counted(self, data: bytes, *, ended: bool) -> bytes:
        self._left -= len(data)
        if ended and self._left > 0:
            raise OSError(f"The connection ended {self._left} bytes before the end of the body.")
        return data
