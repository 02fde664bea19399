"""An upload whose connection breaks after any byte stores nothing, and the same file can be sent again."""

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis

from perfweb.launcher.folder import DataFolder
from tests.client import Client
from tests.end_to_end.conftest import Running

LINES = "".join(json.dumps({"params": {"p": p}, "value": p}) + "\n" for p in (4, 8))


FEW_ENOUGH = 100
"""Number of requests that one token may send before the portal throttles it."""

Forget = Callable[[], None]


@pytest.fixture
def forget(running: Running) -> Iterator[Forget]:
    """Return a function that resets the portal's counts of requests."""
    with redis.Redis.from_url(DataFolder(running.data).redis_url) as counts:

        def forgotten() -> None:
            for counted in counts.scan_iter("*throttle*"):
                counts.delete(counted)

        yield forgotten


def request(portal: Client, version: str = "1.0") -> bytes:
    """Return a whole request as bytes. The file is its last field, so that a cut leaves the fields before it
    intact.
    """
    form = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    fields = [form.format("version", version), form.format('file"; filename="a.jsonl', LINES)]
    body = "".join(f"--x\r\n{field}" for field in fields) + "--x--\r\n"
    head = [
        "POST /api/v1/applications/hydro/uploads/ HTTP/1.1",
        f"Host: {urlsplit(portal.address).netloc}",
        f"Authorization: Bearer {portal.token}",
        "Content-Type: multipart/form-data; boundary=x",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    return "\r\n".join([*head, "", body]).encode()


def send(portal: Client, data: bytes, *, end: bool) -> bytes:
    """Send the bytes and return the answer.

    If `end` is set, close only the sending half of the connection after the bytes. Otherwise close the whole
    connection.
    """
    place = urlsplit(portal.address)
    with socket.create_connection((str(place.hostname), int(place.port or 0)), timeout=30) as connection:
        connection.sendall(data)
        if not end:
            return b""
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer


def body_of(answer: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer.partition(b"\r\n\r\n")[2])
    return found


@pytest.mark.parametrize(("end", "step"), [(False, 9), (True, 1)], ids=["gone", "half closed"])
def test_an_upload_cut_at_any_byte_stores_nothing(running, forget, end, step):
    portal = running.client
    before = body_of(send(portal, request(portal, f"before {end}"), end=True))
    size, head = len(request(portal, f"cut {end}")), request(portal).index(b"\r\n\r\n") + 4
    for number, cut in enumerate([*range(0, head, 40), *range(head, size, step)]):
        if number % FEW_ENOUGH == 0:
            forget()
        answer = send(portal, request(portal, f"cut {end}")[:cut], end=end)
        assert not answer or answer.split()[1] == b"400", (cut, answer)
    stored = body_of(send(portal, request(portal, f"cut {end}"), end=True))
    assert stored["id"] == before["id"] + 1
    found = portal.wait(stored["id"])
    assert found["state"] == "done", found["error"]
