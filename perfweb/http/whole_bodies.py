"""Half a request is no request.

Django takes the end of a broken connection for the end of the body: a form whose file was cut off would be
read as one with a shorter file, and half a campaign stored. And it waits for ever for a client that says
nothing any more, as a node does that lost its network: as many of those as there are threads, and the portal
stands still.
"""

import socket
import struct
from collections.abc import Callable, Iterable
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


PATIENCE = 15
"""Seconds in which at least one byte has to come, or to be taken."""


class WholeBodies:
    """A WSGI application whose views read bodies to their announced length, or get an `OSError`."""

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request; one without a length is left as it is."""
        if connection := environ.get("gunicorn.socket"):
            _limit_silence(connection)
        length = environ.get("CONTENT_LENGTH") or ""
        if length.isdecimal():
            environ["wsgi.input"] = _Body(environ["wsgi.input"], int(length))
        return self.application(environ, start_response)


def _limit_silence(connection: socket.socket) -> None:
    """Have the system end calls that wait too long; the web server itself knows no such limit."""
    seconds = struct.pack("@ll", PATIENCE, 0)
    for direction in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        connection.setsockopt(socket.SOL_SOCKET, direction, seconds)


class _Body:
    """The body of one request."""

    def __init__(self, stream: Any, length: int) -> None:
        self._stream, self._left = stream, length

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, all that is left by default."""
        data: bytes = self._stream.read(size)
        return self._counted(data, ended=not data if size > 0 else size < 0)

    def readline(self, size: int = -1) -> bytes:
        """Up to the end of a line."""
        data: bytes = self._stream.readline(size)
        return self._counted(data, ended=size != 0 and not data.endswith(b"\n") and len(data) != size)

    def _counted(self, data: bytes, *, ended: bool) -> bytes:
        self._left -= len(data)
        if ended and self._left > 0:
            raise OSError(f"The connection ended {self._left} bytes before the end of the body.")
        return data
