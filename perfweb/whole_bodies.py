"""Half a request is no request.

Django takes the end of a broken connection for the end of the body: a form whose file was cut off would be
read as one with a shorter file, and half a campaign stored.
"""

from collections.abc import Callable, Iterable
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class WholeBodies:
    """A WSGI application whose views read bodies to their announced length, or get an `OSError`."""

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request; one without a length is left as it is."""
        length = environ.get("CONTENT_LENGTH") or ""
        if length.isdecimal():
            environ["wsgi.input"] = _Body(environ["wsgi.input"], int(length))
        return self.application(environ, start_response)


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
