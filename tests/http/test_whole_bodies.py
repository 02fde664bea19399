"""Request bodies that end too early."""

import io
import socket

import pytest

from perfweb.http import whole_bodies
from perfweb.http.whole_bodies import WholeBodies


def body(sent: bytes, length: str):
    seen = []
    environ = {"wsgi.input": io.BytesIO(sent), "CONTENT_LENGTH": length}
    WholeBodies(lambda environ, _: seen.append(environ["wsgi.input"]) or [])(environ, lambda *_: None)
    return seen[0]


@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_complete_body_is_read_unchanged(size):
    found = body(b"line\nanother", "12")
    pieces = []
    while piece := found.read(size):
        pieces.append(piece)
    assert b"".join(pieces) == b"line\nanother"


def test_a_body_can_be_read_at_once_or_by_line():
    assert body(b"line\nanother", "12").read() == b"line\nanother"
    found = body(b"line\nanother", "12")
    assert [found.readline(), found.readline(3), found.readline(), found.readline()] == [
        b"line\n",
        b"ano",
        b"ther",
        b"",
    ]
    assert body(b"", "0").read() == b""
    assert body(b"any", "3").read(0) == b""


@pytest.mark.parametrize(
    "read", [lambda b: b.read(), lambda b: b.read(4) + b.read(4), lambda b: b.readline()]
)
def test_an_incomplete_body_raises_an_error(read):
    with pytest.raises(OSError, match="8 bytes before the end"):
        read(body(b"line", "12"))


@pytest.mark.parametrize("length", ["", "x"])
def test_a_body_without_a_length_is_passed_on(length):
    assert body(b"line", length).read() == b"line"


def test_a_client_that_stops_sending_is_disconnected(monkeypatch):
    monkeypatch.setattr(whole_bodies, "PATIENCE", 1)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        WholeBodies(lambda *_: [])({"gunicorn.socket": ours}, lambda *_: None)
        with pytest.raises(BlockingIOError):
            ours.recv(100)
        with pytest.raises(BlockingIOError):
            ours.sendall(bytes(10_000_000))
