"""Requests to addresses that users name: over the network, and not into it.

A name is resolved once, all of its addresses have to be public, and the connection goes to the address that
was looked at: a name that points elsewhere a moment later leads nowhere else. Redirects are not followed.
"""

import http.client
import socket
import ssl
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, quote, urlsplit

from django.conf import settings

TIMEOUT = 5.0
"""Seconds to connect, and to wait for the next bytes of an answer."""

NAT64 = IPv6Network("64:ff9b::/96")
"""IPv6 addresses that a gateway leads on to the IPv4 address in their last four bytes."""
LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
"""The same within a network of one's own; where the IPv4 address is in them is up to it."""

PATH_LETTERS = "/?:@!$&'()*+,;=-._~%"
"""Letters of a path or query that are sent as they are."""


class RefusedError(Exception):
    """An address that is not asked, and why."""


def post(url: str, body: bytes, headers: dict[str, str]) -> int:
    """POST to an address; return the status of the answer, whatever it is.

    Raises:
        RefusedError: the address may not be asked.
        OSError, http.client.HTTPException: nobody answered, or not in HTTP.
    """
    parts = urlsplit(url)
    connection = _connection(parts, address_of(parts))
    try:
        path = quote(parts.path or "/", safe=PATH_LETTERS)
        query = f"?{quote(parts.query, safe=PATH_LETTERS)}" if parts.query else ""
        connection.request("POST", path + query, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def address_of(parts: SplitResult) -> str:
    """The address to connect to.

    Raises:
        RefusedError: no such name, or one that leads to an address that is not public.
    """
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise RefusedError(
            "Expected an address such as https://chat.example.org/hooks/1, without user and password."
        )
    try:
        found = socket.getaddrinfo(parts.hostname, _port(parts), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as unknown:
        raise RefusedError(f"{parts.hostname} has no address.") from unknown
    addresses = [str(entry[4][0]) for entry in found]
    if not settings.WEBHOOKS_PRIVATE and not all(is_public(address) for address in addresses):
        raise RefusedError(f"{parts.hostname} leads to an address that is not public.")
    return addresses[0]


def is_public(text: str) -> bool:
    """Whether an address is one of the internet's, also where IPv6 holds one of IPv4."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        inner = _inner(address)
        if inner is not None:
            return is_public(str(inner))
        if address in LOCAL_NAT64 or address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _inner(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for."""
    if address in NAT64:
        return IPv4Address(address.packed[12:])
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError as wrong:
        raise RefusedError("The port is no number up to 65535.") from wrong
    return port or (443 if parts.scheme == "https" else 80)


class _Plain(http.client.HTTPConnection):
    """To an address that was looked at, under the name that was asked for."""

    address = ""

    def connect(self) -> None:
        self.sock = socket.create_connection((self.address, self.port), self.timeout)


class _Secure(_Plain):
    """The same, encrypted; the certificate has to be that of the name."""

    default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        super().connect()
        self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)


def _connection(parts: SplitResult, address: str) -> http.client.HTTPConnection:
    kind = _Secure if parts.scheme == "https" else _Plain
    connection = kind(parts.hostname or "", _port(parts), timeout=TIMEOUT)
    connection.address = address
    return connection
