"""Sends requests to addresses that users name, but never into the portal's own network.

A name is resolved once, all of its addresses have to be public, and the connection goes to a checked address:
a name that points elsewhere a moment later has no effect. Redirects are not followed.
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
"""IPv6 addresses that a gateway translates to the IPv4 address in their last four bytes."""
LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
"""IPv6 addresses that a local network translates by its own rules."""

PATH_LETTERS = "/?:@!$&'()*+,;=-._~%"
"""Characters of a path or query that are sent unchanged."""


class RefusedError(Exception):
    """Raised if no request may be sent to an address; the message says why."""


def post(url: str, body: bytes, headers: dict[str, str]) -> int:
    """POST to an address; return the status of the answer, also that of an error.

    Raises:
        RefusedError: no request may be sent to the address.
        OSError, http.client.HTTPException: there was no answer, or none in HTTP.
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
    """Return the address to connect to; raise RefusedError if it is unknown or not public."""
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


def leads_inside(url: str) -> bool:
    """Return whether an address is refused because it leads into the portal's own network. Names are not
    resolved.
    """
    host = urlsplit(url).hostname or ""
    if settings.WEBHOOKS_PRIVATE:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return not is_public(host)
    except ValueError:  # a name
        return False


def is_public(text: str) -> bool:
    """Return whether an address is public. An IPv6 address is judged by the IPv4 address in it, if any."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        inner = _inner(address)
        if inner is not None:
            return is_public(str(inner))
        if address in LOCAL_NAT64 or address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _inner(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that is contained in an IPv6 address."""
    if address in NAT64:
        return IPv4Address(address.packed[12:])
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError as wrong:
        raise RefusedError("Expected a port up to 65535.") from wrong
    return port or (443 if parts.scheme == "https" else 80)


class _Plain(http.client.HTTPConnection):
    """Connects to a checked address under the requested name."""

    address = ""

    def connect(self) -> None:
        self.sock = socket.create_connection((self.address, self.port), self.timeout)


class _Secure(_Plain):
    """Connects to a checked address with encryption; the certificate has to match the name."""

    default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        super().connect()
        self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)


def _connection(parts: SplitResult, address: str) -> http.client.HTTPConnection:
    kind = _Secure if parts.scheme == "https" else _Plain
    connection = kind(parts.hostname or "", _port(parts), timeout=TIMEOUT)
    connection.address = address
    return connection
