"""A mail server and a receiver of webhooks on this machine, with real sockets and real protocols."""

import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class MailServer:
    """Stores received mails as (recipient, message).

    `refuse` is the number of mails that the server refuses next.
    """

    port: int = 0
    refuse: int = 0
    mails: list[tuple[str, Message]] = field(default_factory=list)


class _Smtp(socketserver.StreamRequestHandler):
    """Implements the part of RFC 5321 that a client needs to send a mail."""

    server: "_SmtpServer"

    def handle(self) -> None:
        self._say("220 here")
        recipient = ""
        while line := self.rfile.readline().decode().strip():
            word = line[:4].upper()
            if word == "RCPT":
                recipient = line.partition("<")[2].partition(">")[0]
            if word == "DATA":
                self._say("354 go on")
                self._take(recipient)
            elif word == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _take(self, recipient: str) -> None:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        known = self.server.known
        if known.refuse:
            known.refuse -= 1
            self._say("451 not now")
        else:
            known.mails.append((recipient, message_from_bytes(b"".join(lines))))
            self._say("250 taken")

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class _SmtpServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    known: MailServer


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """Run a mail server that accepts every mail."""
    with _SmtpServer(("127.0.0.1", 0), _Smtp) as server:
        server.known = MailServer(server.server_address[1])
        yield from _served(server, server.known)


@dataclass
class Receiver:
    """Stores received requests as (headers, body).

    The server answers with `statuses`, one after the other, and then with 204. It does not answer as long as
    `hold` is set.
    """

    port: int = 0
    statuses: list[int] = field(default_factory=list)
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    hold: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.port}/hooks/1?x=ü"


class _Hooks(BaseHTTPRequestHandler):
    server: "_HookServer"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        known = self.server.known
        known.requests.append((dict(self.headers), body))
        while known.hold.is_set():
            time.sleep(0.05)
        self.send_response(known.statuses.pop(0) if known.statuses else 204)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing to the console."""


class _HookServer(ThreadingHTTPServer):
    known: Receiver


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Run a receiver of webhooks."""
    with _HookServer(("127.0.0.1", 0), _Hooks) as server:
        server.known = Receiver(server.server_address[1])
        yield from _served(server, server.known)


def _served(server, known):
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield known
    finally:
        server.shutdown()
        thread.join()
